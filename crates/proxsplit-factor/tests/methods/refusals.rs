//! Bad input is refused.

use super::planted;
use proxsplit::linalg::Mat;
use proxsplit::set::NonNeg;
use proxsplit_factor::{Data, Factorization, Factors, Problem, Settings, Step, encode};

#[test]
fn bad_input_is_refused() {
    let generated = planted(0.1);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    assert!(Problem::new(&data, 0, &NonNeg, &NonNeg).is_err());
    assert!(Problem::new(&data, 91, &NonNeg, &NonNeg).is_err());
    let problem = Problem::new(&data, 2, &NonNeg, &NonNeg).unwrap();
    let factors = |x: f64, m| {
        Factors::new(
            &Mat::from_fn(m, 2, |_, _| x),
            Mat::from_fn(2, 90, |_, _| 1.0),
        )
    };
    assert!(factors(f64::NAN, 40).is_err());
    let with = |start| {
        Factorization::new(problem, Settings::default(), Some(start))
            .err()
            .map(|e| e.to_string())
    };
    assert_eq!(with(factors(1.0, 40).unwrap()), None);
    assert_eq!(
        with(factors(-1.0, 40).unwrap()).unwrap(),
        "the given X does not lie in its set"
    );
    assert!(with(factors(1.0, 39).unwrap()).is_some());
    let step = Settings {
        step: Step::Constant(0.0),
        ..Settings::default()
    };
    assert!(Factorization::new(problem, step, None).is_err());
    let batch = Settings {
        batch: Some(0),
        ..Settings::default()
    };
    assert!(Factorization::new(problem, batch, None).is_err());
    assert!(encode(&data, &Mat::zeros(39, 2), &NonNeg).is_err());
}

//! Bad input is refused.

use super::planted;
use proxsplit::Error;
use proxsplit::data::{Dense, Elements, Order};
use proxsplit::linalg::Mat;
use proxsplit::set::NonNeg;
use proxsplit_factor::{
    Data, Factorization, Factors, Lanes, Loss, Problem, Settings, Step, encode,
};

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
        "the given factors do not fit: column 0 of X lies 6.32e0 outside its set"
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
    assert!(encode(&data, Loss::Squared, &Mat::zeros(39, 2), &NonNeg).is_err());
}

/// Squares that underflow would make every X look stationary.
#[test]
fn data_too_small_or_large_to_be_squared_are_refused_unless_they_are_scaled() {
    fn open<T: Lanes>(value: f64, scale: f64) -> Result<(), Error> {
        let values = [value; 6];
        let dense = Dense::new(2, 3, Order::ColumnMajor, Elements::F64(&values)).unwrap();
        Data::<T>::new(dense.into(), scale).map(|_| ())
    }
    for value in [1e-200, 1e200] {
        let message = open::<f64>(value, 1.0).unwrap_err().to_string();
        assert!(message.contains("divide the data by a scale"), "{message}");
        assert!(open::<f64>(value, value).is_ok());
    }
    assert!(open::<f64>(1e-25, 1.0).is_ok() && open::<f32>(1e-25, 1.0).is_err());
    assert!(open::<f64>(0.0, 1.0).is_ok());
}

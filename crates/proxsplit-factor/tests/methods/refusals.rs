//! Bad input is refused.

use super::planted;
use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::set::{BoxSet, L1Ball, L2Ball, NonNeg, Simplex, Sphere};
use proxsplit::{Error, Prox};
use proxsplit_factor::{
    Data, Factorization, Factors, Lanes, Loss, Problem, Settings, Step, encode,
};

#[test]
fn bad_input_is_refused() {
    let generated = planted(0.1);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    assert!(Problem::new(&data, 0, &NonNeg, &NonNeg).is_err());
    for rank in [usize::MAX, 1 << 50] {
        let message = Problem::new(&data, rank, &NonNeg, &NonNeg).err().unwrap();
        assert!(message.to_string().contains("memory"), "{message}");
    }
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
        "the given factors cannot be used: column 0 of X lies 6.32e0 outside its set"
    );
    assert_eq!(
        with(factors(1.0, 39).unwrap()).unwrap(),
        "X of the given factors has 39 features, but the data have 40"
    );
    // As many numbers as of rank 2, but another problem.
    let ones = |rows, columns| Mat::from_fn(rows, columns, |_, _| 1.0);
    let of_another_rank = Factors::new(&ones(20, 4), ones(4, 45)).unwrap();
    assert_eq!(
        with(of_another_rank).unwrap(),
        "the given factors have rank 4, but rank 2 was requested: use rank 4, or give factors of rank 2"
    );
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
        let dense = Dense::new(2, 3, StorageOrder::ColumnMajor, Elements::F64(&values)).unwrap();
        Data::<T>::new(dense.into(), scale).map(|_| ())
    }
    for value in [1e-200, 1e200] {
        let message = open::<f64>(value, 1.0).unwrap_err().to_string();
        assert!(message.contains("--scale"), "{message}");
        assert!(open::<f64>(value, value).is_ok());
    }
    assert!(open::<f64>(1e-25, 1.0).is_ok() && open::<f32>(1e-25, 1.0).is_err());
    assert!(open::<f64>(0.0, 1.0).is_ok());
}

/// A set that rounds to {0}, or to nothing, would make every run stationary at the start.
#[test]
fn sets_outside_the_range_of_the_precision_are_refused() {
    fn refused<T: Lanes>(set: &dyn Prox<T>) -> [bool; 2] {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let dense = Dense::new(2, 3, StorageOrder::ColumnMajor, Elements::F64(&values)).unwrap();
        let data = Data::<T>::new(dense.into(), 1.0).unwrap();
        [
            Problem::new(&data, 2, set, &NonNeg),
            Problem::new(&data, 2, &NonNeg, set),
        ]
        .map(|made| match made {
            Ok(_) => false,
            Err(error) => error.to_string().contains("f64, or scale the data"),
        })
    }
    for radius in [1e-60, 1e-41, 1e-36, 1.0, 1e30] {
        let is_out = [radius < 1e-38; 2];
        let (box_set, simplex) = (BoxSet::new(0.0, radius), Simplex::new(radius));
        assert_eq!(refused::<f32>(&L2Ball::new(radius).unwrap()), is_out);
        assert_eq!(refused::<f32>(&L1Ball::new(radius).unwrap()), is_out);
        assert_eq!(refused::<f32>(&Sphere::new(radius).unwrap()), is_out);
        assert_eq!(refused::<f32>(&simplex.unwrap()), is_out, "{radius}");
        assert_eq!(refused::<f32>(&box_set.unwrap()), is_out, "{radius}");
        assert_eq!(refused::<f64>(&L2Ball::new(radius).unwrap()), [false; 2]);
    }
    assert_eq!(refused::<f32>(&Simplex::new(1e40).unwrap()), [true; 2]);
    assert_eq!(refused::<f32>(&BoxSet::new(1e40, 1e41).unwrap()), [true; 2]);
    assert_eq!(refused::<f32>(&L2Ball::new(1e40).unwrap()), [false; 2]);
}

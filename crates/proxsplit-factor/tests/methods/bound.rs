//! No factorization of the rank is below the bound by singular values.

use crate::settings;
use proxsplit::data::{Dense, Elements, Matrix, StorageOrder};
use proxsplit::internal::linalg::dense::{View, singular_values};
use proxsplit::prox::L1;
use proxsplit::set::{NonNeg, Sphere};
use proxsplit::{Certificate, Prox, Stop, run};
use proxsplit_factor::{Data, Factorization, Method, Problem};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const RANK: usize = 3;

fn certificate(matrix: Matrix<'_>, scale: f64, atoms: &dyn Prox, passes: f64) -> Certificate {
    let data = Data::<f64>::new(matrix, scale).unwrap();
    let codes = L1::new(0.01).unwrap();
    let problem = Problem::new(&data, RANK, atoms, &codes).unwrap();
    let mut solver = Factorization::new(problem, settings(Method::Auto, 1), None).unwrap();
    let stop = Stop {
        passes,
        ..Stop::default()
    };
    run(&mut solver, &stop, ()).certificate
}

#[test]
fn the_bound_is_half_of_the_squares_that_the_rank_leaves() {
    let mut random = Pcg64::seed_from_u64(5);
    for (rows, cols) in [(12, 31), (31, 12), (40, 40)] {
        let y: Vec<f64> = (0..rows * cols).map(|_| random.random::<f64>()).collect();
        for order in [StorageOrder::ColumnMajor, StorageOrder::RowMajor] {
            let dense = Dense::new(rows, cols, order, Elements::F64(&y)).unwrap();
            let shape = match order {
                StorageOrder::ColumnMajor => View::new(&y, rows, cols),
                StorageOrder::RowMajor => View::new(&y, cols, rows),
            };
            let mut values = vec![0.0; rows.min(cols)];
            assert!(singular_values(shape, &mut values, None));
            let truth = 0.5
                * values[RANK..]
                    .iter()
                    .map(|s| (s / 2.0).powi(2))
                    .sum::<f64>();
            let at = certificate(dense.into(), 2.0, &NonNeg, 200.0).at_point;
            let bound = at.lower_bound.unwrap();
            assert!(
                bound <= truth && bound > (1.0 - 1e-9) * truth,
                "{bound}, not {truth}"
            );
            assert!(at.objective >= bound);
        }
    }
}

#[test]
fn the_certificate_tells_it_where_it_holds() {
    let y: Vec<f64> = (0..200).map(|i| f64::from(i * i % 17)).collect();
    let dense = Dense::new(10, 20, StorageOrder::ColumnMajor, Elements::F64(&y)).unwrap();
    let told = certificate(dense.into(), 1.0, &NonNeg, 100.0);
    assert!(told.to_string().contains("of this rank"), "{told}");
    // One pass is less work than the eigenvalues; and the least value of a nonconvex term is not known.
    for (atoms, passes) in [
        (&NonNeg as &dyn Prox, 0.5),
        (&Sphere::new(1.0).unwrap(), 100.0),
    ] {
        let at = certificate(dense.into(), 1.0, atoms, passes).at_point;
        assert_eq!(at.lower_bound, None);
    }
}

//! Constants against eigenvalues that are known by construction, and quadratics against plain loops.

use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::smooth::{LeastSquares, Logistic, Quadratic, lipschitz};
use proxsplit::{Lipschitz, Real, Smooth, check};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// H·diag(spectrum)·H with a reflection H = I − 2uuᵀ, so that the eigenvalues are known.
fn symmetric(spectrum: &[f64], seed: u64) -> Vec<f64> {
    let n = spectrum.len();
    let mut random = Pcg64::seed_from_u64(seed);
    let mut u: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
    let length = u.iter().map(|u| u * u).sum::<f64>().sqrt();
    for u in &mut u {
        *u /= length;
    }
    let middle: f64 = u.iter().zip(spectrum).map(|(u, s)| u * u * s).sum();
    let mut q = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            q[i * n + j] = u[i] * u[j] * (4.0 * middle - 2.0 * (spectrum[i] + spectrum[j]));
        }
        q[i * n + i] += spectrum[i];
    }
    q
}

fn square(n: usize, values: &[f64]) -> Dense<'_> {
    Dense::new(n, n, StorageOrder::ColumnMajor, Elements::F64(values)).unwrap()
}

fn close(found: f64, exact: f64, above: f64) {
    assert!(
        exact <= found && found <= above * exact,
        "{found} for {exact}"
    );
}

fn quadratic_is_right<T: Real>(n: usize) {
    let spectrum: Vec<f64> = (0..n).map(|i| i as f64 / n as f64 - 0.4).collect();
    let values = symmetric(&spectrum, 1);
    let c: Vec<T> = (0..n).map(|i| T::of((i % 3) as f64 - 1.0)).collect();
    let f = Quadratic::new(square(n, &values), &c).unwrap();
    let x: Vec<T> = (0..n).map(|i| T::of((i % 7) as f64 / 7.0 - 0.5)).collect();
    let mut grad = vec![T::ZERO; n];
    let value = f.gradient(&x, &mut grad);
    let product = |i: usize| -> f64 { (0..n).map(|j| values[i * n + j] * x[j].f64()).sum() };
    let mut expected = 0.0;
    for i in 0..n {
        expected += x[i].f64() * (product(i) / 2.0 + c[i].f64());
        let slack = 4.0 * T::EPSILON.f64() * (1.0 + product(i).abs());
        assert!((grad[i].f64() - product(i) - c[i].f64()).abs() <= slack);
    }
    assert!((value - expected).abs() <= 4.0 * T::EPSILON.f64() * n as f64);
    assert!(!f.is_convex());
}

#[test]
fn quadratics_agree_with_a_plain_loop() {
    quadratic_is_right::<f64>(5);
    quadratic_is_right::<f32>(5);
    quadratic_is_right::<f64>(300);
    quadratic_is_right::<f32>(300);
    let values = symmetric(&[1.0, -2.0, 0.5], 3);
    let f = Quadratic::new(square(3, &values), &[1.0, 0.0, -1.0]).unwrap();
    check::gradient_at(&f, &[0.3, -2.0, 1.0]).unwrap();
}

#[test]
fn quadratics_know_their_spectrum() {
    let known = |spectrum: &[f64]| {
        let values = symmetric(spectrum, 2);
        let c = vec![0.0; spectrum.len()];
        let f = Quadratic::new(square(spectrum.len(), &values), &c).unwrap();
        (f.lipschitz(), f.is_convex())
    };
    let (Lipschitz::Known(l), false) = known(&[1.0, -3.0, 2.0, 0.0]) else {
        panic!("an indefinite Q of order 4");
    };
    close(l, 3.0 * (1.0 - 1e-15), 1.0 + 1e-12);
    assert!(known(&[1.0, 3.0, 0.0]).1, "a singular Q ⪰ 0 is convex");
    let mut large = vec![0.5; 600];
    large[17] = -4.0;
    let (Lipschitz::Estimated(l), false) = known(&large) else {
        panic!("a Q of order 600");
    };
    close(l, 4.0, 1.051);
}

/// Constants of least squares with this matrix.
fn constant<T: Real>(rows: usize, cols: usize, values: &[f64]) -> Lipschitz {
    let a = Dense::new(rows, cols, StorageOrder::RowMajor, Elements::F64(values)).unwrap();
    LeastSquares::new(a, &vec![T::ZERO; rows])
        .unwrap()
        .lipschitz()
}

#[test]
fn a_short_side_gives_a_known_constant() {
    // A = s·uvᵀ has ‖A‖ = s‖u‖‖v‖; 600 > 512 keeps the other side long.
    let values: Vec<f64> = (0..600 * 3)
        .map(|k| ((k / 3) as f64 * 0.01) * [1.0, -2.0, 2.0][k % 3])
        .collect();
    let exact = 9.0 * (0..600).map(|i| (f64::from(i) * 0.01).powi(2)).sum::<f64>();
    let wide: Vec<f64> = (0..3 * 600)
        .map(|k| values[(k % 600) * 3 + k / 600])
        .collect();
    for found in [
        constant::<f64>(600, 3, &values),
        constant::<f32>(3, 600, &wide),
    ] {
        let Lipschitz::Known(l) = found else {
            panic!("{found:?}");
        };
        close(l, exact * (1.0 - 1e-15), 1.0 + 1e-9);
    }
    let a = Dense::new(600, 3, StorageOrder::RowMajor, Elements::F64(&values)).unwrap();
    let logistic = Logistic::new(a, &vec![1.0; 600]).unwrap().averaged();
    close(
        logistic.lipschitz().value().unwrap(),
        exact / 2400.0 * (1.0 - 1e-15),
        1.0 + 1e-9,
    );
}

#[test]
fn large_matrices_are_bounded_if_nonnegative_and_else_estimated() {
    let n = 520;
    let mut spectrum: Vec<f64> = (0..n).map(|i| 1.0 + i as f64 / n as f64).collect();
    spectrum[3] = -3.0;
    let exact = 9.0;
    let values = symmetric(&spectrum, 4);
    for found in [
        constant::<f64>(n, n, &values),
        constant::<f32>(n, n, &values),
    ] {
        let Lipschitz::Estimated(l) = found else {
            panic!("{found:?}");
        };
        close(l, exact, 1.0501);
    }
    // A = uuᵀ + I with u > 0: ‖A‖ = 1 + ‖u‖².
    let u = |i: usize| 0.1 + (i % 10) as f64 / 10.0;
    let values: Vec<f64> = (0..n * n)
        .map(|k| u(k / n) * u(k % n) + f64::from(u8::from(k / n == k % n)))
        .collect();
    let exact = (1.0 + (0..n).map(|i| u(i) * u(i)).sum::<f64>()).powi(2);
    for found in [
        constant::<f64>(n, n, &values),
        constant::<f32>(n, n, &values),
    ] {
        let Lipschitz::Known(l) = found else {
            panic!("{found:?}");
        };
        close(l, exact * (1.0 - 1e-14), 1.021);
    }
    assert_eq!(
        constant::<f64>(n, n, &vec![0.0; n * n]),
        Lipschitz::Known(0.0)
    );
}

#[test]
fn differences_of_gradients_find_the_constant_of_any_term() {
    let values = symmetric(&[0.3, -5.0, 2.0, 1.0], 5);
    let f = Quadratic::new(square(4, &values), &[1.0; 4]).unwrap();
    close(
        lipschitz::estimate(&f, &[1.0; 4], 1).value().unwrap(),
        5.0,
        1.051,
    );
    let f = Quadratic::new(square(4, &values), &[1.0_f32; 4]).unwrap();
    close(
        lipschitz::estimate(&f, &[1.0; 4], 1).value().unwrap(),
        5.0,
        1.052,
    );
}

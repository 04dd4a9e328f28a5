//! Atoms that are zero: what others in their place would gain, and what is said of them.

use super::settings;
use proxsplit::Mat;
use proxsplit::calculus::Constrained;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::{L1, SquaredL2};
use proxsplit::set::{BoxSet, L2Ball, NonNeg};
use proxsplit::{Prox, Solver, Stop, run};
use proxsplit_factor::{Data, Factorization, Factors, Method, Problem, audit};

const ROWS: usize = 12;
const COLS: usize = 9;

/// Calls `test` with the problem of rank 1 on `y`, given entry by entry.
fn with_problem<R>(
    y: impl Fn(usize, usize) -> f64,
    (atoms, codes): (&dyn Prox<f64>, &dyn Prox<f64>),
    test: impl FnOnce(Problem<'_, f64>) -> R,
) -> R {
    let y: Vec<f64> = (0..ROWS * COLS).map(|at| y(at % ROWS, at / ROWS)).collect();
    let dense = Dense::new(ROWS, COLS, StorageOrder::ColumnMajor, Elements::F64(&y)).unwrap();
    let data = Data::new(dense.into(), 1.0).unwrap();
    test(Problem::new(&data, 1, atoms, codes).unwrap())
}

fn nothing() -> Factors<f64> {
    let (x, a) = (
        Mat::from_fn(ROWS, 1, |_, _| 0.0),
        Mat::from_fn(1, COLS, |_, _| 0.0),
    );
    Factors::new(&x, a).unwrap()
}

/// u·vᵀ with u_i = 1 + i/ROWS and v_t = 1 + t/COLS, and the square of its norm.
fn outer(i: usize, t: usize) -> f64 {
    (1.0 + i as f64 / ROWS as f64) * (1.0 + t as f64 / COLS as f64)
}

fn square(y: impl Fn(usize, usize) -> f64) -> f64 {
    (0..ROWS * COLS)
        .map(|at| y(at % ROWS, at / ROWS).powi(2))
        .sum()
}

#[test]
fn a_penalty_that_scale_evades_does_not_hide_a_gain() {
    let y = |i, t| 1e-3 * outer(i, t);
    // Atoms of norm 1 would cost a thousand times what they fit; atoms of norm 1e-6 cost nothing.
    let atoms = Constrained::new(L1::new(0.05).unwrap(), NonNeg).unwrap();
    let gain = with_problem(y, (&atoms, &NonNeg), |p| {
        audit(p, &nothing()).unwrap().escape.unwrap()
    });
    let all = 0.5 * square(y);
    assert!(gain > 0.9 * all && gain < all, "{gain:e} of {all:e}");
}

#[test]
fn one_positive_entry_of_the_misfit_is_found() {
    let y = |i, t| if (i, t) == (3, 5) { 0.1 } else { -outer(i, t) };
    let gain = with_problem(y, (&NonNeg, &NonNeg), |p| {
        audit(p, &nothing()).unwrap().escape.unwrap()
    });
    assert!((gain - 0.005).abs() < 1e-9, "{gain:e}");
}

/// Codes of norm 1 along a singular pair leave nothing of an atom under this penalty; codes at the border of their box do.
#[test]
fn codes_at_their_border_are_tried() {
    let signs = |i: usize, t: usize| if (i * t).is_multiple_of(2) { 1.0 } else { -1.0 };
    let row = |i: usize| if i == 3 { 1.0 } else { 0.3 };
    let y = move |i: usize, t: usize| 0.01 * row(i) * signs(i, t);
    let (l1, codes) = (L1::new(0.088).unwrap(), BoxSet::new(-1.0, 1.0).unwrap());
    let gain = with_problem(y, (&l1, &codes), |p| {
        audit(p, &nothing()).unwrap().escape.unwrap()
    });
    // d = 0.01 − 0.088/9 in row 3 for v = ±1 gains ½·9·d².
    let d: f64 = 0.01 - 0.088 / COLS as f64;
    let expected = 0.5 * COLS as f64 * d * d;
    assert!(
        (gain - expected).abs() < 1e-6 * expected,
        "{gain:e}, not {expected:e}"
    );
}

#[test]
fn tied_codes_are_not_searched() {
    let tied = L2Ball::new(1.0).unwrap();
    let escape = with_problem(outer, (&NonNeg, &tied), |p| {
        audit(p, &nothing()).unwrap().escape
    });
    assert_eq!(escape, None);
}

#[test]
fn dead_atoms_are_counted_and_nothing_is_proved_of_them() {
    let l1 = Constrained::new(L1::new(1e3).unwrap(), NonNeg).unwrap();
    with_problem(outer, (&l1, &l1), |problem| {
        let mut solver = Factorization::new(problem, settings(Method::Batch, 0), None).unwrap();
        for _ in 0..3 {
            solver.next().unwrap();
        }
        assert_eq!(solver.measure().pair.unwrap().dead_atoms, 1);
        super::settle(&mut solver);
        let said = solver.warnings().join(" ");
        assert!(
            said.contains("1 atom is zero or used by no sample"),
            "{said}"
        );
        let mut solver = Factorization::new(problem, settings(Method::Batch, 0), None).unwrap();
        let certificate = run(&mut solver, &Stop::default(), ())
            .certificate
            .to_string();
        let words = "1; a search found no replacement that lowers the objective, but one may exist";
        assert!(certificate.contains(words), "{certificate}");
    });
}

#[test]
fn sets_of_very_small_data_are_reached_by_the_start() {
    let ball = || L2Ball::new(5e-50).unwrap();
    let atoms = Constrained::new(SquaredL2::new(1e-55).unwrap(), ball()).unwrap();
    let codes = Constrained::new(SquaredL2::new(1e-50).unwrap(), ball()).unwrap();
    with_problem(
        |i, t| 1e-100 * outer(i, t),
        (&atoms, &codes),
        |problem| {
            let mut solver = Factorization::new(problem, settings(Method::Batch, 0), None).unwrap();
            assert!(solver.measure().feasible);
        },
    );
}

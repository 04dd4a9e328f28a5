//! Weights of features, of samples and of entries.

use super::{METHODS, settings};
use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, Indices, Sparse, StorageOrder};
use proxsplit::prox::{ElasticNet, L1, NonNegL1};
use proxsplit::set::{L2Ball, NonNeg, Simplex};
use proxsplit::{AtPoint, Error, Matrix, Prox, Solver};
use proxsplit_factor::{
    Data, Factorization, Factors, Lanes, Method, Missing, Problem, Weights, audit,
};

const ROWS: usize = 14;
const COLS: usize = 33;

fn entry(i: usize, t: usize) -> f64 {
    let mix = |k: usize| ((i * k + k) % 5 * ((t * k + 1) % 7)) as f64;
    (mix(1) + mix(2) + mix(3)) / 20.0 + ((i * 31 + t * 17) % 13) as f64 / 40.0
}

fn numbers() -> Vec<f64> {
    let all = 0..ROWS * COLS;
    all.map(|at| entry(at % ROWS, at / ROWS)).collect()
}

fn dense(values: &[f64], rows: usize) -> Matrix<'_> {
    let cols = values.len() / rows;
    Dense::new(rows, cols, StorageOrder::ColumnMajor, Elements::F64(values))
        .unwrap()
        .into()
}

fn features() -> Vec<f64> {
    (0..ROWS).map(|i| [1.0, 3.0, 0.0, 2.0][i % 4]).collect()
}

fn samples() -> Vec<f64> {
    (0..COLS)
        .map(|t| [2.0, 1.0, 0.0, 1.0, 3.0][t % 5])
        .collect()
}

fn start(rows: usize, cols: usize) -> Factors<f64> {
    let x = Mat::from_fn(rows, 3, |i, k| 0.1 + ((i * 5 + k * 3) % 7) as f64 / 7.0);
    let a = Mat::from_fn(3, cols, |k, t| 0.1 + ((t * 3 + k * 5) % 11) as f64 / 11.0);
    Factors::new(&x, a).unwrap()
}

fn both<'a>(u: &'a [f64], v: &'a [f64]) -> Weights<'a> {
    Weights {
        features: Some(u),
        samples: Some(v),
        entries: None,
    }
}

/// What a look finds after some passes of batch, and the factors that it was about.
fn after(data: &Data<'_, f64>, start: Factors<f64>, passes: usize) -> (AtPoint, Factors<f64>) {
    let problem = Problem::new(data, 3, &NonNeg, &NonNeg).unwrap();
    let mut solver = Factorization::new(problem, settings(Method::Batch, 0), Some(start)).unwrap();
    for _ in 0..passes {
        solver.next().unwrap();
    }
    let at = solver.measure();
    solver.keep();
    solver.settle();
    (at, solver.factors().clone())
}

/// Two problems are the same if they have the same objective at the start, and what solves one of them solves the other.
fn assert_same(
    (one, start): (&Data<'_, f64>, Factors<f64>),
    other: &Data<'_, f64>,
    copy: impl Fn(&Factors<f64>) -> Factors<f64>,
) {
    assert_near(one.square(), other.square(), 1e-13);
    // An exact fit leaves nothing but rounding.
    let tiny = 1e-6 * one.square();
    let (here, _) = after(one, start.clone(), 0);
    let (there, _) = after(other, copy(&start), 0);
    assert_near(here.objective + tiny, there.objective + tiny, 1e-10);
    let (here, solution) = after(one, start, 2000);
    let (there, _) = after(other, copy(&solution), 0);
    assert_near(here.objective + tiny, there.objective + tiny, 1e-10);
    for at in [here, there] {
        assert!(at.residual <= 1e-6, "{at:?}");
    }
}

fn assert_near(one: f64, other: f64, relative: f64) {
    let size = one.abs().max(other.abs());
    assert!((one - other).abs() <= relative * size, "{one} and {other}");
}

/// Every line as often as its weight says.
fn repeated(weights: &[f64]) -> Vec<usize> {
    let lines = weights.iter().enumerate();
    lines
        .flat_map(|(line, &w)| vec![line; w as usize])
        .collect()
}

#[test]
fn whole_weights_are_lines_that_are_repeated() {
    let (y, u, v) = (numbers(), features(), samples());
    let (rows, cols) = (repeated(&u), repeated(&v));
    let copies: Vec<f64> = cols
        .iter()
        .flat_map(|&t| rows.iter().map(move |&i| entry(i, t)))
        .collect();
    let weighted = Data::new(dense(&y, ROWS), 1.0).unwrap();
    let weighted = weighted.with_weights(both(&u, &v)).unwrap();
    let copied = Data::new(dense(&copies, rows.len()), 1.0).unwrap();
    assert_same((&weighted, start(ROWS, COLS)), &copied, |factors| {
        let (x, a) = (factors.x(), factors.a());
        let x = Mat::from_fn(rows.len(), 3, |i, k| x.col(k)[rows[i]]);
        Factors::new(&x, Mat::from_fn(3, cols.len(), |k, t| a.col(cols[t])[k])).unwrap()
    });
}

#[test]
fn no_weight_is_a_missing_entry() {
    let y = numbers();
    let is_gap = |at: &usize| (at * 7 + at / ROWS).is_multiple_of(6);
    let gaps: Vec<f64> = (0..y.len())
        .map(|at| if is_gap(&at) { f64::NAN } else { y[at] })
        .collect();
    let garbage: Vec<f64> = (0..y.len())
        .map(|at| if is_gap(&at) { 1e3 } else { y[at] })
        .collect();
    let w: Vec<f64> = (0..y.len())
        .map(|at| f64::from(u8::from(!is_gap(&at))))
        .collect();
    let missing = Data::with_missing(dense(&gaps, ROWS), 1.0, Missing::Nan).unwrap();
    let weighted = Data::new(dense(&garbage, ROWS), 1.0).unwrap();
    let weighted = weighted
        .with_weights(Weights {
            entries: Some(dense(&w, ROWS)),
            ..Weights::default()
        })
        .unwrap();
    assert_same((&missing, start(ROWS, COLS)), &weighted, Factors::clone);
    assert_same((&weighted, start(ROWS, COLS)), &missing, Factors::clone);
}

#[test]
fn weights_of_lines_are_weights_of_their_entries() {
    let (y, u, v) = (numbers(), features(), samples());
    let products: Vec<f64> = (0..y.len()).map(|at| u[at % ROWS] * v[at / ROWS]).collect();
    let lines = Data::new(dense(&y, ROWS), 1.0).unwrap();
    let lines = lines.with_weights(both(&u, &v)).unwrap();
    let entries = Data::new(dense(&y, ROWS), 1.0).unwrap();
    let entries = entries
        .with_weights(Weights {
            entries: Some(dense(&products, ROWS)),
            ..Weights::default()
        })
        .unwrap();
    assert_same((&lines, start(ROWS, COLS)), &entries, Factors::clone);
    assert_same((&entries, start(ROWS, COLS)), &lines, Factors::clone);
}

/// A look states what plain sums find, for every method and every kind of term.
fn states_the_truth<T: Lanes>(data: &Data<'_, T>, methods: &[Method], tolerance: f64) {
    let (l1, signed) = (NonNegL1::new(0.02).unwrap(), L1::new(0.02).unwrap());
    let elastic = ElasticNet::new(0.01, 0.1).unwrap();
    let (ball, simplex) = (L2Ball::new(1.0).unwrap(), Simplex::new(1.0).unwrap());
    let terms: [(&dyn Prox<T>, &dyn Prox<T>); 5] = [
        (&NonNeg, &NonNeg),
        (&l1, &l1),
        (&elastic, &elastic),
        (&ball, &signed),
        (&NonNeg, &simplex),
    ];
    for &method in methods {
        for (number, (atoms, codes)) in terms.into_iter().enumerate() {
            if method == Method::Sggd && atoms.elementary().is_none() {
                continue;
            }
            let problem = Problem::new(data, 3, atoms, codes).unwrap();
            let mut solver = Factorization::new(problem, settings(method, 1), None).unwrap();
            let first = solver.measure().objective;
            for _ in 0..60 {
                solver.next().unwrap();
            }
            let at = solver.measure();
            solver.keep();
            solver.settle();
            let found = audit(problem, solver.factors()).unwrap();
            let name = format!("{method}, terms {number}");
            assert!(at.objective < first, "{name}: {first} to {}", at.objective);
            let near = |one: f64, other: f64, size: f64| {
                assert!(
                    (one - other).abs() <= tolerance * size,
                    "{name}: {one}, {other}"
                );
            };
            let pair = at.pair.unwrap();
            near(found.objective, at.objective, first);
            near(found.residual_x, pair.residual_x, pair.scale_x);
            near(found.residual_a, pair.residual_a, pair.scale_a);
            assert!(pair.residual_a <= 1e-3 * pair.scale_a, "{name}: codes");
            if method == Method::Batch {
                assert!(pair.residual_x <= 0.02 * pair.scale_x, "{name}: {pair:?}");
            }
        }
    }
}

#[test]
fn every_method_states_the_truth() {
    let (y, u, v) = (numbers(), features(), samples());
    let data = Data::<f64>::new(dense(&y, ROWS), 1.0).unwrap();
    states_the_truth(&data.with_weights(both(&u, &v)).unwrap(), &METHODS, 1e-9);
    let data = Data::<f32>::new(dense(&y, ROWS), 1.0).unwrap();
    states_the_truth(&data.with_weights(both(&u, &v)).unwrap(), &METHODS, 1e-4);
    let gaps: Vec<f64> = (0..y.len())
        .map(|at| if at % 5 == 2 { f64::NAN } else { y[at] })
        .collect();
    let data = Data::<f64>::with_missing(dense(&gaps, ROWS), 1.0, Missing::Nan).unwrap();
    let data = data.with_weights(both(&u, &v)).unwrap();
    let methods = [Method::Batch, Method::Incremental, Method::Sggd];
    states_the_truth(&data, &methods, 1e-9);
    let w: Vec<f64> = (0..y.len()).map(|at| (at % 4) as f64 / 2.0).collect();
    let data = Data::<f64>::new(dense(&y, ROWS), 1.0).unwrap();
    let weights = Weights {
        entries: Some(dense(&w, ROWS)),
        ..both(&u, &v)
    };
    states_the_truth(&data.with_weights(weights).unwrap(), &[Method::Batch], 1e-9);
}

/// Of a feature without weight only the penalty is left, whatever stands in its row: passes never raise the objective, and its atoms end
/// at zero.
#[test]
fn no_weight_and_a_penalty_are_a_row_of_zeros() -> Result<(), Error> {
    let (mut y, u) = (numbers(), features());
    for (at, y) in y.iter_mut().enumerate() {
        *y *= if u[at % ROWS] == 0.0 { 1e3 } else { 1.0 };
    }
    let weights = Weights {
        features: Some(&u),
        ..Weights::default()
    };
    let data = Data::<f64>::new(dense(&y, ROWS), 1.0)?.with_weights(weights)?;
    let l1 = NonNegL1::new(0.05)?;
    let problem = Problem::new(&data, 3, &l1, &NonNeg)?;
    for method in [Method::Batch, Method::Aggregated] {
        let mut solver = Factorization::new(problem, settings(method, 1), None)?;
        let mut last = f64::INFINITY;
        for _ in 0..40 {
            solver.by_ref().take(10).for_each(drop);
            let now = solver.measure().objective;
            assert!(now <= last * (1.0 + 1e-12), "{method}: {last} to {now}");
            last = now;
        }
        let residual = solver.measure().residual;
        assert!(residual <= 1e-3, "{method}: {residual}");
        solver.keep();
        solver.settle();
        let x = solver.factors().x();
        for i in (0..ROWS).filter(|&i| u[i] == 0.0) {
            assert!((0..3).all(|k| x[(i, k)] == 0.0), "{method}: row {i}");
        }
    }
    Ok(())
}

#[test]
fn sparse_weights_have_the_pattern_of_the_data() -> Result<(), Error> {
    let narrow = |index: usize| i32::try_from(index).unwrap();
    let starts: Vec<i32> = (0..=COLS).map(|t| narrow(4 * t)).collect();
    let indices: Vec<i32> = (0..4 * COLS)
        .map(|at| narrow((at % 4) * 3 + at / 4 % 3))
        .collect();
    let values: Vec<f64> = (0..4 * COLS).map(|at| 0.5 + (at % 7) as f64).collect();
    let w: Vec<f64> = (0..4 * COLS).map(|at| (at % 3) as f64).collect();
    let sparse = |indices, values| {
        let (starts, indices) = (Indices::I32(&starts), Indices::I32(indices));
        Sparse::new(
            (ROWS, COLS),
            StorageOrder::ColumnMajor,
            starts,
            indices,
            Elements::F64(values),
        )
    };
    let weights = Weights {
        entries: Some(sparse(&indices, &w)?.into()),
        ..Weights::default()
    };
    let y: Matrix<'_> = sparse(&indices, &values)?.into();
    let unstored = Data::<f64>::with_missing(y, 1.0, Missing::Unstored)?;
    let unstored = unstored.with_weights(weights)?;
    // The same as an array, with weight 0 where nothing is stored.
    let (mut full, mut full_w) = (vec![0.0; ROWS * COLS], vec![0.0; ROWS * COLS]);
    for at in 0..4 * COLS {
        let place = at / 4 * ROWS + indices[at] as usize;
        (full[place], full_w[place]) = (values[at], w[at]);
    }
    let array = Data::new(dense(&full, ROWS), 1.0)?.with_weights(Weights {
        entries: Some(dense(&full_w, ROWS)),
        ..Weights::default()
    })?;
    assert_same((&unstored, start(ROWS, COLS)), &array, Factors::clone);
    let all = Data::<f64>::new(y, 1.0)?.with_weights(weights);
    assert!(all.unwrap_err().to_string().contains("unstored"));
    let mut elsewhere = indices.clone();
    elsewhere[3] = 13;
    let other = Weights {
        entries: Some(sparse(&elsewhere, &w)?.into()),
        ..Weights::default()
    };
    let refused = Data::<f64>::with_missing(y, 1.0, Missing::Unstored)?.with_weights(other);
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("where the data are")
    );
    Ok(())
}

#[test]
fn bad_weights_are_refused_with_their_place() {
    let (y, u, v) = (numbers(), features(), samples());
    let data = || Data::<f64>::new(dense(&y, ROWS), 1.0).unwrap();
    let refused = |weights: Weights<'_>| data().with_weights(weights).unwrap_err().to_string();
    assert!(refused(both(&u[1..], &v)).contains("13 weights of features, but 14"));
    let bad = |at: usize, value: f64| {
        let mut v = samples();
        v[at] = value;
        v
    };
    for value in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(both(&u, &bad(7, value))).contains("the weight of sample 7"));
    }
    assert!(refused(both(&[0.0; ROWS], &v)).contains("all weights of features are 0"));
    let mut w = vec![1.0; ROWS * COLS];
    w[2 * ROWS + 5] = -0.5;
    let of = |w: &[f64], rows| {
        refused(Weights {
            entries: Some(dense(w, rows)),
            ..Weights::default()
        })
    };
    assert!(of(&w, ROWS).contains("row 5, column 2 (counting from 0) is -0.5"));
    assert!(of(&w, COLS).contains("33 × 14, but the data are 14 × 33"));
    assert!(of(&vec![0.0; ROWS * COLS], ROWS).contains("nothing to fit"));
    let entries = Weights {
        entries: Some(dense(&y, ROWS)),
        ..Weights::default()
    };
    let data = data().with_weights(entries).unwrap();
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    for method in [Method::Incremental, Method::Aggregated, Method::Sggd] {
        let error = Factorization::new(problem, settings(method, 0), None);
        assert!(error.err().unwrap().to_string().contains("use batch"));
    }
}

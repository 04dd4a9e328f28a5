//! Runs over shards: the same as on one machine, whatever holds the shards, and true when some are late or lost.

use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::ledger::Source;
use proxsplit::prox::NonNegL1;
use proxsplit::set::NonNeg;
use proxsplit::{Error, Prox, Report, Stop, run};
use proxsplit_factor::{
    Answer, Data, Factorization, Factors, Local, Method, Problem, Request, Settings, Shard,
    Sharded, Shards, Step, audit,
};
use std::collections::HashMap;

const ROWS: usize = 30;
const COLS: usize = 64;
const RANK: usize = 4;
const METHODS: [Method; 3] = [Method::Batch, Method::Aggregated, Method::Incremental];

/// A nonnegative matrix of rank 4 and some noise.
fn numbers() -> Vec<f64> {
    let part = |i: usize, k: usize| ((i * 7 + k * 13) % 11) as f64 / 11.0;
    (0..ROWS * COLS)
        .map(|at| {
            let (i, t) = (at % ROWS, at / ROWS);
            let fit: f64 = (0..RANK).map(|k| part(i, k) * part(t + 3, k + 5)).sum();
            fit + 0.05 * ((at * 31 % 17) as f64 / 17.0)
        })
        .collect()
}

fn data(y: &[f64]) -> Result<Data<'_, f64>, Error> {
    let dense = Dense::new(
        ROWS,
        y.len() / ROWS,
        StorageOrder::ColumnMajor,
        Elements::F64(y),
    )?;
    Data::new(dense.into(), 1.0)
}

fn settings(method: Method) -> Settings {
    Settings {
        method,
        seed: 3,
        ..Settings::default()
    }
}

fn limits(passes: f64) -> Stop {
    Stop {
        residual: 0.0,
        relative: 1e-6,
        passes,
        ..Stop::default()
    }
}

type Terms<'a> = (&'a dyn Prox<f64>, &'a dyn Prox<f64>);

/// Calls `work` with shards of these numbers of columns.
fn with_shards<R>(
    sizes: &[usize],
    terms: Terms<'_>,
    work: impl FnOnce(&mut [Shard<'_, f64>]) -> Result<R, Error>,
) -> Result<R, Error> {
    let y = numbers();
    let mut rest = &y[..];
    let mut parts = Vec::new();
    for size in sizes {
        let (part, after) = rest.split_at(size * ROWS);
        parts.push(data(part)?);
        rest = after;
    }
    let shards = parts
        .iter()
        .enumerate()
        .map(|(index, data)| Shard::new(Problem::new(data, RANK, terms.0, terms.1)?, index));
    work(&mut shards.collect::<Result<Vec<_>, Error>>()?)
}

fn start() -> Mat<f64> {
    Mat::from_fn(ROWS, RANK, |i, k| ((i * 5 + k * 3) % 7) as f64 / 7.0 + 0.1)
}

/// What a run ends with: the report, X, and the codes of all shards.
fn ended(report: Report, x: &Mat<f64>, shards: &[Shard<'_, f64>]) -> (Report, Factors<f64>) {
    let codes: Vec<f64> = shards.iter().flat_map(|s| s.codes().to_vec()).collect();
    let a = Mat::new(RANK, codes.len() / RANK, codes).expect("codes of all samples");
    (report, Factors::new(x, a).expect("factors that fit"))
}

fn local_run(
    shards: &mut [Shard<'_, f64>],
    terms: Terms<'_>,
    (method, passes): (Method, f64),
    x: Option<&Mat<f64>>,
) -> Result<(Report, Factors<f64>), Error> {
    let wire = Box::new(Local {
        shards: &mut *shards,
    });
    let mut solver = Sharded::new(wire, RANK, terms, settings(method), x)?;
    let report = run(&mut solver, &limits(passes), ());
    let x = solver.x();
    drop(solver);
    Ok(ended(report, &x, shards))
}

/// One shard is `batch` on one machine, with and without penalties: the same objectives, pass by pass.
#[test]
fn one_shard_is_the_plain_method() -> Result<(), Error> {
    let l1 = NonNegL1::new(0.01)?;
    let cases: [Terms<'_>; 2] = [(&NonNeg, &NonNeg), (&l1, &l1)];
    for (case, terms) in cases.into_iter().enumerate() {
        let y = numbers();
        let data = data(&y)?;
        let problem = Problem::new(&data, RANK, terms.0, terms.1)?;
        let begun = with_shards(&[COLS], terms, |shards| {
            let x = begun_at(shards, terms, &start())?.x();
            Ok((x, shards[0].codes().to_vec()))
        })?;
        let own = with_shards(&[COLS], terms, |shards| {
            let solver = begun_at(shards, terms, &start())?;
            Ok(solver.take(40).map(|at| at.objective).collect::<Vec<_>>())
        })?;
        // The codes are still to be scaled as X was.
        let scale = |k: usize| start().col(k)[0] / begun.0.col(k)[0];
        let codes = Mat::from_fn(RANK, COLS, |k, t| begun.1[t * RANK + k] * scale(k));
        let factors = Factors::new(&begun.0, codes)?;
        let plain = Factorization::new(problem, settings(Method::Batch), Some(factors))?;
        for (pass, (own, plain)) in own
            .into_iter()
            .zip(plain.map(|at| at.objective))
            .enumerate()
        {
            let (Some(a), Some(b)) = (own, plain) else {
                assert_eq!(own, plain, "case {case}, pass {pass}");
                continue;
            };
            assert!(
                (a - b).abs() <= 1e-9 * b,
                "case {case}, pass {pass}: {a} and {b}"
            );
        }
    }
    Ok(())
}

fn begun_at<'s>(
    shards: &'s mut [Shard<'_, f64>],
    terms: Terms<'s>,
    x: &Mat<f64>,
) -> Result<Sharded<'s, f64>, Error> {
    let wire = Box::new(Local { shards });
    Sharded::new(wire, RANK, terms, settings(Method::Batch), Some(x))
}

/// Everything that a certificate says, by plain sums over all data.
#[test]
fn what_is_said_of_all_shards_is_true() -> Result<(), Error> {
    let l1 = NonNegL1::new(0.02)?;
    for method in METHODS {
        let terms: Terms<'_> = (&l1, &l1);
        let (report, factors) = with_shards(&[10, 30, 5, 19], terms, |shards| {
            local_run(shards, terms, (method, 4000.0), None)
        })?;
        let y = numbers();
        let data = data(&y)?;
        let found = audit(Problem::new(&data, RANK, &l1, &l1)?, &factors)?;
        let at = report.certificate.at_point;
        let pair = at.pair.expect("a pair of factors");
        assert!(report.converged(), "{method}: {}", report.certificate);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * found.scale_x;
        assert!((at.objective - found.objective).abs() <= 1e-10 * found.objective);
        assert!(near(pair.residual_x, found.residual_x), "{method}: R_X");
        assert!(near(pair.residual_a, found.residual_a), "{method}: R_A");
        assert!((pair.scale_x / found.scale_x - 1.0).abs() < 1e-9);
        assert!((pair.scale_a / found.scale_a - 1.0).abs() < 1e-9);
        let gap = pair.codes_gap.expect("a dual point for X ≥ 0");
        assert!(found.objective - found.best_objective <= gap + 1e-9 * found.objective);
    }
    Ok(())
}

/// A wire on which shards are lost for some passes, and forget what they knew.
struct Lossy<'s, 'a> {
    local: Local<'s, 'a, f64>,
    asked: usize,
}

impl Shards<f64> for Lossy<'_, '_> {
    fn ask(&mut self, order: &Request<'_, f64>) -> Result<Vec<Option<Answer<f64>>>, Error> {
        self.asked += 1;
        let is_bad = !order.needs_all && self.asked % 7 < 2;
        let mut answers = Vec::new();
        for (index, shard) in self.local.shards.iter_mut().enumerate() {
            if is_bad && index == 1 {
                shard.forget();
                answers.push(None);
            } else {
                answers.push(Some(shard.answer(order)));
            }
        }
        Ok(answers)
    }
}

/// With penalties, factors are scaled after every pass: old shares must follow.
#[test]
fn lost_shards_cost_passes_and_nothing_else() -> Result<(), Error> {
    let l1 = NonNegL1::new(0.01)?;
    lose_shards((&NonNeg, &NonNeg))?;
    lose_shards((&l1, &l1))
}

fn lose_shards(terms: Terms<'_>) -> Result<(), Error> {
    let (report, factors) = with_shards(&[20, 24, 20], terms, |shards| {
        let local = Local {
            shards: &mut *shards,
        };
        let wire = Box::new(Lossy { local, asked: 0 });
        let mut solver = Sharded::new(wire, RANK, terms, settings(Method::Batch), None)?;
        let report = run(&mut solver, &limits(3000.0), ());
        let x = solver.x();
        drop(solver);
        Ok(ended(report, &x, shards))
    })?;
    assert!(report.converged(), "{}", report.certificate);
    let is_stale = |row: &&proxsplit::Row| row.errors.get(Source::Stale).is_some();
    assert!(report.looks().filter(is_stale).count() > 0);
    let words = report.certificate.to_string();
    assert!(
        words.contains("up-to-date contributions of all shards"),
        "{words}"
    );
    let y = numbers();
    let data = data(&y)?;
    let found = audit(Problem::new(&data, RANK, terms.0, terms.1)?, &factors)?;
    assert!(found.residual_x <= 2e-6 * found.scale_x, "{found:?}");
    assert!(found.residual_a <= 2e-6 * found.scale_a, "{found:?}");
    Ok(())
}

/// With the codes of its shards a saved run goes on bit by bit, here for another seventeen steps.
#[test]
fn a_saved_run_goes_on() -> Result<(), Error> {
    let terms: Terms<'_> = (&NonNeg, &NonNeg);
    for method in METHODS {
        let whole = with_shards(&[32, 32], terms, |shards| {
            let mut solver = begun(shards, terms, method)?;
            assert_eq!(solver.by_ref().take(30).count(), 30);
            Ok(solver.x())
        })?;
        let (state, codes) = with_shards(&[32, 32], terms, |shards| {
            let mut solver = begun(shards, terms, method)?;
            assert_eq!(solver.by_ref().take(13).count(), 13);
            let state = solver.state();
            drop(solver);
            Ok((
                state,
                shards.iter_mut().map(saved_codes).collect::<Vec<_>>(),
            ))
        })?;
        let resumed = with_shards(&[32, 32], terms, |shards| {
            for (shard, codes) in shards.iter_mut().zip(codes) {
                shard.restore(codes)?;
            }
            let arrays = state.arrays.into_iter();
            let arrays = arrays.map(|(name, array)| (name.to_owned(), array));
            let saved = (&state.header, arrays.collect());
            let wire = Box::new(Local { shards });
            let mut solver = Sharded::resume(wire, RANK, terms, settings(method), saved)?;
            assert_eq!(solver.by_ref().take(17).count(), 17);
            Ok(solver.x())
        })?;
        assert_eq!(whole, resumed, "{method}");
    }
    Ok(())
}

fn begun<'s>(
    shards: &'s mut [Shard<'_, f64>],
    terms: Terms<'s>,
    method: Method,
) -> Result<Sharded<'s, f64>, Error> {
    Sharded::new(
        Box::new(Local { shards }),
        RANK,
        terms,
        settings(method),
        None,
    )
}

fn saved_codes(shard: &mut Shard<'_, f64>) -> HashMap<String, Vec<f64>> {
    let state = shard.state().into_iter();
    state
        .map(|(name, codes)| (name.to_owned(), codes.clone()))
        .collect()
}

/// Shards that do not fit together, and what they cannot do yet, are refused with words.
#[test]
fn bad_shards_are_refused() -> Result<(), Error> {
    let (y, other) = (vec![1.0; 2 * ROWS], vec![1.0; 6]);
    let dense = Dense::new(2, 3, StorageOrder::ColumnMajor, Elements::F64(&other))?;
    let parts = [data(&y)?, Data::new(dense.into(), 1.0)?];
    let shard = |at: usize| Shard::new(Problem::new(&parts[at], 1, &NonNeg, &NonNeg)?, at);
    let mut shards = [shard(0)?, shard(1)?];
    let refused = |wire: Local<'_, '_, f64>, method| {
        let terms: Terms<'_> = (&NonNeg, &NonNeg);
        let run = Sharded::new(Box::new(wire), 1, terms, settings(method), None);
        run.map(drop).expect_err("refused").to_string()
    };
    let words = refused(
        Local {
            shards: &mut shards,
        },
        Method::Batch,
    );
    assert!(words.contains("shard 1 has 2 features"), "{words}");
    let words = refused(
        Local {
            shards: &mut shards[..1],
        },
        Method::Sggd,
    );
    assert!(words.contains("does not run over shards"), "{words}");
    let steps = Settings {
        step: Step::Constant(0.5),
        ..settings(Method::Incremental)
    };
    let wire = Box::new(Local {
        shards: &mut shards[..1],
    });
    let run = Sharded::new(wire, 1, (&NonNeg, &NonNeg), steps, None);
    let words = run.map(drop).expect_err("refused").to_string();
    assert!(words.contains("only the step auto"), "{words}");
    let words = refused(Local { shards: &mut [] }, Method::Batch);
    assert!(words.contains("no shards"), "{words}");
    Ok(())
}

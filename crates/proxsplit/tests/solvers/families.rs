//! Every solver on every family of problems, judged at the point that it returns: the true residual, and for convex problems the gap against the
//! lowest objective that any of them has found.

use crate::sample::{Sample, distance};
use proxsplit::gradient::{Page, Saga, Stale};
use proxsplit::order::VisitOrder;
use proxsplit::smooth::Linear;
use proxsplit::smooth::loss::{Named, Shape};
use proxsplit::text::Operator;
use proxsplit::{Class, Panoc, Prox, Report, Solver, Splitting, Stop, WorkingSet, run};

const ROWS: usize = 36;
const COLS: usize = 6;
const LOSSES: [&str; 6] = [
    "least-squares",
    "logistic",
    "huber:0.5",
    "sigmoid",
    "cauchy:0.5",
    "geman-mcclure:2",
];
const TERMS: [&str; 9] = [
    "l1:1",
    "elastic:0.5,0.5",
    "group-l2:1,3",
    "sparse-group:0.3,0.5,2",
    "mcp:0.8,3",
    "scad:0.8,3.7",
    "l1:0.5+nonneg",
    "box:-0.5,0.3",
    "l1-ball:1",
];

fn stop() -> Stop {
    Stop {
        relative: 1e-6,
        passes: 60_000.0,
        ..Stop::default()
    }
}

fn solved(solver: &mut impl Solver) -> Report {
    run(solver, &stop(), ())
}

/// The answers of all solvers that take this problem.
fn answers(f: &dyn Linear, g: &dyn Prox) -> Vec<(&'static str, Vec<f64>, Report)> {
    let start = [0.1; COLS];
    let mut all = Vec::new();
    let mut panoc = Panoc::new(f, g, &start).unwrap();
    let report = solved(&mut panoc);
    all.push(("panoc", panoc.into_x(), report));
    if let Ok(mut set) = WorkingSet::new(f, g, &start) {
        let report = solved(&mut set);
        all.push(("working set", set.into_x(), report));
    }
    let plain = || Splitting::new(f, g, &start).unwrap();
    let saga = || Saga::new(f, 5, VisitOrder::Reshuffled, 1).unwrap();
    let others = [
        ("splitting", plain()),
        (
            "page",
            plain().gradient(Page::new(f, 5, VisitOrder::Reshuffled, 1).unwrap()),
        ),
        ("saga", plain().gradient(saga())),
        ("aggregated", plain().gradient(saga().aggregated())),
        ("stale", plain().gradient(Stale::new(f, 2))),
    ];
    for (name, mut solver) in others {
        let report = solved(&mut solver);
        all.push((name, solver.into_x(), report));
    }
    all
}

/// ‖x − P_η(x − η∇f(x))‖/η
fn residual(f: &dyn Linear, g: &dyn Prox, x: &[f64], step: f64) -> f64 {
    let mut p = vec![0.0; x.len()];
    f.gradient(x, &mut p);
    for (p, x) in p.iter_mut().zip(x) {
        *p = x - step * *p;
    }
    g.prox(&mut p, step);
    distance(x, &p) / step
}

#[test]
fn every_solver_on_every_loss_and_term() {
    let sample = Sample::new(ROWS, COLS, 9);
    for loss in LOSSES {
        let named: Named = loss.parse().unwrap();
        let targets = if named.has_labels() {
            sample.labels()
        } else {
            sample.targets.clone()
        };
        let f = named
            .model(sample.matrix(), &targets, Shape::default())
            .unwrap();
        // A penalty that is bounded does not hold back an x that separates labels.
        let bounded = |term: &&str| term.starts_with("mcp") || term.starts_with("scad");
        let terms = TERMS.into_iter();
        for term in terms.filter(|term| !(named.has_labels() && bounded(term))) {
            let g: Operator = term.parse().unwrap();
            let answers = answers(&*f, &g);
            let lowest = answers
                .iter()
                .map(|(_, _, report)| report.certificate.at_point.objective);
            let lowest = lowest.fold(f64::INFINITY, f64::min);
            for (name, x, report) in &answers {
                let (certificate, case) = (&report.certificate, format!("{name}, {loss}, {term}"));
                assert!(report.converged(), "{case}: {certificate}");
                let at = &certificate.at_point;
                let objective = f.value(x) + Prox::value(&g, x);
                assert!(
                    (objective - at.objective).abs() <= 1e-9 * objective.abs(),
                    "{case}"
                );
                let truth = residual(&*f, &g, x, at.reference_step);
                if Prox::<f64>::class(&g) == Class::Convex {
                    assert!(
                        (truth - at.residual).abs() <= 1e-9 * at.scale,
                        "{case}: {truth}"
                    );
                }
                // For the others the certificate's number bounds dist(0, ∂Φ), of which this is a part at most (1 + ηm)/(1 − ηm) times larger.
                assert!(truth <= 3.0 * certificate.tolerance, "{case}: {truth}");
                if let Some(gap) = at.gap {
                    assert!(objective - lowest <= gap + 1e-9 * objective.abs(), "{case}");
                }
            }
        }
    }
}

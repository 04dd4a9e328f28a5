//! What O = prox costs: prox calls and time of a pass, where the prox is cheap and where it is dear.

use super::Sample;
use proxsplit::gradient::Inner;
use proxsplit::smooth::Cauchy;
use proxsplit::text::Operator;
use proxsplit::{Class, IncrementalSplitting, Passes, Prox, Solver};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

const SIDE: usize = 24;
const PASSES: u32 = 3;

/// An operator that counts its calls.
struct Counted {
    operator: Operator,
    calls: AtomicU64,
}

impl Prox for Counted {
    fn value(&self, x: &[f64]) -> f64 {
        self.operator.value(x)
    }

    fn prox(&self, x: &mut [f64], step: f64) {
        self.calls.fetch_add(1, Relaxed);
        self.operator.prox(x, step);
    }

    fn class(&self) -> Class {
        Prox::<f64>::class(&self.operator)
    }
}

pub(crate) fn study() {
    let sample = Sample::new(960, SIDE * SIDE);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let terms = [
        ("l1", "l1:1".to_owned()),
        ("nuclear", format!("nuclear:1,{SIDE}x{SIDE}")),
        ("tv2d", format!("tv2d:1,{SIDE}x{SIDE}")),
        ("Dykstra", format!("nuclear:1,{SIDE}x{SIDE}+nonneg")),
    ];
    println!("term,inner,calls,milliseconds,residual");
    for (name, text) in &terms {
        for inner in [Inner::Identity, Inner::Prox] {
            let g = Counted {
                operator: text.parse().unwrap(),
                calls: AtomicU64::new(0),
            };
            let passes = Passes {
                inner,
                batch: 30,
                ..Passes::default()
            };
            let start = vec![0.0; SIDE * SIDE];
            let mut solver = IncrementalSplitting::new(&f, &g, &start, passes).unwrap();
            let begin = Instant::now();
            for _ in 0..PASSES {
                solver.next().unwrap();
            }
            let seconds = begin.elapsed().as_secs_f64() / f64::from(PASSES);
            let calls = g.calls.load(Relaxed) / u64::from(PASSES);
            let residual = solver.measure().residual;
            println!(
                "{name},{inner:?},{calls},{:.4},{residual:.4e}",
                1e3 * seconds
            );
        }
    }
}

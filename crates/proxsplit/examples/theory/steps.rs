//! Constant against diminishing steps: the true residual of an incremental run over its passes.

use super::Sample;
use proxsplit::gradient::Inner;
use proxsplit::prox::L1;
use proxsplit::smooth::Cauchy;
use proxsplit::step::{Constant, Diminishing};
use proxsplit::{IncrementalSplitting, Passes, Smooth, Solver};

const PASSES: u32 = 2000;

pub(crate) fn study() {
    let sample = Sample::new(200, 30);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let g = L1::new(1.0).unwrap();
    let longest = 1.0 / f.lipschitz().value().unwrap();
    println!("inner,rule,share,pass,step,residual");
    for inner in [Inner::Identity, Inner::Prox] {
        let passes = Passes {
            inner,
            batch: 10,
            ..Passes::default()
        };
        let solver = || IncrementalSplitting::new(&f, &g, &[0.3; 30], passes).unwrap();
        for share in [1.0, 0.25, 0.0625] {
            let rule = Constant::new(share * longest).unwrap();
            let label = format!("{inner:?},constant,{share}");
            trace(solver().step(rule).unwrap(), &label);
        }
        let rule = Diminishing::new(longest, 0.7).unwrap().delay(10.0).unwrap();
        let label = format!("{inner:?},diminishing,1");
        trace(solver().step(rule).unwrap(), &label);
    }
}

/// Prints the residual at passes that are evenly spread on a logarithmic axis.
fn trace(mut solver: IncrementalSplitting, label: &str) {
    let mut due = 1.0;
    for pass in 1..=PASSES {
        let progress = solver.next().unwrap();
        if f64::from(pass) >= due {
            let residual = solver.measure().residual;
            println!("{label},{pass},{:.4e},{residual:.4e}", progress.step);
            due = f64::from(pass) * 1.15;
        }
    }
}

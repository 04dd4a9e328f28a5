//! ‖e(xᵏ)‖ of one incremental pass against η, beside the bounds of the lemma "Bounded error": its corrected sum
//! Σ_t ((1+2ηL)^{T−t} − 1)β_t, and the constant (1+2ηL)^{T−1} Σ_t β_t that the paper prints.

use super::Sample;
use proxsplit::gradient::{IncrementalPass, Inner, drift_bound};
use proxsplit::internal::linalg::vec::norm;
use proxsplit::order::VisitOrder;
use proxsplit::smooth::Cauchy;
use proxsplit::text::Operator;
use proxsplit::{FiniteSum, Prox};

const WEIGHT: f64 = 1.0;
const BATCH: usize = 10;

pub(crate) fn study() {
    let sample = Sample::new(200, 30);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let l = BATCH as f64 * f.term_lipschitz().value().unwrap();
    println!("inner,set,step,drift,bound,printed");
    for inner in [Inner::Identity, Inner::Prox] {
        for (set, text) in [("none", "l1:1"), ("box", "l1:1+box:-0.4,0.4")] {
            let g: Operator = text.parse().unwrap();
            for exponent in 0..=20 {
                let step = 10f64.powf(-5.0 + 0.15 * f64::from(exponent));
                let [drift, bound, printed] = pass(&f, &g, inner, (step, l));
                println!("{inner:?},{set},{step:.4e},{drift:.4e},{bound:.4e},{printed:.4e}");
            }
        }
    }
}

/// The drift of a pass from a fixed point, and both bounds.
fn pass(f: &dyn FiniteSum, g: &dyn Prox, inner: Inner, (step, l): (f64, f64)) -> [f64; 3] {
    let x = vec![0.3; f.dim()];
    let mut source = IncrementalPass::new(f, g, inner, (BATCH, VisitOrder::Cyclic, 0)).unwrap();
    let (mut sum, mut points) = (vec![0.0; x.len()], Vec::new());
    source.traced(&x, step, &mut sum, |_, z, _| points.push(z.to_vec()));
    let betas: Vec<f64> = points
        .iter()
        .enumerate()
        .map(|(t, z)| {
            let mut slope = vec![0.0; x.len()];
            f.add_gradient(source.visits().batch(t), &x, &mut slope);
            // Without a prox between the terms the increments are gradients alone; with one, ∂g has W·sign(z) in it.
            if inner == Inner::Prox {
                slope
                    .iter_mut()
                    .zip(z)
                    .for_each(|(s, z)| *s += WEIGHT * sign(*z));
            }
            norm(&slope)
        })
        .collect();
    let mut exact = vec![0.0; x.len()];
    f.gradient(&x, &mut exact);
    let error: Vec<f64> = exact.iter().zip(&sum).map(|(a, b)| a - b).collect();
    let growth = (1.0 + 2.0 * step * l).powi(i32::try_from(betas.len()).unwrap_or(i32::MAX) - 1);
    let printed = growth * betas[..betas.len() - 1].iter().sum::<f64>();
    [norm(&error), drift_bound(step, l, &betas), printed]
}

fn sign(z: f64) -> f64 {
    if z == 0.0 { 0.0 } else { z.signum() }
}

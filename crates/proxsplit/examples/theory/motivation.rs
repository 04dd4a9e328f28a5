//! The errors that the paper has in mind: gradients that are late, and gradients that were shortened on their way.
//!
//! T workers hold a batch of terms each. Late: all of them answer with the gradient of τ iterations ago. Lossy: each sends its
//! share of the gradient rounded to a few bits, so that the error does not vanish where the shares cancel.

use super::Sample;
use proxsplit::gradient::{GradientSource, Stale};
use proxsplit::internal::linalg::vec::norm;
use proxsplit::ledger::Source;
use proxsplit::prox::L1;
use proxsplit::smooth::Cauchy;
use proxsplit::step::Constant;
use proxsplit::{FiniteSum, Level, Smooth, Splitting, Stop, run};

const WORKERS: usize = 20;
const ITERATIONS: f64 = 20000.0;

/// Σ_t Q(∇f_t(x)), Q rounding to `bits` bits of the mantissa.
struct Lossy<'a> {
    f: &'a dyn FiniteSum,
    bits: i32,
    share: Vec<f64>,
}

impl GradientSource for Lossy<'_> {
    fn estimate(&mut self, x: &[f64], _: f64, out: &mut [f64]) -> Level {
        let mut error = vec![0.0; x.len()];
        out.fill(0.0);
        let terms: Vec<usize> = (0..self.f.terms()).collect();
        for batch in terms.chunks(terms.len().div_ceil(WORKERS)) {
            self.share.fill(0.0);
            self.f.add_gradient(batch, x, &mut self.share);
            for ((out, error), &value) in out.iter_mut().zip(&mut error).zip(&self.share) {
                let sent = rounded(value, self.bits);
                *out += sent;
                *error += value - sent;
            }
        }
        Level::Measured(norm(&error))
    }

    fn source(&self) -> Source {
        Source::Rounding
    }
}

fn rounded(value: f64, bits: i32) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let unit = 2_f64.powi(value.abs().log2().floor() as i32 + 1 - bits);
    (value / unit).round() * unit
}

/// Prints the end of a run for every source: the residual, and the largest error of its second half with K of the theorem.
pub(crate) fn study() {
    let sample = Sample::new(200, 30);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let longest = 1.0 / f.lipschitz().value().unwrap();
    println!("source,amount,share,residual,level,constant,verdict");
    for share in [1.0, 0.1] {
        for delay in [0, 1, 4, 16, 64] {
            let label = format!("late,{delay}");
            end(&f, Stale::new(&f, delay), (share, longest), &label);
        }
        for bits in [2, 4, 8, 11, 24] {
            let share_of_one = vec![0.0; f.dim()];
            let source = Lossy {
                f: &f,
                bits,
                share: share_of_one,
            };
            end(&f, source, (share, longest), &format!("lossy,{bits}"));
        }
    }
}

fn end(f: &dyn Smooth, source: impl GradientSource, (share, longest): (f64, f64), label: &str) {
    let g = L1::new(1.0).unwrap();
    let rule = Constant::new(share * longest).unwrap();
    let solver = Splitting::new(f, &g, &[0.3; 30]).unwrap();
    let mut solver = solver.step(rule).gradient(source);
    let stop = Stop {
        residual: 0.0,
        relative: 1e-12,
        passes: ITERATIONS,
        ..Stop::default()
    };
    let certificate = run(&mut solver, &stop, ()).certificate;
    let of_method = &certificate.of_method;
    let level = of_method.errors.total();
    println!(
        "{label},{share},{:.4e},{level:.4e},{},{:?}",
        certificate.at_point.residual,
        of_method
            .constant
            .map_or(String::new(), |k| format!("{k:.4}")),
        certificate.verdict
    );
}

//! `incremental` for a misfit that is not quadratic in X: eq.32 on mini-batches of columns, in the diagonal metric D = A1/(X + δ).
//!
//! x^{k,t+1} = O(x^{k,t} − ηD⁻¹∇f_t(x^{k,t})), xᵏ⁺¹ = M(xᵏ − ηD⁻¹Σ_t ∇f_t(x^{k,t})), where O and M are the prox in the metric D/η. D
//! is that of a multiplicative update of Kullback–Leibler, which is this step for one batch, η = 1 and δ = 0; a small δ lets
//! zeros of X come back. D is found at the start of a pass, so that the pass is one step of eq.main with the error
//! e = Σ[∇f_t(xᵏ) − ∇f_t(x^{k,t})]. It is measured where a pass begins at a look.

use super::{Method, own_numbers};
use crate::products::{Lanes, distance_squared};
use crate::settings::Step;
use crate::visits::Batches;
use crate::work::{NEARLY_EXACT, Work};
use proxsplit::internal::linalg::vec::axpy;
use proxsplit::ledger::{Ledger, Level, Source};
use proxsplit::solve::{Method as Kind, Setting};
use proxsplit::{Elementary, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The shortest automatic step.
const SHORTEST: f64 = 1e-3;
/// What an automatic step is multiplied by after so many passes without a lower objective than ever before.
const SHORTER: f64 = 0.7;
const PATIENCE: u32 = 10;
/// A pass that raises the objective by more than this fraction is taken back.
const RISE: f64 = 0.1;
/// δ of an atom, as a fraction of its mean entry.
const FLOOR: f64 = 1e-3;

/// The numbers of a pass.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Pass {
    /// Σ f_t so far.
    sum: f64,
    /// The longest automatic step.
    cap: f64,
    /// The least objective so far, and the passes since.
    least: Option<f64>,
    stalled: u32,
    /// ‖e‖ of the last pass that began at a look.
    drift: Option<f64>,
    /// The least and the greatest step so far.
    steps: Option<(f64, f64)>,
}

/// The state of the method.
pub(crate) struct Entropic<T> {
    batches: Batches,
    step: Step,
    term: Elementary,
    /// Xᵀ at the start of the pass.
    start: Vec<T>,
    /// Σ_t ∇f_t so far.
    sum: Vec<T>,
    /// D⁻¹
    inverse: Vec<T>,
    /// Xᵀ at the start of the last pass that was not taken back.
    good: Vec<T>,
    /// ∇f_t
    slope: Vec<T>,
    /// ∇f at the start of the pass, if it was measured there.
    exact: Option<Vec<T>>,
    pass: Pass,
}

impl<T: Lanes> Entropic<T> {
    pub(super) fn new(
        work: &Work<'_, T>,
        batches: Batches,
        (step, term): (Step, Elementary),
    ) -> Self {
        let zeros = vec![T::ZERO; work.factors.x.len()];
        Self {
            batches,
            step,
            term,
            start: work.factors.x.clone(),
            sum: zeros.clone(),
            inverse: zeros.clone(),
            good: work.factors.x.clone(),
            slope: zeros,
            exact: None,
            pass: Pass {
                sum: 0.0,
                cap: 1.0,
                least: None,
                stalled: 0,
                drift: None,
                steps: None,
            },
        }
    }

    /// The metric and the step of a pass. The first pass has no codes yet but those of its first batch, which are `codes`.
    fn begin_pass(&mut self, work: &mut Work<'_, T>, codes: std::ops::Range<usize>) {
        let rank = work.problem.rank;
        self.start.copy_from_slice(&work.factors.x);
        let (codes, share) = if work.memory.pass == 0 {
            let share = work.factors.a.len() as f64 / codes.len() as f64;
            (&work.factors.a[codes], share)
        } else {
            (&*work.factors.a, 1.0)
        };
        let rows = (self.start.len() / rank) as f64;
        for k in 0..rank {
            let sum = |factor: &[T]| {
                factor
                    .iter()
                    .skip(k)
                    .step_by(rank)
                    .map(|v| v.f64())
                    .sum::<f64>()
            };
            let (weight, floor) = (share * sum(codes), FLOOR * sum(&self.start) / rows);
            let places = self.inverse.iter_mut().skip(k).step_by(rank);
            for (inverse, x) in places.zip(self.start.iter().skip(k).step_by(rank)) {
                *inverse = if weight > 0.0 {
                    T::of((x.f64() + floor) / weight)
                } else {
                    T::ZERO
                };
            }
        }
        let step = match self.step {
            Step::Auto => self.pass.cap,
            Step::Constant(step) => step,
            Step::Diminishing { first, power } => {
                first / (1.0 + work.memory.pass as f64).powf(power)
            }
        };
        work.memory.step = step;
        let (least, greatest) = self.pass.steps.unwrap_or((step, step));
        self.pass.steps = Some((least.min(step), greatest.max(step)));
    }

    /// x ← the prox of x − ηD⁻¹·slope in the metric D/η.
    fn prox_step(&self, x: &mut [T], slope: &[T], step: f64) {
        let places = x.iter_mut().zip(slope).zip(&self.inverse);
        for ((x, slope), inverse) in places {
            let step = step * inverse.f64();
            *x = T::of(self.term.prox(x.f64() - step * slope.f64(), step));
        }
    }

    fn end_pass(&mut self, work: &mut Work<'_, T>) {
        let rank = work.problem.rank;
        self.pass.drift = self
            .exact
            .take()
            .map(|exact| distance_squared(&exact, &self.sum).sqrt());
        work.factors.x.copy_from_slice(&self.start);
        self.prox_step(&mut work.factors.x, &self.sum, work.memory.step);
        work.memory.displacement = distance_squared(&self.start, &work.factors.x).sqrt();
        let objective = self.pass.sum
            + work.atoms.value(&self.start, rank)
            + work.codes.value(&work.factors.a, rank);
        self.judge(work, objective);
        work.memory.visited = 0;
        work.memory.pass += 1;
        self.clear();
        let balance = work.balance();
        if balance.find(&mut work.scales, &work.factors) {
            work.factors.scale(&work.scales);
            crate::work::scale_rows(&mut self.good, &work.scales.atoms);
        }
    }

    /// Shortens an automatic step where the objective has stopped falling. It is seen at moving points and hence only about; a
    /// pass that raised it by much is taken back.
    fn judge(&mut self, work: &mut Work<'_, T>, objective: f64) {
        let last = work.memory.objective;
        let rose = last.is_some_and(|last| objective > last + RISE * last.abs());
        let is_lost = self.step == Step::Auto && (rose || !objective.is_finite());
        if is_lost {
            work.factors.x.copy_from_slice(&self.good);
        } else {
            self.good.copy_from_slice(&self.start);
            work.memory.objective = Some(objective);
        }
        let fell = self.pass.least.is_none_or(|least| objective < least);
        if fell {
            self.pass.least = Some(objective);
        }
        self.pass.stalled = if fell { 0 } else { self.pass.stalled + 1 };
        if is_lost || self.pass.stalled >= PATIENCE {
            self.pass.stalled = 0;
            self.pass.cap = (SHORTER * work.memory.step).max(SHORTEST);
        }
    }

    fn clear(&mut self) {
        self.sum.fill(T::ZERO);
        self.pass.sum = 0.0;
    }
}

impl<T: Lanes> Method<T> for Entropic<T> {
    /// One batch.
    fn step(&mut self, work: &mut Work<'_, T>) {
        let rank = work.problem.rank;
        let range = self.batches.columns(work.memory.pass, work.memory.visited);
        let part = range.start * rank..range.end * rank;
        let x = std::mem::take(&mut work.factors.x);
        work.solve_codes(&x, range.clone(), NEARLY_EXACT);
        work.factors.x = x;
        let codes = &work.factors.a[part.clone()];
        let value = work
            .misfit
            .slope_of(&work.factors.x, codes, range, &mut self.slope);
        self.pass.sum += value;
        if work.memory.visited == 0 {
            self.begin_pass(work, part);
        }
        axpy(T::ONE, &self.slope, &mut self.sum);
        work.memory.visited += 1;
        if work.memory.visited < self.batches.count() {
            self.prox_step(&mut work.factors.x, &self.slope, work.memory.step);
        } else {
            self.end_pass(work);
        }
    }

    fn batches(&self) -> Option<&Batches> {
        Some(&self.batches)
    }

    /// Begins a pass at factors that were changed from outside.
    fn start_over(&mut self, work: &mut Work<'_, T>) {
        self.start.copy_from_slice(&work.factors.x);
        self.good.copy_from_slice(&work.factors.x);
        self.exact = None;
        self.clear();
        work.memory.visited = 0;
    }

    fn note_errors(&mut self, work: &Work<'_, T>, slope: &[T], scale: f64, ledger: &mut Ledger) {
        let drift = self.pass.drift.take();
        if self.batches.is_sampled() {
            ledger.set(Source::Sampling, Level::Unknown);
        } else {
            let level = drift.map_or(Level::Unknown, |e| Level::Measured(e / scale));
            ledger.set(Source::IncrementalDrift, level);
        }
        self.exact = (work.memory.visited == 0).then(|| slope.to_vec());
    }

    fn describe(&self, setting: &mut Setting) {
        setting.method = Kind::Splitting;
        setting.steps = self.pass.steps;
    }

    fn numbers(&self) -> Value {
        json!({ "entropic": self.pass })
    }

    fn set_numbers(&mut self, saved: &Value, _: &Work<'_, T>) -> Result<(), Error> {
        self.pass = own_numbers(saved, "entropic")?;
        Ok(())
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        vec![
            ("x-start", &mut self.start),
            ("gradient", &mut self.sum),
            ("inverse", &mut self.inverse),
            ("x-good", &mut self.good),
        ]
    }

    fn measured(&mut self) -> Option<(&'static str, &mut Option<Vec<T>>)> {
        Some(("exact", &mut self.exact))
    }
}

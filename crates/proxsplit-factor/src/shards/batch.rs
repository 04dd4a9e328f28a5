//! `batch` with codes in shards: the X of [`crate::method::batch`], pass by pass with the same decisions.

use super::center::Center;
use super::messages::{Change, Task};
use super::sharded::Steps;
use crate::balance::Balance;
use crate::codes::{Ahead, run_ahead};
use crate::look;
use crate::method::batch::keep_unused;
use crate::method::momentum::Extrapolation;
use crate::products::Lanes;
use crate::work::{NEARLY_EXACT, scale_rows};
use proxsplit::Error;
use serde_json::{Value, json};

/// Gains below this fraction of the objective are not worth an atom.
pub(super) const WORTH: f64 = 1e-9;

/// Xᵀ of the pass before, ahead of itself, and where the last plain pass ended.
pub(super) struct Batch<T> {
    old: Vec<T>,
    ahead: Vec<T>,
    plain: Vec<T>,
    extrapolation: Extrapolation,
}

impl<T: Lanes> Batch<T> {
    pub(super) fn new(x: &[T]) -> Self {
        Self {
            old: x.to_vec(),
            ahead: x.to_vec(),
            plain: x.to_vec(),
            extrapolation: Extrapolation::START,
        }
    }

    /// Both factors in turn; what runs ahead does so by `beta`. Whether the shares were fresh and of codes that were there before.
    fn pass(&mut self, center: &mut Center<'_, T>, beta: f64) -> Option<bool> {
        let sum = center.ask_for_pass(Task::Pass { beta }, &self.ahead)?;
        center.see(&sum.answer.sums);
        center.size(&sum.answer.numbers);
        std::mem::swap(&mut self.old, &mut center.x);
        std::mem::swap(&mut center.x, &mut self.ahead);
        keep_unused(&mut center.x, &self.old, &center.aa, center.rank);
        center.solve_atoms(NEARLY_EXACT.beside(center.shape.1, center.rank));
        let how = Ahead::of(beta, center.atoms.elementary);
        let moved = run_ahead(&mut self.ahead, &center.x, &self.old, how);
        center.memory.displacement = moved.sqrt();
        center.memory.step = 1.0;
        Some(sum.is_whole)
    }

    /// A pass without extrapolation from where the method is, or from where the last such pass ended if that is lower.
    fn plain_pass(&mut self, center: &mut Center<'_, T>) -> Option<()> {
        let at = self.extrapolation;
        match (at.plain, center.memory.objective) {
            (Some(least), Some(now)) if least < now => {
                center.x.copy_from_slice(&self.plain);
                center.before.push(Change::GoToPlain);
                center.memory.objective = Some(least);
            }
            _ => center.before.push(Change::GoAhead),
        }
        self.ahead.copy_from_slice(&center.x);
        center.before.push(Change::Restart);
        let before = center.memory.objective;
        let is_whole = self.pass(center, 0.0)?;
        let objective = center.objective();
        if !is_whole {
            self.start_anew(center);
            return Some(());
        }
        let rose = before.is_some_and(|before| objective > before + center.rounding());
        center.memory.rises += u64::from(rose);
        center.memory.objective = Some(objective);
        self.plain.copy_from_slice(&center.x);
        center.before.push(Change::KeepPlain);
        self.extrapolation.plain = Some(objective);
        self.extrapolation.next_plain = 2 * at.next_plain;
        Some(())
    }

    /// What was known belongs to codes that are no longer there.
    fn start_anew(&mut self, center: &mut Center<'_, T>) {
        self.ahead.copy_from_slice(&center.x);
        center.before.push(Change::Restart);
        center.memory.objective = None;
        self.extrapolation.is_known = false;
        self.extrapolation.plain = None;
        center.is_disturbed = false;
    }

    /// Whether the pass was taken back.
    fn judge(&mut self, center: &mut Center<'_, T>) -> bool {
        let objective = center.objective();
        let last_gain = self.extrapolation.momentum.gain;
        let gain = center.memory.objective.map(|last| last - objective);
        let slack = center.rounding();
        let mut restarts = self.extrapolation.momentum.see(gain, slack);
        let is_failure = gain.is_some_and(|gain| gain < -slack);
        let is_large = gain.zip(last_gain).is_some_and(|(g, last)| -g > last);
        let is_taken_back = is_failure && is_large || objective.is_nan();
        restarts |= is_taken_back;
        if is_taken_back {
            center.x.copy_from_slice(&self.old);
            center.before.push(Change::TakeBack);
        }
        if restarts {
            self.ahead.copy_from_slice(&center.x);
            center.before.push(Change::Restart);
        }
        self.extrapolation.is_known = !restarts;
        center.memory.objective = (!is_taken_back).then_some(objective);
        is_taken_back
    }

    /// Balances scales and revives dead atoms.
    fn tidy(&mut self, center: &mut Center<'_, T>, is_taken_back: bool) -> Option<()> {
        if look::is_time_for(center.memory.pass) && !is_taken_back {
            self.revive(center)?;
        }
        // As on one machine: a plain pass begins where the codes run ahead, whose best scales are others.
        if self.extrapolation.is_plain_next(center.memory.pass) {
            return Some(());
        }
        let balance = Balance::of(&center.atoms, &center.codes);
        if !balance.is_free() || balance == Balance::Normalize && center.is_nearly_normal() {
            return Some(());
        }
        if is_taken_back {
            let x = std::mem::take(&mut center.x);
            let sum = center.ask(Task::Sizes, &x);
            center.x = x;
            center.size(&sum?.answer.numbers);
        }
        if center.find_scales() {
            for x in [&mut center.x, &mut self.old, &mut self.ahead] {
                scale_rows(x, &center.scales.atoms);
            }
            let scale = Change::Scale(center.scale_of_codes());
            center.before.push(scale);
        }
        Some(())
    }

    /// Replaces atoms that no sample uses, one after the other, as long as that gains.
    fn revive(&mut self, center: &mut Center<'_, T>) -> Option<()> {
        for place in center.unused_atoms() {
            let x = std::mem::take(&mut center.x);
            let found = center.escape(place, false, &x);
            center.x = x;
            let worth = WORTH * center.memory.objective.unwrap_or(0.0);
            let Some(found) = found.filter(|found| found.gain > worth) else {
                break;
            };
            center.replace(&found, false);
            center.memory.objective = center.memory.objective.map(|now| now - found.gain);
            self.ahead.copy_from_slice(&center.x);
            self.old.copy_from_slice(&center.x);
        }
        center.failure.is_none().then_some(())
    }
}

impl<T: Lanes> Steps<T> for Batch<T> {
    fn step(&mut self, center: &mut Center<'_, T>) -> Option<()> {
        if std::mem::take(&mut center.is_disturbed) {
            self.start_anew(center);
        }
        let mut is_taken_back = false;
        if self.extrapolation.is_plain_next(center.memory.pass) {
            self.plain_pass(center)?;
        } else if self.pass(center, self.extrapolation.momentum.beta)? {
            is_taken_back = self.judge(center);
        } else {
            center.objective();
            self.start_anew(center);
        }
        center.memory.pass += 1;
        self.tidy(center, is_taken_back)
    }

    fn start_over(&mut self, center: &mut Center<'_, T>) {
        *self = Self::new(&center.x);
    }

    fn numbers(&self) -> Value {
        json!({ "batch": self.extrapolation })
    }

    fn set_numbers(&mut self, saved: &Value) -> Result<(), Error> {
        self.extrapolation = crate::method::own_numbers(saved, "batch")?;
        Ok(())
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        vec![
            ("x-old", &mut self.old),
            ("x-ahead", &mut self.ahead),
            ("x-plain", &mut self.plain),
        ]
    }
}

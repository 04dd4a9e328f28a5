//! `auto`: an aggregated pass, which wins early, then batch passes.

use super::{Aggregated, Batch, Method};
use crate::products::Lanes;
use crate::visits::Batches;
use crate::work::Work;
use proxsplit::Error;
use proxsplit::solve::Setting;
use serde_json::Value;

/// Passes of `aggregated` before `auto` goes over to `batch`.
pub(crate) const WARM_UP: u64 = 1;

/// The method that runs now.
pub(crate) struct Auto<T> {
    now: Box<dyn Method<T>>,
    is_warm: bool,
}

impl<T: Lanes> Auto<T> {
    pub(super) fn new(work: &Work<'_, T>, batches: Batches) -> Self {
        Self {
            now: Box::new(Aggregated::new(work, batches)),
            is_warm: false,
        }
    }

    fn go_over(&mut self, work: &Work<'_, T>) {
        self.now = Box::new(Batch::new(&work.factors));
        self.is_warm = true;
    }
}

impl<T: Lanes> Method<T> for Auto<T> {
    fn step(&mut self, work: &mut Work<'_, T>) {
        self.now.step(work);
        if !self.is_warm && work.memory.pass >= WARM_UP && work.memory.visited == 0 {
            self.go_over(work);
        }
    }

    fn batches(&self) -> Option<&Batches> {
        self.now.batches()
    }

    fn start_over(&mut self, work: &mut Work<'_, T>) {
        self.now.start_over(work);
    }

    fn describe(&self, setting: &mut Setting) {
        self.now.describe(setting);
    }

    fn numbers(&self) -> Value {
        self.now.numbers()
    }

    fn set_numbers(&mut self, saved: &Value, work: &Work<'_, T>) -> Result<(), Error> {
        if !self.is_warm && saved.get("batch").is_some() {
            self.go_over(work);
        }
        self.now.set_numbers(saved, work)
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        self.now.arrays()
    }
}

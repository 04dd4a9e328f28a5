//! `--restarts`: one run after the other, of which the best is kept and all may be compared.

use super::checkpoint::Keeper;
use super::{Args, LISTED};
use crate::interrupt::Interrupt;
use crate::record::TraceRow;
use crate::scalar::Scalar;
use crate::{number, record};
use proxsplit::Mat;
use proxsplit::{Reason, Report};
use proxsplit_factor::{Consensus, Factorization, Factors, Init, Outliers, Problem, Settings};

/// A run that has ended.
pub(super) struct Run<T> {
    pub(super) picked: String,
    pub(super) report: Report,
    pub(super) trace: Vec<TraceRow>,
    pub(super) factors: Factors<T>,
    pub(super) outliers: Option<Outliers>,
    warnings: Vec<String>,
    seed: u64,
}

/// All runs that have ended, in order.
pub(super) struct Runs<T>(Vec<Run<T>>);

impl Args {
    /// As many runs as were asked for, or until Ctrl-C.
    pub(super) fn runs<T: Scalar>(
        &self,
        problem: Problem<'_, T>,
        mut start: Option<Factors<T>>,
        (keeper, interrupt): (&Keeper, &Interrupt),
    ) -> anyhow::Result<Runs<T>> {
        let mut runs = Runs(Vec::new());
        for number in 0..self.restarts {
            let settings = settings_of(number, keeper.description.settings);
            let mut solver = Factorization::new(problem, settings, start.take())?;
            let picked = solver.picked();
            if number == 0 {
                self.tell(&format!("rank {}, {picked}", self.rank));
            }
            if interrupt.is_asked() {
                break;
            }
            let (report, trace) = self.watched_run(&mut solver, keeper, interrupt)?;
            if self.restarts > 1 {
                self.tell_of(number, &report);
            }
            let is_cut_short = report.reason == Reason::Interrupted && number > 0;
            if !is_cut_short {
                runs.0.push(Run {
                    picked,
                    outliers: solver.outliers(LISTED),
                    warnings: solver.warnings(),
                    factors: solver.factors().clone(),
                    report,
                    trace,
                    seed: settings.seed,
                });
            }
        }
        Ok(runs)
    }

    fn tell_of(&self, number: usize, report: &Report) {
        self.tell(&format!(
            "run {:>3} of {}  objective {:<10}  {:>4} passes  {:>8}  {}",
            number + 1,
            self.restarts,
            number::short(report.certificate.at_point.objective),
            number::short(record::passes(report)),
            number::clock(report.seconds),
            report.reason
        ));
    }
}

impl<T: Scalar> Runs<T> {
    /// The run with the least objective; the first of them.
    pub(super) fn best(&self) -> Option<&Run<T>> {
        self.0
            .iter()
            .min_by(|a, b| a.objective().total_cmp(&b.objective()))
    }

    /// Those of the best run, and which one it is.
    pub(super) fn warnings(&self) -> Vec<String> {
        let Some(best) = self.best() else {
            return Vec::new();
        };
        let mut warnings = best.warnings.clone();
        if self.0.len() > 1 {
            warnings.push(format!(
                "the best of {} runs, with seed {}",
                self.0.len(),
                best.seed
            ));
        }
        warnings
    }

    /// What the runs agree on, if that was asked for and there are at least two.
    pub(super) fn consensus(
        &self,
        is_asked: bool,
    ) -> anyhow::Result<Option<(Consensus, Mat<f64>)>> {
        if !is_asked || self.0.len() < 2 {
            return Ok(None);
        }
        let factors: Vec<Factors<T>> = self.0.iter().map(|run| run.factors.clone()).collect();
        let objectives: Vec<f64> = self.0.iter().map(Run::objective).collect();
        Ok(Some(Consensus::of(&factors, &objectives)?))
    }
}

impl<T> Run<T> {
    fn objective(&self) -> f64 {
        self.report.certificate.at_point.objective
    }
}

/// Starts that do not depend on chance, or were given, would be compared with themselves.
fn settings_of(number: usize, first: Settings) -> Settings {
    let seed = first.seed.wrapping_add(number as u64);
    let init = match first.init {
        init if number == 0 => init,
        Init::Nndsvdar => Init::Nndsvdar,
        _ => Init::Random,
    };
    Settings {
        seed,
        init,
        ..first
    }
}

//! Drives a factorization: looks, progress, checkpoints, limits, Ctrl-C.

use super::Args;
use super::checkpoint::{Keeper, Position};
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::{self, Look, Progress};
use crate::record::{Sparsity, TraceRow};
use crate::scalar::Scalar;
use proxsplit::{Event, Reason, Report, Session, Solver};
use proxsplit_factor::Factorization;
use std::time::Instant;

/// How a run went.
pub(super) struct Driven {
    pub(super) report: Report,
    pub(super) trace: Vec<TraceRow>,
    /// Whether there is a checkpoint.
    pub(super) saved: bool,
}

/// Passes between two looks, as a fraction of the passes so far: a look costs about a pass.
const LOOK_FRACTION: f64 = 0.5;
/// Passes between two looks at least.
const LEAST_PASSES: f64 = 4.0;

pub(super) fn drive<T: Scalar>(
    solver: &mut Factorization<'_, T>,
    args: &Args,
    keeper: &Keeper,
    interrupt: &Interrupt,
) -> anyhow::Result<Driven> {
    let mut drive = Drive::new(solver, args, keeper)?;
    let reason = drive.run(interrupt);
    if reason == Reason::Interrupted && !args.shown.quiet {
        output::tell(&format!(
            "interrupted: result and checkpoint are saved; --resume goes on from {}",
            keeper.path.display()
        ));
    }
    Ok(Driven {
        report: drive.session.report(reason, drive.solver),
        trace: drive.trace,
        saved: keeper.path.exists(),
    })
}

struct Drive<'a, 'b, T: Scalar> {
    solver: &'a mut Factorization<'b, T>,
    session: Session,
    trace: Vec<TraceRow>,
    progress: Progress,
    keeper: &'a Keeper,
    last_save: Instant,
    /// The residual as the last look has found it, and the pass of that look.
    residual: (f64, f64),
    /// Whether the residual is needed to stop.
    watched: bool,
}

impl<'a, 'b, T: Scalar> Drive<'a, 'b, T> {
    fn new(
        solver: &'a mut Factorization<'b, T>,
        args: &Args,
        keeper: &'a Keeper,
    ) -> anyhow::Result<Self> {
        let stop = args.limits.stop();
        let resumed = if args.resume {
            keeper.restore(solver)?
        } else {
            None
        };
        if resumed.is_none() && keeper.path.exists() {
            std::fs::remove_file(&keeper.path)?;
        }
        let limits = progress::Limits {
            passes: stop.passes,
            seconds: stop.time.as_secs_f64(),
            relative: stop.relative,
        };
        let (session, trace) = match resumed {
            None => (Session::new(stop), Vec::new()),
            Some(position) => {
                if !args.shown.quiet {
                    output::tell(&format!(
                        "resumed at pass {}",
                        crate::number::short(position.session.progress.passes)
                    ));
                }
                (Session::resume(stop, position.session), position.trace)
            }
        };
        Ok(Self {
            solver,
            session,
            trace,
            progress: Progress::new(args.shown.quiet, limits),
            keeper,
            last_save: Instant::now(),
            residual: (f64::NAN, f64::NAN),
            watched: args.limits.tol > 0.0,
        })
    }

    /// Runs to the end.
    fn run(&mut self, interrupt: &Interrupt) -> Reason {
        loop {
            let limit = self.session.limit();
            let ends = limit.is_some() || interrupt.is_asked();
            if ends && limit != Some(Reason::Diverged) {
                // Before the look, which a run with other limits would not make here.
                self.save();
            }
            if ends || self.look_is_due() {
                if let Some(reason) = self.look() {
                    return reason;
                }
                if ends {
                    return Reason::Interrupted;
                }
            }
            self.session.advance(self.solver);
            self.glance();
            if self.last_save.elapsed().as_secs_f64() >= self.keeper.every {
                self.save();
            }
        }
    }

    /// Looks come when the passes since the last are a good part of all, so that they cost little; which passes are
    /// looked at depends on nothing but their number, so that a run always stops at the same pass.
    fn look_is_due(&self) -> bool {
        if !self.watched {
            return false;
        }
        let now = self.session.progress().passes;
        match self.session.last() {
            None => true,
            Some(last) => {
                let last = last.progress.passes;
                now >= last + (LOOK_FRACTION * last).floor().max(LEAST_PASSES) - 1e-3
            }
        }
    }

    /// Measures φ(X) and the residual.
    fn look(&mut self) -> Option<Reason> {
        let Event::Looked { row, end } = self.session.look(self.solver) else {
            return None;
        };
        let residual = row.measure.stationarity(self.solver.setting().class);
        self.trace
            .retain(|earlier| earlier.pass < row.progress.passes);
        self.note(row.measure.objective, residual, row.seconds);
        end
    }

    /// After every pass, notes the objective that the method has seen in passing.
    fn glance(&mut self) {
        let now = self.session.progress().passes;
        let last = self.trace.last().map_or(-1.0, |row| row.pass);
        if now >= last.floor() + 1.0 - 1e-9
            && let Some(objective) = self.solver.glance()
        {
            self.note(objective, f64::NAN, self.session.seconds());
        }
    }

    fn note(&mut self, objective: f64, residual: f64, seconds: f64) {
        let progress = self.session.progress();
        let (x, a) = self.solver.factors().zeros();
        let row = TraceRow {
            pass: progress.passes,
            seconds,
            objective,
            residual,
            step: progress.step,
            sparsity: Sparsity { x, a },
        };
        self.trace.push(row);
        if residual.is_finite() {
            self.residual = (residual, row.pass);
        }
        self.progress.show(&Look {
            pass: row.pass,
            seconds,
            objective,
            residual: self.residual.0,
            measured: self.residual.1,
        });
    }

    /// Writes a checkpoint. If that fails, the run goes on: its result is worth more.
    fn save(&mut self) {
        let position = Position {
            session: self.session.save(),
            trace: self.trace.clone(),
        };
        if let Err(error) = self.keeper.save(self.solver, &position) {
            output::tell(&format!("warning: there is no checkpoint: {error:#}"));
        }
        self.last_save = Instant::now();
    }
}

//! Progress of a run: a bar on a terminal, plain lines elsewhere.

mod estimate;

use crate::{number, output};
use estimate::Estimate;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

pub(crate) use estimate::Limits;

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Look {
    pub(crate) pass: f64,
    pub(crate) seconds: f64,
    pub(crate) objective: f64,
    pub(crate) residual: f64,
    /// The pass at which the residual was measured, perhaps an earlier one.
    pub(crate) measured: f64,
}

/// Shows where a run is.
pub(crate) enum Progress {
    Bar(ProgressBar, Estimate),
    Lines(Lines),
    Silent,
}

/// Plain lines: the first passes all, then ever fewer, but never long without one.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    next_pass: f64,
    next_seconds: f64,
    estimate: Option<Estimate>,
}

/// Plain lines come at least this often.
const EVERY_SECONDS: f64 = 10.0;
/// The bar counts thousandths of the way.
const WHOLE: u64 = 1000;

impl Progress {
    /// The display that suits the place.
    pub(crate) fn new(quiet: bool, limits: Limits) -> Self {
        if quiet {
            return Progress::Silent;
        }
        let estimate = Estimate::new(limits);
        if !output::is_watched() {
            return Progress::Lines(Lines {
                estimate: Some(estimate),
                ..Lines::default()
            });
        }
        let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:28.cyan/dim} {msg}") {
            bar.set_style(style.progress_chars("━━─"));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress::Bar(bar, estimate)
    }

    /// Shows one look at the run.
    pub(crate) fn show(&mut self, look: &Look) {
        match self {
            Progress::Bar(bar, estimate) => {
                let (share, text) = estimate.update(look);
                bar.set_position((share * WHOLE as f64) as u64);
                bar.set_message(format!("{}  {text}", line(look)));
            }
            Progress::Lines(lines) => lines.show(look),
            Progress::Silent => {}
        }
    }
}

/// Nothing is left of the bar.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Progress::Bar(bar, _) = self {
            bar.finish_and_clear();
        }
    }
}

impl Lines {
    fn show(&mut self, look: &Look) {
        let Some(estimate) = &mut self.estimate else {
            return;
        };
        let (_, left) = estimate.update(look);
        if look.pass >= self.next_pass || look.seconds >= self.next_seconds {
            self.next_pass = (look.pass * 1.25).max(look.pass + 1.0);
            self.next_seconds = look.seconds + EVERY_SECONDS;
            output::tell(format!("{}  {left}", line(look)).trim_end());
        }
    }
}

fn line(look: &Look) -> String {
    let residual = if look.measured < look.pass {
        let measured = number::short(look.measured);
        format!("residual {:.2e} at pass {measured}", look.residual)
    } else if look.residual.is_finite() {
        format!("residual {:.2e}", look.residual)
    } else {
        String::new()
    };
    format!(
        "pass {:<6} objective {:<12} {residual:<30} {:>8}",
        number::short(look.pass),
        number::short(look.objective),
        number::duration(look.seconds)
    )
}

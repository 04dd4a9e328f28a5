//! Progress of a run: a bar on a terminal, plain lines elsewhere.

mod estimate;

use crate::{number, output};
use estimate::Estimate;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proxsplit::{Observer, Row, Session, Stop};
use std::ops::ControlFlow;
use std::time::Duration;

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Look {
    pass: f64,
    seconds: f64,
    objective: f64,
    /// As the latest look has found it; NaN if that was long ago.
    residual: f64,
    /// The residual that is aimed at.
    target: f64,
}

/// Shows where a run is.
pub(crate) struct Progress {
    display: Display,
    estimate: Estimate,
    /// The fraction of its scale that the residual is aimed at.
    relative: f64,
    residual: f64,
    target: f64,
    /// The pass after which the residual is out of date.
    until: f64,
}

enum Display {
    Bar(ProgressBar),
    Lines(Lines),
    Silent,
}

/// Plain lines: the first passes all, then ever fewer, but never long without one.
#[derive(Debug, Default)]
struct Lines {
    next_pass: f64,
    next_seconds: f64,
}

/// Plain lines come at least this often.
const EVERY_SECONDS: f64 = 10.0;
/// The bar counts thousandths of the way.
const WHOLE: u64 = 1000;

impl Progress {
    /// The display that suits the place.
    pub(crate) fn new(quiet: bool, stop: &Stop) -> Self {
        let display = if quiet {
            Display::Silent
        } else if output::is_watched() {
            Display::Bar(bar())
        } else {
            Display::Lines(Lines::default())
        };
        Self {
            display,
            estimate: Estimate::new(stop.passes, stop.time.as_secs_f64()),
            relative: stop.relative,
            residual: f64::NAN,
            target: 0.0,
            until: 0.0,
        }
    }

    fn show(&mut self, row: &Row) {
        if let Some(at) = row.at {
            self.residual = at.residual;
            self.target = self.relative * at.scale;
            // The next look would come about here, if there is to be one.
            self.until = 2.0 * row.progress.passes + 5.0;
        }
        if row.progress.passes > self.until {
            self.residual = f64::NAN;
        }
        let look = Look {
            pass: row.progress.passes,
            seconds: row.seconds,
            objective: row.objective(),
            residual: self.residual,
            target: self.target,
        };
        let (share, left) = self.estimate.update(&look);
        match &mut self.display {
            Display::Bar(bar) => {
                bar.set_position((share * WHOLE as f64) as u64);
                bar.set_message(format!("{}  {left}", numbers(&look)));
            }
            Display::Lines(lines) => {
                if lines.are_due(&look) {
                    output::tell(&line(&look, &left));
                }
            }
            Display::Silent => {}
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:10.cyan/dim} {msg}") {
        bar.set_style(style.progress_chars("━━─"));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

impl<S: ?Sized> Observer<S> for Progress {
    /// Shows a pass whose objective was seen on the way.
    fn moved(&mut self, session: &Session, _: &mut S) -> ControlFlow<()> {
        let now = session.progress().iteration;
        if let Some(row) = session.trace().last()
            && row.progress.iteration == now
        {
            self.show(row);
        }
        ControlFlow::Continue(())
    }

    fn looked(&mut self, row: &Row, _: &Session, _: &mut S) -> ControlFlow<()> {
        self.show(row);
        ControlFlow::Continue(())
    }
}

/// Nothing is left of the bar.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }
}

impl Lines {
    fn are_due(&mut self, look: &Look) -> bool {
        let due = look.pass >= self.next_pass || look.seconds >= self.next_seconds;
        if due {
            self.next_pass = (look.pass * 1.25).max(look.pass + 1.0);
            self.next_seconds = look.seconds + EVERY_SECONDS;
        }
        due
    }
}

/// A line of at most 80 columns.
fn line(look: &Look, left: &str) -> String {
    let spent = number::clock(look.seconds);
    let text = format!("{} {spent:>9}  {left}", numbers(look));
    text.trim_end().to_owned()
}

fn numbers(look: &Look) -> String {
    let residual = if look.residual.is_finite() {
        format!("residual {:.2e}", look.residual)
    } else {
        String::new()
    };
    format!(
        "pass {:<6} objective {:<10} {residual:<17}",
        pass(look.pass),
        number::short(look.objective)
    )
}

/// Passes to a hundredth while there are few.
fn pass(passes: f64) -> String {
    let decimals = if passes < 100.0 { 100.0 } else { 1.0 };
    number::short((passes * decimals).round() / decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_80_columns() {
        for (pass, seconds, objective, residual) in [
            (0.0, 0.0, 5819.2, f64::NAN),
            (99.333_333, 7199.0, -0.000_123_456, 1.234e-100),
            (123_456.0, 359_999.0, 999_999_999.0, 9.99e-10),
        ] {
            let look = Look {
                pass,
                seconds,
                objective,
                residual,
                target: 0.0,
            };
            let left = format!("{} left", number::clock(seconds));
            let wide = line(&look, &left).chars().count();
            assert!(wide <= 80, "{wide}: {}", line(&look, &left));
            let bar = 11 + numbers(&look).chars().count() + 2 + left.chars().count();
            assert!(bar <= 80, "{bar}");
        }
    }
}

//! Progress of a search: a line for every rank, and on a terminal a bar for the fits between them.

use crate::scalar::Scalar;
use crate::{number, output};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proxsplit_factor::{Fit, FitKind, RankRow, RankSearch};
use std::time::Duration;

pub(super) struct Watch {
    is_silent: bool,
    bar: Option<ProgressBar>,
    /// Ranks that were told.
    told: usize,
}

impl Watch {
    /// Tells the ranks that are there already.
    pub(super) fn new<T: Scalar>(is_silent: bool, search: &RankSearch<'_, T>) -> Self {
        let bar = (!is_silent && output::is_watched()).then(|| bar(search.plan().fits()));
        let mut watch = Self {
            is_silent,
            bar,
            told: 0,
        };
        watch.tell(HEADING);
        watch.tell_ranks(search.rows());
        watch
    }

    pub(super) fn fitted<T: Scalar>(&mut self, fit: &Fit, search: &RankSearch<'_, T>) {
        self.tell_ranks(search.rows());
        if let Some(bar) = &self.bar {
            let plan = search.plan();
            let per_rank = plan.held_out_fits() + plan.restarts;
            let within = match fit.kind {
                FitKind::Fold(at) => at + 1,
                FitKind::Restart(at) => plan.held_out_fits() + at + 1,
            };
            let ranks = plan.ranks.iter().filter(|rank| **rank < fit.rank).count();
            bar.set_position((ranks * per_rank + within) as u64);
            bar.set_message(format!("rank {}, fit {within} of {per_rank}", fit.rank));
        }
    }

    fn tell_ranks(&mut self, rows: &[RankRow]) {
        for row in &rows[self.told..] {
            self.tell(&line(row));
        }
        self.told = rows.len();
    }

    fn tell(&self, words: &str) {
        match &self.bar {
            _ if self.is_silent => {}
            Some(bar) => bar.suspend(|| output::tell(words)),
            None => output::tell(words),
        }
    }
}

/// Nothing is left of the bar.
impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(fits: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(fits as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:10.cyan/dim} {msg}, {eta} left at most") {
        bar.set_style(style.progress_chars("━━─"));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

const HEADING: &str =
    "rank  held-out error        objective   above bound  cosine  cophenetic  seconds";

fn line(row: &RankRow) -> String {
    let or_dash = |number: Option<String>| number.unwrap_or_else(|| "–".to_owned());
    let above = row
        .objective
        .zip(row.bound)
        .map(|(objective, bound)| objective / bound - 1.0);
    format!(
        "{:>4}  {:<8} ± {:<9} {:>11}  {:>11}  {:>6}  {:>10}  {:>7}",
        row.rank,
        number::short(row.error),
        number::short(row.standard_error),
        or_dash(row.objective.map(number::short)),
        or_dash(above.map(number::percent)),
        or_dash(row.cosine.map(|cosine| format!("{cosine:.3}"))),
        or_dash(row.cophenetic.map(|number| format!("{number:.3}"))),
        number::clock(row.seconds)
    )
}

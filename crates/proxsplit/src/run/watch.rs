//! The one place that decides when a run ends, and which point it returns.

use super::{Looks, Reason, Row, Stop};
use crate::certificate::{AtPoint, Curve, Obstacle, OfMethod, Standard, Stretch, Verdict};
use crate::ledger::Ledger;
use crate::solve::{Method, Progress, Setting};

/// What a run has seen so far.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    pub(super) stop: Stop,
    pub(super) trace: Vec<Row>,
    /// What the first look found: a later one at the same point, of which the method may know more by then, takes its row.
    start: Option<AtPoint>,
    /// The row of the point that the solver keeps.
    pub(super) kept: Option<usize>,
}

/// What a run returns.
pub(super) struct Returned {
    pub(super) row: Row,
    pub(super) at: AtPoint,
    pub(super) verdict: Verdict,
    pub(super) standard: Standard,
    pub(super) of_method: OfMethod,
}

/// Passes before which no run counts as stuck, and the looks that each half of it needs.
const PATIENCE: f64 = 20.0;
const LOOKS: usize = 2;
/// A second half of a run that lowers the objective by more than this part of it, or of all that was gained, is still on its way.
const STILL_FALLING: f64 = 1e-3;
/// Errors that have fallen below this part of themselves in the second half of a run have not settled.
const SETTLED: f64 = 0.75;
/// A residual that has grown by this factor above the start's objective has run away.
const RUNAWAY: f64 = 1e8;
/// A look that may be the last one comes after so many times the passes that the residual needs by its rate so far,
const MARGIN: f64 = 1.1;
/// but not after less than this part of the usual distance: rates change.
const SOONEST: f64 = 0.25;
/// Where the method has seen that the tolerance is not met, looks are so many times rarer.
const RARELY: f64 = 4.0;

impl Watch {
    pub(super) fn new(stop: Stop) -> Self {
        Self {
            stop,
            trace: Vec::new(),
            start: None,
            kept: None,
        }
    }

    /// What a run had seen when it was saved.
    pub(super) fn resume(stop: Stop, trace: Vec<Row>, kept: Option<usize>) -> Self {
        let start = trace.first().and_then(|row| row.at);
        Self {
            stop,
            trace,
            start,
            kept,
        }
    }

    pub(super) fn last_look(&self) -> Option<&Row> {
        self.trace.iter().rev().find(|row| row.at.is_some())
    }

    /// The pass of the look after the last one: sooner than usual where the tolerance will be met before, and where the method has
    /// seen whether it is met, by that.
    pub(super) fn next_look(&self, last: &Row, (cost, seen): (f64, Option<f64>)) -> f64 {
        let here = last.progress.passes;
        let usual = self.stop.looks.after(here, cost) - here;
        if matches!(self.stop.looks, Looks::Every(_)) {
            return here + usual;
        }
        if let Some((seen, at)) = seen.zip(last.at) {
            let is_met = seen <= self.standard().tolerance(&at);
            return here + if is_met { 0.0 } else { RARELY * usual };
        }
        let needed = self.passes_left(last).unwrap_or(usual);
        let soonest = (SOONEST * usual).max(1.0);
        here + (MARGIN * needed).max(soonest).ceil().min(usual)
    }

    /// The passes to the tolerance, if the residual falls on as between the last two looks.
    fn passes_left(&self, last: &Row) -> Option<f64> {
        let mut looks = self.trace.iter().rev().filter(|row| row.at.is_some());
        let before = looks.find(|row| row.progress.passes < last.progress.passes)?;
        let (from, to) = (before.at?.stationarity(), last.at?.stationarity());
        let rate = (from / to).ln() / (last.progress.passes - before.progress.passes);
        let left = (to / self.standard().tolerance(&last.at?)).ln() / rate;
        (rate > 0.0 && left > 0.0).then_some(left)
    }

    /// Notes how many steps a solver had made when the run began: it may have been run before.
    pub(super) fn count_from(&mut self, iteration: u64) {
        if let Some(start) = self.trace.first_mut() {
            start.progress.iteration = iteration;
        }
    }

    /// Writes down a whole pass whose objective the method has seen on its way.
    pub(super) fn pass_by(&mut self, progress: Progress, seconds: f64) {
        let last = self.trace.last().map_or(0.0, |row| row.progress.passes);
        if progress.objective.is_some() && progress.passes >= last.floor() + 1.0 - 1e-9 {
            self.trace.push(Row {
                progress,
                seconds,
                at: None,
                errors: Ledger::default(),
            });
        }
    }

    /// Judges a look; whether the run ends there, and whether its point is to be kept.
    pub(super) fn look(
        &mut self,
        row: &Row,
        setting: &Setting,
        limit: Option<Reason>,
    ) -> (Option<Reason>, bool) {
        // A look is worth more than what was seen of the same point in passing, and a run that goes on may look at it twice.
        let again = |last: &Row| last.progress.iteration == row.progress.iteration;
        if self.trace.last().is_some_and(again) {
            self.trace.pop();
            self.kept = self.kept.filter(|kept| *kept < self.trace.len());
        }
        self.trace.push(*row);
        let Some(at) = row.at else {
            return (limit, false);
        };
        self.start = self.start.or(row.at);
        let end = self.end(&at, setting, limit);
        // A point that was asked for is returned even if an earlier one, which was not, is lower.
        let arrived = end == Some(Reason::Converged);
        let keep = !self.stop.best || arrived || self.is_best(&at);
        if keep {
            self.kept = Some(self.trace.len() - 1);
        }
        (end, keep)
    }

    fn end(&self, at: &AtPoint, setting: &Setting, limit: Option<Reason>) -> Option<Reason> {
        // After a step that was not finite, the point is one that the method could not leave.
        if limit == Some(Reason::Diverged) || self.ran_away(at) {
            return Some(Reason::Diverged);
        }
        let standard = self.standard();
        if standard.is_stationary(at) || standard.is_optimal(at) {
            return Some(Reason::Converged);
        }
        if self.stop.at_floor && self.is_at_floor(at, setting) {
            return Some(Reason::ErrorFloor);
        }
        limit
    }

    /// Whether no look so far has found a lower objective at a sound point.
    fn is_best(&self, at: &AtPoint) -> bool {
        match self.kept_point() {
            None => true,
            Some(kept) => at.is_sound() && at.objective < kept.objective,
        }
    }

    /// The kept point, if it is sound.
    fn kept_point(&self) -> Option<AtPoint> {
        let kept = self.kept.and_then(|row| self.trace[row].at);
        kept.filter(AtPoint::is_sound)
    }

    /// What a run that ends at this look returns.
    fn returned_at(&self, at: &AtPoint) -> AtPoint {
        let kept = self.kept_point().filter(|_| self.stop.best);
        kept.filter(|_| !self.is_best(at)).unwrap_or(*at)
    }

    fn standard(&self) -> Standard {
        Standard {
            residual: self.stop.residual,
            relative: self.stop.relative,
            gap: self.stop.gap,
            start_objective: self.start.map_or(f64::NAN, began_at),
        }
    }

    fn ran_away(&self, at: &AtPoint) -> bool {
        let Some(first) = self.start else {
            return false;
        };
        let far = at.objective > first.objective
            && at.residual > RUNAWAY * (first.residual + first.scale.max(f64::MIN_POSITIVE));
        far || !at.residual.is_finite() || !at.objective.is_finite()
    }

    /// Whether the residual is explained by the errors of the gradient and the run gains nothing any more: over the second half of
    /// the run it stays within K·ē, the largest errors do not fall, and neither does the objective.
    fn is_at_floor(&self, at: &AtPoint, setting: &Setting) -> bool {
        let Some((early, late)) = self.halves() else {
            return false;
        };
        // With steps that go to zero, or shorten by themselves, or errors that follow the moves, the floor falls with them.
        let follows = matches!(setting.method, Method::Following | Method::Guarded);
        let falls = setting.vanishing || setting.adapts || follows;
        let Some(curve) = Curve::of(setting).filter(|_| !falls) else {
            return false;
        };
        let errors = errors_of(&late).or_larger(&setting.ledger);
        let still_falls = errors.total() < SETTLED * self.errors_before(&early).total();
        let sound = !matches!(
            self.standard().obstacle(at),
            Some(Obstacle::Unsound | Obstacle::AboveStart)
        );
        if !errors.is_known() || still_falls || !sound {
            return false;
        }
        let floor = curve.constant * curve.level(&errors);
        // The residual of a pair is relative: an error of the size of what cancels at a solution explains any, and hence none.
        if at.pair.is_some() && floor >= at.scale {
            return false;
        }
        // The floor is said of the point that is returned, which an early look may have found.
        self.returned_at(at).stationarity() <= floor
            && late.iter().all(|row| row.residual() <= floor)
            && least(&late, Row::residual) > 0.9 * least(&early, Row::residual)
            && !self.still_gains(&early, &late, at, floor)
    }

    /// The largest errors of the second quarter of the run: of the first, which may begin far away, the floor knows nothing.
    fn errors_before(&self, early: &[Row]) -> Ledger {
        let passes = self.trace.last().map_or(0.0, |row| row.progress.passes);
        errors_of(
            early
                .iter()
                .filter(|row| row.progress.passes > 0.25 * passes),
        )
    }

    /// Whether the second half of the run has lowered Φ noticeably: by a part of Φ or of all that was gained since the start, and
    /// either by more than a single step does where the residual is `floor`, or at look after look, as no chance does for long.
    fn still_gains(&self, early: &[Row], late: &[Row], at: &AtPoint, floor: f64) -> bool {
        let gained = (self.standard().start_objective - least(late, Row::objective)).max(0.0);
        let noticeable = STILL_FALLING * at.objective.abs().min(gained);
        let highest = -least(late, |row| -row.objective());
        // Where Φ goes up and down, a slow fall shows over a longer stretch only.
        let longer = self.parts(0.25).filter(|(early, _)| !early.is_empty());
        let fluctuates = highest - least(late, Row::objective) > noticeable;
        let (before, after) = match &longer {
            Some((before, after)) if fluctuates => (&before[..], &after[..]),
            _ => (early, late),
        };
        let fell = least(before, Row::objective) - least(after, Row::objective);
        // The residual of a pair is relative, and says nothing of Φ.
        let of_a_step = match at.pair {
            None => at.reference_step * floor * floor,
            Some(_) => 0.0,
        };
        let looks: Vec<f64> = early
            .last()
            .into_iter()
            .chain(late)
            .map(Row::objective)
            .collect();
        let steadily = looks.windows(2).all(|pair| pair[1] < pair[0]);
        fell > noticeable && (steadily || fell > of_a_step)
    }

    /// The looks of the first and of the second half of the passes, if there are enough of both.
    fn halves(&self) -> Option<(Vec<Row>, Vec<Row>)> {
        let passes = self.trace.last()?.progress.passes;
        let (early, late) = self.parts(0.5)?;
        let enough = passes >= PATIENCE && early.len() >= LOOKS && late.len() >= LOOKS;
        enough.then_some((early, late))
    }

    /// The looks in the first `part` of all passes, and those after it.
    fn parts(&self, part: f64) -> Option<(Vec<Row>, Vec<Row>)> {
        let passes = self.trace.last()?.progress.passes;
        let looks = self.trace.iter().filter(|row| row.at.is_some()).copied();
        Some(looks.partition(|row| row.progress.passes <= part * passes))
    }

    /// The kept point with its verdict, which follows from that point alone.
    pub(super) fn returned(&self, reason: Reason, mut setting: Setting) -> Returned {
        let row = self.trace[self.kept.unwrap_or(self.trace.len() - 1)];
        let at = row.at.unwrap_or(NOTHING);
        let standard = self.standard();
        let passes = self.trace.last().map_or(0.0, |row| row.progress.passes);
        let late: Vec<Row> = self
            .trace
            .iter()
            .filter(|row| row.at.is_some() && row.progress.passes > 0.5 * passes)
            .copied()
            .collect();
        let count = |row: Option<&Row>| row.map_or(0, |row| row.progress.iteration);
        let stretch = Stretch {
            start_gap: at.lower_bound.map(|bound| standard.start_objective - bound),
            iterations: count(self.trace.last()).saturating_sub(count(self.trace.first())),
            errors: errors_of(&self.trace).or_larger(&setting.ledger),
        };
        setting.ledger = errors_of(&late).or_larger(&setting.ledger);
        let verdict = match reason {
            Reason::Diverged => Verdict::Diverged { pass: passes },
            _ if standard.is_stationary(&at) => Verdict::Stationary,
            _ if standard.is_optimal(&at) => Verdict::Optimal,
            Reason::ErrorFloor => Verdict::AtErrorFloor,
            limit => Verdict::NotConverged(limit),
        };
        let mut of_method = OfMethod::new(&setting, &stretch);
        if verdict == Verdict::AtErrorFloor {
            // Also where the errors are no more than rounding, whose K is of no interest to other verdicts.
            of_method.constant = Curve::of(&setting).map(|curve| curve.constant);
        }
        Returned {
            row,
            at,
            verdict,
            standard,
            of_method,
        }
    }
}

/// Φ at the start, whose first look may be at a step from it.
fn began_at(first: AtPoint) -> f64 {
    first.before.unwrap_or(first.objective)
}

fn least(rows: &[Row], of: impl Fn(&Row) -> f64) -> f64 {
    rows.iter().map(of).fold(f64::INFINITY, f64::min)
}

/// The largest errors of some looks.
fn errors_of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Ledger {
    rows.into_iter()
        .fold(Ledger::default(), |sum, row| sum.or_larger(&row.errors))
}

/// What is known of a point that nobody looked at.
const NOTHING: AtPoint = AtPoint {
    objective: f64::NAN,
    residual: f64::NAN,
    reference_step: f64::NAN,
    prox_error: None,
    gradient_error: None,
    scale: f64::NAN,
    rounding: f64::NAN,
    fall: None,
    before: None,
    gap: None,
    lower_bound: None,
    feasible: false,
    pair: None,
};

#[cfg(test)]
pub(super) mod tests;

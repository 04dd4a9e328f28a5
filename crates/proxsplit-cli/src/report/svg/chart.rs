//! A curve over an axis of time or passes.

use super::Canvas;
use super::axis::Axis;
use crate::number;

/// A horizontal line to compare a curve with.
#[derive(Debug, Clone)]
pub(crate) struct Level {
    pub(crate) at: f64,
    pub(crate) name: &'static str,
}

/// One curve with its axes.
#[derive(Debug, Clone)]
pub(crate) struct Chart<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_name: &'a str,
    pub(crate) points: &'a [(f64, f64)],
    pub(crate) levels: &'a [Level],
    /// How far each point may be off, up and down; none if empty.
    pub(crate) spreads: &'a [f64],
    /// Where on the x-axis to look first.
    pub(crate) mark: Option<f64>,
    /// Whether a logarithmic scale suits the values, should they be positive.
    pub(crate) log: bool,
}

const SIZE: (f64, f64) = (480.0, 250.0);
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 42.0;
/// More points than this cannot be told apart.
const MOST_POINTS: usize = 300;
/// Up to so many points are drawn as dots that can be asked for their value.
const MOST_DOTS: usize = 60;

impl Chart<'_> {
    /// The figure as text.
    pub(crate) fn svg(&self) -> String {
        let (width, height) = SIZE;
        let mut canvas = Canvas::new(width, height, self.title);
        let x = Axis::over(self.points.iter().map(|p| p.0), false).beginning_at_zero();
        let levels = self.levels.iter().map(|level| level.at);
        let spread = self.ranges().flat_map(|(_, low, high)| [low, high]);
        let values = self.points.iter().map(|p| p.1).chain(levels).chain(spread);
        let y = Axis::over(values, self.log).with_room();
        let place = |(a, b): (f64, f64)| {
            (
                LEFT + x.at(a) * (width - LEFT - RIGHT),
                height - BOTTOM - y.at(b) * (height - TOP - BOTTOM),
            )
        };
        canvas.label("title", (LEFT, 18.0), self.title);
        for (value, text) in y.ticks(5) {
            let (_, at) = place((0.0, value));
            canvas.line("grid", (LEFT, at), (width - RIGHT, at));
            canvas.label("tick end", (LEFT - 7.0, at + 4.0), &text);
        }
        for (value, text) in x.ticks(6) {
            let (at, _) = place((value, 0.0));
            canvas.line("mark", (at, height - BOTTOM), (at, height - BOTTOM + 5.0));
            canvas.label("tick middle", (at, height - BOTTOM + 18.0), &text);
        }
        canvas.line(
            "axis",
            (LEFT, height - BOTTOM),
            (width - RIGHT, height - BOTTOM),
        );
        let middle = LEFT + 0.5 * (width - LEFT - RIGHT);
        canvas.label("tick middle", (middle, height - 6.0), self.x_name);
        for level in self.levels {
            let (_, at) = place((0.0, level.at));
            canvas.line("level", (LEFT, at), (width - RIGHT, at));
            canvas.label("level-name end", (width - RIGHT, at - 5.0), level.name);
        }
        if let Some(mark) = self.mark {
            let (at, _) = place((mark, 0.0));
            canvas.line("level", (at, TOP), (at, height - BOTTOM));
        }
        for (x, low, high) in self.ranges() {
            canvas.line("mark", place((x, low)), place((x, high)));
        }
        self.curve(&mut canvas, place);
        canvas.finish()
    }

    /// Every point's x with the ends of its spread, where the axis has a place for them.
    fn ranges(&self) -> impl Iterator<Item = (f64, f64, f64)> + Clone {
        let least = if self.log { 0.0 } else { f64::NEG_INFINITY };
        let points = self.points.iter().zip(self.spreads);
        points
            .map(|((x, y), spread)| (*x, y - spread, y + spread))
            .filter(move |(_, low, high)| *low > least && high.is_finite())
    }

    fn curve(&self, canvas: &mut Canvas, place: impl Fn((f64, f64)) -> (f64, f64)) {
        let shown = thinned(self.points);
        let places: Vec<(f64, f64)> = shown.iter().map(|p| place(*p)).collect();
        canvas.path("curve", &places);
        let every = shown.len().div_ceil(MOST_DOTS).max(1);
        for ((x, y), at) in shown.iter().zip(places).step_by(every) {
            let hint = format!(
                "{} {}: {}",
                self.x_name,
                number::short(*x),
                number::short(*y)
            );
            canvas.dot(at, &hint);
        }
    }
}

/// Finite points, evenly chosen if there are too many; the last always stays.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let finite: Vec<(f64, f64)> = points
        .iter()
        .copied()
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    let every = finite.len().div_ceil(MOST_POINTS).max(1);
    let mut chosen: Vec<(f64, f64)> = finite.iter().copied().step_by(every).collect();
    if finite.len() % every != 1 && every > 1 {
        chosen.extend(finite.last());
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_keep_both_ends() {
        for count in [1, 300, 301, 5000, 5001] {
            let points: Vec<(f64, f64)> = (0..count).map(|i| (f64::from(i), 1.0)).collect();
            let chosen = thinned(&points);
            assert!(chosen.len() <= MOST_POINTS + 1);
            assert_eq!(chosen.first(), points.first());
            assert_eq!(chosen.last(), points.last());
        }
    }

    #[test]
    fn a_chart_of_nothing_or_of_strange_numbers_is_still_a_figure() {
        for points in [
            vec![],
            vec![(0.0, f64::NAN)],
            vec![(0.0, 0.0), (1.0, f64::INFINITY)],
        ] {
            let chart = Chart {
                title: "residual",
                x_name: "pass",
                points: &points,
                levels: &[],
                spreads: &[0.1],
                mark: Some(0.0),
                log: true,
            };
            let svg = chart.svg();
            assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}

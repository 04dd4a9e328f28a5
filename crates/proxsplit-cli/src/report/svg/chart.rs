//! Curves over an axis of time or passes.

use super::Canvas;
use super::axis::Axis;
use crate::number;

/// A horizontal line to compare a curve with.
#[derive(Debug, Clone)]
pub(crate) struct Level {
    pub(crate) at: f64,
    pub(crate) name: &'static str,
}

/// Points in the order in which they are joined.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Curve<'a> {
    /// For the legend; empty for a single curve.
    pub(crate) name: &'a str,
    pub(crate) points: &'a [(f64, f64)],
}

/// Curves with their axes.
#[derive(Debug, Clone)]
pub(crate) struct Chart<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_name: &'a str,
    pub(crate) curves: &'a [Curve<'a>],
    pub(crate) levels: &'a [Level],
    /// How far each point of the first curve may be off, up and down; none if empty.
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
/// From one line of text to the next.
const LINE: f64 = 14.0;

impl Chart<'_> {
    /// The figure as text.
    pub(crate) fn svg(&self) -> String {
        let (width, height) = SIZE;
        let mut canvas = Canvas::new(width, height, self.title);
        let points = self.curves.iter().flat_map(|curve| curve.points);
        let x = Axis::over(points.clone().map(|p| p.0), false).beginning_at_zero();
        let levels = self.levels.iter().map(|level| level.at);
        let spread = self.ranges().flat_map(|(_, low, high)| [low, high]);
        let values = points.map(|p| p.1).chain(levels).chain(spread);
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
        self.levels(&mut canvas, |level| place((0.0, level)).1);
        if let Some(mark) = self.mark {
            let (at, _) = place((mark, 0.0));
            canvas.line("level", (at, TOP), (at, height - BOTTOM));
        }
        for (x, low, high) in self.ranges() {
            canvas.line("mark", place((x, low)), place((x, high)));
        }
        for (number, curve) in self.curves.iter().enumerate() {
            self.curve(&mut canvas, number, curve, place);
        }
        self.legend(&mut canvas);
        canvas.finish()
    }

    /// Dashed lines with their names at the left, where a curve that falls is far above them. The name of the lower of two close lines
    /// stands below it.
    fn levels(&self, canvas: &mut Canvas, height_of: impl Fn(f64) -> f64) {
        let mut places: Vec<(f64, &str)> = self
            .levels
            .iter()
            .map(|level| (height_of(level.at), level.name))
            .collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut last = f64::NEG_INFINITY;
        for (at, name) in places {
            let above = at - 5.0;
            let text = if above - last < LINE {
                at + LINE
            } else {
                above
            };
            canvas.line("level", (LEFT, at), (SIZE.0 - RIGHT, at));
            canvas.label("level-name", (LEFT + 6.0, text), name);
            last = text;
        }
    }

    /// The names of the curves, from the right.
    fn legend(&self, canvas: &mut Canvas) {
        if self.curves.len() < 2 {
            return;
        }
        for (number, curve) in self.curves.iter().enumerate() {
            let at = (SIZE.0 - RIGHT, 18.0 + LINE * number as f64);
            canvas.label(
                &format!("legend end c{number}"),
                at,
                &shortened(curve.name, 28),
            );
        }
    }

    /// Every point's x with the ends of its spread, where the axis has a place for them.
    fn ranges(&self) -> impl Iterator<Item = (f64, f64, f64)> + Clone {
        let least = if self.log { 0.0 } else { f64::NEG_INFINITY };
        let points = self.curves.iter().take(1).flat_map(|curve| curve.points);
        let points = points.zip(self.spreads);
        points
            .map(|((x, y), spread)| (*x, y - spread, y + spread))
            .filter(move |(_, low, high)| *low > least && high.is_finite())
    }

    fn curve(
        &self,
        canvas: &mut Canvas,
        number: usize,
        curve: &Curve<'_>,
        place: impl Fn((f64, f64)) -> (f64, f64),
    ) {
        let shown = thinned(curve.points);
        let places: Vec<(f64, f64)> = shown.iter().map(|p| place(*p)).collect();
        canvas.path(&format!("curve c{number}"), &places);
        let every = shown.len().div_ceil(MOST_DOTS).max(1);
        for ((x, y), at) in shown.iter().zip(places).step_by(every) {
            let hint = format!(
                "{}{} {}: {}",
                prefix(curve.name),
                self.x_name,
                number::short(*x),
                number::short(*y)
            );
            canvas.dot(&format!("dot c{number}"), at, &hint);
        }
    }
}

fn prefix(name: &str) -> String {
    match name {
        "" => String::new(),
        name => format!("{name}, "),
    }
}

/// A text of at most so many letters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
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
    fn names_of_close_levels_do_not_collide_and_two_curves_have_a_legend() {
        let chart = Chart {
            title: "residual",
            x_name: "pass",
            curves: &[
                Curve {
                    name: "first",
                    points: &[(0.0, 1.0), (1.0, 1e-8)],
                },
                Curve {
                    name: "the second has a name that is far too long for a legend",
                    points: &[(0.0, 1.0), (1.0, 1e-4)],
                },
            ],
            levels: &[1.0e-6, 1.1e-6].map(|at| Level { at, name: "level" }),
            spreads: &[],
            mark: None,
            log: true,
        };
        let svg = chart.svg();
        let heights: Vec<f64> = svg
            .split("class=\"level-name\"")
            .skip(1)
            .map(|rest| rest.split("y=\"").nth(1).unwrap())
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(heights.len(), 2);
        assert!((heights[0] - heights[1]).abs() >= LINE, "{heights:?}");
        assert!(
            svg.contains(">first</text>") && svg.contains(">the second has a name that…</text>"),
            "{svg}"
        );
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
                curves: &[Curve {
                    name: "",
                    points: &points,
                }],
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

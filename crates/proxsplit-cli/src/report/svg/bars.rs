//! Upright bars between 0 and 100 percent.

use super::Canvas;

/// A share for each of a row of things.
#[derive(Debug, Clone)]
pub(crate) struct Bars<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_name: &'a str,
    /// Shares between 0 and 1, with the number of the thing.
    pub(crate) shares: &'a [(usize, f64)],
}

const SIZE: (f64, f64) = (480.0, 190.0);
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 42.0;
/// Numbers written under the bars at most.
const MOST_NUMBERS: usize = 20;

impl Bars<'_> {
    /// The figure as text.
    pub(crate) fn svg(&self) -> String {
        let (width, height) = SIZE;
        let (inner, full) = (width - LEFT - RIGHT, height - TOP - BOTTOM);
        let mut canvas = Canvas::new(width, height, self.title);
        canvas.label("title", (LEFT, 18.0), self.title);
        for percent in [0, 50, 100] {
            let at = height - BOTTOM - f64::from(percent) / 100.0 * full;
            canvas.line("grid", (LEFT, at), (width - RIGHT, at));
            canvas.label("tick end", (LEFT - 7.0, at + 4.0), &format!("{percent}%"));
        }
        let slot = inner / self.shares.len().max(1) as f64;
        let bar = (0.72 * slot).min(26.0);
        let every = self.shares.len().div_ceil(MOST_NUMBERS).max(1);
        for (i, (number, share)) in self.shares.iter().enumerate() {
            let middle = LEFT + (i as f64 + 0.5) * slot;
            let tall = share.clamp(0.0, 1.0) * full;
            let hint = format!("{} {number}: {:.1}%", self.x_name, 100.0 * share);
            canvas.bar(
                (middle - bar / 2.0, height - BOTTOM - tall),
                (bar, tall),
                &hint,
            );
            if i % every == 0 {
                let at = (middle, height - BOTTOM + 18.0);
                canvas.label("tick middle", at, &number.to_string());
            }
        }
        canvas.line(
            "axis",
            (LEFT, height - BOTTOM),
            (width - RIGHT, height - BOTTOM),
        );
        canvas.label(
            "tick middle",
            (LEFT + inner / 2.0, height - 6.0),
            self.x_name,
        );
        canvas.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_share_has_a_bar_of_its_height() {
        let bars = Bars {
            title: "zeros",
            x_name: "atom",
            shares: &[(1, 0.0), (2, 0.5), (3, 1.0)],
        };
        let svg = bars.svg();
        assert_eq!(svg.matches("<rect").count(), 3);
        let full = SIZE.1 - TOP - BOTTOM;
        assert!(svg.contains(&format!("height=\"{:.2}\"", full / 2.0)));
        assert!(svg.contains("atom 2: 50.0%"));
    }
}

//! Where the numbers of an axis fall, and which of them are written.

use crate::number;

/// A linear or logarithmic axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
}

impl Axis {
    /// An axis that holds all finite values; logarithmic if asked for and none of them is negative. A zero has no place
    /// on it and is drawn at its lower end.
    pub(super) fn over(values: impl Iterator<Item = f64> + Clone, log: bool) -> Self {
        let finite = values.filter(|v| v.is_finite());
        let reach = |(low, high): (f64, f64), v: f64| (low.min(v), high.max(v));
        let nothing = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = finite.clone().fold(nothing, reach);
        if low > high {
            return Self {
                low: 0.0,
                high: 1.0,
                log: false,
            };
        }
        let log = log && low >= 0.0 && high > 0.0;
        let low = if log {
            let (least, _) = finite.filter(|v| *v > 0.0).fold(nothing, reach);
            least.max(high * f64::EPSILON)
        } else {
            low
        };
        let (low, high) = match (log, low == high) {
            (true, true) => (low / 2.0, high * 2.0),
            (false, true) => (low - 0.5 * unit(low), high + 0.5 * unit(high)),
            (_, false) => (low, high),
        };
        Self { low, high, log }
    }

    /// The same axis, made to begin at zero.
    pub(super) fn beginning_at_zero(self) -> Self {
        Self {
            low: self.low.min(0.0),
            ..self
        }
    }

    /// The same axis with room at both ends, so that no curve runs along the frame.
    pub(super) fn with_room(self) -> Self {
        let room = 0.06;
        let (low, high) = (self.place(self.low), self.place(self.high));
        let (low, high) = (low - room * (high - low), high + room * (high - low));
        Self {
            low: self.back(low),
            high: self.back(high),
            ..self
        }
    }

    /// Position between 0 and 1.
    pub(super) fn at(&self, value: f64) -> f64 {
        let (low, high) = (self.place(self.low), self.place(self.high));
        ((self.place(value) - low) / (high - low)).clamp(0.0, 1.0)
    }

    fn place(&self, value: f64) -> f64 {
        if self.log {
            value.max(f64::MIN_POSITIVE).log10()
        } else {
            value
        }
    }

    fn back(&self, place: f64) -> f64 {
        if self.log { 10_f64.powf(place) } else { place }
    }

    /// At most about `count` round numbers with their text.
    pub(super) fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        if self.log && self.high / self.low >= 20.0 {
            self.decades(count)
        } else {
            self.steps(count)
        }
    }

    fn decades(&self, count: usize) -> Vec<(f64, String)> {
        let (first, last) = (
            self.low.log10().ceil() as i32,
            self.high.log10().floor() as i32,
        );
        let decades = (last - first + 1) as usize;
        if decades <= 2 {
            return self.between_decades(first);
        }
        let every = decades.div_ceil(count).max(1);
        (first..=last)
            .step_by(every)
            .map(|power| (10_f64.powi(power), number::power_of_ten(power)))
            .collect()
    }

    /// 1, 2 and 5 times the powers of ten.
    fn between_decades(&self, first: i32) -> Vec<(f64, String)> {
        let powers = (first - 1..=first + 2).map(|power| 10_f64.powi(power));
        powers
            .flat_map(|power| [1.0, 2.0, 5.0].map(|m| m * power))
            .filter(|value| (self.low..=self.high).contains(value))
            .map(|value| (value, number::with_step(value, value)))
            .collect()
    }

    fn steps(&self, count: usize) -> Vec<(f64, String)> {
        let step = round_step((self.high - self.low) / count as f64);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last)
            .map(|i| {
                let value = i as f64 * step;
                (value, number::with_step(value, step))
            })
            .collect()
    }
}

fn unit(value: f64) -> f64 {
    if value == 0.0 { 1.0 } else { value.abs() }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis::over([0.13, 9.7].into_iter(), false);
        let ticks = axis.ticks(5);
        let texts: Vec<&str> = ticks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["2", "4", "6", "8"]);
        assert!(
            ticks
                .iter()
                .all(|(v, _)| (0.0..=1.0).contains(&axis.at(*v)))
        );
    }

    #[test]
    fn logarithmic_axes_show_powers_of_ten() {
        let axis = Axis::over([3e-7, 200.0].into_iter(), true);
        let texts: Vec<String> = axis.ticks(5).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["10⁻⁶", "10⁻⁴", "10⁻²", "1", "100"]);
        let narrow = Axis::over([41.0, 941.0].into_iter(), true).ticks(5);
        let texts: Vec<&str> = narrow.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["50", "100", "200", "500"]);
        assert_eq!(axis.at(3e-7), 0.0);
        assert_eq!(axis.at(200.0), 1.0);
    }

    #[test]
    fn degenerate_ranges_still_have_an_axis() {
        for values in [vec![], vec![f64::NAN], vec![0.0], vec![5.0, 5.0]] {
            let axis = Axis::over(values.iter().copied(), true).with_room();
            assert!(!axis.ticks(4).is_empty(), "{values:?}");
            assert!(axis.at(5.0).is_finite());
        }
        let negative = Axis::over([-1.0, 1.0].into_iter(), true);
        assert_eq!(negative.ticks(2)[1].1, "0");
        let with_zero = Axis::over([0.0, 1e-3, 1.0].into_iter(), true);
        assert_eq!((with_zero.at(0.0), with_zero.at(1e-3)), (0.0, 0.0));
        assert!((with_zero.at(1e-1) - 2.0 / 3.0).abs() < 1e-12);
    }
}

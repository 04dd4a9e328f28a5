//! Numbers as pictures: grey for one sign, blue and red for both.

use super::png::{Rgb, data_address};

/// Colours for a range of values.
pub(super) struct Colours {
    palette: Vec<Rgb>,
    low: f64,
    high: f64,
}

impl Colours {
    /// Black at 0 and white at the largest value; with negative values, white at 0, red above and blue below.
    pub(super) fn of(values: &[f64]) -> Self {
        let (low, high) = values.iter().fold((0.0_f64, 0.0_f64), |(low, high), v| {
            (low.min(*v), high.max(*v))
        });
        if low < 0.0 {
            let reach = high.max(-low);
            Self {
                palette: (0..=254u8)
                    .map(|i| signed(f64::from(i) / 127.0 - 1.0))
                    .collect(),
                low: -reach,
                high: reach,
            }
        } else {
            Self {
                palette: (0..=255).map(|i| [i; 3]).collect(),
                low: 0.0,
                high,
            }
        }
    }

    fn index(&self, value: f64) -> u8 {
        let share = if self.high > self.low {
            (value - self.low) / (self.high - self.low)
        } else {
            0.0
        };
        (share * (self.palette.len() - 1) as f64).round() as u8
    }

    /// The picture of values that stand row by row.
    pub(super) fn picture(&self, width: usize, values: &[f64]) -> String {
        let pixels: Vec<u8> = values.iter().map(|v| self.index(*v)).collect();
        data_address(width, &pixels, &self.palette)
    }
}

/// −1 is blue, 0 white, 1 red.
fn signed(t: f64) -> Rgb {
    let end = if t < 0.0 {
        [33.0, 102.0, 172.0]
    } else {
        [178.0, 24.0, 43.0]
    };
    end.map(|channel: f64| (255.0 + t.abs() * (channel - 255.0)).round() as u8)
}

/// Means of neighbouring columns, so that at most `most` columns are left.
pub(super) fn shrunk(width: usize, values: &[f64], most: usize) -> (usize, Vec<f64>) {
    let every = width.div_ceil(most).max(1);
    let columns = width.div_ceil(every);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let rows = values.chunks_exact(width);
    (
        columns,
        rows.flat_map(|row| row.chunks(every).map(mean)).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_black_without_negative_values_and_white_with_them() {
        let grey = Colours::of(&[0.0, 2.0]);
        assert_eq!(grey.palette[grey.index(0.0) as usize], [0; 3]);
        assert_eq!(grey.palette[grey.index(2.0) as usize], [255; 3]);
        let both = Colours::of(&[-1.0, 4.0]);
        assert_eq!(both.palette[both.index(0.0) as usize], [255; 3]);
        assert_eq!(both.palette[both.index(4.0) as usize], [178, 24, 43]);
        assert_eq!(Colours::of(&[0.0]).index(0.0), 0);
    }

    #[test]
    fn shrinking_takes_means() {
        let (columns, values) = shrunk(5, &[1.0, 3.0, 5.0, 7.0, 9.0], 3);
        assert_eq!((columns, values), (3, vec![2.0, 6.0, 9.0]));
        assert_eq!(
            shrunk(2, &[1.0, 2.0, 3.0, 4.0], 9),
            (2, vec![1.0, 2.0, 3.0, 4.0])
        );
    }
}

//! Speckled hold-out masks: generated from seed and column, never stored.
//!
//! Rows are cut into bands of as many rows as there are folds. In every column and band each fold holds out one row: all folds share a
//! random cyclic shift, a hash of seed, column and band. So the folds divide the entries between them, a column loses one row of
//! each band and no more, and any entry can be asked for at any time, by columns or by rows.

use std::ops::Range;

/// One fold of a speckled mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Speckle {
    key: u64,
    folds: usize,
    fold: usize,
    /// How many columns have a pattern of their own; the others share these.
    patterns: usize,
}

impl Speckle {
    /// Fold `fold` of `folds`, for one of several independent divisions of the entries.
    pub(crate) fn new(seed: u64, division: usize, (fold, folds): (usize, usize)) -> Self {
        Self {
            key: mix(seed ^ mix(division as u64)),
            folds,
            fold,
            patterns: usize::MAX,
        }
    }

    /// The same with at most so many different columns.
    pub(crate) fn with_patterns(self, patterns: usize) -> Self {
        Self { patterns, ..self }
    }

    /// What the patterns of `columns` columns are below: a few columns, too, may have any of those that many share.
    pub(crate) fn patterns(&self, columns: usize) -> usize {
        if self.patterns == usize::MAX {
            columns
        } else {
            self.patterns
        }
    }

    /// The pattern of a column.
    pub(crate) fn pattern(&self, column: usize) -> usize {
        if self.patterns == usize::MAX {
            return column;
        }
        below(mix(self.key ^ !(column as u64)), self.patterns)
    }

    /// The rows of a band.
    pub(crate) fn band(&self) -> usize {
        self.folds
    }

    /// What `row` needs to know of a pattern.
    #[inline(always)]
    pub(crate) fn key(&self, pattern: usize) -> u64 {
        mix(self.key.wrapping_add(pattern as u64))
    }

    /// The row that is held out in a band, which may lie beyond the last one if the band is cut short.
    #[inline(always)]
    pub(crate) fn row(&self, key: u64, band: usize) -> usize {
        let shift = below(mix(key.wrapping_add(band as u64)), self.folds) + self.fold;
        let within = if shift >= self.folds {
            shift - self.folds
        } else {
            shift
        };
        band * self.folds + within
    }

    /// Whether an entry is held out.
    pub(crate) fn holds_out(&self, row: usize, column: usize) -> bool {
        self.row(self.key(self.pattern(column)), row / self.folds) == row
    }

    /// How many entries of a matrix are held out.
    pub(crate) fn count(&self, rows: usize, columns: usize) -> usize {
        let (bands, rest) = (rows / self.folds, rows % self.folds);
        let in_the_last = |column: &usize| {
            let key = self.key(self.pattern(*column));
            rest > 0 && self.row(key, bands) < rows
        };
        bands * columns + (0..columns).filter(in_the_last).count()
    }

    /// Visits the rows of a range that a pattern holds out, in order.
    pub(crate) fn for_each(
        &self,
        pattern: usize,
        rows: Range<usize>,
        mut visit: impl FnMut(usize),
    ) {
        let key = self.key(pattern);
        for band in rows.start / self.folds..rows.end.div_ceil(self.folds) {
            let row = self.row(key, band);
            if rows.contains(&row) {
                visit(row);
            }
        }
    }
}

/// A number below `end` from 64 random bits.
#[inline(always)]
fn below(bits: u64, end: usize) -> usize {
    ((bits >> 32).wrapping_mul(end as u64) >> 32) as usize
}

/// 64 bits that look random (the finalizer of SplitMix64: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number
/// generators, 2014).
#[inline(always)]
fn mix(bits: u64) -> u64 {
    let z = bits
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::Speckle;

    #[test]
    fn folds_divide_the_entries_between_them() {
        let (rows, columns, folds) = (23, 40, 5);
        for speckle in [
            Speckle::new(3, 1, (0, folds)),
            Speckle::new(3, 1, (0, folds)).with_patterns(7),
        ] {
            for row in 0..rows {
                for column in 0..columns {
                    let by = (0..folds)
                        .filter(|&fold| Speckle { fold, ..speckle }.holds_out(row, column));
                    assert_eq!(by.count(), 1, "row {row}, column {column}");
                }
            }
        }
    }

    #[test]
    fn few_columns_have_patterns_that_are_counted() {
        for speckle in [
            Speckle::new(9, 0, (2, 4)),
            Speckle::new(9, 0, (2, 4)).with_patterns(32),
        ] {
            let all = (0..9).map(|column| speckle.pattern(column));
            assert!(all.max().unwrap() < speckle.patterns(9));
        }
    }

    #[test]
    fn by_patterns_it_is_the_same_mask() {
        let speckle = Speckle::new(9, 0, (2, 4)).with_patterns(3);
        for column in 0..50 {
            let pattern = speckle.pattern(column);
            assert!(pattern < 3);
            let mut rows = Vec::new();
            speckle.for_each(pattern, 3..30, |row| rows.push(row));
            let asked: Vec<usize> = (3..30)
                .filter(|&row| speckle.holds_out(row, column))
                .collect();
            assert_eq!(rows, asked);
        }
    }

    /// Rows, columns and neighbours have their share, up to four standard deviations.
    #[test]
    fn it_looks_random() {
        let (side, folds) = (1000, 10);
        let speckle = Speckle::new(0, 0, (0, folds));
        let held = |row, column| speckle.holds_out(row, column);
        let share = |count: usize, of: f64, p: f64| {
            let off = (count as f64 - of * p) / (of * p * (1.0 - p)).sqrt();
            assert!(off.abs() < 4.5, "{count} of {of} at {p}: {off}");
        };
        for line in 0..20 {
            share(
                (0..side).filter(|&t| held(line, t)).count(),
                side as f64,
                0.1,
            );
        }
        let pairs = |down: usize, right: usize| {
            let all = (0..200 * 200).map(|at| (at / 200 * folds, at % 200));
            all.filter(|&(i, t)| held(i, t) && held(i + down, t + right))
                .count()
        };
        for (down, right) in [(folds, 0), (0, 1), (folds, 1), (3, 1)] {
            share(pairs(down, right), 200.0 * 200.0, 0.01);
        }
        let other = Speckle::new(0, 1, (0, folds));
        let both = (0..side)
            .filter(|&t| held(5, t) && other.holds_out(5, t))
            .count();
        share(both, side as f64, 0.01);
    }
}

//! The multiplier μ of aᵀx = b, where x_i(μ) = min(max(y_i − μa_i, l_i), u_i): the root of a piecewise linear, nonincreasing
//! function with two breakpoints an entry.
//!
//! A random breakpoint tells on which side the root is, and with it which entries are settled (at a bound, or free between
//! the bounds, all the way between the nearest breakpoints known): only the others are looked at again. As in quickselect,
//! the expected time is linear, and the last equation is linear, hence solved exactly. (P. Brucker, "An O(n) algorithm for
//! quadratic knapsack problems", 1984.)

use crate::scratch;

/// One entry of the problem.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) y: f64,
    pub(super) a: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
}

impl Entry {
    /// x(μ)
    #[inline(always)]
    pub(super) fn at(self, multiplier: f64) -> f64 {
        (self.y - multiplier * self.a)
            .max(self.lower)
            .min(self.upper)
    }

    /// a·x at the upper and lower end of its range: its value before the first and after the second breakpoint.
    pub(super) fn range(self) -> (f64, f64) {
        if self.a == 0.0 {
            return (0.0, 0.0);
        }
        let (p, q) = (self.a * self.lower, self.a * self.upper);
        (p.max(q), p.min(q))
    }

    /// The breakpoints in order; x is free between them.
    #[inline(always)]
    fn breakpoints(self) -> (f64, f64) {
        let (p, q) = (
            (self.y - self.lower) / self.a,
            (self.y - self.upper) / self.a,
        );
        (p.min(q), p.max(q))
    }
}

/// What is known so far: the root lies between `low` and `high`, and settled entries have Σ a_i x_i(μ) = level − slope·μ.
struct Search {
    low: f64,
    high: f64,
    level: f64,
    slope: f64,
}

impl Search {
    /// Nothing is known.
    fn new() -> Self {
        Self {
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            level: 0.0,
            slope: 0.0,
        }
    }

    /// Finds on which side of the pivot the root is; false if the pivot is not inside the bracket.
    fn narrow(&mut self, pivot: f64, open: impl Iterator<Item = Entry>, total: f64) -> bool {
        if !(self.low < pivot && pivot < self.high) {
            return false;
        }
        let settled = self.level - self.slope * pivot;
        let sum = settled + open.map(|e| e.a * e.at(pivot)).sum::<f64>();
        if sum >= total {
            self.low = pivot;
        }
        if sum <= total {
            self.high = pivot;
        }
        true
    }

    /// Whether the entry is settled; if so it is added to the sums.
    fn settles(&mut self, entry: Entry) -> bool {
        let (first, second) = entry.breakpoints();
        if second <= self.low {
            self.level += entry.range().1;
        } else if first >= self.high {
            self.level += entry.range().0;
        } else if first <= self.low && second >= self.high {
            self.level += entry.a * entry.y;
            self.slope += entry.a * entry.a;
        } else {
            return false;
        }
        true
    }

    /// A breakpoint of the entry strictly inside the bracket.
    fn pivot(&self, entry: Entry) -> f64 {
        let (first, second) = entry.breakpoints();
        if self.low < first && first < self.high {
            first
        } else {
            second
        }
    }

    /// The root, once all entries are settled.
    fn root(&self, total: f64) -> f64 {
        let root = (self.level - total) / self.slope;
        let root = if root.is_nan() { 0.0 } else { root };
        root.max(self.low).min(self.high)
    }
}

/// Positions for the pivots: a linear congruential sequence, the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (self.0 >> 33) as usize % count
    }
}

/// Problems this long first look at a sample of this many entries.
const LONG: usize = 10_000;
const SAMPLE: usize = 1_000;

/// μ with Σ_i a_i x_i(μ) = `total`, which must be possible.
pub(super) fn multiplier(len: usize, entry: impl Fn(usize) -> Entry, total: f64) -> f64 {
    let mut search = Search::new();
    if len >= LONG {
        for guess in guesses(len, &entry, total) {
            search.narrow(guess, (0..len).map(&entry), total);
        }
    }
    select(len, entry, total, search)
}

/// Two numbers that probably enclose the root and little else: the roots of a sample, for totals two standard errors to
/// either side. (As R. Floyd and R. Rivest do in "Expected time bounds for selection", 1975.)
fn guesses(len: usize, entry: impl Fn(usize) -> Entry, total: f64) -> [f64; 2] {
    let sample = |i: usize| entry(i * (len / SAMPLE));
    let expected = total * SAMPLE as f64 / len as f64;
    let root = |total: f64| select(SAMPLE, sample, total, Search::new());
    let middle = root(expected);
    let mean = expected / SAMPLE as f64;
    let deviations = (0..SAMPLE).map(|i| sample(i).a * sample(i).at(middle) - mean);
    let error = 2.0 * deviations.map(|d| d * d).sum::<f64>().sqrt();
    [root(expected + error), root(expected - error)]
}

/// The root by random pivots.
fn select(len: usize, entry: impl Fn(usize) -> Entry, total: f64, mut search: Search) -> f64 {
    let mut random = Random(len as u64);
    scratch::with(len, |open: &mut [usize]| {
        let mut count = 0;
        for i in (0..len).filter(|&i| entry(i).a != 0.0) {
            open[count] = i;
            count += usize::from(!search.settles(entry(i)));
        }
        while count > 0 {
            // The median of three, for a more even split.
            let [p, q, r] = [(); 3].map(|()| search.pivot(entry(open[random.below(count)])));
            let pivot = p.min(q).max(p.max(q).min(r));
            if !search.narrow(pivot, open[..count].iter().map(|&i| entry(i)), total) {
                // Only if some entry is NaN.
                break;
            }
            let mut kept = 0;
            for position in 0..count {
                let i = open[position];
                open[kept] = i;
                kept += usize::from(!search.settles(entry(i)));
            }
            count = kept;
        }
        search.root(total)
    })
}

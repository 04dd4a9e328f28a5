//! Where the result can jump, told from a few entries on either side.
//!
//! Let u be the last entry of the string that is taut up to the upper wall at k. With the means m_j of the last j entries of y,
//! u = c_1 where c_j is c_{j+1} moved into [m_j, m_j + 2λ/j], the directions in which the gate between the walls is seen j
//! entries back. The mirror image gives the first entry l of the string that starts at k, and x jumps up after k just if
//! u < l. Cut after a few entries, with −∞ or ∞ for the rest, the recursion bounds u and l from both sides, so that most
//! places are settled.

use super::funnel::Wall;

/// Entries looked at on either side.
pub(super) const REACH: usize = 4;

/// Places that are judged together.
pub(super) const BLOCK: usize = 64;

/// The entries round a block of places.
pub(super) const NEAR: usize = BLOCK + 2 * REACH - 1;

/// What is known of a place k, as bits.
#[derive(Clone, Copy, Default)]
pub(super) struct Verdict(u64);

/// x_k and x_{k+1} may differ; they do for sure; if they do, x falls.
const MAY: u64 = 1;
const MUST: u64 = 2;
const FALLS: u64 = 4;

impl Verdict {
    #[inline(always)]
    pub(super) fn may_bend(self) -> bool {
        self.0 & MAY != 0
    }

    #[inline(always)]
    pub(super) fn must_bend(self) -> bool {
        self.0 & MUST != 0
    }

    /// Where the string bends if it does.
    #[inline(always)]
    pub(super) fn wall(self) -> Wall {
        if self.0 & FALLS == 0 {
            Wall::Upper
        } else {
            Wall::Lower
        }
    }

    /// The same, but nothing is settled.
    #[inline(always)]
    pub(super) fn open(self) -> Self {
        Self(self.0 & FALLS | MAY)
    }
}

pub(super) struct Screen {
    /// 2λ/j
    gates: [f64; REACH],
}

impl Screen {
    pub(super) fn new(radius: f64) -> Self {
        Self {
            gates: std::array::from_fn(|j| 2.0 * radius / (j + 1) as f64),
        }
    }

    /// The verdicts on the places after near[REACH − 1], near[REACH], ….
    #[inline(always)]
    pub(super) fn judge(&self, near: &[f64; NEAR]) -> [Verdict; BLOCK] {
        let mut verdicts = [Verdict(0); BLOCK];
        for (k, verdict) in verdicts.iter_mut().enumerate() {
            let before = std::array::from_fn(|j| near[k + REACH - 1 - j]);
            let after = std::array::from_fn(|j| near[k + REACH + j]);
            *verdict = self.verdict(before, after);
        }
        verdicts
    }

    /// `before` and `after` the place, each from the nearest entry on.
    #[inline(always)]
    fn verdict(&self, before: [f64; REACH], after: [f64; REACH]) -> Verdict {
        let falls = after[0] < before[0];
        let sign = if falls { -1.0 } else { 1.0 };
        // Upside down if x falls; what comes after the place is mirrored.
        let (least_before, most_before) = self.last_entry(before.map(|y| sign * y));
        let (least_after, most_after) = self.last_entry(after.map(|y| -sign * y));
        let may = if least_before + least_after < 0.0 {
            MAY
        } else {
            0
        };
        let must = if most_before + most_after < 0.0 {
            MUST
        } else {
            0
        };
        Verdict(may | must | if falls { FALLS } else { 0 })
    }

    /// Bounds on u, for y from the last entry backwards.
    #[inline(always)]
    fn last_entry(&self, y: [f64; REACH]) -> (f64, f64) {
        let mut sums = y;
        for j in 1..REACH {
            sums[j] += sums[j - 1];
        }
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        for j in (0..REACH).rev() {
            let mean = sums[j] * (1.0 / (j + 1) as f64);
            least = clamp(least, mean, mean + self.gates[j]);
            most = clamp(most, mean, mean + self.gates[j]);
        }
        (least, most)
    }
}

#[inline(always)]
fn clamp(t: f64, low: f64, high: f64) -> f64 {
    let t = if t > low { t } else { low };
    if t < high { t } else { high }
}

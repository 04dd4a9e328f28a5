//! What the next model is to be, by how right the last one was about the gain.
//!
//! Far from a solution parabolas mislead, and it does not pay to minimize them well; near it they are right, and even curvatures of a
//! while ago serve, so that their Gram matrix need not be formed again.

/// The least damping, if there is any.
const LEAST_DAMPING: f64 = 1e-3;
/// A model that was off by less serves once more.
const STILL_GOOD: f64 = 0.3;
/// The largest part of a model's violation that may be left.
const LOOSEST: f64 = 0.3;

#[derive(Debug)]
pub(super) struct Trust {
    /// How far parabolas are on their way to ones above Φ.
    pub(super) damping: f64,
    /// Whether the curvatures are those of an earlier model.
    pub(super) keeps_bends: bool,
    off: f64, // the gain beyond what the last model had promised, as a part of that
}

impl Default for Trust {
    fn default() -> Self {
        Self {
            damping: 0.0,
            keeps_bends: false,
            off: LOOSEST,
        }
    }
}

impl Trust {
    /// The part of a model's violation that may be left: no less than the model is wrong by, and at least `least`.
    pub(super) fn part(&self, least: f64) -> f64 {
        self.off.abs().clamp(least, LOOSEST)
    }

    /// Learns from a step that has gained `gain` where the model had promised `promised`.
    pub(super) fn compare(&mut self, gain: f64, promised: f64, rounding: f64) {
        // Below so many digits rounding decides.
        let is_seen = promised > 1e3 * rounding;
        self.off = if is_seen { gain / promised - 1.0 } else { 0.0 };
        self.keeps_bends = self.off.abs() < STILL_GOOD;
        if self.off < -0.5 {
            self.dampen();
        } else if self.off > -0.25 {
            let is_needed = self.damping > LEAST_DAMPING;
            self.damping = if is_needed { 0.1 * self.damping } else { 0.0 };
        }
    }

    /// Learns from a model whose minimizer lies in no direction of descent; false if none could do better.
    pub(super) fn doubt(&mut self) -> bool {
        // Parabolas above Φ always lower it, so far as rounding lets them.
        let has_hope = self.damping < 1.0 || self.keeps_bends;
        self.keeps_bends = false;
        self.dampen();
        has_hope
    }

    fn dampen(&mut self) {
        self.damping = (10.0 * self.damping).clamp(LEAST_DAMPING, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_model_is_kept_and_the_next_one_solved_well() {
        let mut trust = Trust::default();
        assert_eq!(trust.part(0.01), LOOSEST);
        trust.compare(1.02, 1.0, 1e-16);
        assert!(
            trust.keeps_bends && trust.damping == 0.0 && (trust.part(0.01) - 0.02).abs() < 1e-12
        );
    }

    #[test]
    fn a_model_that_promised_too_much_is_damped_until_it_keeps_its_word() {
        let mut trust = Trust::default();
        for expected in [1e-3, 1e-2, 0.1, 1.0, 1.0] {
            trust.compare(0.1, 1.0, 1e-16);
            assert!(!trust.keeps_bends && (trust.damping - expected).abs() < 1e-12);
        }
        assert!(!trust.doubt() && trust.damping == 1.0);
        for expected in [0.1, 0.01] {
            trust.compare(1.0, 1.0, 1e-16);
            assert!((trust.damping - expected).abs() < 1e-12);
        }
        assert!(trust.doubt() && !trust.keeps_bends);
    }

    #[test]
    fn gains_of_the_size_of_rounding_say_nothing() {
        let mut trust = Trust::default();
        trust.compare(-1e-16, 1e-15, 1e-16);
        assert!(trust.keeps_bends && trust.damping == 0.0);
    }
}

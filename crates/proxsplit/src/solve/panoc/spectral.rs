//! A plain step of another length, tried before the direction where g is not simple entry by entry.
//!
//! L-BFGS on the residual (x − x̄)/γ sees g through the kinks of P_γ, and must learn anew whenever x crosses one. P_η(x − η∇f(x)) with
//! Barzilai's and Borwein's η = ‖s‖²/⟨s, y⟩ knows g exactly and f by one number, and is far better where f is well conditioned. As every
//! other step it must lower the envelope, though not at once: as in H. Zhang and W. Hager, A nonmonotone line search technique and its
//! application to unconstrained optimization, 2004, it is compared with a running mean, which falls all the same.

/// The weight of the newest value in the mean.
const NEWEST: f64 = 0.5;
/// The longest rest after failures, in steps.
const LONGEST: u32 = 64;

pub(super) struct Spectral {
    /// η; 0 before there is one.
    pub(super) length: f64,
    /// What a step is compared with: no less than the merit of x.
    pub(super) ceiling: f64,
    rest: u32,  // steps until it is tried again
    pause: u32, // the rest after the next failure
}

impl Spectral {
    pub(super) fn new() -> Self {
        Self {
            length: 0.0,
            ceiling: f64::INFINITY,
            rest: 0,
            pause: 1,
        }
    }

    /// Whether it is worth a try, asked once a step.
    pub(super) fn is_due(&mut self, step: f64) -> bool {
        let rested = self.rest == 0;
        self.rest = self.rest.saturating_sub(1);
        rested && self.length >= step
    }

    /// It was tried.
    pub(super) fn tried(&mut self, falls: bool) {
        if falls {
            self.pause = 1;
        } else {
            self.rest = self.pause;
            self.pause = (2 * self.pause).min(LONGEST);
        }
    }

    /// x has moved by s, and ∇f has changed by y: ‖s‖² and ⟨s, y⟩.
    pub(super) fn learn(&mut self, moved: f64, product: f64) {
        let length = moved / product;
        let is_usable = product > 0.0 && length.is_finite();
        self.length = if is_usable { length } else { 0.0 };
    }

    /// The merit is now this, which was below the ceiling.
    pub(super) fn lower(&mut self, merit: f64) {
        self.ceiling += NEWEST * (merit - self.ceiling);
    }
}

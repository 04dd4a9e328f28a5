//! Working sets: f(x) = Σ_i φ_i(a_iᵀx) with a g that is a sum over entries or groups, most of which are 0 at a solution.
//!
//! A round looks at the whole gradient once, takes the blocks that are farthest from stationary into a set that never shrinks, and
//! minimizes over that set alone, with copies of its columns: coordinate descent with Anderson extrapolation on f itself if it is
//! quadratic, else on parabolas that model the φ_i (prox-Newton), with a line search; there, sweeps over sparse columns are
//! over-relaxed. The set at least doubles while it is too small, so that a handful of rounds are enough.
//!
//! A plain step with η ≤ 1/2L lowers Φ by ηR²/4 at least, R its residual. A round that does not lower Φ by a part of what such
//! a step would gain on the set is replaced by the plain step, and the set has the worst of all blocks: so Σ R² is finite, and limit
//! points are stationary.
//!
//! M. Massias, A. Gramfort, J. Salmon, Celer: a fast solver for the lasso with dual extrapolation, 2018; Q. Bertrand and others,
//! Beyond L1: faster and better sparse models with skglm, 2022.

mod anderson;
mod coordinates;
mod gram;
mod model;
mod newton;
mod quadratic;
mod round;
mod set;
mod terms;
mod trust;
mod visit;

use super::point::Point;
use super::seen::Seen;
use super::{Method, Setting, Solver};
use crate::certificate::AtPoint;
use crate::ledger::{Ledger, Level, Source};
use crate::smooth::Linear;
use crate::{Class, Error, Lipschitz, Prox, Real};
use coordinates::Coordinates;
use gram::Gram;
use set::Set;
use terms::Terms;
use trust::Trust;

/// Descent on a growing set of coordinates, for losses of a linear model and a g that is a sum over entries or groups.
///
/// Besides a few vectors it needs room for the columns of its set in the scalar of x, and for their Gram matrix in `f64` if they are
/// dense and not more than a few thousand; sparse ones are there a second time if f is not quadratic.
///
/// ```
/// use proxsplit::data::{Dense, Elements, StorageOrder};
/// use proxsplit::{Stop, WorkingSet, prox::L1, run, smooth::LeastSquares};
/// let a = Dense::new(2, 3, StorageOrder::RowMajor, Elements::F64(&[1.0, 0.0, 0.5, 0.0, 2.0, 0.5]))?;
/// let (f, g) = (LeastSquares::new(a, &[3.0, 1.0])?, L1::new(1.0)?);
/// let mut solver = WorkingSet::new(&f, &g, &[0.0_f64; 3])?;
/// let report = run(&mut solver, &Stop::default(), ());
/// // (2, ¼, 0) is the minimizer of ½(x₁ − 3)² + ½(2x₂ − 1)² + |x₁| + |x₂|, and the third column gains nothing.
/// assert!(report.converged() && (solver.x()[0] - 2.0).abs() < 1e-6 && solver.x()[2] == 0.0);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub struct WorkingSet<'a, T: Real = f64> {
    f: &'a dyn Linear<T>,
    point: Point<'a, T>,
    terms: Terms<'a, T>,
    set: Set<T>,
    at: Coordinates, // y, the entries of x in the set
    gram: Gram,
    rows: Rows,
    slopes: Vec<f64>, // ∂q/∂y, for the Gram matrix
    image: Vec<f64>,  // the same length
    scaled: Vec<f64>, // the entries of sparse columns times the roots of their rows' curvatures
    before: Vec<f64>, // y at the start of an inner problem
    trust: Trust,
    step: f64,     // η of the plain step, at most 1/2L
    plain: Vec<T>, // P_η(x − η∇f(x))
    last: Vec<T>,  // x before the round
    last_gradient: Vec<T>,
    seen: Seen,
    ledger: Ledger,
    violation: Option<f64>, // the residual of the plain step at x, where a look costs more than that
    looked: bool,
    displacement: f64,
    iteration: u64,
    passes: f64,
}

crate::opaque!(WorkingSet<'_, T>, T: Real);

/// Vectors with a number for every row of A.
struct Rows {
    z: Vec<f64>,           // Ax
    slope: Vec<f64>,       // φ′(z)
    bend: Vec<f64>,        // curvatures of the parabolas
    roots: Vec<f64>,       // their square roots
    r: Vec<f64>,           // slopes of the parabolas
    image: Vec<f64>,       // A(y − y⁰)
    trial: Vec<f64>,       // z of a trial
    trial_slope: Vec<f64>, // φ′ there
}

impl<'a, T: Real> WorkingSet<'a, T> {
    /// Minimizes f + g from `start`, which is copied, and moved into the domain of g if it lies outside. An error if g is no sum over
    /// entries or groups.
    pub fn new(f: &'a dyn Linear<T>, g: &'a dyn Prox<T>, start: &[T]) -> Result<Self, Error> {
        let point = Point::new(f, g, start)?;
        let terms = Terms::new(g, start.len()).ok_or_else(not_a_sum)?;
        let columns = f.columns().ok_or_else(too_long)?;
        let bound = f.curvature_bound();
        let is_usable = bound > 0.0 && bound.is_finite();
        // In single precision steps as short as 1/L with so large an L would round away.
        let known = is_usable && T::EPSILON.f64() < 1e-12;
        let lipschitz = if known {
            Lipschitz::Known(bound)
        } else {
            Lipschitz::Unknown
        };
        let (zeros, rows) = (|| vec![T::ZERO; start.len()], || vec![0.0; f.terms()]);
        Ok(Self {
            f,
            point,
            set: Set::new(columns, terms.count()),
            terms,
            at: Coordinates::default(),
            gram: Gram::default(),
            rows: Rows {
                z: rows(),
                slope: rows(),
                bend: rows(),
                roots: Vec::new(),
                r: rows(),
                image: rows(),
                trial: rows(),
                trial_slope: rows(),
            },
            slopes: Vec::new(),
            image: Vec::new(),
            scaled: Vec::new(),
            before: Vec::new(),
            trust: Trust::default(),
            step: plain_step(f, g),
            plain: zeros(),
            last: zeros(),
            last_gradient: zeros(),
            seen: Seen::new(lipschitz),
            ledger: Ledger::default(),
            violation: None,
            looked: false,
            displacement: 0.0,
            iteration: 0,
            passes: 0.0,
        })
    }

    /// Goes on from here with another g, perhaps one with another weight. Columns are kept, and so is the gradient.
    pub fn with_term(mut self, g: &'a dyn Prox<T>) -> Result<Self, Error> {
        let terms = Terms::new(g, self.point.x.len()).ok_or_else(not_a_sum)?;
        if !terms.has_blocks_of(&self.terms) {
            return Self::new(self.f, g, &self.point.x);
        }
        let mut point = Point::new(self.f, g, &self.point.x)?;
        if point.x == self.point.x {
            std::mem::swap(&mut point.gradient, &mut self.point.gradient);
            point.value = self.point.value;
        }
        (self.point, self.terms) = (point, terms);
        self.step = plain_step(self.f, g);
        (self.point.escapes, self.iteration, self.passes) = (false, 0, 0.0);
        Ok(self)
    }

    /// Whether working sets are made for this g: a convex or weakly convex sum over entries or groups whose prox makes zeros.
    pub fn suits(g: &dyn Prox<T>, len: usize) -> bool {
        if g.class() == Class::Nonconvex {
            return false;
        }
        // Single entries need no list of them all to see the first one.
        let len = if g.separable().is_some() {
            len.min(1)
        } else {
            len
        };
        let Some(terms) = Terms::new(g, len) else {
            return false;
        };
        (0..terms.count().min(1)).any(|block| {
            let len = terms.entries(block).len();
            [1e-9, -1e-9].into_iter().any(|tiny| {
                let mut y = vec![tiny; len];
                terms.prox(block, &mut y, 1.0);
                y.iter().all(|y| *y == 0.0)
            })
        })
    }

    /// The current point.
    pub fn x(&self) -> &[T] {
        &self.point.x
    }

    /// The current point.
    pub fn into_x(self) -> Vec<T> {
        self.point.x
    }

    /// How many coordinates are in the set.
    pub fn set_size(&self) -> usize {
        self.set.len()
    }
}

/// η ≤ 1/2L, and short enough for the prox to have one value.
fn plain_step<T: Real>(f: &dyn Linear<T>, g: &dyn Prox<T>) -> f64 {
    let bound = f.curvature_bound();
    let is_usable = bound > 0.0 && bound.is_finite();
    let step = if is_usable { 0.5 / bound } else { 1.0 };
    step.min(0.49 * g.class().step_limit())
}

fn not_a_sum() -> Error {
    Error::Incompatible(
        "a working set needs a penalty and a set that separate over entries or groups; use another method".into(),
    )
}

fn too_long() -> Error {
    Error::Incompatible("a working set needs fewer than 2³² rows; use another method".into())
}

impl<T: Real> Solver for WorkingSet<'_, T> {
    fn measure(&mut self) -> AtPoint {
        self.evaluate();
        let beyond = self.point.looks_beyond();
        self.passes += if beyond { 1.0 } else { 0.0 };
        let own = beyond.then_some(2.0 * self.step);
        let reference = self.seen.reference(own, 2.0 * self.step);
        let is_safe = self.seen.is_safe(reference);
        let at = self.point.measure(reference, is_safe);
        self.seen.refute(self.point.refuted());
        self.ledger
            .raise(Source::Rounding, Level::Estimated(at.rounding));
        self.looked = true;
        at
    }

    fn look_cost(&self) -> f64 {
        if self.point.looks_beyond() { 1.0 } else { 0.0 }
    }

    fn seen_residual(&self) -> Option<f64> {
        self.violation
    }

    fn setting(&self) -> Setting {
        Setting {
            class: self.point.g.class(),
            convex: self.point.f.is_convex(),
            lipschitz: self.seen.so_far(),
            steps: (self.iteration > 0).then_some((self.step, self.step)),
            method: Method::WorkingSet,
            vanishing: false,
            square_summable: false,
            adapts: false,
            constant: None,
            ledger: self.ledger,
            assumptions: self.point.escape().into_iter().collect(),
        }
    }

    fn keep(&mut self) {
        self.point.keep();
    }

    fn settle(&mut self) {
        self.point.settle();
    }
}

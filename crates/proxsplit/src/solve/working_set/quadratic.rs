//! The quadratic part of an inner problem, q(y) = ⟨s, D(y − y⁰)⟩ + ½‖D(y − y⁰)‖²_W over the working set, kept in one of three ways.
//!
//! By rows: r = s + W·D(y − y⁰), where a slope costs a column of D and so does a move; for sparse columns r/√w and √w·D in the place
//! of r and D, so that no move reads the weights. By the Gram matrix G = DᵀWD: all slopes are
//! kept, so that a slope costs nothing and a move a column of G. The second way costs G, and pays unless D is sparse or the set is large.

use super::set::Set;
use crate::Real;
use crate::data::gathered;
use crate::linalg::vectorized::vectorized;

pub(super) trait Quadratic {
    /// ∂q/∂y_k
    fn slope(&mut self, k: usize) -> f64;

    /// y_k ← y_k + δ
    fn shift(&mut self, k: usize, delta: f64);

    /// q(y + e) − q(y). What a move by e would change is remembered.
    fn change(&mut self, e: &[f64]) -> f64;

    /// y ← y + e with the e of the last `change`.
    fn accept(&mut self);

    /// Numbers read so far.
    fn work(&self) -> f64;
}

pub(super) struct ByRows<'a, T> {
    pub(super) set: &'a Set<T>,
    pub(super) weights: &'a [f64],
    /// The weight, if it is the same for all rows.
    pub(super) uniform: Option<f64>,
    pub(super) r: &'a mut [f64],
    pub(super) image: &'a mut [f64],
    pub(super) work: f64,
}

impl<T: Real> Quadratic for ByRows<'_, T> {
    fn slope(&mut self, k: usize) -> f64 {
        self.work += self.set.columns.stored(k) as f64;
        self.set.columns.dot(k, self.r)
    }

    fn shift(&mut self, k: usize, delta: f64) {
        self.work += self.set.columns.stored(k) as f64;
        match self.uniform {
            Some(weight) => self.set.columns.add(k, delta * weight, self.r),
            None => self
                .set
                .columns
                .add_weighted(k, delta, self.weights, self.r),
        }
    }

    fn change(&mut self, e: &[f64]) -> f64 {
        self.work += self.set.apply(e, self.image);
        let rows = self.image.iter().zip(&*self.r).zip(self.weights);
        rows.map(|((u, r), w)| u * (r + 0.5 * w * u)).sum()
    }

    fn accept(&mut self) {
        for ((r, u), w) in self.r.iter_mut().zip(&*self.image).zip(self.weights) {
            *r += w * u;
        }
    }

    fn work(&self) -> f64 {
        self.work
    }
}

/// r/√w and √w·D.
pub(super) struct ByScaledRows<'a, T> {
    pub(super) set: &'a Set<T>,
    pub(super) roots: &'a [f64],  // √w
    pub(super) scaled: &'a [f64], // √w·D
    pub(super) r: &'a mut [f64],
    pub(super) image: &'a mut [f64],
    pub(super) work: f64,
}

impl<T: Real> Quadratic for ByScaledRows<'_, T> {
    #[inline]
    fn slope(&mut self, k: usize) -> f64 {
        let (indices, values) = self.set.columns.sparse_with(k, self.scaled);
        self.work += indices.len() as f64;
        gathered(indices, values, self.r)
    }

    #[inline]
    fn shift(&mut self, k: usize, delta: f64) {
        let (indices, values) = self.set.columns.sparse_with(k, self.scaled);
        self.work += indices.len() as f64;
        for (&i, d) in indices.iter().zip(values) {
            self.r[i as usize] += delta * d;
        }
    }

    fn change(&mut self, e: &[f64]) -> f64 {
        self.work += self.set.apply(e, self.image);
        let rows = self.image.iter_mut().zip(&*self.r).zip(self.roots);
        rows.map(|((u, r), root)| {
            *u *= root;
            *u * (r + 0.5 * *u)
        })
        .sum()
    }

    fn accept(&mut self) {
        add(1.0, self.image, self.r);
    }

    fn work(&self) -> f64 {
        self.work
    }
}

pub(super) struct ByGram<'a> {
    pub(super) gram: &'a super::gram::Gram,
    pub(super) slopes: &'a mut [f64],
    pub(super) image: &'a mut [f64],
    pub(super) work: f64,
}

/// out ← out + c·a
fn add(c: f64, a: &[f64], out: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for (out, a) in out.iter_mut().zip(a) {
                *out += c * a;
            }
        },
    );
}

impl Quadratic for ByGram<'_> {
    fn slope(&mut self, k: usize) -> f64 {
        self.slopes[k]
    }

    fn shift(&mut self, k: usize, delta: f64) {
        self.work += self.slopes.len() as f64;
        add(delta, self.gram.column(k), self.slopes);
    }

    fn change(&mut self, e: &[f64]) -> f64 {
        self.image.fill(0.0);
        for (k, &e) in e.iter().enumerate().filter(|(_, e)| **e != 0.0) {
            self.work += self.slopes.len() as f64;
            add(e, self.gram.column(k), self.image);
        }
        let places = e.iter().zip(&*self.slopes).zip(&*self.image);
        places.map(|((e, s), i)| e * (s + 0.5 * i)).sum()
    }

    fn accept(&mut self) {
        add(1.0, self.image, self.slopes);
    }

    fn work(&self) -> f64 {
        self.work
    }
}

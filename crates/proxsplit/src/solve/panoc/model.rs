//! The quadratic model of L-BFGS, and a point between bounds where it is low.
//!
//! m(d) = ⟨c, d⟩ + ½⟨d, Bd⟩ with B = θI + Σ_k b_k b_kᵀ − Σ_k a_k a_kᵀ, where b_k = y_k/√⟨s_k, y_k⟩ and a_k = B_k s_k/√⟨s_k, B_k s_k⟩
//! with the B_k of the pairs before. As in R. Byrd, P. Lu, J. Nocedal, C. Zhu, A limited memory algorithm for bound constrained
//! optimization, 1995, the path x − tc is followed, bent at the bounds, to the first minimum of m along it. Entries that have met their bound
//! stay there, and over the others m is minimized by the formula of Sherman, Morrison and Woodbury; what leaves the bounds
//! is moved back (J. Morales, J. Nocedal, 2011).

use super::memory::{Memory, PAIRS};
use crate::Real;
use crate::linalg::vec;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// One row of (b_1, …, a_1, …), 0 where there is no pair.
type Row = [f64; 2 * PAIRS];

/// What is minimized near x: slopes c, and bounds of every entry.
#[derive(Default)]
pub(super) struct Bounded {
    pub(super) slopes: Vec<f64>,
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
}

impl Bounded {
    /// When x − tc meets a bound.
    fn meets(&self, i: usize, x: f64) -> f64 {
        match self.slopes[i] {
            c if c > 0.0 => (x - self.low[i]) / c,
            c if c < 0.0 => (x - self.high[i]) / c,
            _ => f64::INFINITY,
        }
    }

    fn is_inside(&self, i: usize, x: f64) -> bool {
        self.low[i] < x && x < self.high[i]
    }
}

/// An entry meets its bound; the earliest is the greatest.
#[derive(PartialEq)]
struct Meeting {
    time: f64,
    entry: usize,
}

impl Eq for Meeting {}

impl Ord for Meeting {
    fn cmp(&self, other: &Self) -> Ordering {
        let later = other.time.total_cmp(&self.time);
        later.then(other.entry.cmp(&self.entry))
    }
}

impl PartialOrd for Meeting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// B, and workspace.
pub(super) struct Model<T> {
    theta: f64,
    weights: [f64; PAIRS], // 1/√⟨s, y⟩, by age
    bends: Vec<T>,         // a, by age
    dim: usize,
    count: usize,
    step: Vec<f64>,   // the path, then the move from the Cauchy point
    cauchy: Vec<f64>, // the first minimum along the path
    meetings: BinaryHeap<Meeting>,
}

impl<T: Real> Model<T> {
    pub(super) fn new(dim: usize) -> Self {
        Self {
            theta: 1.0,
            weights: [0.0; PAIRS],
            bends: vec![T::ZERO; PAIRS * dim],
            dim,
            count: 0,
            step: vec![0.0; dim],
            cauchy: vec![0.0; dim],
            meetings: BinaryHeap::with_capacity(dim),
        }
    }

    /// Makes B of the pairs.
    pub(super) fn fit(&mut self, memory: &Memory<T>) {
        self.count = memory.count();
        let (s, y) = memory.pair(0);
        self.theta = vec::dot(y, y) / vec::dot(s, y);
        for age in (0..self.count).rev() {
            let (s, y) = memory.pair(age);
            self.weights[age] = vec::dot(s, y).sqrt().recip();
            let (newer, older) = self.bends.split_at_mut((age + 1) * self.dim);
            let bend = &mut newer[age * self.dim..];
            for (a, &s) in bend.iter_mut().zip(s) {
                *a = T::of(self.theta) * s;
            }
            for (earlier, a) in (age + 1..self.count).zip(older.chunks(self.dim)) {
                let b = memory.pair(earlier).1;
                let weight = self.weights[earlier].powi(2) * vec::dot(b, s);
                vec::axpy(T::of(weight), b, bend);
                vec::axpy(T::of(-vec::dot(a, s)), a, bend);
            }
            vec::scale(T::of(vec::dot(s, bend).sqrt().recip()), bend);
        }
    }

    /// Puts a point between the bounds into `out` where m is at most as high as at x. Not finite if B is not, by rounding.
    pub(super) fn minimize(&mut self, memory: &Memory<T>, x: &[T], near: &Bounded, out: &mut [T]) {
        let moved = self.follow(memory, x, near);
        if !self.refine(memory, x, near, &moved) {
            self.step.fill(0.0);
        }
        let mut slope = 0.0;
        for (i, out) in out.iter_mut().enumerate() {
            let to = (self.cauchy[i] + self.step[i]).clamp(near.low[i], near.high[i]);
            slope += near.slopes[i] * (to - x[i].f64());
            *out = T::of(to);
        }
        if slope >= 0.0 {
            self.shorten(near, out);
        }
    }

    /// Goes along x − tc, bent at the bounds, to the first minimum of m; the products of the move with all a and b.
    fn follow(&mut self, memory: &Memory<T>, x: &[T], near: &Bounded) -> Row {
        let (mut along, mut moved) = self.set_out(memory, x, near);
        let steep = vec::dot(&self.step, &self.step);
        let (mut slope, mut bend) = (-steep, self.theta * steep + product(&along, &along));
        let least = f64::EPSILON * bend;
        let mut time = 0.0;
        while let Some(&Meeting { time: next, entry }) = self.meetings.peek() {
            let wait = next - time;
            if slope + wait * bend >= 0.0 {
                break;
            }
            self.meetings.pop();
            time = next;
            add(&mut moved, wait, &along);
            let (c, u) = (self.step[entry], self.row(memory, entry));
            self.cauchy[entry] = if c > 0.0 {
                near.high[entry]
            } else {
                near.low[entry]
            };
            let went = self.cauchy[entry] - x[entry].f64();
            slope += wait * bend + c * (c - self.theta * went - product(&u, &moved));
            let own = self.theta * c + product(&u, &along);
            bend -= 2.0 * c * own - c * c * (self.theta + product(&u, &u));
            bend = bend.max(least);
            add(&mut along, -c, &u);
            self.step[entry] = 0.0;
        }
        let rest = (-slope / bend).max(0.0);
        add(&mut moved, rest, &along);
        for (i, (to, c)) in self.cauchy.iter_mut().zip(&self.step).enumerate() {
            if *c != 0.0 {
                *to = (*to + (time + rest) * c).clamp(near.low[i], near.high[i]);
            }
        }
        moved
    }

    /// The path at x: its direction, when its entries meet their bounds, and its products with all a and b; and those of no move.
    fn set_out(&mut self, memory: &Memory<T>, x: &[T], near: &Bounded) -> (Row, Row) {
        let mut along = [0.0; 2 * PAIRS];
        self.meetings.clear();
        for (entry, x) in x.iter().enumerate() {
            let time = near.meets(entry, x.f64());
            let c = if time > 0.0 { -near.slopes[entry] } else { 0.0 };
            (self.step[entry], self.cauchy[entry]) = (c, x.f64());
            if c != 0.0 {
                add(&mut along, c, &self.row(memory, entry));
                if time < f64::INFINITY {
                    self.meetings.push(Meeting { time, entry });
                }
            }
        }
        (along, [0.0; 2 * PAIRS])
    }

    /// Puts the move from the Cauchy point to the minimum of m over the entries that are on no bound into `step`. False if rounding
    /// leaves none.
    fn refine(&mut self, memory: &Memory<T>, x: &[T], near: &Bounded, moved: &Row) -> bool {
        let mut matrix = [[0.0; 2 * PAIRS]; 2 * PAIRS];
        let mut right = [0.0; 2 * PAIRS];
        for (k, row) in matrix.iter_mut().enumerate() {
            row[k] = if k < PAIRS { self.theta } else { -self.theta };
        }
        for (i, x) in x.iter().enumerate() {
            self.step[i] = 0.0;
            if near.is_inside(i, self.cauchy[i]) {
                let u = self.row(memory, i);
                let went = self.cauchy[i] - x.f64();
                self.step[i] = near.slopes[i] + self.theta * went + product(&u, moved);
                add(&mut right, self.step[i], &u);
                for (row, factor) in matrix.iter_mut().zip(u) {
                    add(row, factor, &u);
                }
            }
        }
        let found = solve(&mut matrix, &mut right);
        for i in 0..self.dim {
            if near.is_inside(i, self.cauchy[i]) {
                let u = self.row(memory, i);
                let share: f64 = u.iter().zip(&right).map(|(u, w)| u * w).sum();
                self.step[i] = (share - self.step[i]) / self.theta;
            }
        }
        found
    }

    /// From the Cauchy point towards the minimum, as far as the first bound.
    fn shorten(&self, near: &Bounded, out: &mut [T]) {
        let entries = self.cauchy.iter().zip(&self.step).enumerate();
        let part = entries.fold(1.0, |part: f64, (i, (from, step))| match *step {
            s if s > 0.0 => part.min((near.high[i] - from) / s),
            s if s < 0.0 => part.min((near.low[i] - from) / s),
            _ => part,
        });
        for (i, out) in out.iter_mut().enumerate() {
            let to = self.cauchy[i] + part * self.step[i];
            *out = T::of(to.clamp(near.low[i], near.high[i]));
        }
    }

    fn row(&self, memory: &Memory<T>, i: usize) -> Row {
        let mut row = [0.0; 2 * PAIRS];
        for age in 0..self.count {
            row[age] = self.weights[age] * memory.pair(age).1[i].f64();
            row[PAIRS + age] = self.bends[age * self.dim + i].f64();
        }
        row
    }
}

/// ⟨u, Jv⟩, where J has a plus for every b and a minus for every a.
fn product(u: &Row, v: &Row) -> f64 {
    let (mut plus, mut minus) = (0.0, 0.0);
    for k in 0..PAIRS {
        plus += u[k] * v[k];
        minus += u[PAIRS + k] * v[PAIRS + k];
    }
    plus - minus
}

/// row ← row + factor·u
fn add(row: &mut Row, factor: f64, u: &Row) {
    for (row, u) in row.iter_mut().zip(u) {
        *row += factor * u;
    }
}

/// c ← a⁻¹c by elimination with row exchanges, which spoils a; false if a is singular.
fn solve(a: &mut [Row; 2 * PAIRS], c: &mut Row) -> bool {
    for i in 0..a.len() {
        let largest = (i..a.len()).max_by(|&j, &k| a[j][i].abs().total_cmp(&a[k][i].abs()));
        let best = largest.unwrap_or(i);
        a.swap(i, best);
        c.swap(i, best);
        for j in i + 1..a.len() {
            let (pivot, factor) = (a[i], a[j][i] / a[i][i]);
            add(&mut a[j], -factor, &pivot);
            c[j] -= factor * c[i];
        }
    }
    for i in (0..a.len()).rev() {
        let known: f64 = (i + 1..a.len()).map(|k| a[i][k] * c[k]).sum();
        c[i] = (c[i] - known) / a[i][i];
    }
    vec::is_finite(c)
}

#[cfg(test)]
mod tests;

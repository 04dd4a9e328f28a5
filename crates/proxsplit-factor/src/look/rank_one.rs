//! Rank-one terms d·vᵀ in the place of an atom, by alternating minimization.

use super::half::{Half, square_of};
use super::residual::Residual;
use crate::codes::{TOUCH, Term};
use crate::graph::Graph;
use crate::products::{Lanes, dot};
use proxsplit::Separable;

/// Decades by which the scale of a half is tried up and down at first, and the scales later.
const DECADES: i32 = 6;
pub(super) const NEAR: [f64; 3] = [0.25, 1.0, 4.0];
/// As far as a code goes if nothing holds it.
const FAR: f64 = 1e30;
/// A search ends when a round gains less than this fraction.
const PROGRESS: f64 = 0.01;

/// A pair that was found.
#[derive(Clone)]
pub(crate) struct Pair<T> {
    /// −(dᵀRv − ½‖d‖²‖v‖²) + ψ₀(d) + Σψ(v_t)
    pub(super) value: f64,
    pub(crate) atom: Vec<T>,
    pub(crate) codes: Vec<T>,
}

/// Pairs in the place of one atom.
pub(super) struct Pairs<'a, T: Lanes> {
    residual: &'a Residual<'a, T>,
    place: usize,
    atoms: Term<'a, T>,
    codes: &'a dyn Separable<T>,
    graph_of_codes: Option<&'a Graph<T>>,
}

impl<'a, T: Lanes> Pairs<'a, T> {
    /// `None` if the codes of an atom cannot be changed alone.
    pub(super) fn new(residual: &'a Residual<'a, T>, place: usize) -> Option<Self> {
        Some(Self {
            residual,
            place,
            atoms: residual.problem.terms().0,
            codes: residual.problem.codes.separable()?,
            graph_of_codes: residual.problem.graphs.codes,
        })
    }

    /// No codes, and the atom that costs least: zeros, or where a set excludes them what a far step leads to.
    pub(super) fn nothing(&self) -> Pair<T> {
        let data = self.residual.problem.data;
        let (zeros, codes) = (vec![T::ZERO; data.rows()], vec![T::ZERO; data.cols()]);
        let mut least = zeros.clone();
        self.prox_of_atom(&mut least, T::of(FAR));
        let costs = (self.cost_of_atom(&zeros), self.cost_of_atom(&least));
        let (cost, atom) = if costs.1 < costs.0 {
            (costs.1, least)
        } else {
            (costs.0, zeros)
        };
        Pair {
            value: cost + self.cost_of_codes(&codes),
            atom,
            codes,
        }
    }

    /// Alternating minimization from codes that the term allows.
    pub(super) fn alternate(&self, codes: Vec<T>, rounds: usize) -> Option<Pair<T>> {
        let wide: Vec<f64> = (-DECADES..=DECADES).map(|e| 10f64.powi(e)).collect();
        let mut pair = Pair {
            value: f64::INFINITY,
            atom: vec![T::ZERO; self.residual.problem.data.rows()],
            codes,
        };
        for round in 0..rounds {
            let before = pair.value;
            self.improve(&mut pair, if round == 0 { &wide } else { &NEAR })?;
            if before - pair.value <= PROGRESS * pair.value.abs() {
                break;
            }
        }
        Some(pair)
    }

    /// Both halves anew, beginning with the codes; `None` if nothing is left.
    pub(super) fn improve(&self, pair: &mut Pair<T>, scales: &[f64]) -> Option<()> {
        let of_atom = |atom: &[T]| self.cost_of_atom(atom);
        let of_codes = |codes: &[T]| self.cost_of_codes(codes);
        let for_atom = Half {
            prox: &|atom, step| self.prox_of_atom(atom, step),
            curvature: self.residual.curvature(),
            cost: &of_atom,
            cost_of_other: &of_codes,
        };
        let for_codes = Half {
            prox: &|codes, step| self.prox_of_codes(codes, step),
            curvature: self.residual.curvature(),
            cost: &of_codes,
            cost_of_other: &of_atom,
        };
        let Pair { value, atom, codes } = pair;
        let mut product = vec![T::ZERO; atom.len()];
        self.residual.with_rows(&mut product, codes);
        for_atom.improve(atom, codes, &product, scales)?;
        product.resize(codes.len(), T::ZERO);
        self.residual.with_columns(&mut product, atom);
        *value = for_codes.improve(codes, atom, &product, scales)?;
        Some(())
    }

    /// −(dᵀRv − ½‖d‖²‖v‖²) + ψ₀(d) + Σψ(v_t); where entries count differently, what the misfit really changes by and the terms.
    pub(super) fn value_of(&self, atom: &[T], codes: &[T]) -> f64 {
        let cost = self.cost_of_atom(atom) + self.cost_of_codes(codes);
        if !self.residual.is_uniform() {
            return cost + self.residual.change_by(self.place, (atom, codes));
        }
        let mut product = vec![T::ZERO; atom.len()];
        self.residual.with_rows(&mut product, codes);
        let fit = dot(&product, atom) - 0.5 * square_of(atom) * square_of(codes);
        cost - fit
    }

    /// d·s and v/s, which lower the misfit by `fit`, for the s that costs least; `None` if no s is feasible.
    pub(super) fn at_best_scale(&self, atom: &[T], codes: &[T], fit: f64) -> Option<Pair<T>> {
        let scaled =
            |values: &[T], s: f64| values.iter().map(|&v| v * T::of(s)).collect::<Vec<T>>();
        let tried = (-DECADES..=DECADES).map(|decade| {
            let s = 10f64.powi(decade);
            let (atom, codes) = (scaled(atom, s), scaled(codes, 1.0 / s));
            Pair {
                value: self.cost_of_atom(&atom) + self.cost_of_codes(&codes) - fit,
                atom,
                codes,
            }
        });
        let feasible = tried.filter(|pair| pair.value.is_finite());
        feasible.min_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// Scales codes to a norm, and moves those that the term forbids to the nearest ones that it allows. If that is 0 for all, as
    /// for small numbers in {0, 1}, the largest is scaled to 1 first.
    pub(super) fn move_into_domain(&self, codes: &mut [T], size: f64) {
        let start = codes.to_vec();
        let largest = start.iter().map(|v| v.f64().abs()).fold(0.0, f64::max);
        for scale in [size / square_of(&start).sqrt(), 1.0 / largest] {
            if !scale.is_finite() {
                continue;
            }
            for (code, &start) in codes.iter_mut().zip(&start) {
                let scaled = T::of(start.f64() * scale);
                let is_allowed = self.codes.value_at(self.place, scaled) < f64::INFINITY;
                *code = if is_allowed {
                    scaled
                } else {
                    let everywhere = (-T::INFINITY, T::INFINITY);
                    let step = T::of(TOUCH);
                    self.codes
                        .prox_between(self.place, scaled, step, everywhere)
                };
            }
            if codes.iter().any(|&v| v != T::ZERO) {
                break;
            }
        }
    }

    /// Codes moved as far as their term allows, each in its direction; `None` if one is not held. Penalties of atoms can be such
    /// that nothing but codes at their border gains.
    pub(super) fn at_border(&self, codes: &[T]) -> Option<Vec<T>> {
        let moved = codes.iter().map(|&code| {
            let far = T::of(if code > T::ZERO { FAR } else { -FAR });
            if code == T::ZERO {
                return Some(code);
            }
            let is_held = self.codes.value_at(self.place, far) == f64::INFINITY;
            let everywhere = (-T::INFINITY, T::INFINITY);
            is_held.then(|| {
                let step = T::of(TOUCH);
                self.codes.prox_between(self.place, far, step, everywhere)
            })
        });
        moved.collect()
    }

    fn prox_of_atom(&self, atom: &mut [T], step: T) {
        let psi = |atom: &mut [T], step: T| self.atoms.prox.prox(atom, step);
        match self.atoms.graph() {
            None => psi(atom, step),
            Some(graph) => graph.prox(atom, step, psi),
        }
    }

    fn prox_of_codes(&self, codes: &mut [T], step: T) {
        let everywhere = (-T::INFINITY, T::INFINITY);
        let psi = |codes: &mut [T], step: T| {
            for code in codes {
                *code = self.codes.prox_between(self.place, *code, step, everywhere);
            }
        };
        match self.graph_of_codes {
            None => psi(codes, step),
            Some(graph) => graph.prox(codes, step, psi),
        }
    }

    /// ψ₀(d), with its graph.
    fn cost_of_atom(&self, atom: &[T]) -> f64 {
        let graph = self.atoms.graph();
        self.atoms.prox.value(atom) + graph.map_or(0.0, |graph| graph.value(atom, (1, 0)))
    }

    /// Σψ(v_t), with its graph.
    fn cost_of_codes(&self, codes: &[T]) -> f64 {
        let single = codes.iter().map(|&v| self.codes.value_at(self.place, v));
        let graph = self.graph_of_codes;
        single.sum::<f64>() + graph.map_or(0.0, |graph| graph.value(codes, (1, 0)))
    }

    /// ψ₀(x_k) + Σψ(a_kt) of the atom as it is.
    pub(super) fn penalty_at(&self) -> f64 {
        let factors = self.residual.factors;
        let (atom, codes) = (factors.atom(self.place), factors.codes(self.place));
        self.cost_of_atom(&atom) + self.cost_of_codes(&codes)
    }
}

//! The problem min ½‖Y − XA‖² + ψ₀(X) + Σ_t ψ(a_t), and its factors.

use crate::balance::Scales;
use crate::codes::{Side, Term};
use crate::fixed::Fixed;
use crate::graph::Graph;
use crate::loss::Loss;
use crate::membership::check_range;
use crate::misfit::{self, Misfit};
use crate::plain;
use crate::products::{Data, Lanes, PART, copy};
use crate::work::scale_rows;
use proxsplit::Mat;
use proxsplit::{Error, Prox, error, simd};
use rayon::prelude::*;

/// Data, rank, loss and the terms of both factors: ψ₀ acts on every column of X (an atom), ψ on every column of A (a code).
#[derive(Clone, Copy)]
pub struct Problem<'a, T: Lanes> {
    pub(crate) data: &'a Data<'a, T>,
    pub(crate) rank: usize,
    pub(crate) atoms: &'a dyn Prox<T>,
    pub(crate) codes: &'a dyn Prox<T>,
    pub(crate) loss: Loss,
    pub(crate) fixed: Fixed<'a, T>,
    pub(crate) graphs: Graphs<'a, T>,
}

proxsplit::opaque!(Problem<'_, T>, T: Lanes);

/// The graphs of features and of samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Graphs<'a, T> {
    pub(crate) atoms: Option<&'a Graph<T>>,
    pub(crate) codes: Option<&'a Graph<T>>,
}

impl<T> Graphs<'_, T> {
    pub(crate) fn are_there(&self) -> bool {
        self.atoms.is_some() || self.codes.is_some()
    }
}

impl<'a, T: Lanes> Problem<'a, T> {
    /// Refuses a rank of 0 or one whose factors no memory holds, and terms that do not fit the shapes or the precision.
    ///
    /// A rank may be larger than the number of samples or of features, as in overcomplete dictionaries.
    pub fn new(
        data: &'a Data<'a, T>,
        rank: usize,
        atoms: &'a dyn Prox<T>,
        codes: &'a dyn Prox<T>,
    ) -> Result<Self, Error> {
        error::require("rank", rank as f64, rank > 0, "at least 1")?;
        check_memory::<T>(data.rows(), data.cols(), rank)?;
        atoms.fits(data.rows())?;
        codes.fits(rank)?;
        check_range("X", atoms, data.rows())?;
        check_range("A", codes, rank)?;
        Ok(Self {
            data,
            rank,
            atoms,
            codes,
            loss: Loss::Squared,
            fixed: Fixed::NONE,
            graphs: Graphs {
                atoms: None,
                codes: None,
            },
        })
    }

    /// The same with another loss. Refuses data and terms that it is not defined for.
    pub fn with_loss(self, loss: Loss) -> Result<Self, Error> {
        loss.check_data(self.data)?;
        let is_full = self.data.is_sparse() && !self.data.misses_unstored();
        if matches!(loss, Loss::Huber(_)) && is_full && plain::is_too_much(self.data, self.rank) {
            return Err(Error::Incompatible(
                "huber visits every entry, including those that are not stored, and there are too many of them: use squared, or declare them as missing (unstored)"
                    .into(),
            ));
        }
        loss.check_term("X", self.atoms)?;
        loss.check_term("A", self.codes)?;
        self.fixed
            .atoms()
            .map_or(Ok(()), |atoms| loss.check_atoms(atoms))?;
        loss.check_graphs(self.graphs.are_there())?;
        Ok(Self { loss, ..self })
    }

    /// The same with a graph of features, whose entries of X, and one of samples, whose codes are to be alike: [`Graph`] is a term like
    /// ψ₀ and ψ, added to them. Refuses a graph with another number of nodes, and losses that take none.
    pub fn with_graphs(
        self,
        features: Option<&'a Graph<T>>,
        samples: Option<&'a Graph<T>>,
    ) -> Result<Self, Error> {
        for (what, graph, expected) in [
            ("features", features, self.data.rows()),
            ("samples", samples, self.data.cols()),
        ] {
            let found = graph.map_or(expected, Graph::nodes);
            if found != expected {
                return Err(Error::Incompatible(format!(
                    "the graph of {what} has {found} nodes, but the data have {expected} {what}"
                )));
            }
        }
        let graphs = Graphs {
            atoms: features,
            codes: samples,
        };
        self.loss.check_graphs(graphs.are_there())?;
        Ok(Self { graphs, ..self })
    }

    /// The same with the first atoms given (m × how many), and kept to the bit. ψ₀ does not act on them; the rank counts them.
    pub fn with_fixed(self, atoms: &'a Mat<T>) -> Result<Self, Error> {
        let fixed = Fixed::new(atoms, (self.data.rows(), self.rank))?;
        self.loss.check_atoms(atoms)?;
        Ok(Self { fixed, ..self })
    }

    /// How XA is compared with Y.
    pub(crate) fn misfit(&self) -> Box<dyn Misfit<T> + 'a> {
        misfit::of(self.data, self.rank, self.loss)
    }

    /// The terms of X and of A.
    pub(crate) fn terms(&self) -> (Term<'a, T>, Term<'a, T>) {
        (
            Term::new(self.atoms, Side::Atoms)
                .from(self.fixed.count())
                .with_graph(self.graphs.atoms),
            Term::new(self.codes, Side::Codes).with_graph(self.graphs.codes),
        )
    }

    /// Refuses factors of another rank or shape.
    pub(crate) fn fits(&self, factors: &Factors<T>) -> Result<(), Error> {
        let (rank, given) = (self.rank, factors.rank);
        if given != rank {
            return Err(Error::Incompatible(format!(
                "the given factors have rank {given}, but rank {rank} was requested: use rank {given}, or give factors of rank {rank}"
            )));
        }
        for (what, numbers, lines, of) in [
            ("X", factors.x.len(), self.data.rows(), "features"),
            ("A", factors.a.len(), self.data.cols(), "samples"),
        ] {
            if numbers != rank * lines {
                let found = numbers as f64 / rank as f64;
                return Err(Error::Incompatible(format!(
                    "{what} of the given factors has {found} {of}, but the data have {lines}"
                )));
            }
        }
        Ok(())
    }

    /// The data.
    pub fn data(&self) -> &'a Data<'a, T> {
        self.data
    }

    /// K
    pub fn rank(&self) -> usize {
        self.rank
    }
}

/// Refuses a rank for which not even X, A and their Gram matrices can be had.
fn check_memory<T: Lanes>(rows: usize, cols: usize, rank: usize) -> Result<(), Error> {
    let numbers = rank.checked_add(rows).and_then(|sum| sum.checked_add(cols));
    let numbers = numbers.and_then(|sum| sum.checked_mul(rank));
    let is_possible = numbers.is_some_and(|n| Vec::<T>::new().try_reserve_exact(n).is_ok());
    error::require(
        "rank",
        rank as f64,
        is_possible,
        "small enough for the factors to fit into memory",
    )
    .map(drop)
}

/// X and A, both with K rows: X is kept transposed, so that both factors are used alike.
#[derive(Debug, PartialEq)]
pub struct Factors<T> {
    pub(crate) rank: usize,
    /// Xᵀ, K × m, column by column.
    pub(crate) x: Vec<T>,
    /// A, K × T, column by column.
    pub(crate) a: Vec<T>,
}

impl<T: Lanes> Clone for Factors<T> {
    fn clone(&self) -> Self {
        Self {
            rank: self.rank,
            x: self.x.clone(),
            a: self.a.clone(),
        }
    }

    /// Uses the memory that is there, on all threads: passes must not allocate, and those in single precision that gain nothing any more are
    /// often taken back.
    fn clone_from(&mut self, other: &Self) {
        self.rank = other.rank;
        for (to, from) in [(&mut self.x, &other.x), (&mut self.a, &other.a)] {
            if to.len() == from.len() {
                copy(to, from);
            } else {
                to.clone_from(from);
            }
        }
    }
}

impl<T: Lanes> Factors<T> {
    /// Factors from X (m×K) and A (K×T).
    pub fn new(x: &Mat<T>, a: Mat<T>) -> Result<Self, Error> {
        if x.cols() != a.rows() {
            return Err(Error::Shape {
                what: "rows of A",
                expected: x.cols(),
                found: a.rows(),
            });
        }
        error::all_finite("X", x.data())?;
        error::all_finite("A", a.data())?;
        Ok(Self {
            rank: x.cols(),
            x: x.transposed().into_data(),
            a: a.into_data(),
        })
    }

    /// K
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// x_k
    pub(crate) fn atom(&self, k: usize) -> Vec<T> {
        self.x.iter().skip(k).step_by(self.rank).copied().collect()
    }

    /// Row k of A.
    pub(crate) fn codes(&self, k: usize) -> Vec<T> {
        self.a.iter().skip(k).step_by(self.rank).copied().collect()
    }

    /// Puts another atom with its codes in the place of atom k; `None` stands for zeros.
    pub(crate) fn set(&mut self, k: usize, pair: Option<(&[T], &[T])>) {
        let rank = self.rank;
        let put = |factor: &mut [T], values: Option<&[T]>| {
            for (at, place) in factor.iter_mut().skip(k).step_by(rank).enumerate() {
                *place = values.map_or(T::ZERO, |values| values[at]);
            }
        };
        put(&mut self.x, pair.map(|(atom, _)| atom));
        put(&mut self.a, pair.map(|(_, codes)| codes));
    }

    /// Multiplies x_k by s_k and a_k by its inverse.
    pub(crate) fn scale(&mut self, scales: &Scales<T>) {
        scale_rows(&mut self.x, &scales.atoms);
        scale_rows(&mut self.a, &scales.codes);
    }

    /// The shares of exact zeros in X and in A.
    pub fn zeros(&self) -> (f64, f64) {
        // Few enough in a part for numbers of 32 bits, of which registers hold more.
        let count = |part: &[T]| {
            simd::arch().dispatch(
                #[inline(always)]
                || part.iter().map(|&v| u32::from(v == T::ZERO)).sum::<u32>(),
            )
        };
        let share = |values: &[T]| {
            let zeros: u64 = values.par_chunks(PART).map(|p| u64::from(count(p))).sum();
            zeros as f64 / values.len() as f64
        };
        (share(&self.x), share(&self.a))
    }

    /// X, m×K.
    pub fn x(&self) -> Mat<T> {
        let rows = self.x.len() / self.rank;
        Mat::from_fn(rows, self.rank, |i, k| self.x[i * self.rank + k])
    }

    /// A, K×T.
    pub fn a(&self) -> Mat<T> {
        Mat::from_fn(self.rank, self.a.len() / self.rank, |k, t| {
            self.a[t * self.rank + k]
        })
    }
}

//! A look at X with codes in shards: every number of A is a sum over shards, and every number of X follows from the sums.

use super::center::{Center, Found};
use super::messages::{Answer, Task};
use super::shard::Shard;
use crate::codes::representable;
use crate::look::{
    Parts, Search, count_dead, escape, forget_lost_codes, gap_of_codes, largest_eigenvalue,
};
use crate::misfit::{Misfit, Slopes, scale_of_norms};
use crate::problem::Factors;
use crate::products::{Lanes, gram, times};
use crate::work::scale_rows;
use proxsplit::internal::linalg::vec::{axpy, norm};
use proxsplit::{AtPoint, Elementary};

/// What was found at X.
pub(super) struct Findings<T> {
    pub(super) at: AtPoint,
    pub(super) misfit: f64,
    /// Zeros among the codes.
    pub(super) zeros: f64,
    /// What to put in the place of an atom that no sample uses, if that gains anything.
    pub(super) escape: Option<Found<T>>,
}

/// The part of a shard: codes as exact as can be, and what is true of them.
pub(super) fn of_shard<T: Lanes>(shard: &mut Shard<'_, T>, x: &[T], scale: &[f64]) -> Answer<T> {
    let is_rebuilt = shard.seat(x);
    let (rank, problem) = (shard.problem.rank, shard.problem);
    let mut codes = std::mem::take(&mut shard.codes.looked);
    codes.clone_from(&shard.codes.now);
    if is_rebuilt == 0.0 && !scale.is_empty() {
        let scale: Vec<T> = scale.iter().map(|&s| T::of(s)).collect();
        scale_rows(&mut codes, &scale);
    } else if !scale.is_empty() {
        // They were made for X as it would be returned, and the run goes on with X as it is.
        let back: Vec<f64> = scale.iter().map(|s| 1.0 / s).collect();
        shard.codes.scale(&back);
    }
    forget_lost_codes(&mut codes, rank, problem.codes);
    forget_zero_atoms((x, &mut codes), rank, shard.term.elementary);
    shard.misfit.refine_codes(x, &mut codes, &shard.term);
    let factors = Factors {
        rank,
        x: x.to_vec(),
        a: codes,
    };
    let Slopes {
        misfit,
        a: mut slope,
        steps,
        ..
    } = shard.misfit.slopes(&factors);
    let step = shard
        .term
        .add_graph(&mut slope, &factors.a, (rank, steps.1));
    let gap = gap_of_codes(problem, &shard.misfit, &factors, &slope);
    let (residual, error) = shard.term.residual(&factors.a, &slope, (rank, step));
    let square = |value: f64| value * value;
    let zeros = factors.a.iter().filter(|a| **a == T::ZERO).count();
    let numbers = vec![
        is_rebuilt,
        misfit,
        shard.term.value(&factors.a, rank),
        square(residual),
        error.map_or(f64::INFINITY, square),
        gap.unwrap_or(f64::INFINITY),
        square(norm(&shard.misfit.xy)),
        square(norm(&factors.a)),
        zeros as f64,
    ];
    shard.codes.looked = factors.a;
    Answer {
        sums: shard.seen(),
        numbers,
    }
}

/// Codes of atoms that are zero change nothing but penalties, and are in the way of a replacement that only some samples use.
fn forget_zero_atoms<T: Lanes>(factors: (&[T], &mut [T]), rank: usize, term: Option<Elementary>) {
    let (x, codes) = factors;
    if !term.is_some_and(|term| term.lower <= 0.0 && term.upper >= 0.0) {
        return;
    }
    for k in 0..rank {
        if x.iter().skip(k).step_by(rank).all(|x| *x == T::ZERO) {
            let places = codes.iter_mut().skip(k).step_by(rank);
            places.for_each(|code| *code = T::ZERO);
        }
    }
}

/// What the samples of a shard would gain by another atom in a place that no sample of any shard uses.
pub(super) fn escape_of_shard<T: Lanes>(
    shard: &mut Shard<'_, T>,
    x: &[T],
    place: usize,
    is_of_look: bool,
) -> Answer<T> {
    let is_rebuilt = shard.seat(x);
    let (rank, problem) = (shard.problem.rank, shard.problem);
    let (codes, search) = if is_of_look && !shard.codes.looked.is_empty() {
        (&shard.codes.looked, Search::Thorough)
    } else {
        (&shard.codes.ahead, Search::Quick)
    };
    let factors = Factors {
        rank,
        x: x.to_vec(),
        a: codes.clone(),
    };
    // The search is for the first dead atom, by the diagonals of two Gram matrices: of all shards only this place is one.
    let alive = vec![T::ONE; rank * rank];
    let mut used = alive.clone();
    used[place * (rank + 1)] = T::ZERO;
    // A split would change an atom that other shards use.
    let found =
        escape(problem, &factors, (&alive, &used), search).filter(|escape| escape.terms.len() == 1);
    let answer = Answer {
        sums: match &found {
            Some(escape) => escape.terms[0].1.atom.clone(),
            None => vec![T::ZERO; problem.data.rows()],
        },
        numbers: vec![is_rebuilt, found.as_ref().map_or(0.0, |escape| escape.gain)],
    };
    shard.escape = found;
    answer
}

/// Looks at Xᵀ with the codes that the shards solve for it, beginning with theirs times `scale`.
pub(super) fn at<T: Lanes>(
    center: &mut Center<'_, T>,
    x: &[T],
    scale: Vec<f64>,
) -> Option<Findings<T>> {
    let sum = center.ask(Task::Look { scale }, x)?.answer;
    let (rank, (rows, cols)) = (center.rank, center.shape);
    let (ya, aa) = sum.sums.split_at(rank * rows);
    let mut xx = vec![T::ZERO; rank * rank];
    gram(&mut xx, x, rank);
    let mut slope = vec![T::ZERO; x.len()];
    times(&mut slope, aa, x, rank);
    axpy(-T::ONE, ya, &mut slope);
    let steps = (
        representable::<T>(1.0 / largest_eigenvalue(aa, rank)),
        representable::<T>(1.0 / largest_eigenvalue(&xx, rank)),
    );
    let (residual, error) = center.atoms.residual(x, &slope, (rank, steps.0));
    let number = |at: usize| sum.numbers[at];
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let norms = (norm(x), number(7).sqrt());
    let mut parts = Parts {
        misfit: number(1),
        penalties: (center.atoms.value(x, rank), number(2)),
        residuals: (residual, number(3).sqrt()),
        errors: (error, finite(number(4)).map(f64::sqrt)),
        scales: (
            scale_of_norms(norm(ya), norms.0, center.square),
            scale_of_norms(number(6).sqrt(), norms.1, center.square),
        ),
        steps,
        norms,
        shape: (rows, cols),
        codes_gap: finite(number(5)),
        dead_atoms: count_dead(&xx, aa, (rank, 0)),
        escape: None,
        size: 0.5 * center.square,
    };
    let unused = (0..rank).find(|k| aa[k * (rank + 1)] <= T::ZERO);
    let mut escape = None;
    let is_searched = unused.is_some() || parts.dead_atoms == 0;
    if is_searched && center.codes.prox.separable().is_some() {
        escape = unused.and_then(|place| center.escape(place, true, x));
        parts.escape = Some(escape.as_ref().map_or(0.0, |found| found.gain));
    }
    Some(Findings {
        at: parts.at_point::<T>(),
        misfit: parts.misfit,
        zeros: sum.numbers[8],
        escape,
    })
}

/// A point of which nothing is known, because the shards cannot be asked.
pub(super) fn nowhere<T: Lanes>() -> AtPoint {
    let unknown = (f64::NAN, f64::NAN);
    Parts {
        misfit: f64::NAN,
        penalties: unknown,
        residuals: unknown,
        errors: (None, None),
        scales: unknown,
        steps: unknown,
        norms: unknown,
        shape: (0, 0),
        codes_gap: None,
        dead_atoms: 0,
        escape: None,
        size: f64::NAN,
    }
    .at_point::<T>()
}

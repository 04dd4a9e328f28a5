//! Dead atoms: what a new direction in the place of one would gain.
//!
//! At an atom that is zero or that no sample uses both residuals vanish, although a new direction d lowers plain NMF at once by up
//! to ½Σ_t((dᵀr_t)₊)²/‖d‖², with r_t the misfit of column t. The best d is hard to find (already max dᵀRv over d, v ≥ 0 is), so
//! that this is a search: what it finds is a gain that is there, but finding none proves nothing.

use super::rank_one::{Pair, Pairs};
use super::residual::Residual;
use super::split::split;
use crate::loss::Loss;
use crate::plain;
use crate::problem::{Factors, Problem};
use crate::products::Lanes;

/// A rank-one term that lowers the objective in the place of a dead atom, or two for a dead atom and one that is split.
#[derive(Clone)]
pub(crate) struct Escape<T> {
    /// By how much.
    pub(crate) gain: f64,
    /// Each with its place.
    pub(crate) terms: Vec<(usize, Pair<T>)>,
}

impl<T> Escape<T> {
    /// `None` if nothing is gained.
    fn by(gain: f64, terms: Vec<(usize, Pair<T>)>) -> Option<Self> {
        (gain > 0.0 && gain.is_finite()).then_some(Self { gain, terms })
    }
}

/// How hard to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Search {
    /// Enough for a direction that is worth having, between passes.
    Quick,
    /// For what is said of a point: also from the samples and features that are fitted worst, and to the end.
    Thorough,
}

impl Search {
    /// Rounds of alternating minimization.
    fn rounds(self) -> usize {
        match self {
            Search::Quick => 4,
            Search::Thorough => 30,
        }
    }
}

/// Whether dead atoms are looked for after this pass: often at first, ever more rarely later, when penalties want them dead.
pub(crate) fn is_time_for(pass: u64) -> bool {
    pass.is_power_of_two()
}

fn is_dead<T: Lanes>(gx: &[T], ga: &[T], rank: usize, k: usize) -> bool {
    let at = k * (rank + 1);
    gx[at] <= T::ZERO || ga[at] <= T::ZERO
}

/// How many atoms from `first` on are zero or used by no sample.
pub(crate) fn count<T: Lanes>(gx: &[T], ga: &[T], (rank, first): (usize, usize)) -> usize {
    (first..rank).filter(|&k| is_dead(gx, ga, rank, k)).count()
}

/// The best direction that was found, if an atom is dead and codes are separable: codes that are tied together cannot be
/// changed one entry at a time.
pub(crate) fn escape<T: Lanes>(
    problem: Problem<'_, T>,
    factors: &Factors<T>,
    (gx, ga): (&[T], &[T]),
    search: Search,
) -> Option<Escape<T>> {
    let rank = problem.rank;
    let place = (problem.fixed.count()..rank).find(|&k| is_dead(gx, ga, rank, k))?;
    let residual = Residual { problem, factors };
    if problem.loss == Loss::KullbackLeibler {
        return residual.along_a_line(place);
    }
    let pairs = Pairs::new(&residual, place)?;
    let (leading, size) = residual.leading_codes();
    let mut starts = from_leading(leading.clone());
    if search == Search::Thorough {
        starts.extend(from_worst(&residual));
    }
    let at_border: Vec<Vec<T>> = match search {
        Search::Quick => Vec::new(),
        Search::Thorough => starts.iter().filter_map(|s| pairs.at_border(s)).collect(),
    };
    for codes in &mut starts {
        pairs.move_into_domain(codes, size.sqrt());
    }
    let before = pairs.penalty_at();
    let found = starts.into_iter().chain(at_border);
    let found = found.filter_map(|codes| pairs.alternate(codes, search.rounds()));
    let best = found.min_by(|a, b| a.value.total_cmp(&b.value));
    let best = best.and_then(|pair| Escape::by(before - pair.value, vec![(place, pair)]));
    best.or_else(|| {
        let split = split(problem, factors, &leading, place).and_then(|split| {
            let places = [split.atom, place];
            Escape::by(split.gain, places.into_iter().zip(split.parts).collect())
        });
        let nothing = match search {
            // Between passes an atom may come back by itself.
            Search::Quick => None,
            Search::Thorough => nothing(&residual, (gx, ga)),
        };
        let both = [split, nothing].into_iter().flatten();
        both.max_by(|a, b| a.gain.total_cmp(&b.gain))
    })
}

/// What costs least for all dead atoms that cost more: what no sample uses may still have a penalty.
fn nothing<T: Lanes>(residual: &Residual<'_, T>, (gx, ga): (&[T], &[T])) -> Option<Escape<T>> {
    let (rank, first) = (residual.problem.rank, residual.problem.fixed.count());
    let mut gain = 0.0;
    let mut terms = Vec::new();
    for k in (first..rank).filter(|&k| is_dead(gx, ga, rank, k)) {
        let pairs = Pairs::new(residual, k)?;
        let nothing = pairs.nothing();
        let less = pairs.penalty_at() - nothing.value;
        if less > 0.0 {
            gain += less;
            terms.push((k, nothing));
        }
    }
    Escape::by(gain, terms)
}

/// Codes to begin with: the leading ones of both signs, and for local fits the sample that has most of them, alone, and all alike.
fn from_leading<T: Lanes>(leading: Vec<T>) -> Vec<Vec<T>> {
    let sizes = leading.iter().map(|v| v.f64().abs()).enumerate();
    let most = sizes
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(t, _)| t);
    let alone = unit(leading.len(), most);
    let alike = vec![T::ONE; leading.len()];
    vec![negated(&leading), leading, alone, alike]
}

/// The samples and the features whose misfit has the largest positive and the largest negative part: a rank-one term with d ≥ 0 and
/// v ≥ 0 gains if and only if an entry of R is positive.
fn from_worst<T: Lanes>(residual: &Residual<'_, T>) -> Vec<Vec<T>> {
    let (data, factors) = (residual.problem.data, residual.factors);
    let Some(worst) = plain::worst_lines((data, residual.problem.loss), factors) else {
        return Vec::new();
    };
    let feature = |i: usize| {
        let mut codes = vec![T::ZERO; data.cols()];
        residual.with_columns(&mut codes, &unit(data.rows(), i));
        codes
    };
    vec![
        unit(data.cols(), worst.samples[0]),
        negated(&unit(data.cols(), worst.samples[1])),
        feature(worst.features[0]),
        negated(&feature(worst.features[1])),
    ]
}

fn unit<T: Lanes>(len: usize, at: usize) -> Vec<T> {
    let mut unit = vec![T::ZERO; len];
    unit[at] = T::ONE;
    unit
}

fn negated<T: Lanes>(values: &[T]) -> Vec<T> {
    values.iter().map(|&v| -v).collect()
}

/// What is said of a search: its gain, 0 if it has found nothing, `None` if codes are tied together and there was none.
pub(crate) fn gain<T: Lanes>(problem: Problem<'_, T>, found: Option<&Escape<T>>) -> Option<f64> {
    let searched = problem.codes.separable();
    searched.map(|_| found.map_or(0.0, |escape| escape.gain))
}

/// Puts the terms in their places.
pub(crate) fn replace<T: Lanes>(factors: &mut Factors<T>, escape: &Escape<T>) {
    for (place, pair) in &escape.terms {
        factors.set(*place, Some((&pair.atom, &pair.codes)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;
    use crate::products::{Data, gram};
    use proxsplit::Error;
    use proxsplit::Mat;
    use proxsplit::data::{Dense, Elements, StorageOrder};
    use proxsplit::prox::NonNegL1;
    use proxsplit::text::Operator;

    /// An atom that no sample uses costs what its penalty says, and zeros in its place cost nothing.
    #[test]
    fn an_atom_without_codes_is_worth_less_than_nothing() -> Result<(), Error> {
        let y = [0.0; 12];
        let dense = Dense::new(4, 3, StorageOrder::ColumnMajor, Elements::F64(&y))?;
        let data = Data::new(dense.into(), 1.0)?;
        let l1 = NonNegL1::new(0.5)?;
        let problem = Problem::new(&data, 1, &l1, &l1)?;
        let factors = Factors::new(&Mat::from_fn(4, 1, |_, _| 1.0), Mat::zeros(1, 3))?;
        let found = escape(problem, &factors, (&[4.0], &[0.0]), Search::Thorough);
        let found = found.expect("zeros cost less");
        assert_eq!(found.gain, 2.0);
        assert!(found.terms[0].1.atom.iter().all(|&x| x == 0.0));
        Ok(())
    }

    /// On a simplex, which excludes zeros, the cheapest atom under Σx² is the one whose entries are all alike.
    #[test]
    fn an_atom_without_codes_is_moved_to_the_cheapest_place() -> Result<(), Error> {
        let y = [0.0; 12];
        let dense = Dense::new(4, 3, StorageOrder::ColumnMajor, Elements::F64(&y))?;
        let data = Data::new(dense.into(), 1.0)?;
        let of_atoms: Operator = "simplex:1+sql2:0.5".parse()?;
        let of_codes = NonNegL1::new(0.5)?;
        let problem = Problem::new(&data, 1, &of_atoms, &of_codes)?;
        let corner = Mat::from_fn(4, 1, |i, _| f64::from(u8::from(i == 0)));
        let factors = Factors::new(&corner, Mat::zeros(1, 3))?;
        let found = escape(problem, &factors, (&[1.0], &[0.0]), Search::Thorough);
        let found = found.expect("a corner costs most");
        assert!(
            (found.gain - 0.25 * (1.0 - 0.25)).abs() < 1e-12,
            "{}",
            found.gain
        );
        Ok(())
    }

    /// With graphs on both sides the gain of a replacement is what the objective falls by.
    #[test]
    fn a_gain_counts_graphs() -> Result<(), Error> {
        let (m, n) = (12, 15);
        let chain = |nodes: usize| {
            let is_next = |at: usize| f64::from(u8::from(at % nodes == at / nodes + 1));
            let similar: Vec<f64> = (0..nodes * nodes).map(is_next).collect();
            let dense = Dense::new(
                nodes,
                nodes,
                StorageOrder::ColumnMajor,
                Elements::F64(&similar),
            )?;
            Graph::<f64>::new(dense.into(), 0.3)
        };
        let (features, samples) = (chain(m)?, chain(n)?);
        let y: Vec<f64> = (0..m * n)
            .map(|at| ((at % m) * (at / m) % 7) as f64)
            .collect();
        let dense = Dense::new(m, n, StorageOrder::ColumnMajor, Elements::F64(&y))?;
        let data = Data::new(dense.into(), 1.0)?;
        let l1 = NonNegL1::new(0.05)?;
        let problem = Problem::new(&data, 2, &l1, &l1)?;
        let problem = problem.with_graphs(Some(&features), Some(&samples))?;
        let atoms = Mat::from_fn(m, 2, |i, k| if k == 0 { 1.0 + i as f64 / 9.0 } else { 0.0 });
        let codes = Mat::from_fn(2, n, |_, t| (t % 3) as f64 / 2.0);
        let mut factors = Factors::new(&atoms, codes)?;
        let objective = |factors: &Factors<f64>| {
            let (of_x, of_a) = problem.terms();
            let misfit = plain::sums((&data, problem.loss), factors, false).misfit;
            misfit + of_x.value(&factors.x, 2) + of_a.value(&factors.a, 2)
        };
        let (mut gx, mut ga) = (vec![0.0; 4], vec![0.0; 4]);
        gram(&mut gx, &factors.x, 2);
        gram(&mut ga, &factors.a, 2);
        let before = objective(&factors);
        let found = escape(problem, &factors, (&gx, &ga), Search::Thorough);
        let found = found.expect("an atom of zeros is worse than a new one");
        replace(&mut factors, &found);
        let gained = before - objective(&factors);
        let is_true = (found.gain - gained).abs() <= 1e-9 * before;
        assert!(is_true && gained > 0.0, "{} is not {gained}", found.gain);
        Ok(())
    }
}

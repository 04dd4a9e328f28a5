//! The start of a run: random factors of the right size, or the positive parts of the leading singular pairs.

mod columns;
pub(crate) mod singular;

use crate::balance::{Balance, Scales};
use crate::codes::TOUCH;
use crate::loss::Loss;
use crate::membership::{Outside, settle};
use crate::misfit::Misfit;
use crate::problem::{Factors, Problem};
use crate::products::{Data, Lanes};
use crate::settings::Init;
use crate::work::scale_rows;
use proxsplit::Error;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use singular::positive_parts;

/// The start that was asked for, inside the sets of both factors.
pub(crate) fn start<T: Lanes>(
    problem: Problem<'_, T>,
    misfit: &dyn Misfit<T>,
    (init, seed): (Init, u64),
) -> Result<Factors<T>, Error> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut factors = match init.settled(problem) {
        Init::Random | Init::Auto => uniform(problem, &mut random),
        Init::Nndsvd | Init::Nndsvda | Init::Nndsvdar => {
            let mut factors = positive_parts(problem, &mut random);
            fill(&mut factors, problem, init, &mut random);
            factors
        }
    };
    let (atoms, codes) = problem.terms();
    problem.fixed.put(&mut factors.x, problem.rank);
    atoms.project(&mut factors.x, problem.rank, T::of(TOUCH));
    codes.project(&mut factors.a, problem.rank, T::of(TOUCH));
    rescale(&mut factors, problem, misfit);
    // Codes that are solved at a bad scale are shrunk by the wrong amount, often to nothing.
    let mut scales = Scales::new(problem.rank, problem.fixed.count());
    if Balance::of(&atoms, &codes).find(&mut scales, &factors) {
        factors.scale(&scales);
    }
    inside(problem, &mut factors).map_err(|outside| {
        let advice = "the data are too large or too small for this precision: scale them";
        Error::Incompatible(format!("no start could be computed: {outside}; {advice}"))
    })?;
    Ok(factors)
}

/// Both factors in their sets, but for rounding.
fn inside<T: Lanes>(problem: Problem<'_, T>, factors: &mut Factors<T>) -> Result<(), Outside> {
    let (atoms, codes) = problem.terms();
    settle(&atoms, &mut factors.x, problem.rank)?;
    settle(&codes, &mut factors.a, problem.rank)
}

/// Given factors with the fixed atoms in their places, if they fit the problem and lie in its sets, but for the rounding of files.
pub(crate) fn given<T: Lanes>(
    mut start: Factors<T>,
    problem: Problem<'_, T>,
) -> Result<Factors<T>, Error> {
    problem.fits(&start)?;
    problem.fixed.put(&mut start.x, problem.rank);
    inside(problem, &mut start).map_err(|outside| {
        Error::Incompatible(format!("the given factors cannot be used: {outside}"))
    })?;
    Ok(start)
}

impl Init {
    /// What `Auto` stands for. On sparse data a few atoms are few clusters among very many: random starts need long to find
    /// them and often end at worse ones, while singular vectors cost no more than a few passes. Those of data with gaps
    /// take the gaps for zeros, and are no better than chance.
    pub(crate) fn settled<T: Lanes>(self, problem: Problem<'_, T>) -> Self {
        let is_nonnegative =
            |term: &dyn proxsplit::Prox<T>| term.elementary().is_some_and(|e| e.lower >= 0.0);
        match self {
            Init::Auto
                if problem.loss == Loss::Squared
                    && problem.data.is_sparse()
                    && problem.data.missing() == 0
                    && !problem.data.is_weighted()
                    && is_nonnegative(problem.atoms)
                    && is_nonnegative(problem.codes) =>
            {
                Init::Nndsvd
            }
            Init::Auto => Init::Random,
            init => init,
        }
    }
}

fn uniform<T: Lanes>(problem: Problem<'_, T>, random: &mut Pcg64) -> Factors<T> {
    let unit = unit_of(problem.data);
    let mut draw = |count: usize| -> Vec<T> {
        (0..count)
            .map(|_| T::of(unit * random.random_range(0.0..1.0)))
            .collect()
    };
    Factors {
        rank: problem.rank,
        x: draw(problem.rank * problem.data.rows()),
        a: draw(problem.rank * problem.data.cols()),
    }
}

/// What uniform numbers are multiplied by: 1, unless the data are very large or very small. Then also their sets will be, and a
/// nearest point that is many decades away from a start is lost in rounding.
fn unit_of<T: Lanes>(data: &Data<'_, T>) -> f64 {
    let count = (data.rows() * data.cols() - data.missing()) as f64;
    let typical = (data.square() / count).powf(0.25);
    if typical == 0.0 || (1e-6..=1e6).contains(&typical) {
        1.0
    } else {
        typical
    }
}

/// Consecutive samples that tell the scale of the data as well as all would.
const RUN: usize = 8;

/// Multiplies both factors so that XA fits best over some samples, or over all if these tell nothing. Sets may hold X
/// back; codes are solved anyway.
fn rescale<T: Lanes>(factors: &mut Factors<T>, problem: Problem<'_, T>, misfit: &dyn Misfit<T>) {
    let alpha = [RUN, problem.data.cols()]
        .into_iter()
        .map(|length| misfit.best_scale(factors, length))
        .find(|alpha| alpha.is_finite() && *alpha > 0.0);
    let Some(alpha) = alpha else { return };
    let elementary = |e: Option<proxsplit::Elementary>| e.is_some_and(|e| e.upper == f64::INFINITY);
    let mut root = vec![T::of(alpha.sqrt()); problem.rank];
    let fixed = problem.fixed.count();
    root[..fixed].fill(T::ONE);
    if elementary(problem.atoms.elementary()) {
        scale_rows(&mut factors.x, &root);
    }
    root[..fixed].fill(T::of(alpha));
    if elementary(problem.codes.elementary()) {
        scale_rows(&mut factors.a, &root);
    }
}

/// What stands where the positive parts left zeros.
fn fill<T: Lanes>(
    factors: &mut Factors<T>,
    problem: Problem<'_, T>,
    init: Init,
    random: &mut Pcg64,
) {
    let all = problem.data.rows() * problem.data.cols();
    let count = (all - problem.data.missing()) as f64;
    let mean = (problem.data.square() / count).sqrt();
    for value in factors.x.iter_mut().chain(&mut factors.a) {
        if *value <= T::ZERO {
            *value = match init {
                Init::Nndsvda => T::of(mean),
                Init::Nndsvdar => T::of(mean * random.random_range(0.0..0.01)),
                Init::Auto | Init::Nndsvd | Init::Random => T::ZERO,
            };
        }
    }
}

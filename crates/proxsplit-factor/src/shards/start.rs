//! The start of a run over shards: a given X, random factors of the right size, or the positive parts of the leading singular pairs.

use super::center::Center;
use super::messages::{Change, Task};
use crate::codes::TOUCH;
use crate::init::singular::{EXTRA, POWERS, eigen, larger_part, orthonormalize, sizes};
use crate::membership::settle;
use crate::products::{Lanes, dot, gram, times};
use crate::settings::Init;
use crate::work::scale_rows;
use proxsplit::Mat;
use proxsplit::{Elementary, Error};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Puts X in its place, and codes at the shards.
pub(super) fn start<T: Lanes>(
    center: &mut Center<'_, T>,
    (init, seed): (Init, u64),
    given: Option<&Mat<T>>,
) -> Result<(), Error> {
    let mut random = Pcg64::seed_from_u64(seed);
    let done = match given {
        Some(x) => {
            fits(center, x)?;
            center.x = x.transposed().into_data();
            begin(center)
        }
        None => match settled(init, center) {
            Init::Random | Init::Auto => draw(center, seed, &mut random),
            init => singular(center, (init, seed), &mut random),
        },
    };
    if done.is_none() {
        return Err(center.failure.take().unwrap_or_else(|| {
            Error::Incompatible("the shards did not answer at the start of the run".into())
        }));
    }
    let (atoms, rank) = (center.atoms, center.rank);
    settle(&atoms, &mut center.x, rank)
        .map_err(|outside| Error::Incompatible(format!("no start could be computed: {outside}")))
}

fn fits<T: Lanes>(center: &Center<'_, T>, x: &Mat<T>) -> Result<(), Error> {
    let expected = (center.shape.0, center.rank);
    if (x.rows(), x.cols()) != expected {
        return Err(Error::Incompatible(format!(
            "the given X is {} × {}, but it must be {} × {}",
            x.rows(),
            x.cols(),
            expected.0,
            expected.1
        )));
    }
    proxsplit::error::all_finite("X", x.data())
}

/// What `Auto` stands for: as on one machine.
fn settled<T: Lanes>(init: Init, center: &Center<'_, T>) -> Init {
    let is_nonnegative = |term: Option<Elementary>| term.is_some_and(|e| e.lower >= 0.0);
    let wants_singular = center.is_sparse
        && is_nonnegative(center.atoms.elementary)
        && is_nonnegative(center.codes.elementary);
    match init {
        Init::Auto if wants_singular => Init::Nndsvd,
        init => init,
    }
}

/// Codes for X from nothing, and both at their best scale.
fn begin<T: Lanes>(center: &mut Center<'_, T>) -> Option<()> {
    let x = std::mem::take(&mut center.x);
    let begun = center.ask(Task::Begin, &x);
    center.x = x;
    begun?;
    balance(center)
}

/// Codes that are solved at a bad scale are shrunk by the wrong amount, often to nothing.
fn balance<T: Lanes>(center: &mut Center<'_, T>) -> Option<()> {
    let x = std::mem::take(&mut center.x);
    let sum = center.ask(Task::Sizes, &x);
    center.x = x;
    center.size(&sum?.answer.numbers);
    if center.find_scales() {
        scale_rows(&mut center.x, &center.scales.atoms);
        let scale = Change::Scale(center.scale_of_codes());
        center.before.push(scale);
    }
    Some(())
}

/// Uniform factors, multiplied so that XA fits best.
fn draw<T: Lanes>(center: &mut Center<'_, T>, seed: u64, random: &mut Pcg64) -> Option<()> {
    let (rank, unit) = (center.rank, unit(center));
    let draws = (0..center.x.len()).map(|_| T::of(unit * random.random_range(0.0..1.0)));
    let mut x: Vec<T> = draws.collect();
    center.atoms.project(&mut x, rank, T::of(TOUCH));
    let answer = center.ask(Task::Draw { seed, unit }, &x)?.answer;
    gram(&mut center.xx, &x, rank);
    center.x = x;
    let alpha = answer.numbers[1] / dot(&center.xx, &answer.sums);
    if alpha.is_finite() && alpha > 0.0 {
        let is_unbounded = |e: Option<Elementary>| e.is_some_and(|e| e.upper == f64::INFINITY);
        if is_unbounded(center.atoms.elementary) {
            scale_rows(&mut center.x, &vec![T::of(alpha.sqrt()); rank]);
        }
        if is_unbounded(center.codes.elementary) {
            center.before.push(Change::Scale(vec![alpha.sqrt(); rank]));
        }
    }
    balance(center)
}

/// What uniform numbers are multiplied by: 1, unless the data are very large or very small.
fn unit<T: Lanes>(center: &Center<'_, T>) -> f64 {
    let (rows, cols) = center.shape;
    let typical = (center.square / (rows as f64 * cols as f64)).powf(0.25);
    if typical == 0.0 || (1e-6..=1e6).contains(&typical) {
        1.0
    } else {
        typical
    }
}

/// X from the positive parts of the leading singular pairs, by randomized products; codes for it.
fn singular<T: Lanes>(
    center: &mut Center<'_, T>,
    (init, seed): (Init, u64),
    random: &mut Pcg64,
) -> Option<()> {
    let (m, n) = center.shape;
    let count = (center.rank + EXTRA).min(m).min(n);
    let task = Task::Sketch {
        random: Some((count, seed)),
    };
    let mut answer = center.ask(task, &[])?.answer;
    let mut q = vec![T::ZERO; count * m];
    let mut room = q.clone();
    for _ in 0..=POWERS {
        q.copy_from_slice(&answer.sums[..count * m]);
        for _ in 0..2 {
            orthonormalize(&mut q, &mut room, count);
        }
        answer = center.ask(Task::Sketch { random: None }, &q)?.answer;
    }
    let (values, vectors) = eigen(&answer.sums[count * m..], count)?;
    let mut map = vec![T::ZERO; count * count];
    for k in 0..count {
        for j in 0..count {
            map[j * count + k] = vectors[k * count + j];
        }
    }
    times(&mut room, &map, &q, count);
    let q = room;
    let halves = center.ask(Task::Halves, &map)?.answer.numbers;
    positive_parts(center, (&q, count), (&values, &halves[1..]));
    fill(center, init, random);
    let (atoms, rank) = (center.atoms, center.rank);
    atoms.project(&mut center.x, rank, T::of(TOUCH));
    begin(center)
}

/// √σ times the larger of the two positive parts of every leading singular pair, of which the samples tell only the sizes of their halves.
fn positive_parts<T: Lanes>(
    center: &mut Center<'_, T>,
    (q, count): (&[T], usize),
    (values, halves): (&[T], &[f64]),
) {
    let rank = center.rank;
    center.x.fill(T::ZERO);
    let of_atoms = sizes(q, count);
    for k in 0..rank.min(count) {
        let row = count - 1 - k;
        let of_codes = [halves[2 * row].sqrt(), halves[2 * row + 1].sqrt()];
        let sigma = values[row].max(T::ZERO).sqrt().f64();
        let (weight, _) = larger_part(of_atoms[row], of_codes, sigma);
        let places = center.x.iter_mut().skip(k).step_by(rank);
        for (x, value) in places.zip(q.iter().skip(row).step_by(count)) {
            *x = T::of((weight * value.f64()).max(0.0));
        }
    }
}

/// What stands where the positive parts left zeros.
fn fill<T: Lanes>(center: &mut Center<'_, T>, init: Init, random: &mut Pcg64) {
    let (rows, cols) = center.shape;
    let mean = (center.square / (rows as f64 * cols as f64)).sqrt();
    for value in center.x.iter_mut().filter(|value| **value <= T::ZERO) {
        *value = match init {
            Init::Nndsvda => T::of(mean),
            Init::Nndsvdar => T::of(mean * random.random_range(0.0..0.01)),
            Init::Auto | Init::Nndsvd | Init::Random => T::ZERO,
        };
    }
}

//! Leading left directions of sparse data, from few of their columns.
//!
//! The longest columns of graphs and texts carry most of the leading singular vectors. So these come from the Gram matrix of the
//! longest columns, and of some others, lest a large group of short ones be missed; it fits in the cache, and one product with all
//! data then makes them better. In the spirit of A. Frieze, R. Kannan, S. Vempala, Fast Monte-Carlo algorithms for finding low-rank approximations, 2004.

use super::singular::{EXTRA, eigen, orthonormalize, signs};
use crate::problem::Problem;
use crate::products::{Chosen, Data, Lanes, Lines};
use proxsplit::data::{Dense, StorageOrder};
use proxsplit::internal::linalg::vec::{axpy, dot};
use rand::RngExt;
use rand_pcg::Pcg64;

/// The largest number of columns that are chosen, of which a quarter by chance.
pub(super) const MOST: usize = 1024;
/// Power iterations with the Gram matrix of the chosen columns.
const POWERS: usize = 16;

/// Some directions as rows (l × m), orthonormal but for rounding, the best last; `None` unless the data are sparse and all entries count
/// alike.
pub(super) fn leading<T: Lanes>(
    problem: Problem<'_, T>,
    random: &mut Pcg64,
) -> Option<(usize, Vec<T>)> {
    let data = problem.data;
    let columns = data.sparse_columns()?;
    let wide = (problem.rank + EXTRA).min(data.rows()).min(data.cols());
    let squares = columns.squares();
    let which = choose(columns, &squares, (data.rows(), wide), random);
    let longest = which.iter().map(|&c| squares[c]).fold(0.0, f64::max);
    // At a scale where no product over- or underflows.
    let weight = T::of(1.0 / longest.sqrt());
    if !(weight.is_finite() && weight > T::ZERO) {
        return None;
    }
    let chosen = Chosen::new(columns, &which, data.rows(), weight);
    let gram = chosen.gram();
    let kept = (problem.rank + EXTRA / 2).min(wide);
    let vectors = eigenvectors(&gram, (wide, kept), random)?;
    let mut q = vec![T::ZERO; kept * data.rows()];
    chosen.with_rows(&mut q, &vectors);
    Some((kept, q))
}

/// The columns in increasing order: the longest, and for every three of them one by chance. So many that their Gram matrix costs no more than
/// a few products, if rows are about alike.
fn choose<T: Lanes>(
    columns: &Lines<'_, T>,
    squares: &[f64],
    (rows, wide): (usize, usize),
    random: &mut Pcg64,
) -> Vec<usize> {
    let n = squares.len();
    let long = (MOST - MOST / 4).min(n);
    // Among equals, those that come first may be all of one kind.
    let shuffled = |column: &usize| (*column as u32).wrapping_mul(0x9E37_79B1);
    let mut order: Vec<usize> = (0..n).collect();
    let longer = |a: &usize, b: &usize| {
        (squares[*b].total_cmp(&squares[*a])).then(shuffled(a).cmp(&shuffled(b)))
    };
    if long < n {
        order.select_nth_unstable_by(long, longer);
    }
    order[..long].sort_unstable_by(longer);
    let entries =
        |columns_: &[usize]| columns_.iter().map(|&c| columns.entries(c)).sum::<usize>() as f64;
    let limit = (4.0 * rows as f64 * entries(&order)).sqrt();
    let mut count = long;
    while count > 4 * wide && entries(&order[..count]) > limit {
        count /= 2;
    }
    let (long, others) = order.split_at_mut(count);
    let by_chance = others.len().min(count.div_ceil(3));
    for at in 0..by_chance {
        let other = random.random_range(at..others.len());
        others.swap(at, other);
    }
    let mut which = [&*long, &others[..by_chance]].concat();
    which.sort_unstable();
    which
}

/// The leading `kept` of `wide` eigenvectors of a Gram matrix, each divided by √λ, as rows in increasing order of λ.
fn eigenvectors<T: Lanes>(
    gram: &[T],
    (wide, kept): (usize, usize),
    random: &mut Pcg64,
) -> Option<Vec<T>> {
    let count = gram.len().isqrt();
    let dense = Dense::new(count, count, StorageOrder::ColumnMajor, T::stored(gram)).ok()?;
    let data = Data::new(dense.into(), 1.0).ok()?;
    let mut v = signs(wide * count, random);
    let mut image = v.clone();
    for _ in 0..POWERS {
        data.with_columns(&mut image, &v, 0..count);
        std::mem::swap(&mut v, &mut image);
        orthonormalize(&mut v, &mut image, wide);
    }
    data.with_columns(&mut image, &v, 0..count);
    let mut small = vec![T::ZERO; wide * wide];
    for (v, image) in v.chunks_exact(wide).zip(image.chunks_exact(wide)) {
        for (small, &image) in small.chunks_exact_mut(wide).zip(image) {
            axpy(image, v, small);
        }
    }
    let (values, turns) = eigen(&small, wide)?;
    let floor = values[wide - 1] * T::of(wide as f64) * T::EPSILON;
    let mut leading = vec![T::ZERO; kept * count];
    for (leading, v) in leading.chunks_exact_mut(kept).zip(v.chunks_exact(wide)) {
        for (k, leading) in leading.iter_mut().enumerate() {
            let at = wide - kept + k;
            if values[at] > floor {
                let along = dot(&turns[at * wide..][..wide], v);
                *leading = T::of(along / values[at].f64().sqrt());
            }
        }
    }
    Some(leading)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::products::gram;
    use proxsplit::Error;
    use proxsplit::data::{Elements, Indices, Matrix, Sparse};
    use proxsplit::set::NonNeg;
    use rand::SeedableRng;

    const ROWS: usize = 105;

    /// ‖QY‖² of the best of the directions that were found in a matrix of ones at these rows of every column.
    fn best(columns: &[Vec<i32>]) -> Result<f64, Error> {
        let ends = columns.iter().scan(0, |end, column| {
            *end += i32::try_from(column.len()).ok()?;
            Some(*end)
        });
        let starts: Vec<i32> = std::iter::once(0).chain(ends).collect();
        let (indices, ones) = (columns.concat(), vec![1.0; columns.concat().len()]);
        let sparse = Sparse::new(
            (ROWS, columns.len()),
            StorageOrder::ColumnMajor,
            Indices::I32(&starts),
            Indices::I32(&indices),
            Elements::F64(&ones),
        )?;
        let data = Data::<f64>::new(Matrix::Sparse(sparse), 2.0)?;
        let problem = Problem::new(&data, 2, &NonNeg, &NonNeg)?;
        let mut random = Pcg64::seed_from_u64(1);
        let (l, q) = leading(problem, &mut random).expect("directions of sparse data");
        let mut products = vec![0.0; l * l];
        gram(&mut products, &q, l);
        for (at, product) in products.iter().enumerate() {
            let one = f64::from(at.is_multiple_of(l + 1));
            assert!((product - one).abs() < 1e-9, "{at}: {product}");
        }
        let mut b = vec![0.0; l * columns.len()];
        data.with_columns(&mut b, &q, 0..columns.len());
        Ok(b.iter().skip(l - 1).step_by(l).map(|b| 4.0 * b * b).sum())
    }

    /// Eight entries among the first hundred rows.
    fn scattered(column: i32) -> Vec<i32> {
        let mut rows: Vec<i32> = (0..8).map(|k| (column * 37 + k * 13) % 100).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn few_long_columns_are_found_among_many() -> Result<(), Error> {
        let columns: Vec<Vec<i32>> = (0..3000)
            .map(|c| match c % 500 {
                77 => (0..100).collect(),
                _ => vec![c % 105],
            })
            .collect();
        let found = best(&columns)?;
        // Six columns of a hundred ones, and about 28 single ones in every row.
        assert!(found > 620.0, "{found}");
        Ok(())
    }

    #[test]
    fn many_short_columns_are_not_missed() -> Result<(), Error> {
        let columns: Vec<Vec<i32>> = (0..2000)
            .map(|c| match c {
                0..900 => scattered(c),
                _ => (100..105).collect(),
            })
            .collect();
        let found = best(&columns)?;
        assert!(found > 0.99 * 1100.0 * 5.0, "{found}");
        Ok(())
    }
}

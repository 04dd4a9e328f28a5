//! One small random matrix in every way it can be stored.

use proxsplit::data::{Dense, Elements, Index, Indices, Matrix, Sparse, StorageOrder};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// What is done with a storage: its name, the matrix, its entries row by row.
pub(crate) type Work<'w> = &'w mut dyn FnMut(&str, Matrix<'_>, &[f64]);

/// A matrix of small integers, half of them 0, so that every stored type holds it exactly.
pub(crate) struct Sample {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    entries: Vec<i16>,
}

impl Sample {
    pub(crate) fn new(rows: usize, cols: usize, seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let entries = (0..rows * cols)
            .map(|_| random.random_range(-6..=6_i16).clamp(-3, 3) % 3)
            .collect();
        Self {
            rows,
            cols,
            entries,
        }
    }

    /// Calls `work` with each storage, its name and its entries row by row. Unsigned storage holds the absolute values.
    pub(crate) fn each(&self, work: Work<'_>) {
        for order in [StorageOrder::RowMajor, StorageOrder::ColumnMajor] {
            let absolute: Vec<i16> = self.entries.iter().map(|e| e.abs()).collect();
            self.stored(order, &absolute, |e| e as u8, work);
            self.stored(order, &self.entries, |e| e, work);
            self.stored(order, &self.entries, i32::from, work);
            self.stored(order, &self.entries, f32::from, work);
            self.stored(order, &self.entries, f64::from, work);
        }
    }

    fn stored<E>(&self, order: StorageOrder, entries: &[i16], convert: fn(i16) -> E, work: Work<'_>)
    where
        for<'x> Elements<'x>: From<&'x [E]>,
    {
        let (rows, cols) = (self.rows, self.cols);
        let name = std::any::type_name::<E>();
        let exact: Vec<f64> = entries.iter().map(|&e| f64::from(e)).collect();
        let (lines, width) = match order {
            StorageOrder::RowMajor => (rows, cols),
            StorageOrder::ColumnMajor => (cols, rows),
        };
        let at = |line: usize, k: usize| match order {
            StorageOrder::RowMajor => entries[line * cols + k],
            StorageOrder::ColumnMajor => entries[k * cols + line],
        };
        let mut stored = Vec::new();
        let (mut starts, mut indices, mut nonzeros) = (vec![0_i32], Vec::new(), Vec::new());
        for line in 0..lines {
            for k in 0..width {
                stored.push(convert(at(line, k)));
                if at(line, k) != 0 {
                    indices.push(i32::of(k));
                    nonzeros.push(convert(at(line, k)));
                }
            }
            starts.push(i32::of(nonzeros.len()));
        }
        let dense = Dense::new(rows, cols, order, stored[..].into()).unwrap();
        work(&format!("dense {order:?} {name}"), dense.into(), &exact);
        let wide: Vec<i64> = indices.iter().map(|&i| i64::from(i)).collect();
        for indices in [Indices::I64(&wide), Indices::I32(&indices)] {
            let starts = Indices::I32(&starts);
            let sparse =
                Sparse::new((rows, cols), order, starts, indices, nonzeros[..].into()).unwrap();
            work(&format!("sparse {order:?} {name}"), sparse.into(), &exact);
        }
    }
}

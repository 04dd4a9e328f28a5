//! Compressed sparse storage from entries in any order; duplicates are summed.

use crate::content::{Content, Pattern};
use crate::error::Fault;
use crate::values::Values;
use proxsplit::data::StorageOrder;

/// Lines that a matrix may have beside a multiple of its entries: one index is stored for every line, empty or not.
const FREE_LINES: usize = 1 << 20;
/// Lines for every stored entry.
const LINES_PER_ENTRY: usize = 64;

/// `Ok` if storage for a matrix of this shape is in proportion to its entries, and an `i32` can hold every index.
pub(crate) fn check_shape(rows: usize, cols: usize, entries: usize) -> Result<(), Fault> {
    let most = entries
        .saturating_mul(LINES_PER_ENTRY)
        .saturating_add(FREE_LINES)
        .min(i32::MAX as usize);
    match rows.max(cols) {
        longest if longest > most => Err(Fault::whole(format!(
            "a matrix of {rows} × {cols} with {entries} entries is not supported: at most {most} rows or columns are; leave out empty ones"
        ))),
        _ => Ok(()),
    }
}

/// Indices that must number `count`, each below `width`.
pub(crate) fn check_indices(indices: &[i32], count: usize, width: usize) -> Result<(), String> {
    if indices.len() != count {
        return Err(format!(
            "there are {} indices for {count} values",
            indices.len()
        ));
    }
    let outside = |&index: &i32| index < 0 || index as usize >= width;
    match indices.iter().position(outside) {
        Some(at) => Err(format!(
            "index {} at position {at} is outside 0..{width}",
            indices[at]
        )),
        None => Ok(()),
    }
}

/// Line starts of as many `lines` with `stored` entries in all.
pub(crate) fn check_starts(starts: &[i64], lines: usize, stored: usize) -> Result<(), String> {
    let grows = starts.windows(2).all(|pair| pair[0] <= pair[1]);
    let ends = starts.first() == Some(&0) && starts.last() == Some(&(stored as i64));
    if starts.len() == lines + 1 && ends && grows {
        return Ok(());
    }
    Err(format!(
        "it must have {} numbers that start at 0, never decrease and end at {stored}",
        lines + 1
    ))
}

/// Entries (row, column, value) in any order.
#[derive(Debug, Default)]
pub(crate) struct Triplets {
    pub(crate) row: Vec<i32>,
    pub(crate) col: Vec<i32>,
    pub(crate) values: Vec<f64>,
}

impl Triplets {
    pub(crate) fn with_capacity(entries: usize) -> Self {
        Self {
            row: Vec::with_capacity(entries),
            col: Vec::with_capacity(entries),
            values: Vec::with_capacity(entries),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, row: i32, col: i32, value: f64) {
        self.row.push(row);
        self.col.push(col);
        self.values.push(value);
    }

    /// Compressed by columns. Every index must be inside `rows` × `cols`.
    pub(crate) fn compress(self, rows: usize, cols: usize) -> Result<Content, Fault> {
        check_shape(rows, cols, self.values.len())?;
        let mut starts = vec![0_i64; cols + 1];
        for &col in &self.col {
            starts[col as usize + 1] += 1;
        }
        for line in 0..cols {
            starts[line + 1] += starts[line];
        }
        let mut next = starts.clone();
        let mut indices = vec![0; self.row.len()];
        let mut values = vec![0.0; self.row.len()];
        for ((&row, &col), &value) in self.row.iter().zip(&self.col).zip(&self.values) {
            let at = next[col as usize] as usize;
            next[col as usize] += 1;
            indices[at] = row;
            values[at] = value;
        }
        let pattern = Pattern { starts, indices };
        Ok(canonical(
            (rows, cols),
            StorageOrder::ColumnMajor,
            pattern,
            Values::F64(values),
        ))
    }
}

/// The matrix with strictly increasing indices in every line: sorted, duplicates summed in their order.
pub(crate) fn canonical(
    (rows, cols): (usize, usize),
    order: StorageOrder,
    mut pattern: Pattern,
    mut values: Values,
) -> Content {
    if !is_canonical(&pattern) {
        let mut numbers = values.to_f64();
        sort_and_sum(&mut pattern, &mut numbers);
        values = Values::F64(numbers);
    }
    if let Values::F64(numbers) = values {
        values = Values::narrow(numbers);
    }
    Content {
        pattern: Some(pattern),
        ..Content::dense(rows, cols, order, values)
    }
}

fn is_canonical(pattern: &Pattern) -> bool {
    pattern.starts.windows(2).all(|line| {
        let indices = &pattern.indices[line[0] as usize..line[1] as usize];
        indices.windows(2).all(|pair| pair[0] < pair[1])
    })
}

fn sort_and_sum(pattern: &mut Pattern, values: &mut Vec<f64>) {
    let Pattern { starts, indices } = pattern;
    let mut entries: Vec<(i32, f64)> = Vec::new();
    // Entries kept so far; never ahead of the ones read.
    let mut kept = 0;
    let mut from = 0;
    for start in &mut starts[1..] {
        let to = *start as usize;
        entries.clear();
        entries.extend(
            indices[from..to]
                .iter()
                .copied()
                .zip(values[from..to].iter().copied()),
        );
        entries.sort_by_key(|entry| entry.0);
        let first = kept;
        for &(index, value) in &entries {
            if kept > first && indices[kept - 1] == index {
                values[kept - 1] += value;
            } else {
                indices[kept] = index;
                values[kept] = value;
                kept += 1;
            }
        }
        from = to;
        *start = kept as i64;
    }
    indices.truncate(kept);
    values.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proxsplit::data::Matrix;

    proptest! {
        #[test]
        fn equals_the_dense_sum_of_entries(
            entries in prop::collection::vec((0..4_i32, 0..3_i32, -5..5_i32), 0..30)
        ) {
            let mut dense = [0.0; 12];
            let mut triplets = Triplets::default();
            for &(row, col, value) in &entries {
                dense[(4 * col + row) as usize] += f64::from(value);
                triplets.push(row, col, f64::from(value));
            }
            let content = triplets.compress(4, 3).unwrap();
            content.check().unwrap();
            let Ok(Matrix::Sparse(sparse)) = content.view() else { unreachable!() };
            for col in 0..3 {
                for at in sparse.starts().get(col)..sparse.starts().get(col + 1) {
                    dense[4 * col + sparse.indices().get(at)] -= sparse.elements().get(at);
                }
            }
            prop_assert_eq!(dense, [0.0; 12]);
        }
    }

    #[test]
    fn huge_shapes_without_entries_are_refused() {
        assert!(check_shape(1 << 40, 1, 10).is_err());
        assert!(check_shape(1, 1 << 30, 10).is_err());
        assert!(check_shape(1 << 20, 3, 0).is_ok());
    }
}

//! The matching of rows and columns with the largest sum.
//!
//! Borrowed: H. Kuhn, The Hungarian method for the assignment problem, 1955, by shortest augmenting paths, O(n³).

/// The column of every row, for an n × n table row by row.
pub(super) fn best_matching(table: &[f64], n: usize) -> Vec<usize> {
    let mut search = Search {
        table,
        n,
        row_price: vec![0.0; n],
        column_price: vec![0.0; n],
        row_of: vec![None; n],
    };
    for row in 0..n {
        search.add(row);
    }
    let mut column_of = vec![0; n];
    for (column, row) in search.row_of.iter().enumerate() {
        if let Some(row) = row {
            column_of[*row] = column;
        }
    }
    column_of
}

struct Search<'a> {
    table: &'a [f64],
    n: usize,
    row_price: Vec<f64>,
    column_price: Vec<f64>,
    /// The row that a column is matched with.
    row_of: Vec<Option<usize>>,
}

impl Search<'_> {
    /// What is lost by a pair beyond the prices of both: 0 for the pairs of a best matching.
    fn loss(&self, row: usize, column: usize) -> f64 {
        -self.table[row * self.n + column] - self.row_price[row] - self.column_price[column]
    }

    /// Matches one more row, by the path of least loss to a column that is free.
    fn add(&mut self, row: usize) {
        let n = self.n;
        let (mut least, mut from) = (vec![f64::INFINITY; n], vec![None; n]);
        let mut is_done = vec![false; n];
        let (mut at, mut last) = (row, None);
        let end = loop {
            let mut next = (f64::INFINITY, 0);
            for column in (0..n).filter(|&c| !is_done[c]) {
                let loss = self.loss(at, column);
                if loss < least[column] {
                    (least[column], from[column]) = (loss, last);
                }
                if least[column] < next.0 {
                    next = (least[column], column);
                }
            }
            let (step, column) = next;
            self.pay(step, row, &is_done, &mut least);
            is_done[column] = true;
            match self.row_of[column] {
                None => break column,
                Some(matched) => (at, last) = (matched, Some(column)),
            }
        };
        self.flip(end, row, &from);
    }

    /// Moves the prices so that the nearest column costs nothing.
    fn pay(&mut self, step: f64, row: usize, is_done: &[bool], least: &mut [f64]) {
        self.row_price[row] += step;
        for column in 0..self.n {
            match (is_done[column], self.row_of[column]) {
                (true, Some(matched)) => {
                    self.row_price[matched] += step;
                    self.column_price[column] -= step;
                }
                _ => least[column] -= step,
            }
        }
    }

    /// Exchanges the pairs along the path.
    fn flip(&mut self, end: usize, row: usize, from: &[Option<usize>]) {
        let mut column = end;
        while let Some(before) = from[column] {
            self.row_of[column] = self.row_of[before];
            column = before;
        }
        self.row_of[column] = Some(row);
    }
}

#[cfg(test)]
mod tests {
    use super::best_matching;
    use proptest::prelude::*;

    /// The largest sum over all permutations of the rows from `row` on.
    fn brute(table: &[f64], n: usize, row: usize, used: &mut Vec<bool>) -> f64 {
        if row == n {
            return 0.0;
        }
        let mut best = f64::NEG_INFINITY;
        for column in 0..n {
            if !used[column] {
                used[column] = true;
                best = best.max(table[row * n + column] + brute(table, n, row + 1, used));
                used[column] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn no_permutation_is_better(n in 1_usize..6, numbers in prop::collection::vec(0.0..1.0_f64, 25)) {
            let table = &numbers[..n * n];
            let matching = best_matching(table, n);
            let mut seen = matching.clone();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..n).collect::<Vec<_>>());
            let sum: f64 = matching.iter().enumerate().map(|(row, column)| table[row * n + column]).sum();
            let best = brute(table, n, 0, &mut vec![false; n]);
            prop_assert!((sum - best).abs() < 1e-12, "{} below {}", sum, best);
        }
    }
}

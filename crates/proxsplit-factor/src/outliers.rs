//! Entries that are plainly wrong: those that Huber's loss all but leaves out.

use crate::factorization::Factorization;
use crate::loss::Loss;
use crate::plain;
use crate::products::Lanes;
use serde::{Deserialize, Serialize};

/// An entry is plainly wrong if it is off by this many bounds: its weight, D/|r|, is then below a quarter of that of a good entry.
const WRONG: f64 = 4.0;

/// An entry and what stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Outlier {
    /// Its row in Y, from 0.
    pub row: usize,
    /// Its column in Y, from 0.
    pub column: usize,
    /// y
    pub value: f64,
    /// (XA)_it
    pub fit: f64,
}

/// What Huber's loss made of the entries.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Outliers {
    /// Entries that are off by more than the bound of the loss.
    pub beyond: usize,
    /// Entries that are plainly wrong: off by more than four bounds.
    pub wrong: usize,
    /// The worst of these, the worst first.
    pub worst: Vec<Outlier>,
}

impl<T: Lanes> Factorization<'_, T> {
    /// The entries that do not fit, with the worst `count` of those that are plainly wrong; `None` for losses that trust all of them.
    pub fn outliers(&self, count: usize) -> Option<Outliers> {
        let problem = self.work.problem;
        let Loss::Huber(bound) = problem.loss else {
            return None;
        };
        let mut found = Outliers::default();
        plain::for_each_entry((problem.data, problem.loss), &self.work.factors, |entry| {
            let off = (entry.value - entry.fit).abs();
            found.beyond += usize::from(off > bound);
            if off > WRONG * bound {
                found.wrong += 1;
                found.worst.push(entry);
                if found.worst.len() >= 2 * count.max(1) {
                    keep_worst(&mut found.worst, count);
                }
            }
        });
        keep_worst(&mut found.worst, count);
        Some(found)
    }
}

/// The first of equal ones comes first, so that the list does not depend on anything else.
fn keep_worst(worst: &mut Vec<Outlier>, count: usize) {
    let off = |entry: &Outlier| (entry.value - entry.fit).abs();
    worst.sort_by(|a, b| {
        let place = |entry: &Outlier| (entry.column, entry.row);
        off(b).total_cmp(&off(a)).then(place(a).cmp(&place(b)))
    });
    worst.truncate(count);
}

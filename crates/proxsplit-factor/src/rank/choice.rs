//! The answer: the one-standard-error rule, in numbers and in words.

use super::{RankPlan, RankRow};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Shares of the data's sum of squares below this are nothing: fits end before they tell more.
pub(super) const NOTHING: f64 = 1e-6;
/// Atoms of different starts whose mean cosine is below this are not the same.
const STABLE: f64 = 0.9;

/// The rank to take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The smallest rank whose error is within one standard error of the least.
    pub rank: usize,
    /// The rank of the least error.
    pub least: usize,
    /// Whether larger ranks were tried and found to be worse.
    pub turned: bool,
    /// The verdict in words.
    pub words: String,
    /// What the reader should know besides.
    pub notes: Vec<String>,
}

impl Choice {
    /// The answer from the rows so far; `None` if there are none.
    pub fn of(rows: &[RankRow]) -> Option<Self> {
        let least = least(rows)?;
        let is_as_good = |row: &&RankRow| !is_worse(row, least);
        let chosen = rows.iter().find(is_as_good)?;
        let turned = rows.iter().any(|row| row.rank > least.rank);
        Some(Self {
            rank: chosen.rank,
            least: least.rank,
            turned,
            words: words(chosen, least, smaller(rows, chosen)),
            notes: notes(rows, chosen, turned),
        })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.words)
    }
}

/// The row with the least mean error.
fn least(rows: &[RankRow]) -> Option<&RankRow> {
    rows.iter().min_by(|a, b| a.error.total_cmp(&b.error))
}

/// Whether the error of a row is above another by more than the standard error of the difference.
fn is_worse(row: &RankRow, than: &RankRow) -> bool {
    let (excess, standard_error) = row.excess_over(than);
    excess > standard_error.max(NOTHING)
}

/// Whether as many ranks as the plan has patience for lie beyond the least error, the last of them all clearly worse.
pub(super) fn has_turned(rows: &[RankRow], plan: &RankPlan) -> bool {
    let Some(least) = least(rows) else {
        return false;
    };
    let beyond = rows.iter().filter(|row| row.rank > least.rank).count();
    let last = rows.iter().rev().take(plan.patience);
    plan.patience > 0 && beyond >= plan.patience && last.into_iter().all(|row| is_worse(row, least))
}

/// What can be said of the ranks below.
fn smaller(rows: &[RankRow], chosen: &RankRow) -> &'static str {
    if rows.iter().any(|row| row.rank < chosen.rank) {
        "every smaller rank that was tried is worse by more than one standard error"
    } else {
        "no smaller rank was tried"
    }
}

fn words(chosen: &RankRow, least: &RankRow, smaller: &str) -> String {
    let told = |row: &RankRow| format!("{:.3e} ± {:.1e}", row.error, row.standard_error);
    if chosen.rank == least.rank {
        return format!(
            "rank {}: the lowest held-out error, {}; {smaller}",
            least.rank,
            told(least)
        );
    }
    let (excess, standard_error) = chosen.excess_over(least);
    format!(
        "rank {}: its held-out error, {}, is above the lowest, {} at rank {}, by {excess:.1e} ± {standard_error:.1e}, which may be chance; {smaller}",
        chosen.rank,
        told(chosen),
        told(least),
        least.rank
    )
}

fn notes(rows: &[RankRow], chosen: &RankRow, turned: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let last = rows.iter().map(|row| row.rank).max().unwrap_or(0);
    if !turned {
        notes.push(format!(
            "the lowest error is at rank {last}, the largest that was tried: larger ranks may be better"
        ));
    }
    if rows
        .first()
        .is_some_and(|first| first.rank == chosen.rank && first.rank > 1)
    {
        notes.push(format!(
            "rank {} is the smallest that was tried: smaller ones may be as good",
            chosen.rank
        ));
    }
    if let Some(cosine) = chosen.cosine.filter(|cosine| *cosine < STABLE) {
        notes.push(format!(
            "at rank {} fits from different starts find different atoms (mean cosine {cosine:.2}): the fit determines the rank, but the atoms are not unique",
            chosen.rank
        ));
    }
    let (fits, converged) = rows
        .iter()
        .fold((0, 0), |sum, row| (sum.0 + row.fits, sum.1 + row.converged));
    if converged < fits {
        notes.push(format!(
            "{} of {fits} fits hit the pass limit before their tolerance: more passes may change the errors a little",
            fits - converged
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(errors: &[[f64; 3]]) -> Vec<RankRow> {
        let row = |(at, errors): (usize, &[f64; 3])| {
            let (error, standard_error) = super::super::row::mean(errors);
            RankRow {
                rank: at + 1,
                error,
                standard_error,
                errors: errors.to_vec(),
                objective: None,
                bound: None,
                cosine: None,
                cophenetic: None,
                converged: 3,
                fits: 3,
                seconds: 0.0,
            }
        };
        errors.iter().enumerate().map(row).collect()
    }

    #[test]
    fn the_smallest_rank_within_one_standard_error_is_taken() {
        // Folds differ by 0.2, but at rank 2 all are a little better than at rank 3, and at rank 4 one is, the others not.
        let rows = rows(&[
            [0.9, 1.1, 1.3],
            [0.50, 0.70, 0.90],
            [0.41, 0.60, 0.79],
            [0.39, 0.61, 0.79],
            [0.42, 0.63, 0.84],
        ]);
        let choice = Choice::of(&rows).unwrap();
        assert_eq!((choice.rank, choice.least, choice.turned), (3, 4, true));
        assert!(choice.words.starts_with("rank 3: its held-out error"));
        assert!(choice.notes.is_empty(), "{:?}", choice.notes);
        let falling = Choice::of(&rows[..2]).unwrap();
        assert_eq!((falling.rank, falling.turned), (2, false));
        assert!(falling.notes[0].contains("the lowest error is at rank 2, the largest"));
        assert!(Choice::of(&[]).is_none());
    }

    #[test]
    fn words_are_of_the_ranks_that_were_tried() {
        let mut rows = rows(&[[0.9; 3], [0.4; 3], [0.5; 3]]);
        for (row, rank) in rows.iter_mut().zip([1, 3, 4]) {
            row.rank = rank;
        }
        let words = Choice::of(&rows).unwrap().words;
        assert!(
            words.contains("every smaller rank that was tried is worse"),
            "{words}"
        );
    }

    #[test]
    fn errors_that_are_nothing_do_not_count() {
        let rows = rows(&[[0.1; 3], [1e-8, 1.1e-8, 1.2e-8], [1e-12; 3]]);
        assert_eq!(Choice::of(&rows).unwrap().rank, 2);
    }

    #[test]
    fn the_curve_has_turned_when_the_last_ranks_are_clearly_worse() {
        let plan = |patience| RankPlan {
            patience,
            ..RankPlan::new(1..9)
        };
        let rows = rows(&[
            [1.0; 3],
            [0.5; 3],
            [0.6, 0.61, 0.62],
            [0.45, 0.51, 0.6],
            [0.7; 3],
        ]);
        assert!(has_turned(&rows[..3], &plan(1)));
        assert!(!has_turned(&rows[..4], &plan(2)), "rank 4 may be as good");
        assert!(!has_turned(&rows, &plan(2)) && has_turned(&rows, &plan(1)));
        assert!(!has_turned(&rows, &plan(0)) && !has_turned(&[], &plan(1)));
    }
}

//! In which order the terms of a sum are visited.

use crate::error::{Error, require};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The order of the terms within a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum VisitOrder {
    /// 0, 1, 2, … in every pass.
    Cyclic,
    /// A new permutation in every pass.
    #[default]
    Reshuffled,
    /// Independent draws with replacement.
    Random,
}

crate::names!("order", VisitOrder: "cyclic" => Cyclic, "reshuffled" => Reshuffled, "random" => Random);

/// The batches of one pass after the other. Pass k depends on the seed and k alone, so a run can resume at any pass.
#[derive(Debug, Clone)]
pub struct Visits {
    terms: Vec<usize>,
    size: usize,
    order: VisitOrder,
    seed: u64,
    pass: u64,
}

impl Visits {
    /// Batches of `size` of the `terms` terms; the last of a pass may be smaller.
    pub fn new(terms: usize, size: usize, order: VisitOrder, seed: u64) -> Result<Self, Error> {
        require("number of terms", terms as f64, terms > 0, "at least 1")?;
        require("batch size", size as f64, size > 0, "at least 1")?;
        let size = size.min(terms);
        let mut visits = Self {
            terms: (0..terms).collect(),
            size,
            order,
            seed,
            pass: 0,
        };
        visits.go_to(0);
        Ok(visits)
    }

    /// Lays out the batches of pass `pass`.
    pub fn go_to(&mut self, pass: u64) {
        self.pass = pass;
        let mut random = Pcg64::seed_from_u64(self.seed ^ pass.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let count = self.terms.len();
        match self.order {
            VisitOrder::Cyclic => {}
            VisitOrder::Reshuffled => {
                for (i, term) in self.terms.iter_mut().enumerate() {
                    *term = i;
                }
                for i in (1..count).rev() {
                    self.terms.swap(i, random.random_range(0..=i));
                }
            }
            VisitOrder::Random => self.terms.fill_with(|| random.random_range(0..count)),
        }
    }

    /// Lays out the batches of the next pass.
    pub fn next_pass(&mut self) {
        self.go_to(self.pass + 1);
    }

    /// How many batches a pass has.
    pub fn batches(&self) -> usize {
        self.terms.len().div_ceil(self.size)
    }

    /// The order of the terms.
    pub fn order(&self) -> VisitOrder {
        self.order
    }

    /// The number of terms in a full batch.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The terms of batch `b` of this pass.
    pub fn batch(&self, b: usize) -> &[usize] {
        let end = self.terms.len().min((b + 1) * self.size);
        &self.terms[b * self.size..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_covers_a_pass_and_depends_on_the_seed_alone() {
        for order in [
            VisitOrder::Cyclic,
            VisitOrder::Reshuffled,
            VisitOrder::Random,
        ] {
            let mut a = Visits::new(10, 3, order, 5).unwrap();
            let mut b = a.clone();
            a.next_pass();
            b.go_to(1);
            let all = |v: &Visits| {
                (0..v.batches())
                    .flat_map(|i| v.batch(i).to_vec())
                    .collect::<Vec<_>>()
            };
            assert_eq!(all(&a), all(&b));
            assert_eq!((a.batches(), a.batch(3).len()), (4, 1));
            let mut sorted = all(&a);
            sorted.sort_unstable();
            assert_eq!(
                sorted == (0..10).collect::<Vec<_>>(),
                order != VisitOrder::Random
            );
        }
        assert!(Visits::new(0, 1, VisitOrder::Cyclic, 0).is_err());
        assert!(Visits::new(1, 0, VisitOrder::Cyclic, 0).is_err());
    }
}

//! What a run says about itself.

use crate::balance::{Balance, sizes};
use crate::factorization::Factorization;
use crate::method::WARM_UP;
use crate::products::Lanes;
use crate::settings::Method;
use crate::work::SinglePrecision;

impl<T: Lanes> Factorization<'_, T> {
    /// What runs: the method, and the size of its batches.
    pub fn picked(&self) -> String {
        match (self.settings.method, self.method.batches()) {
            (Method::Auto, _) if self.work.problem.data.missing() > 0 => {
                "auto: batch passes with extrapolation, because entries are missing".into()
            }
            (Method::Auto, None) if !self.work.problem.loss.is_usual() => {
                format!(
                    "auto: batch passes with extrapolation, for {}",
                    self.work.problem.loss
                )
            }
            (Method::Auto, None) if self.work.problem.data.weights().entries.is_some() => {
                "auto: batch passes with extrapolation, because entries have individual weights".into()
            }
            (Method::Auto, None) if self.work.problem.graphs.are_there() => {
                "auto: batch passes with extrapolation, because a graph ties samples or features together"
                    .into()
            }
            (Method::Auto, _) if self.work.problem.data.is_sparse() => {
                "auto: batch passes with extrapolation".into()
            }
            (Method::Auto, _) => {
                let precision = match self.work.memory.single_precision {
                    SinglePrecision::Never => "",
                    _ => ", the first ones in single precision",
                };
                format!(
                    "auto: {WARM_UP} aggregated pass in mini-batches, then batch passes with extrapolation{precision}"
                )
            }
            (method, None) => method.to_string(),
            (method, Some(batches)) => format!("{method} in batches of {} columns", batches.size()),
        }
    }

    /// What a user should know about the problem or the run.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let is_free = self.work.atoms.first() < self.work.problem.rank;
        if is_free && Balance::of(&self.work.atoms, &self.work.codes) == Balance::Degenerate {
            warnings.push(
                "only one factor is penalized, so its penalty can be made arbitrarily small by moving scale to the \
                 other: penalize both, or bound the other (l2-ball:1, simplex:1, box:0,1)"
                    .into(),
            );
        }
        if self.work.memory.revived > 0 {
            let count = self.work.memory.revived;
            let atoms = if count == 1 { "atom" } else { "atoms" };
            warnings.push(format!(
                "reinitialized {count} dead {atoms}; a smaller rank or weaker penalties may fit better"
            ));
        }
        warnings.extend(self.of_dead_atoms());
        warnings
    }

    /// How many there are; what a search has found to replace them is in the certificate.
    fn of_dead_atoms(&self) -> Option<String> {
        let (x, a) = (&self.work.factors.x, &self.work.factors.a);
        let rank = self.work.problem.rank;
        let sizes = sizes(x, rank).into_iter().zip(sizes(a, rank));
        let free = sizes.skip(self.work.atoms.first());
        let count = free.filter(|(x, a)| x.is_dead() || a.is_dead()).count();
        let atoms = if count == 1 { "atom is" } else { "atoms are" };
        (count > 0).then(|| format!("{count} {atoms} zero or used by no sample; the certificate says whether a search found replacements"))
    }
}

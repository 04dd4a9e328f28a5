//! What a look at a run leaves in its ledger: the errors of the gradient, by source.

use crate::engine::Engine;
use crate::factorization::Factorization;
use crate::measure::Findings;
use crate::products::Lanes;
use proxsplit::Ledger;
use proxsplit::ledger::{Level, Source};

impl<T: Lanes> Factorization<'_, T> {
    pub(crate) fn note(&mut self, findings: &Findings<T>) {
        // Errors of the method before `auto` changed over are no longer there.
        self.ledger = Ledger::default();
        self.lipschitz = findings.lipschitz;
        self.ledger.set(Source::InnerSolve, findings.inner);
        let size = proxsplit::linalg::vec::norm(&findings.gradient);
        let scale = findings.lipschitz * proxsplit::linalg::vec::norm(&self.work.factors.x);
        // Rounding errors of a sum of T numbers add up like a random walk.
        let walk = (self.work.problem.data.cols() as f64).sqrt();
        let rounding = T::EPSILON.f64() * (size + walk * scale);
        self.ledger
            .set(Source::Rounding, Level::Estimated(rounding));
        let at_start = self.work.memory.visited == 0;
        match &mut self.engine {
            Engine::Batch(_) => {}
            Engine::Aggregated(aggregated) => {
                let mut stale = vec![T::ZERO; findings.gradient.len()];
                let rank = self.work.problem.rank;
                crate::incremental::times(&mut stale, &aggregated.ga, &self.work.factors.x, rank);
                proxsplit::linalg::vec::axpy(-T::ONE, &aggregated.ya, &mut stale);
                let error = proxsplit::linalg::vec::distance(&stale, &findings.gradient);
                self.ledger.set(Source::Stale, Level::Measured(error));
            }
            Engine::Incremental(incremental) => {
                self.ledger
                    .set(Source::IncrementalDrift, incremental.pass.drift);
                incremental.remember(&findings.gradient, at_start);
            }
            Engine::Sggd(_) => self.ledger.set(Source::Sampling, Level::Unknown),
        }
    }
}

//! Atoms that are zero or that no sample uses are replaced by directions that lower the objective at once.

use crate::look::{self, Search};
use crate::products::{Lanes, gram};
use crate::work::Work;

/// Replaces dead atoms, one after the other, as long as that gains; returns whether any was. The codes must be those that the
/// objective in memory belongs to.
pub(crate) fn revive<T: Lanes>(work: &mut Work<'_, T>) -> bool {
    let rank = work.problem.rank;
    let mut revived = 0;
    for _ in 0..rank {
        let grams = work.misfit.grams();
        gram(&mut grams.x, &work.factors.x, rank);
        gram(&mut grams.a, &work.factors.a, rank);
        let grams = (&*grams.x, &*grams.a);
        let escape = look::escape(work.problem, &work.factors, grams, Search::Quick);
        let worth = 1e-9 * work.memory.objective.unwrap_or(0.0);
        let Some(escape) = escape.filter(|escape| escape.gain > worth) else {
            break;
        };
        look::replace(&mut work.factors, &escape);
        work.memory.objective = work.memory.objective.map(|before| before - escape.gain);
        revived += 1;
    }
    work.memory.revived += revived;
    revived > 0
}

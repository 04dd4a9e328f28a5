//! What the lines of a certificate mean, in a sentence each.

/// The meaning of a line by its name; empty for a name that is not known.
pub(super) fn meaning(name: &str) -> &'static str {
    match name {
        "verdict" => "What the run achieved, judged only by the numbers at the returned point.",
        "tolerance" => {
            "The residual measures how far the point is from satisfying the optimality conditions: it is 0 exactly at stationary points. At or below the tolerance the run counts as converged."
        }
        "objective" => "The value being minimized: the misfit plus the penalties.",
        "residual" => {
            "How far a proximal-gradient step from the returned point would move it, for each factor next to the size of the terms that cancel at a solution. Only the ratio of the two matters."
        }
        "prox" => {
            "This proximity operator has no closed form; it is computed by an iteration that stops early."
        }
        "minimum" => {
            "The most by which any other point could lower the objective. A local method need not reach it."
        }
        "codes" => {
            "How far better codes A could lower the objective, with the atoms X as they are."
        }
        "dead atoms" => {
            "Atoms that no sample uses: the rank of the factorization is lower than requested."
        }
        "guarantee" => "What the theorem for this method guarantees in the long run.",
        "assumes" => {
            "What the theorem assumes, and how each assumption was established: proved, measured during the run, estimated, or unknown."
        }
        "error" => {
            "How inexact the gradients were, by source. Residuals below this size mean nothing."
        }
        "rate" => "What the theorem says after this many steps.",
        _ => "",
    }
}

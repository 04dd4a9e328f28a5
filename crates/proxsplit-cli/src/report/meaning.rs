//! What the lines of a certificate mean, in a sentence each.

/// The meaning of a line by its name; empty for a name that is not known.
pub(super) fn meaning(name: &str) -> &'static str {
    match name {
        "verdict" => {
            "What you can rely on: it follows from the numbers at the returned point alone."
        }
        "tolerance" => {
            "The residual measures how far the point is from satisfying the optimality conditions: it is 0 exactly at stationary points. At or below the tolerance the run counts as converged."
        }
        "objective" => "The value that is minimized: the misfit plus the penalties.",
        "residual" => {
            "How far a proximal-gradient step from the returned point would move it, for each factor beside the size of the terms that cancel at a solution. Only the ratio of the two matters."
        }
        "prox" => {
            "A proximity operator without a formula is computed by iteration, and that stops early."
        }
        "minimum" => {
            "How much lower any point could be, at most. A local method need not get there."
        }
        "codes" => "How much better the codes A could be if the atoms X stayed as they are.",
        "dead atoms" => {
            "Atoms that no code uses: the factorization has a smaller rank than asked for."
        }
        "guarantee" => "What the theorem for this method guarantees in the long run.",
        "assumes" => {
            "What the theorem assumes, and how each assumption was established: proved, measured during the run, estimated, or unknown."
        }
        "error" => {
            "How inexact the gradients were, by source. The residual cannot be trusted below this size."
        }
        "rate" => "What the theorem says after this many steps.",
        _ => "",
    }
}

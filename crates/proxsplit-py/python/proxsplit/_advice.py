"""What an estimator warns of: one sentence on what happened, one on what to do, in the names of its own parameters."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any

import sklearn
from sklearn.exceptions import ConvergenceWarning

from ._certificate import Certificate


def advise(estimator: Any, certificate: Certificate, reason: str, degenerate: bool) -> None:
    """Warn of a run that has not converged, and of what is odd about its result. `tol=0` asks for a number of passes and not for
    convergence; divergence is reported even then."""
    if degenerate:
        warn(
            "Only one factor is penalized, so its penalty can be made arbitrarily small by moving scale to the other. "
            "Set both alpha_W and alpha_H, or bound the other factor, for example with H_set='l2-ball:1+nonneg'.",
            ConvergenceWarning,
        )
    pair = certificate.at_point["pair"]
    if pair is not None and pair["dead_atoms"] > 0:
        warn(_unused(estimator, pair["dead_atoms"]), ConvergenceWarning)
    message = _message(estimator, certificate, reason)
    if message is not None:
        warn(message, ConvergenceWarning)


def _unused(estimator: Any, dead: int) -> str:
    """What to do about components that no sample uses: penalties make them so, else there are more than the data have."""
    count = estimator.n_components_
    what = "No component is used, and the factors are zero" if dead == count else f"{dead} of {count} components are not used"
    weights = ("alpha", "alpha_W", "alpha_H", "W_penalty", "H_penalty")
    given = [name for name in weights if getattr(estimator, name, None) not in (None, 0, "same")]
    if given:
        return f"{what}: the penalty outweighs what they would explain. Lower {given[0]}."
    return f"{what}. Set n_components={max(1, count - dead)}."


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's that called this package, whatever scikit-learn has put between."""
    inside = tuple(str(Path(file).parent) for file in (__file__, sklearn.__file__))
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_back is not None and frame.f_code.co_filename.startswith(inside):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _message(estimator: Any, certificate: Certificate, reason: str) -> str | None:
    numbers = f"residual {certificate.residual:.2e}, tolerance {certificate.tolerance:.2e}"
    if certificate.verdict == "diverged":
        return f"The run diverged at pass {certificate.passes:g}; the best factors before that were kept. {_other_method(estimator)}"
    if certificate.converged or estimator.tol == 0 or reason == "interrupted":
        return None
    if certificate.verdict == "at-error-floor":
        largest = max(certificate.errors.items(), key=lambda item: item[1][1] or 0.0, default=("errors of the method", None))[0]
        return f"The residual cannot fall any further because of {largest} ({numbers}). {_other_method(estimator)}"
    return f"Maximum number of iterations {estimator.max_iter} reached. Increase it to improve convergence ({numbers})."


def _other_method(estimator: Any) -> str:
    if estimator.method in ("auto", "batch"):
        return "Scale the data so that entries are of moderate size, and use float64."
    return "Set method='batch'."

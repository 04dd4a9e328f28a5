"""What an estimator warns of: one sentence on what happened, one on what to do, in the names of its own parameters."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from ._certificate import Certificate


def advise(estimator: Any, certificate: Certificate, reason: str, notes: list[str], stacklevel: int) -> None:
    """Warn of a run that has not converged, and of what is odd about the problem. `tol=0` asks for a number of passes and not for
    convergence; divergence is told even then."""
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=stacklevel + 1)
    message = _message(estimator, certificate, reason)
    if message is not None:
        warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel + 1)


def _message(estimator: Any, certificate: Certificate, reason: str) -> str | None:
    numbers = f"residual {certificate.residual:.2e}, tolerance {certificate.tolerance:.2e}"
    if certificate.verdict == "diverged":
        return f"The run diverged at pass {certificate.passes:g} and the best factors before that were kept. {_other_method(estimator)}"
    if certificate.converged or estimator.tol == 0 or reason == "interrupted":
        return None
    if certificate.verdict == "at-error-floor":
        largest = max(certificate.errors.items(), key=lambda item: item[1][1] or 0.0, default=("errors of the method", None))[0]
        return f"The residual has stopped falling because of {largest} ({numbers}). {_other_method(estimator)}"
    return f"Maximum number of iterations {estimator.max_iter} reached. Increase it to improve convergence ({numbers})."


def _other_method(estimator: Any) -> str:
    if estimator.method in ("auto", "batch"):
        return "Scale the data to entries of moderate size, in float64."
    return "Set method='batch'."

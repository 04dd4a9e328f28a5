"""What the linear models share: any loss, any penalty, any set of the catalogue."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, validate_data

from . import _proxsplit
from ._advice import warn
from ._certificate import Certificate
from ._data import STORED, finite, native
from ._factorization import threads
from ._terms import joined


class LinearModel(BaseEstimator):
    """The objective (1/n) Σ wᵢ ℓ(xᵢᵀβ + β₀, yᵢ) + g(β), where `alpha` multiplies the weights of the penalty in g."""

    loss: str
    penalty: Any
    alpha: float
    set: Any
    fit_intercept: bool
    tol: float
    gap: float | None
    max_iter: int
    n_threads: int | None

    def _settings(self, X: Any, factors: list[float], weights: NDArray[Any] | None) -> dict[str, Any]:
        name = type(self).__name__
        for parameter, least, words in (("max_iter", 1, "[1, inf)"), ("tol", 0, "[0, inf)")):
            value = getattr(self, parameter)
            if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not value >= least:
                raise ValueError(f"The {parameter!r} parameter of {name} must be in the range {words}. Got {value!r} instead.")
        if self.gap is not None and not self.gap > 0:
            raise ValueError(f"The 'gap' parameter of {name} must be greater than 0 or None. Got {self.gap!r} instead.")
        return {
            "loss": self.loss,
            "term": joined(None, self.penalty, self.set, ("alpha", "penalty", "set")),
            "factors": factors,
            "intercept": bool(self.fit_intercept),
            "count": float(X.shape[0] if weights is None else weights.sum()),
            "tol": float(self.tol),
            "gap": self.gap,
            "passes": float(self.max_iter),
            "threads": threads(self.n_threads),
            "single": X.dtype == np.float32,
        }

    def _solve(self, X: Any, y: NDArray[Any], factors: list[float], weights: NDArray[Any] | None) -> tuple[NDArray[Any], NDArray[Any], Any]:
        """One row of coefficients and one intercept for every factor, and the reports."""
        with finite(self, X):
            answer = _proxsplit.linear(native(X), y, self._settings(X, factors, weights), weights)
        x = answer["x"]
        if self.fit_intercept:
            return x[:, :-1], x[:, -1], answer["reports"]
        return x, np.zeros(len(x), x.dtype), answer["reports"]

    def _alpha(self) -> list[float]:
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, (int, float, np.number)) or not self.alpha >= 0:
            raise ValueError(f"The 'alpha' parameter of {type(self).__name__} must be in the range [0, inf). Got {self.alpha!r} instead.")
        return [float(self.alpha)]

    def _advise(self, certificates: list[Certificate]) -> None:
        worst = next((one for one in certificates if not one.converged), None)
        if worst is not None and self.tol > 0:
            warn(f"{worst.words[0].upper()}{worst.words[1:]}. Increase max_iter, or tol.", ConvergenceWarning)

    def _checked(self, X: Any, reset: bool, *y: Any) -> Any:
        options: dict[str, Any] = {"accept_sparse": ("csr", "csc"), "dtype": STORED, "reset": reset}
        if not y:
            return validate_data(self, X, **options)
        (y,) = y
        # Whether X is finite is found out by the solver, which looks at it anyway: see `finite`.
        return validate_data(self, X, y, y_numeric=isinstance(self, RegressorMixin), ensure_all_finite=False, **options)

    def _path(
        self, X: Any, y: NDArray[Any], weights: NDArray[Any] | None, alphas: ArrayLike | None, n_alphas: int, eps: float
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], list[Certificate]]:
        if alphas is None:
            settings = self._settings(X, [1.0], weights)
            pull = _pull(self.loss, y, weights) if self.fit_intercept else None
            if pull is not None:
                # Half the squares of pull − Xβ have the same slope at β = 0.
                settings["loss"] = "least-squares"
            with finite(self, X):
                factors = _proxsplit.path_factors(native(X), y if pull is None else pull, settings, int(n_alphas), float(eps), weights)
            # Rounding must not leave the first one short of what keeps β at 0.
            factors[0] *= 1 + 1e-9
        else:
            factors = sorted((float(alpha) for alpha in np.atleast_1d(np.asarray(alphas, float))), reverse=True)
        coefs, intercepts, reports = self._solve(X, y, factors, weights)
        return np.array(factors), coefs, intercepts, [Certificate(**report["certificate"]) for report in reports]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _pull(loss: str, y: NDArray[Any], weights: NDArray[Any] | None) -> NDArray[Any] | None:
    """−ℓ′(β₀, yᵢ) for the β₀ that is best where β = 0; None for losses that are not convex, where it need not be unique."""
    name, _, parameter = loss.partition(":")
    if name == "least-squares":
        return y - np.average(y, weights=weights)
    if name == "logistic":
        return (y > 0) - np.average(y > 0, weights=weights)
    if name != "huber":
        return None
    bound = float(parameter)

    def pull(level: float) -> NDArray[Any]:
        return np.clip(y - level, -bound, bound)

    low, high = float(y.min()), float(y.max())
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (middle, high) if np.average(pull(middle), weights=weights) > 0 else (low, middle)
    return pull(high)


def product(X: Any, coef: NDArray[Any]) -> NDArray[Any]:
    return X @ coef if sp.issparse(X) else np.asarray(X, coef.dtype) @ coef


def checked_weights(sample_weight: Any, X: Any) -> NDArray[Any] | None:
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weights.sum() > 0:
        raise ValueError("The sample weights are all zero: at least one must be positive")
    return np.ascontiguousarray(weights, np.float64)

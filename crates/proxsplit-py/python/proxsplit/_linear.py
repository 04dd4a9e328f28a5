"""Linear models: any loss, any penalty, any set of the catalogue."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _proxsplit
from ._advice import warn
from ._certificate import Certificate
from ._data import STORED, finite, native
from ._factorization import threads
from ._terms import joined

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from typing import Self
    else:
        from typing_extensions import Self


class _Linear(BaseEstimator):
    """What both share: the objective (1/n) Σ wᵢ ℓ(xᵢᵀβ + β₀, yᵢ) + g(β), where `alpha` multiplies the weights of the penalty in g."""

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


def _product(X: Any, coef: NDArray[Any]) -> NDArray[Any]:
    return X @ coef if sp.issparse(X) else np.asarray(X, coef.dtype) @ coef


def _weights(sample_weight: Any, X: Any) -> NDArray[Any] | None:
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weights.sum() > 0:
        raise ValueError("The weights of the samples are all zero")
    return np.ascontiguousarray(weights, np.float64)


class SparseRegressor(RegressorMixin, _Linear):
    """A linear model with any loss, penalty and set of the catalogue.

    Minimizes, over coefficients β and an intercept β₀ that is not penalized::

        Σ wᵢ ℓ(xᵢᵀβ + β₀, yᵢ) / Σ wᵢ + alpha·penalty(β),    β in the set

    With the defaults this is the lasso of scikit-learn. Cross-validation is that of scikit-learn, over `alpha`.

    Parameters
    ----------
    loss : str, default='least-squares'
        A loss of ``proxsplit list losses``: 'least-squares' (half the square), 'huber:D', 'cauchy:C' or 'geman-mcclure:C'.
    penalty : str, Operator or None, default='l1:1'
        Such as 'l1:1', 'elastic:0.5,0.5', 'mcp:1,3', 'scad:1,3.7', 'group-l2:1,3'.
    alpha : float, default=1.0
        Multiplies the weights of the penalty, the W, W1 and W2 of the catalogue.
    set : str, Operator or None, default=None
        Where β must be, such as 'nonneg'.
    fit_intercept : bool, default=True
        Whether there is a β₀.
    tol : float, default=1e-6
        The run has converged when its residual is below `tol` times the size of what cancels in it at a solution.
    gap : float or None, default=None
        Stop as soon as the objective is proved to be within this part of the minimum; for convex problems.
    max_iter : int, default=1000
        Passes over the data.
    n_threads : int or None, default=None
        Number of threads; None is one for each core.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        β
    intercept_ : float
        β₀
    n_iter_ : int
        Passes over the data.
    certificate_ : Certificate
        What was reached.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features, if X had some.

    Examples
    --------
    >>> import numpy as np
    >>> from proxsplit import SparseRegressor
    >>> X, y = np.array([[1.0, 0.1], [2.0, -0.1], [3.0, 0.2]]), np.array([2.0, 4.0, 6.0])
    >>> model = SparseRegressor(alpha=0.1).fit(X, y)
    >>> model.coef_.round(3), model.certificate_.converged
    (array([1.85, 0.  ]), True)
    """

    def __init__(
        self,
        loss: str = "least-squares",
        *,
        penalty: Any = "l1:1",
        alpha: float = 1.0,
        set: Any = None,  # noqa: A002 - the name that the command line has
        fit_intercept: bool = True,
        tol: float = 1e-6,
        gap: float | None = None,
        max_iter: int = 1000,
        n_threads: int | None = None,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.set = set
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.gap = gap
        self.max_iter = max_iter
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data; C and F order, csr and csc are read where they are.
        y : array-like of shape (n_samples,)
            The targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights wᵢ of the samples.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y, weights = self._data(X, y, sample_weight)
        coefs, intercepts, reports = self._solve(X, y, self._alpha(), weights)
        self.coef_, self.intercept_ = coefs[0], float(intercepts[0])
        self.certificate_ = Certificate(**reports[0]["certificate"])
        self.n_iter_ = max(1, int(np.ceil(self.certificate_.passes)))
        self._advise([self.certificate_])
        return self

    def _data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, NDArray[Any], NDArray[Any] | None]:
        X, y = self._checked(X, True, y)
        return X, np.ascontiguousarray(y, np.float64), _weights(sample_weight, X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return Xβ + β₀.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predictions.
        """
        check_is_fitted(self)
        return _product(self._checked(X, False), self.coef_) + self.intercept_

    def path(
        self, X: Any, y: Any, *, alphas: ArrayLike | None = None, n_alphas: int = 100, eps: float = 1e-3, sample_weight: Any = None
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], list[Certificate]]:
        """Fit for many values of alpha, the largest first, each from the result of the last.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The targets.
        alphas : array-like or None, default=None
            The values; None takes `n_alphas` of them from the least one with which β = 0 is the solution (for losses that are not convex,
            is stationary without an intercept) down to `eps` of it.
        n_alphas : int, default=100
            How many.
        eps : float, default=1e-3
            The last one as a part of the first.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        alphas : ndarray of shape (n_alphas,)
            The values, falling.
        coefs : ndarray of shape (n_alphas, n_features)
            β for each.
        intercepts : ndarray of shape (n_alphas,)
            β₀ for each.
        certificates : list of Certificate
            What was reached for each.
        """
        return self._path(*self._data(X, y, sample_weight), alphas, n_alphas, eps)


class SparseClassifier(ClassifierMixin, _Linear):
    """A linear classifier with any penalty and set of the catalogue; one against the rest if there are more than two classes.

    Minimizes, over coefficients β and an intercept β₀ that is not penalized, with labels yᵢ = ±1::

        Σ wᵢ ℓ(xᵢᵀβ + β₀, yᵢ) / Σ wᵢ + alpha·penalty(β),    β in the set

    Parameters
    ----------
    loss : {'logistic', 'sigmoid'}, default='logistic'
        The loss.
    penalty : str, Operator or None, default='l1:1'
        Such as 'l1:1', 'elastic:0.5,0.5', 'mcp:1,3', 'scad:1,3.7', 'group-l2:1,3'.
    alpha : float, default=0.01
        Multiplies the weights of the penalty.
    set : str, Operator or None, default=None
        Where β must be, such as 'nonneg'.
    fit_intercept : bool, default=True
        Whether there is a β₀.
    tol : float, default=1e-6
        The run has converged when its residual is below `tol` times the size of what cancels in it at a solution.
    gap : float or None, default=None
        Stop as soon as the objective is proved to be within this part of the minimum; for convex problems.
    max_iter : int, default=1000
        Passes over the data.
    n_threads : int or None, default=None
        Number of threads; None is one for each core.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        β; of each class against the rest if there are more than two.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        β₀
    n_iter_ : int
        Passes over the data, the most of all runs.
    certificate_ : Certificate
        What was reached; that of the first class that did not converge, if there is one.
    certificates_ : list of Certificate
        What was reached for every row of `coef_`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features, if X had some.

    Examples
    --------
    >>> import numpy as np
    >>> from proxsplit import SparseClassifier
    >>> X, y = np.array([[1.0, 0.1], [2.0, -0.1], [3.0, 0.2], [4.0, 0.0]]), np.array(["a", "b", "a", "b"])
    >>> model = SparseClassifier(alpha=0.01).fit(X, y)
    >>> model.predict(X).shape, model.certificate_.converged
    ((4,), True)
    """

    def __init__(
        self,
        loss: str = "logistic",
        *,
        penalty: Any = "l1:1",
        alpha: float = 0.01,
        set: Any = None,  # noqa: A002 - the name that the command line has
        fit_intercept: bool = True,
        tol: float = 1e-6,
        gap: float | None = None,
        max_iter: int = 1000,
        n_threads: int | None = None,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.set = set
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.gap = gap
        self.max_iter = max_iter
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data; C and F order, csr and csc are read where they are.
        y : array-like of shape (n_samples,)
            The labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights wᵢ of the samples.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, rows, weights = self._data(X, y, sample_weight)
        runs = [self._solve(X, labels, self._alpha(), weights) for labels in rows]
        self.coef_ = np.concatenate([coefs for coefs, _, _ in runs])
        self.intercept_ = np.concatenate([intercepts for _, intercepts, _ in runs])
        self.certificates_ = [Certificate(**reports[0]["certificate"]) for _, _, reports in runs]
        self.certificate_ = next((one for one in self.certificates_ if not one.converged), self.certificates_[0])
        self.n_iter_ = max(1, *(int(np.ceil(one.passes)) for one in self.certificates_))
        self._advise(self.certificates_)
        return self

    def _data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, list[NDArray[Any]], NDArray[Any] | None]:
        """X, the labels ±1 of every run, and the weights."""
        if self.loss not in ("logistic", "sigmoid"):
            raise ValueError(f"loss = {self.loss!r}, but the loss of a classifier must be 'logistic' or 'sigmoid'")
        X, y = self._checked(X, True, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"This solver needs samples of at least 2 classes in the data, but the data contains only one class: {self.classes_[0]!r}")
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return X, [np.where(codes == k, 1.0, -1.0) for k in positive], _weights(sample_weight, X)

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return Xβ + β₀.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Above 0 for the second class if there are two; else the largest one wins.
        """
        check_is_fitted(self)
        scores = _product(self._checked(X, False), self.coef_.T) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The labels.
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probabilities of all classes: those of the logistic model, divided by their sum if there are more than two.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            The probabilities, in the order of `classes_`.
        """
        from scipy.special import expit

        p = expit(self.decision_function(X))
        if p.ndim == 1:
            return np.column_stack([1 - p, p])
        total = p.sum(axis=1, keepdims=True)
        return np.where(total > 0, p / np.where(total > 0, total, 1), 1 / p.shape[1])

    def path(
        self, X: Any, y: Any, *, alphas: ArrayLike | None = None, n_alphas: int = 100, eps: float = 1e-3, sample_weight: Any = None
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], list[Certificate]]:
        """Fit for many values of alpha, the largest first, each from the result of the last. For two classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The labels.
        alphas : array-like or None, default=None
            The values; None takes `n_alphas` of them from the least one with which β = 0 is the solution (for 'sigmoid', is stationary
            without an intercept) down to `eps` of it.
        n_alphas : int, default=100
            How many.
        eps : float, default=1e-3
            The last one as a part of the first.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        alphas : ndarray of shape (n_alphas,)
            The values, falling.
        coefs : ndarray of shape (n_alphas, n_features)
            β for each.
        intercepts : ndarray of shape (n_alphas,)
            β₀ for each.
        certificates : list of Certificate
            What was reached for each.
        """
        X, rows, weights = self._data(X, y, sample_weight)
        if len(rows) != 1:
            raise ValueError(f"a path is for two classes, but there are {len(self.classes_)}")
        return self._path(X, rows[0], weights, alphas, n_alphas, eps)

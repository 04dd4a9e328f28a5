"""Linear regression with any loss, penalty and set."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._certificate import Certificate
from ._linear import LinearModel, checked_weights, product

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from typing import Self
    else:
        from typing_extensions import Self


class SparseRegressor(RegressorMixin, LinearModel):
    """A linear model with any loss, penalty and set of the catalogue.

    Minimizes, over coefficients β and an intercept β₀ that is not penalized::

        Σ wᵢ ℓ(xᵢᵀβ + β₀, yᵢ) / Σ wᵢ + alpha·penalty(β),    β in the set

    With the defaults this is scikit-learn's lasso. Use scikit-learn's tools to cross-validate `alpha`.

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
        Whether to fit an intercept β₀.
    tol : float, default=1e-6
        The run has converged when its residual is below `tol` times the size of the terms that cancel in it at a solution.
    gap : float or None, default=None
        Stop as soon as the objective is proved to be within this fraction of the minimum; for convex problems.
    max_iter : int, default=1000
        Passes over the data.
    n_threads : int or None, default=None
        Number of threads; None is one per core.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        β
    intercept_ : float
        β₀
    n_iter_ : int
        Passes over the data.
    certificate_ : Certificate
        How far the run converged, and what is guaranteed.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had any.

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
            The data; arrays in C or F order, csr and csc matrices are read in place.
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
        return X, np.ascontiguousarray(y, np.float64), checked_weights(sample_weight, X)

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
        return product(self._checked(X, False), self.coef_) + self.intercept_

    def path(
        self, X: Any, y: Any, *, alphas: ArrayLike | None = None, n_alphas: int = 100, eps: float = 1e-3, sample_weight: Any = None
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], list[Certificate]]:
        """Fit for many values of alpha, the largest first, each starting from the previous result.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The targets.
        alphas : array-like or None, default=None
            The values; None takes `n_alphas` of them, from the smallest one for which β = 0 is the solution (for losses that are not convex,
            is stationary without an intercept) down to `eps` of it.
        n_alphas : int, default=100
            Number of values, if `alphas` is None.
        eps : float, default=1e-3
            The last value as a fraction of the first.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        alphas : ndarray of shape (n_alphas,)
            The values, in decreasing order.
        coefs : ndarray of shape (n_alphas, n_features)
            β for each.
        intercepts : ndarray of shape (n_alphas,)
            β₀ for each.
        certificates : list of Certificate
            How far each run converged.
        """
        return self._path(*self._data(X, y, sample_weight), alphas, n_alphas, eps)

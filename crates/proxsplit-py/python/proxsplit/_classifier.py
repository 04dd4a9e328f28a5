"""Linear classification with any penalty and set."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ._certificate import Certificate
from ._linear import LinearModel, checked_weights, product

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from typing import Self
    else:
        from typing_extensions import Self


class SparseClassifier(ClassifierMixin, LinearModel):
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
    classes_ : ndarray of shape (n_classes,)
        The labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        β; of each class against the rest if there are more than two.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        β₀
    n_iter_ : int
        Passes over the data, the largest number of all runs.
    certificate_ : Certificate
        How far the run converged; for the first class that did not, if there is one.
    certificates_ : list of Certificate
        How far the run converged, for every row of `coef_`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had any.

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
            The data; arrays in C or F order, csr and csc matrices are read in place.
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
        self.classes_, codes = np.unique(y, return_inverse=True)
        # Two whole numbers are labels; everything else is looked at with care, which takes longer than to fit a small model.
        if len(self.classes_) != 2 or y.dtype.kind not in "biuf" or (self.classes_ % 1).any():
            check_classification_targets(y)
        if len(self.classes_) < 2:
            raise ValueError(f"This solver needs samples of at least 2 classes in the data, but the data contains only one class: {self.classes_[0]!r}")
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return X, [np.where(codes == k, 1.0, -1.0) for k in positive], checked_weights(sample_weight, X)

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
        scores = product(self._checked(X, False), self.coef_.T) + self.intercept_
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
        """Fit for many values of alpha, the largest first, each starting from the previous result. For two classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The labels.
        alphas : array-like or None, default=None
            The values; None takes `n_alphas` of them, from the smallest one for which β = 0 is the solution (for 'sigmoid', is stationary
            without an intercept) down to `eps` of it.
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
        X, rows, weights = self._data(X, y, sample_weight)
        if len(rows) != 1:
            raise ValueError(f"path supports only two classes, but y has {len(self.classes_)}")
        return self._path(X, rows[0], weights, alphas, n_alphas, eps)

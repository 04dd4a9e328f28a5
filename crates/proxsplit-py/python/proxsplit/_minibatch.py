"""Nonnegative matrix factorization in mini-batches, for data that is large or arrives in parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from . import _proxsplit
from ._data import factor_dtype, native, validated
from ._factorization import checked_rank, checked_run, threads
from ._nmf import NMF


class MiniBatchNMF(NMF):
    """Nonnegative matrix factorization X ≈ WH in mini-batches.

    The objective is that of :class:`NMF`. :meth:`fit` visits the samples batch by batch, :meth:`partial_fit` learns from
    one batch after the other without seeing the rest again, as :class:`sklearn.decomposition.MiniBatchNMF` does.

    Parameters
    ----------
    n_components : int or 'auto', default='auto'
        Number of components, at most the number of samples. 'auto' is the smaller of both sides of X.
    init : {'auto', 'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'custom'}, default=None
        The start, as in :class:`NMF`; :meth:`partial_fit` starts with 'random'.
    batch_size : int, default=1024
        Samples in a batch of :meth:`fit`.
    tol : float, default=1e-4
        The run has converged when the true residual of the problem is below `tol` times the residual at the start.
    max_iter : int, default=200
        Passes over the data.
    alpha_W, alpha_H : float, default=0.0 and 'same'
        Weights of the penalties; ``alpha_H='same'`` is alpha_W.
    l1_ratio : float, default=0.0
        Share of the ℓ1 norm in these penalties.
    forget_factor : float, default=0.7
        Weight of all earlier batches against the newest in :meth:`partial_fit`; 1 forgets nothing.
    random_state : int, RandomState instance or None, default=None
        Seed of the start and of the order of batches.
    verbose : int, default=0
        Whether to show progress.
    signed : bool, default=False
        Whether X may have negative entries.
    W_penalty, H_penalty : str, Operator or None, default=None
        A penalty on every row of W or of H. In place of alpha_W, alpha_H.
    W_set, H_set : str, Operator or None, default='nonneg'
        A set for every row of W or of H.
    method : str, default='aggregated'
        The method of :meth:`fit`: 'aggregated' remembers statistics of all batches, 'incremental' is the paper's.
    n_threads : int or None, default=None
        Number of threads; None is one for each core.
    dtype : dtype, default=None
        Type of the factors; None is float32 for float32 data, else float64.
    missing : {'nan', 'unstored'} or None, default=None
        Which entries of X were not observed: those that are NaN, or those that a sparse X does not store. The misfit is summed
        over the others, and the product WH stands for them. Not with ``method='aggregated'``, and not in
        :meth:`partial_fit`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The factor H.
    n_components_ : int
        Number of components.
    n_steps_ : int
        Number of batches seen by :meth:`partial_fit`.
    reconstruction_err_ : float
        ‖X − WH‖, the Frobenius norm; of the newest batch after :meth:`partial_fit`.
    n_iter_ : int
        Passes over the data, by :meth:`fit`.
    certificate_ : Certificate
        What was reached by :meth:`fit`; a stream has no certificate.
    trace_ : dict of ndarray
        Objective, residual, seconds and more, for every look at the run.
    method_ : str
        The method that was used.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features, if X had some.

    Examples
    --------
    >>> import numpy as np
    >>> from proxsplit import MiniBatchNMF
    >>> rng = np.random.default_rng(0)
    >>> H = rng.random((3, 20))
    >>> model = MiniBatchNMF(3, random_state=0)
    >>> for _ in range(50):
    ...     _ = model.partial_fit(rng.random((30, 3)) @ H)
    >>> model.components_.shape, model.n_steps_
    ((3, 20), 50)
    """

    # What partial_fit remembers: Σ wwᵀ, Σ wxᵀ and the number of samples, all with forgetting.
    _gram: NDArray[Any]
    _cross: NDArray[Any]
    _seen: float

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        init: Any = None,
        batch_size: int = 1024,
        tol: float = 1e-4,
        max_iter: int = 200,
        alpha_W: float = 0.0,
        alpha_H: Any = "same",
        l1_ratio: float = 0.0,
        forget_factor: float = 0.7,
        random_state: Any = None,
        verbose: int = 0,
        signed: bool = False,
        W_penalty: Any = None,
        H_penalty: Any = None,
        W_set: Any = "nonneg",
        H_set: Any = "nonneg",
        method: str = "aggregated",
        n_threads: int | None = None,
        dtype: Any = None,
        missing: str | None = None,
    ) -> None:
        super().__init__(
            n_components, init=init, tol=tol, max_iter=max_iter, random_state=random_state, alpha_W=alpha_W, alpha_H=alpha_H,
            l1_ratio=l1_ratio, verbose=verbose, signed=signed, W_penalty=W_penalty, H_penalty=H_penalty, W_set=W_set,
            H_set=H_set, method=method, batch_size=batch_size, n_threads=n_threads, dtype=dtype,
            missing=missing,
        )  # fmt: skip
        self.forget_factor = forget_factor

    def partial_fit(self, X: Any, y: Any = None) -> MiniBatchNMF:
        """Learn from one batch of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The batch.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        self : object
            The estimator.
        """
        if self.missing is not None:
            raise ValueError("partial_fit remembers statistics that all features share, which missing entries do not allow; use fit")
        first = not hasattr(self, "_gram")
        X = validated(self, X, signed=self._is_signed(), reset=first)
        if first:
            self._begin(X)
        seen = self.forget_factor * self._seen + X.shape[0]
        codes, atoms = self._terms(1, X.shape[1])[0], self._terms(max(1, round(seen)), X.shape[1])[1]
        W = _proxsplit.encode(native(X), self.components_, codes, threads(self.n_threads))
        self._seen, self._codes_term = seen, codes
        self._gram = self.forget_factor * self._gram + W.T @ W
        self._cross = self.forget_factor * self._cross + np.asarray(W.T @ X, dtype=W.dtype)
        self.components_ = _proxsplit.update_atoms(self.components_, self._gram, self._cross, atoms)
        self.reconstruction_err_ = _error(X, W, self.components_)
        self.n_steps_ += 1
        return self

    def _begin(self, X: Any) -> None:
        """Random components of the size of the data, and no memory."""
        checked_run(self)
        if not 0 < self.forget_factor <= 1:
            raise ValueError(f"The 'forget_factor' parameter of MiniBatchNMF must be in the range (0, 1]. Got {self.forget_factor!r} instead.")
        dtype = factor_dtype(X, self.dtype)
        rank = checked_rank(self.n_components, X.shape[0], min(X.shape), type(self).__name__)
        random = check_random_state(self.random_state)
        scale = np.sqrt(max(abs(X.mean()), np.finfo(dtype).tiny) / rank)
        self.components_ = np.ascontiguousarray(scale * random.uniform(0.5, 1.5, (rank, X.shape[1])), dtype=dtype)
        self.n_components_, self.n_steps_, self._seen = rank, 0, 0.0
        self._gram = np.zeros((rank, rank), dtype)
        self._cross = np.zeros((rank, X.shape[1]), dtype)

    def _keep(self, answer: dict[str, Any], X: Any) -> None:
        super()._keep(answer, X)
        if self.missing is not None:
            return
        W = answer["W"]
        self._seen, self.n_steps_ = float(X.shape[0]), 0
        self._gram = np.ascontiguousarray(W.T @ W)
        self._cross = np.ascontiguousarray(W.T @ X, dtype=W.dtype)


def _error(X: Any, W: NDArray[Any], H: NDArray[Any]) -> float:
    """‖X − WH‖; a sparse X is not filled."""
    if not sp.issparse(X):
        return float(np.linalg.norm(X - W @ H))
    square = (X.data.astype(np.float64) ** 2).sum() - 2 * np.vdot(W, X @ H.T) + np.vdot(W.T @ W, H @ H.T)
    return float(np.sqrt(max(square, 0.0)))

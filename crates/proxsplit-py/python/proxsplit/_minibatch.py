"""Nonnegative matrix factorization in mini-batches, for data that is large or arrives in parts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from . import _proxsplit
from ._compat import checked_start
from ._data import factor, factor_dtype, native, validated
from ._factorization import checked_rank, checked_run
from ._nmf import BaseNMF
from ._stream import Shares, added, counts_components, counts_error, counts_shares, squared_error, squared_shares

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from typing import Self
    else:
        from typing_extensions import Self


class MiniBatchNMF(BaseNMF):
    """Nonnegative matrix factorization X ≈ WH in mini-batches.

    The objective is that of :class:`NMF`. :meth:`fit` visits the samples batch by batch, :meth:`partial_fit` learns from
    one batch at a time without seeing earlier ones again, as :class:`sklearn.decomposition.MiniBatchNMF` does.

    Parameters
    ----------
    n_components : int or 'auto', default='auto'
        Number of components. 'auto' is as in :class:`NMF`.
    init : {'auto', 'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'custom'}, default=None
        The start, as in :class:`NMF`; :meth:`partial_fit` starts with 'random', or with `H` if 'custom'.
    batch_size : int, default=1024
        Samples per batch of :meth:`fit`.
    beta_loss : {'frobenius', 'kullback-leibler', 2, 1}, default='frobenius'
        The loss, as in :class:`NMF`. 'kullback-leibler' supports the methods 'batch' and 'incremental', and its :meth:`partial_fit` no
        penalty of H but alpha_H.
    tol : float, default=1e-4
        When the run has converged, as in :class:`NMF`.
    max_no_improvement : int or None, default=10
        Accepted as in scikit-learn. A run ends by `tol`, by `max_iter`, or when no further progress is possible.
    max_iter : int, default=200
        Passes over the data.
    alpha_W, alpha_H : float, default=0.0 and 'same'
        Weights of the penalties; ``alpha_H='same'`` is alpha_W.
    l1_ratio : float, default=0.0
        Share of the ℓ1 norm in the penalties.
    forget_factor : float, default=0.7
        Weight of all earlier batches relative to the newest in :meth:`partial_fit`; 1 forgets nothing.
    fresh_restarts : bool, default=False
        Accepted as in scikit-learn. Here W is solved from scratch for every batch of :meth:`partial_fit`, and never approximately.
    fresh_restarts_max_iter, transform_max_iter : int, default=30 and None
        Accepted as in scikit-learn; W is always solved to high accuracy.
    random_state : int, RandomState instance or None, default=None
        Seed of the start and of the order of batches.
    verbose : int, default=0
        Whether to show progress.
    signed : bool, default=False
        Whether X may have negative entries.
    W_penalty, H_penalty : str, Operator or None, default=None
        A penalty on every row of W or of H, instead of alpha_W, alpha_H.
    W_set, H_set : str, Operator or None, default='nonneg'
        A set for every row of W or of H.
    method : str, default='aggregated'
        The method of :meth:`fit`: 'aggregated' accumulates statistics of all batches, 'incremental' is the paper's method. The
        statistics are those of the squared loss; for 'kullback-leibler', 'aggregated' means 'incremental'.
    n_threads : int or None, default=None
        Number of threads; None is one per core. Small data use one thread; the result is the same.
    dtype : dtype, default=None
        Type of the factors; None is float32 for float32 data, else float64.
    missing : {'nan', 'unstored'} or None, default=None
        Which entries of X were not observed: those that are NaN, or those that a sparse X does not store. The misfit is summed
        over the others, and the product WH predicts the missing ones. Not with ``method='aggregated'``, and not in
        :meth:`partial_fit`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The factor H.
    n_components_ : int
        Number of components.
    n_steps_ : int
        Number of batches seen by :meth:`fit` and :meth:`partial_fit`.
    reconstruction_err_ : float
        ‖X − WH‖, the Frobenius norm; of the newest batch after :meth:`partial_fit`.
    n_iter_ : int
        Passes over the data, by :meth:`fit`.
    certificate_ : Certificate
        How far :meth:`fit` converged; a stream has no certificate.
    trace_ : dict of ndarray
        Objective, residual, seconds and more, at every check of the run.
    method_ : str
        The method that was used.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had any.

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

    # There is no choice of a solver.
    solver = "mu"
    batch_size: int

    # What partial_fit remembers: shares of all batches and the number of samples, both with forgetting.
    _shares: Shares
    _seen: float

    def __init__(
        self,
        n_components: int | Literal["auto"] | None = "auto",
        *,
        init: str | None = None,
        batch_size: int = 1024,
        beta_loss: float | str = "frobenius",
        tol: float = 1e-4,
        max_no_improvement: int | None = 10,
        max_iter: int = 200,
        alpha_W: float = 0.0,
        alpha_H: float | Literal["same"] = "same",
        l1_ratio: float = 0.0,
        forget_factor: float = 0.7,
        fresh_restarts: bool = False,
        fresh_restarts_max_iter: int = 30,
        transform_max_iter: int | None = None,
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
        self.n_components = n_components
        self.init = init
        self.batch_size = batch_size
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.max_iter = max_iter
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.forget_factor = forget_factor
        self.fresh_restarts = fresh_restarts
        self.fresh_restarts_max_iter = fresh_restarts_max_iter
        self.transform_max_iter = transform_max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.signed = signed
        self.W_penalty = W_penalty
        self.H_penalty = H_penalty
        self.W_set = W_set
        self.H_set = H_set
        self.method = method
        self.n_threads = n_threads
        self.dtype = dtype
        self.missing = missing

    def partial_fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Self:
        """Learn from one batch of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The batch.
        y : Ignored
            Not used, present for API consistency by convention.
        W : Ignored
            Codes follow from the components; present as in scikit-learn.
        H : array-like of shape (n_components, n_features), default=None
            The components to start from, for ``init="custom"``; only the first call reads them.

        Returns
        -------
        self : object
            The estimator.
        """
        if self.missing is not None:
            raise ValueError("partial_fit accumulates statistics that all features share, which missing entries do not allow; use fit")
        self._check_stream()
        first = not hasattr(self, "_shares")
        X = validated(self, X, signed=self._is_signed(), reset=first)
        if first:
            self._begin(X, H)
        seen = self.forget_factor * self._seen + X.shape[0]
        codes = self._terms(1, X.shape[1])[0]
        W = _proxsplit.encode(native(X), self.components_, codes, self._threads(), None, self._loss())
        self._seen, self._codes_term = seen, codes
        new = self._shares_of(X, W)
        self._shares = new if first else added(self._shares, new, self.forget_factor)
        self.components_ = self._improved(max(1, round(seen)))
        self.reconstruction_err_ = (squared_error if self._loss() == "squared" else counts_error)(X, W, self.components_)
        self.n_steps_ += 1
        return self

    def _shares_of(self, X: Any, W: NDArray[Any]) -> Shares:
        """What is remembered of samples and their codes."""
        return squared_shares(X, W) if self._loss() == "squared" else counts_shares(X, W, self.components_)

    def _improved(self, n_samples: int) -> NDArray[Any]:
        """The components that are best for what is remembered of so many samples."""
        atoms = self._terms(n_samples, self.components_.shape[1])[1]
        if self._loss() == "squared":
            return _proxsplit.update_atoms(self.components_, *self._shares, atoms, self._threads())
        alpha = float(self.alpha_W if self.alpha_H == "same" else self.alpha_H) * n_samples
        ratio = float(self.l1_ratio)
        return counts_components(self._shares, self.components_, alpha * ratio, alpha * (1 - ratio))

    def _method(self) -> str:
        return "incremental" if self.method == "aggregated" and self._loss() != "squared" else self.method

    def _begin(self, X: Any, H: Any) -> None:
        """Given or random components of the size of the data, and no memory."""
        checked_run(self)
        dtype = factor_dtype(X, self.dtype)
        custom = self.init == "custom" and H is not None
        name = type(self).__name__
        rank = checked_rank(self.n_components, len(H) if custom else X.shape[1], name)
        if custom:
            checked_start(H, (rank, X.shape[1]), dtype, f"{name} (input H)")
            self.components_ = factor(H, (rank, X.shape[1]), dtype, "H")
        else:
            random = check_random_state(self.random_state)
            scale = np.sqrt(max(abs(X.mean()), np.finfo(dtype).tiny) / rank)
            self.components_ = np.ascontiguousarray(scale * random.uniform(0.5, 1.5, (rank, X.shape[1])), dtype=dtype)
        self.n_components_, self.n_steps_, self._seen = rank, 0, 0.0

    def _check_stream(self) -> None:
        if self._loss() != "squared" and (self.H_penalty is not None or str(self.H_set) != "nonneg"):
            raise ValueError(f"partial_fit with beta_loss={self.beta_loss!r} supports only alpha_H, and no H_penalty or H_set; use fit")
        if not 0 <= self.forget_factor <= 1:
            raise ValueError(f"The 'forget_factor' parameter of MiniBatchNMF must be in the range [0, 1]. Got {self.forget_factor!r} instead.")

    def _keep(self, answer: dict[str, Any], X: Any) -> None:
        super()._keep(answer, X)
        self.n_steps_ = round(self.certificate_.passes * -(-X.shape[0] // self.batch_size))
        if self.missing is None:
            self._seen, self._shares = float(X.shape[0]), self._shares_of(X, answer["W"])

"""Dictionary learning."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._factorization import Factorization, checked_rank, checked_run
from ._terms import joined


class DictionaryLearning(Factorization):
    """Dictionary learning X ≈ WH: signed atoms in the unit ball, sparse signed codes.

    The objective is that of :class:`sklearn.decomposition.MiniBatchDictionaryLearning`::

        ½‖X − WH‖² + alpha·‖W‖₁   with ‖H_k‖₂ ≤ 1 for every atom

    Parameters
    ----------
    n_components : int or None, default=None
        Number of atoms, at most the number of samples. None is the smaller of both sides of X.
    alpha : float, default=1.0
        Weight of the ℓ1 norm of the codes.
    max_iter : int, default=200
        Passes over the data.
    batch_size : int or None, default=None
        Samples in a batch, for the methods that have some.
    dict_init : ndarray of shape (n_components, n_features), default=None
        The atoms to start from.
    transform_alpha : float, default=None
        Weight of the ℓ1 norm in :meth:`transform`; None is alpha.
    verbose : int, default=0
        Whether to show progress.
    split_sign : bool, default=False
        Whether :meth:`transform` returns the positive and the negative part of the codes side by side.
    random_state : int, RandomState instance or None, default=None
        Seed of the start and of the order of batches.
    positive_code, positive_dict : bool, default=False
        Whether codes or atoms must be nonnegative.
    tol : float, default=1e-3
        The run has converged when the true residual of the problem is below `tol` times the residual at the start.
    method : str, default='auto'
        The method of the command line: 'auto', 'batch', 'incremental', 'aggregated' or 'sggd'.
    n_threads : int or None, default=None
        Number of threads; None is one for each core.
    dtype : dtype, default=None
        Type of the factors; None is float32 for float32 data, else float64.
    missing : {'nan', 'unstored'} or None, default=None
        Which entries of X were not observed: those that are NaN, or those that a sparse X does not store. The misfit is summed
        over the others, and the product WH stands for them.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms.
    n_components_ : int
        Number of atoms.
    reconstruction_err_ : float
        ‖X − WH‖, the Frobenius norm, over the observed entries.
    n_iter_ : int
        Passes over the data.
    certificate_ : Certificate
        What was reached.
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
    >>> from proxsplit import DictionaryLearning
    >>> rng = np.random.default_rng(0)
    >>> X = rng.laplace(size=(100, 3)) @ rng.normal(size=(3, 8))
    >>> model = DictionaryLearning(n_components=3, alpha=0.1, random_state=0).fit(X)
    >>> bool((np.linalg.norm(model.components_, axis=1) <= 1 + 1e-9).all())
    True
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 1.0,
        max_iter: int = 200,
        batch_size: int | None = None,
        dict_init: Any = None,
        transform_alpha: float | None = None,
        verbose: int = 0,
        split_sign: bool = False,
        random_state: Any = None,
        positive_code: bool = False,
        positive_dict: bool = False,
        tol: float = 1e-3,
        method: str = "auto",
        n_threads: int | None = None,
        dtype: Any = None,
        missing: str | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.dict_init = dict_init
        self.transform_alpha = transform_alpha
        self.verbose = verbose
        self.split_sign = split_sign
        self.random_state = random_state
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.tol = tol
        self.method = method
        self.n_threads = n_threads
        self.dtype = dtype
        self.missing = missing

    def _is_signed(self) -> bool:
        return True

    def _codes(self, alpha: float, name: str) -> str:
        if not alpha >= 0:
            raise ValueError(f"The {name!r} parameter of DictionaryLearning must be in the range [0, inf). Got {alpha!r} instead.")
        return joined(f"l1:{float(alpha)!r}", None, "nonneg" if self.positive_code else None, (name, "", "positive_code"))

    def _terms(self, n_samples: int, n_features: int) -> tuple[str, str]:
        atoms = joined(None, None, "l2-ball:1+nonneg" if self.positive_dict else "l2-ball:1", ("", "", "positive_dict"))
        return self._codes(self.alpha, "alpha"), atoms

    def _transform_term(self) -> str:
        if self.transform_alpha is None:
            return self._codes_term
        return self._codes(self.transform_alpha, "transform_alpha")

    def _start(self, X: Any, W: Any, H: Any) -> tuple[str, int, Any, Any]:
        checked_run(self)
        atoms = H if self.dict_init is None else self.dict_init
        rank = checked_rank(self.n_components, X.shape[0], min(X.shape) if atoms is None else len(atoms), type(self).__name__)
        if atoms is None:
            return "random", rank, None, None
        codes = np.zeros((X.shape[0], rank)) if W is None else W
        return "custom", rank, codes, atoms

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the sparse codes of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        W : ndarray of shape (n_samples, n_components)
            The codes; twice as many columns with ``split_sign``.
        """
        return self._split(super().transform(X))

    def fit_transform(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> NDArray[Any]:
        """Learn the atoms of X and return the codes; see :meth:`fit` and :meth:`transform`."""
        codes = super().fit_transform(X, W=W, H=H)
        return self._split(codes if self.transform_alpha is None else super().transform(X))

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Return the data that the codes stand for.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_components)
            The codes, split by sign if ``split_sign``.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Codes times atoms.
        """
        if self.split_sign:
            X = X[:, : self.n_components_] - X[:, self.n_components_ :]
        return super().inverse_transform(X)

    def _split(self, codes: NDArray[Any]) -> NDArray[Any]:
        return np.hstack([np.maximum(codes, 0), np.maximum(-codes, 0)]) if self.split_sign else codes

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0] * (2 if self.split_sign else 1)

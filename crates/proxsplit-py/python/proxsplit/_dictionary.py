"""Dictionary learning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import sparse_encode
from sklearn.utils.validation import check_is_fitted

from ._advice import warn
from ._data import validated
from ._factorization import Factorization, checked_rank, checked_run, threads
from ._progress import Progress
from ._terms import joined

# Passes with half the penalty before the second run.
WARM_UP = 10
FITS = ("lars", "cd")
TRANSFORMS = ("omp", "lars", "lasso_lars", "lasso_cd", "threshold")


class DictionaryLearning(Factorization):
    """Dictionary learning X ≈ WH: signed atoms in the unit ball, sparse signed codes.

    The objective is that of :class:`sklearn.decomposition.DictionaryLearning`::

        ½‖X − WH‖² + alpha·‖W‖₁   with ‖H_k‖₂ ≤ 1 for every atom

    Under a strong penalty, atoms that begin with few samples lose them too early, and runs end at worse dictionaries. Unless atoms to start
    from are given or `max_iter` is below 20, a second run therefore starts from ten passes with half of `alpha`, and the better of the two
    runs is kept.

    Parameters
    ----------
    n_components : int, 'auto' or None, default=None
        Number of atoms; more than samples or features make an overcomplete dictionary. None and 'auto' are the number of features.
    alpha : float, default=1.0
        Weight of the ℓ1 norm of the codes.
    max_iter : int, default=200
        Passes over the data.
    tol : float, default=1e-3
        The run has converged when the residuals of codes and atoms are below `tol` times the parts that cancel in them at a
        solution, as in :class:`NMF`.
    fit_algorithm : {'lars', 'cd'}, default='lars'
        As in scikit-learn. Both solve the same lasso problems, and here both run the same method, see `method`.
    transform_algorithm : {'omp', 'lars', 'lasso_lars', 'lasso_cd', 'threshold'}, default='omp'
        How :meth:`transform` finds the codes, as in scikit-learn. 'lasso_lars' and 'lasso_cd' both solve the problem above to
        high accuracy; the others are scikit-learn's own.
    transform_n_nonzero_coefs : int or None, default=None
        Number of nonzeros of a code for 'omp' and 'lars'; None is a tenth of the features.
    transform_alpha : float, default=None
        Weight of the ℓ1 norm in :meth:`transform`, or the threshold; None is alpha.
    n_jobs : int or None, default=None
        As in scikit-learn; used if `n_threads` is None.
    code_init : ndarray of shape (n_samples, n_components), default=None
        The codes to start from; only together with `dict_init`.
    dict_init : ndarray of shape (n_components, n_features), default=None
        The atoms to start from.
    callback : callable, default=None
        Called at every check of both runs with a dictionary of ``passes``, ``objective`` and ``residual``. Return True to end the run.
    verbose : int, default=0
        Whether to show progress.
    split_sign : bool, default=False
        Whether to return the positive and the negative parts of the codes side by side.
    random_state : int, RandomState instance or None, default=None
        Seed of the start and of the order of batches.
    positive_code, positive_dict : bool, default=False
        Whether codes or atoms must be nonnegative.
    transform_max_iter : int, default=1000
        Accepted as in scikit-learn; here 'lasso_lars' and 'lasso_cd' are always solved to high accuracy.
    method : str, default='auto'
        The method of the command line: 'auto', 'batch', 'incremental', 'aggregated' or 'sggd'.
    batch_size : int or None, default=None
        Samples per batch, for the methods that use batches.
    n_threads : int or None, default=None
        Number of threads; None is one per core. Small data use one thread; the result is the same.
    dtype : dtype, default=None
        Type of the factors; None is float32 for float32 data, else float64.
    missing : {'nan', 'unstored'} or None, default=None
        Which entries of X were not observed: those that are NaN, or those that a sparse X does not store. The misfit is summed
        over the others, and the product WH predicts the missing ones. :meth:`transform` then needs 'lasso_cd' or 'lasso_lars'.
    fixed_atoms : array-like of shape (n_fixed, n_features), default=None
        The first components, which are kept unchanged; n_components includes them. No penalty and no set acts on them.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms.
    n_components_ : int
        Number of atoms.
    reconstruction_err_ : float
        ‖X − WH‖, the Frobenius norm, over the observed entries.
    error_ : ndarray
        The objective at every check of the run.
    n_iter_ : int
        Passes over the data.
    certificate_ : Certificate
        How far the run converged, and what is guaranteed.
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
    >>> from proxsplit import DictionaryLearning
    >>> rng = np.random.default_rng(0)
    >>> X = rng.laplace(size=(100, 3)) @ rng.normal(size=(3, 8))
    >>> model = DictionaryLearning(n_components=3, alpha=0.1, random_state=0).fit(X)
    >>> bool((np.linalg.norm(model.components_, axis=1) <= 1 + 1e-9).all())
    True
    """

    def __init__(
        self,
        n_components: int | Literal["auto"] | None = None,
        *,
        alpha: float = 1.0,
        max_iter: int = 200,
        tol: float = 1e-3,
        fit_algorithm: str = "lars",
        transform_algorithm: str = "omp",
        transform_n_nonzero_coefs: int | None = None,
        transform_alpha: float | None = None,
        n_jobs: int | None = None,
        code_init: Any = None,
        dict_init: Any = None,
        callback: Callable[[dict[str, float]], object] | None = None,
        verbose: int = 0,
        split_sign: bool = False,
        random_state: Any = None,
        positive_code: bool = False,
        positive_dict: bool = False,
        transform_max_iter: int = 1000,
        method: str = "auto",
        batch_size: int | None = None,
        n_threads: int | None = None,
        dtype: Any = None,
        missing: str | None = None,
        fixed_atoms: Any = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.fit_algorithm = fit_algorithm
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.n_jobs = n_jobs
        self.code_init = code_init
        self.dict_init = dict_init
        self.callback = callback
        self.verbose = verbose
        self.split_sign = split_sign
        self.random_state = random_state
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.transform_max_iter = transform_max_iter
        self.method = method
        self.batch_size = batch_size
        self.n_threads = n_threads
        self.dtype = dtype
        self.missing = missing
        self.fixed_atoms = fixed_atoms

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
        return self._codes(self.alpha if self.transform_alpha is None else self.transform_alpha, "transform_alpha")

    def _start(self, X: Any, W: Any, H: Any) -> tuple[str, int, Any, Any]:
        checked_run(self)
        self._check_algorithms()
        atoms, codes = H if self.dict_init is None else self.dict_init, W if self.code_init is None else self.code_init
        rank = checked_rank(self.n_components, X.shape[1] if atoms is None else len(atoms), type(self).__name__)
        if atoms is None:
            if codes is not None:
                warn("code_init is ignored without dict_init. Pass both.", RuntimeWarning)
            return "random", rank, None, None
        # Without codes, zeros: the first pass solves for them.
        return "custom", rank, np.zeros((X.shape[0], rank)) if codes is None else codes, in_ball(atoms)

    def _best_run(self, X: Any, start: tuple[str, int, Any, Any], sample_weight: Any) -> dict[str, Any]:
        """The better of two runs, of which the second begins with half the penalty."""
        first = super()._best_run(X, start, sample_weight)
        if start[0] == "custom" or self.max_iter < 2 * WARM_UP or self.alpha == 0 or first["reason"] == "interrupted":
            return first
        half: dict[str, Any] = {"codes": self._codes(self.alpha / 2, "alpha"), "passes": float(WARM_UP)}
        warm = self._run(X, 0, *start, sample_weight, **half)
        if warm["interrupt"] is not None:
            return {**first, "interrupt": warm["interrupt"]}
        second = self._run(X, 0, "custom", start[1], warm["W"], warm["H"], sample_weight)
        objectives = [answer["certificate"]["at_point"]["objective"] for answer in (first, second)]
        return {**(second if objectives[1] < objectives[0] else first), "interrupt": second["interrupt"]}

    def _check_algorithms(self) -> None:
        for parameter, choices in (("fit_algorithm", FITS), ("transform_algorithm", TRANSFORMS)):
            value = getattr(self, parameter)
            if value not in choices:
                raise ValueError(
                    f"The {parameter!r} parameter of DictionaryLearning must be one of {', '.join(choices)}. Got {value!r} instead."
                )

    def _threads(self) -> int:
        return threads(self.n_jobs if self.n_threads is None else self.n_threads)

    def _observer(self, progress: Progress) -> Any:
        if self.callback is None:
            return super()._observer(progress)
        callback = self.callback

        def observe(passes: float, objective: float, residual: float) -> bool:
            progress.show(passes, objective, residual)
            return callback({"passes": passes, "objective": objective, "residual": residual}) is True

        return observe

    def _keep(self, answer: dict[str, Any], X: Any) -> None:
        super()._keep(answer, X)
        self.error_ = self.trace_["objective"]

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the sparse codes of X, by `transform_algorithm`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        W : ndarray of shape (n_samples, n_components)
            The codes; twice as many columns with ``split_sign``.
        """
        self._check_algorithms()
        if self.transform_algorithm.startswith("lasso"):
            return self._split(self._encode(X))
        check_is_fitted(self)
        if self.missing is not None:
            raise ValueError(f"transform_algorithm={self.transform_algorithm!r} cannot handle missing entries; use 'lasso_cd'")
        X = validated(self, X, signed=True, reset=False)
        codes = sparse_encode(
            np.asarray(X.toarray() if sp.issparse(X) else X, dtype=self.components_.dtype),
            self.components_,
            algorithm=self.transform_algorithm,
            n_nonzero_coefs=self.transform_n_nonzero_coefs,
            alpha=self.alpha if self.transform_alpha is None else self.transform_alpha,
            n_jobs=self.n_jobs,
            positive=self.positive_code,
        )
        return self._split(codes)

    def fit_transform(
        self, X: Any, y: Any = None, W: Any = None, H: Any = None, sample_weight: Any = None
    ) -> NDArray[Any]:
        """Learn the atoms of X and return the codes that were found with them, the solutions of the problem above.

        With ``transform_algorithm="lasso_cd"`` and no `transform_alpha` they are those of :meth:`transform`.
        """
        return self._split(self._fit(X, W, H, sample_weight))

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Return the data that the codes represent.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_components)
            The codes, split by sign if ``split_sign``.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Codes times atoms.
        """
        check_is_fitted(self)
        codes = X if sp.issparse(X) else np.asarray(X)
        if codes.shape[1] != self._n_features_out:
            raise ValueError(
                f"The number of components in the input is different from the number of atoms. "
                f"Expected {self._n_features_out}, got {codes.shape[1]}."
            )
        if self.split_sign:
            codes = codes[:, : self.n_components_] - codes[:, self.n_components_ :]
        return super().inverse_transform(codes)

    def _split(self, codes: NDArray[Any]) -> NDArray[Any]:
        return np.hstack([np.maximum(codes, 0), np.maximum(-codes, 0)]) if self.split_sign else codes

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0] * (2 if self.split_sign else 1)


def in_ball(atoms: Any) -> NDArray[Any]:
    """Atoms longer than 1 at length 1."""
    given = np.asarray(atoms, dtype=np.float64)
    if given.ndim != 2:
        raise ValueError(f"dict_init has shape {given.shape}, but it must be a matrix of n_components × n_features")
    return given / np.maximum(np.linalg.norm(given, axis=1, keepdims=True), 1.0)

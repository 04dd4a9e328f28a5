"""What the estimators share: X ≈ WH with a penalty and a set on each factor."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _proxsplit
from ._advice import advise
from ._certificate import Certificate
from ._consensus import Consensus
from ._data import factor, factor_dtype, native, similarities, validated
from ._plot import plot
from ._progress import Progress
from ._trace import Trace

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from typing import Self
    else:
        from typing_extensions import Self

# Multiplications of a product that is done before a second thread is awake.
SMALL = 4_000_000

INITS = (*_proxsplit.choices()["init"], "custom")


class Factorization(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of the estimators. Rows are samples: W holds the codes (samples × components), H = `components_` the atoms.

    Subclasses say which terms act on a row of W and on a row of H, and which of their parameters are the run's.
    """

    # Parameters that every subclass has.
    tol: float
    max_iter: int
    random_state: Any
    verbose: int
    method: str
    batch_size: int | None
    n_threads: int | None
    dtype: Any
    missing: str | None
    fixed_atoms: Any = None
    metric: str | None = None
    graph: Any = None
    feature_graph: Any = None

    def _terms(self, n_samples: int, n_features: int) -> tuple[str, str]:
        """The text forms of the terms of a row of W and of a row of H."""
        raise NotImplementedError

    def _is_signed(self) -> bool:
        """Whether the data may be negative."""
        raise NotImplementedError

    def _loss(self) -> str:
        """The name of the loss."""
        return "squared"

    def _start(self, X: Any, W: Any, H: Any) -> tuple[str, int, Any, Any]:
        """The initialisation, the number of components, and the given factors."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Learn the components of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data. Arrays in C or F order of float64, float32, uint8, int32 or int16, and csr and csc matrices of these, are
            read in place, without a copy.
        y : Ignored
            Not used, present for API consistency by convention.
        **params : dict
            The factors `W` and `H` to start from, for ``init="custom"``, and `sample_weight`, as in :meth:`fit_transform`.

        Returns
        -------
        self : object
            The fitted estimator. After Ctrl-C it holds the best factors that were checked.
        """
        self._fit(X, **params)
        return self

    def fit_transform(
        self, X: Any, y: Any = None, W: Any = None, H: Any = None, sample_weight: Any = None
    ) -> NDArray[Any]:
        """Learn the components of X and return the codes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.
        y : Ignored
            Not used, present for API consistency by convention.
        W : array-like of shape (n_samples, n_components), default=None
            The codes to start from, for ``init="custom"``.
        H : array-like of shape (n_components, n_features), default=None
            The components to start from, for ``init="custom"``.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0: the misfit of a sample counts that many times, its penalty once. A sample of weight 0 has no influence on the
            components, and its code minimizes the penalty alone; it is usually 0.

        Returns
        -------
        W : ndarray of shape (n_samples, n_components)
            The codes.
        """
        return self._fit(X, W, H, sample_weight)

    def _fit(self, X: Any, W: Any = None, H: Any = None, sample_weight: Any = None) -> NDArray[Any]:
        """Learn the components and return the codes, whatever the output is set to be."""
        X = validated(self, X, signed=self._is_signed(), reset=True)
        answer = self._best_run(X, self._start(X, W, H), sample_weight)
        self._keep(answer, X)
        if answer["interrupt"] is not None:
            raise answer["interrupt"]
        advise(self, self.certificate_, answer["reason"], answer["degenerate"])
        return answer["W"]

    def _best_run(self, X: Any, start: tuple[str, int, Any, Any], sample_weight: Any) -> dict[str, Any]:
        """The run with the least objective, of as many as are asked for where there is a choice."""
        n_init = getattr(self, "n_init", 1)
        if isinstance(n_init, bool) or not isinstance(n_init, (int, np.integer)) or n_init < 1:
            raise ValueError(f"The 'n_init' parameter of {type(self).__name__} must be an int in the range [1, inf). Got {n_init!r} instead.")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        answers = [self._run(X, seed, *start, sample_weight)]
        init = "nndsvdar" if start[0] == "nndsvdar" else "random"
        while len(answers) < n_init and answers[-1]["interrupt"] is None:
            answers.append(self._run(X, seed + len(answers), init, start[1], None, None, sample_weight))
        objectives = [answer["certificate"]["at_point"]["objective"] for answer in answers]
        best = answers[int(np.argmin(objectives))]
        if hasattr(self, "n_init"):
            factors = [(answer["W"], answer["H"]) for answer in answers]
            self.consensus_ = Consensus.of(factors, objectives) if len(answers) > 1 else None
        return {**best, "interrupt": answers[-1]["interrupt"]}

    def _run(
        self, X: Any, seed: int, init: str, rank: int, W: Any, H: Any, sample_weight: Any = None, **changes: Any
    ) -> dict[str, Any]:
        """One run. With `changes`, settings that are not the estimator's own, nobody is told of it."""
        dtype = factor_dtype(X, self.dtype)
        n_samples, n_features = X.shape
        codes, atoms = self._terms(n_samples, n_features)
        settings = {
            "rank": rank,
            "codes": codes,
            "atoms": atoms,
            "init": "random" if init == "custom" else init,
            "tol": float(self.tol),
            "passes": float(self.max_iter),
            "seed": seed,
            "method": self._method(),
            "batch_size": self.batch_size,
            "metric": self.metric,
            "threads": self._useful_threads(X, rank),
            "single": dtype == np.float32,
            "missing": self.missing,
            "loss": self._loss(),
            **changes,
        }
        if init == "custom":
            W = factor(W, (n_samples, rank), dtype, "W")
            H = factor(H, (rank, n_features), dtype, "H")
        else:
            W = H = None
        with Progress(self.verbose, self.max_iter, type(self).__name__) as progress:
            observer = None if changes else self._observer(progress)
            fixed = given_atoms(self.fixed_atoms, rank, n_features, dtype)
            weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64).ravel()
            graphs = similarities(self.graph, n_samples, "graph"), similarities(self.feature_graph, n_features, "feature_graph")
            return _proxsplit.factorize(native(X), settings, W, H, observer, fixed, weights, *graphs)

    def _observer(self, progress: Progress) -> Any:
        """Called at every look at a run; true ends it."""
        return progress.show if self.verbose else None

    def _method(self) -> str:
        return self.method

    def _threads(self) -> int:
        return threads(self.n_threads)

    def _useful_threads(self, X: Any, rank: int) -> int:
        """One where a pass is so short that threads would mostly wait for each other; the numbers are the same."""
        asked = self._threads()
        entries = X.nnz if sp.issparse(X) else X.size
        return 1 if self._loss() == "squared" and entries * rank < SMALL else asked

    def _keep(self, answer: dict[str, Any], X: Any) -> None:
        self.components_ = answer["H"]
        self.n_components_ = answer["H"].shape[0]
        self.reconstruction_err_ = answer["error"]
        self.n_iter_ = max(1, int(np.ceil(answer["certificate"]["passes"])))
        self.method_ = answer["method"]
        self.trace_ = Trace(answer["trace"])
        self.certificate_ = Certificate.of_factors(answer["certificate"])
        self._codes_term = self._terms(*X.shape)[0]

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the codes of X for the fitted components, each row solved to high accuracy on its own.

        A `graph` couples only the samples of the fit; the samples given here are solved without it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        W : ndarray of shape (n_samples, n_components)
            The codes.
        """
        return self._encode(X)

    def _encode(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        X = validated(self, X, signed=self._is_signed(), reset=False)
        components = np.require(self.components_, requirements=["C", "A"])
        return _proxsplit.encode(native(X), components, self._transform_term(), self._threads(), self.missing, self._loss())

    def _transform_term(self) -> str:
        return self._codes_term

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Return the data that the codes represent.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_components)
            The codes.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Codes times components.
        """
        check_is_fitted(self)
        return X @ self.components_

    def plot(self, kind: str = "convergence", *, shape: tuple[int, int] | None = None, codes: Any = None, ax: Any = None) -> Any:
        """Draw the run or its outcome with matplotlib.

        Parameters
        ----------
        kind : {"convergence", "atoms", "codes"}, default="convergence"
            The objective and the residual at every check, the components, or the codes.
        shape : (rows, columns), default=None
            Draw every component as an image of this shape.
        codes : array-like of shape (n_samples, n_components), default=None
            The codes, which the estimator does not keep, for ``kind="codes"``.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure. Images always get a figure of their own.

        Returns
        -------
        figure : matplotlib Figure
            The figure.
        """
        check_is_fitted(self)
        return plot(self, kind, shape, codes, ax)

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "nan"
        tags.input_tags.positive_only = not self._is_signed()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def given_atoms(atoms: Any, rank: int, n_features: int, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """The components that are kept as they are, as rows; refuses those that do not fit."""
    if atoms is None:
        return None
    given = np.asarray(atoms)
    if given.ndim != 2 or given.shape[1] != n_features or given.shape[0] > rank:
        raise ValueError(f"fixed_atoms has shape {given.shape}, but it must be (at most {rank}, {n_features})")
    return factor(given, given.shape, dtype, "fixed_atoms")


def threads(n_threads: int | None) -> int:
    """The number of threads; 0 means one for each core."""
    if n_threads is None or n_threads == -1:
        return 0
    if int(n_threads) != n_threads or n_threads < 1:
        raise ValueError(f"n_threads = {n_threads!r}, but it must be None, -1 or an integer of at least 1")
    return int(n_threads)


def checked_rank(n_components: Any, default: int, name: str) -> int:
    """The number of components as an integer of at least 1; `default` if none is given."""
    rank = default if n_components is None or n_components == "auto" else n_components
    if isinstance(rank, bool) or not isinstance(rank, (int, np.integer)) or rank < 1:
        raise ValueError(
            f"The 'n_components' parameter of {name} must be an int in the range [1, inf) or 'auto'. Got {n_components!r} instead."
        )
    return int(rank)


def checked_run(estimator: Factorization) -> None:
    """Refuse tolerances and limits that make no sense."""
    name = type(estimator).__name__
    for parameter, least, words in (("max_iter", 1, "[1, inf)"), ("tol", 0, "[0, inf)")):
        value = getattr(estimator, parameter)
        if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not value >= least:
            raise ValueError(f"The {parameter!r} parameter of {name} must be in the range {words}. Got {value!r} instead.")
    batch = estimator.batch_size
    if batch is not None and (int(batch) != batch or batch < 1):
        raise ValueError(f"The 'batch_size' parameter of {name} must be an int in the range [1, inf) or None. Got {batch!r} instead.")

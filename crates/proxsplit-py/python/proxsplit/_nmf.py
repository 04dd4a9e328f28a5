"""Nonnegative matrix factorization."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal

from ._advice import warn
from ._compat import checked_loss, checked_solver, checked_start
from ._data import factor_dtype
from ._factorization import INITS, Factorization, checked_rank, checked_run
from ._terms import elastic, joined


class BaseNMF(Factorization):
    """What NMF and its mini-batch form share: the terms of both factors, and the start."""

    n_components: int | Literal["auto"] | None
    init: str | None
    solver: str
    beta_loss: float | str
    alpha_W: float
    alpha_H: float | Literal["same"]
    l1_ratio: float
    signed: bool
    W_penalty: Any
    H_penalty: Any
    W_set: Any
    H_set: Any

    def _is_signed(self) -> bool:
        return bool(self.signed)

    def _terms(self, n_samples: int, n_features: int) -> tuple[str, str]:
        alpha_H = self.alpha_W if self.alpha_H == "same" else self.alpha_H
        for name, value in (("alpha_W", self.alpha_W), ("alpha_H", alpha_H)):
            if not value >= 0:
                raise ValueError(f"The {name!r} parameter of {type(self).__name__} must be in the range [0, inf). Got {value!r} instead.")
        if not 0 <= self.l1_ratio <= 1:
            raise ValueError(f"The 'l1_ratio' parameter must be in the range [0, 1]. Got {self.l1_ratio!r} instead.")
        codes = elastic(float(self.alpha_W) * n_features, float(self.l1_ratio))
        atoms = elastic(float(alpha_H) * n_samples, float(self.l1_ratio))
        return (
            joined(codes, self.W_penalty, self.W_set, ("alpha_W", "W_penalty", "W_set")),
            joined(atoms, self.H_penalty, self.H_set, ("alpha_H", "H_penalty", "H_set")),
        )

    def _loss(self) -> str:
        return checked_loss(self.beta_loss, type(self).__name__)

    def _check_solver(self) -> None:
        """Refuse a solver that is not known, where there is a choice."""

    def _start(self, X: Any, W: Any, H: Any) -> tuple[str, int, Any, Any]:
        checked_run(self)
        name, smaller = type(self).__name__, min(X.shape)
        self._check_solver()
        self._loss()
        if self.init is not None and self.init not in INITS:
            raise ValueError(f"The 'init' parameter of {name} must be one of {', '.join(INITS)} or None. Got {self.init!r} instead.")
        custom = self.init == "custom"
        if custom and (W is None or H is None):
            raise ValueError("init='custom' needs the factors: fit_transform(X, W=..., H=...)")
        if not custom and (W is not None or H is not None):
            warn("When init!='custom', provided W or H are ignored. Set init='custom' to use them as initialization.", RuntimeWarning)
        singular = self.init in ("nndsvd", "nndsvda", "nndsvdar")
        if singular and isinstance(self.n_components, Integral) and int(self.n_components) > smaller:
            raise ValueError(f"init = {self.init!r} can only be used when n_components <= min(n_samples, n_features)")
        rank = checked_rank(self.n_components, len(H) if custom else X.shape[1], name)
        if custom:
            dtype = factor_dtype(X, self.dtype)
            checked_start(H, (rank, X.shape[1]), dtype, f"{name} (input H)")
            checked_start(W, (X.shape[0], rank), dtype, f"{name} (input W)")
        usual = "nndsvda" if rank <= smaller and self.missing is None else "random"
        return self.init or usual, rank, W, H


class NMF(BaseNMF):
    """Nonnegative matrix factorization X ≈ WH, with any penalty and any set on each factor.

    The objective is that of :class:`sklearn.decomposition.NMF`, with the same names and scalings::

        ½‖X − WH‖² + alpha_W·n_features·(l1_ratio·‖W‖₁ + (1 − l1_ratio)/2·‖W‖²)
                   + alpha_H·n_samples·(l1_ratio·‖H‖₁ + (1 − l1_ratio)/2·‖H‖²)

    With ``beta_loss="kullback-leibler"``, for counts, Σ x log(x/z) − x + z with Z = WH stands in place of ½‖X − WH‖².

    Rows of X are samples. The paper and the command line put samples in columns: there Y = Xᵀ, the atoms X = Hᵀ and the codes
    A = Wᵀ.

    Parameters
    ----------
    n_components : int or 'auto', default='auto'
        Number of components. 'auto' takes it from the given factors if ``init="custom"``, else it is the number of features.
    init : {'auto', 'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'custom'}, default=None
        The start. None is 'nndsvda' if n_components ≤ min(n_samples, n_features), else 'random', as in scikit-learn; 'random' too
        with `missing`, where singular vectors would take the gaps for zeros. 'auto' is the command line's choice: 'nndsvd' for
        sparse data and nonnegative factors, else 'random'. 'custom' takes `W` and `H` from :meth:`fit_transform`.
    solver : {'cd', 'mu'}, default='cd'
        As in scikit-learn. Both run the same method (see `method`) on the same objective.
    beta_loss : {'frobenius', 'kullback-leibler', 2, 1}, default='frobenius'
        The loss, whatever `solver` is. 'kullback-leibler' takes nonnegative data, l1 and squared l2 penalties, and the sets
        'nonneg' and 'box' (for W also 'simplex').
    tol : float, default=1e-4
        The run has converged when the residuals of W and of H are below `tol` times ‖XHᵀ‖ and ‖WᵀX‖, the parts that cancel in
        them at a solution (for 'kullback-leibler' with X/WH in place of X). 0 makes all `max_iter` passes unless no further progress is possible.
    max_iter : int, default=200
        Passes over the data.
    random_state : int, RandomState instance or None, default=None
        Seed of the start and of the order of batches. The same seed gives the same bits, whatever the number of threads.
    alpha_W, alpha_H : float, default=0.0 and 'same'
        Weights of the penalties; ``alpha_H='same'`` is alpha_W.
    l1_ratio : float, default=0.0
        Share of the ℓ1 norm in the penalties.
    verbose : int, default=0
        Whether to show progress.
    n_init : int, default=1
        Number of runs; all but the first start at random. The run with the lowest objective is kept, and `consensus_` says what the
        runs agree on.
    shuffle : bool, default=False
        Accepted as in scikit-learn, where it shuffles coordinates. Here it has no effect: batches are always visited in a new random order.
    signed : bool, default=False
        Whether X may have negative entries.
    W_penalty, H_penalty : str, Operator or None, default=None
        A penalty on every row of W or of H, such as ``"l1:0.1"``, which is not scaled by the size of the data. Use it instead of alpha_W, alpha_H.
    W_set, H_set : str, Operator or None, default='nonneg'
        A set for every row of W or of H, such as ``"simplex:1"`` or ``"box:0,1"``; None leaves them unconstrained.
    method : str, default='auto'
        The method of the command line: 'auto', 'batch', 'incremental', 'aggregated' or 'sggd'.
    batch_size : int or None, default=None
        Samples per batch, for the methods that use batches.
    metric : {'gram', 'scalar'} or None, default=None
        The metric of the steps of 'incremental' and 'sggd': the Gram matrix of the codes, which is the default of 'incremental', or
        its norm, which makes the step a plain number.
    n_threads : int or None, default=None
        Number of threads; None is one per core. Small data use one thread; the result is the same.
    dtype : dtype, default=None
        Type of the factors; None is float32 for float32 data, else float64.
    missing : {'nan', 'unstored'} or None, default=None
        Which entries of X were not observed: those that are NaN, or those that a sparse X does not store. The misfit is summed
        over the others, and the product WH predicts the missing ones.
    fixed_atoms : array-like of shape (n_fixed, n_features), default=None
        The first components, which are kept unchanged; n_components includes them. No penalty and no set acts on them.
    graph : {array-like, sparse matrix} of shape (n_samples, n_samples), default=None
        Similarities s ≥ 0 of samples, such as a graph of nearest neighbours: ½Σ_ij s_ij‖w_i − w_j‖² over the rows of W is added to the
        objective, which draws the codes of similar samples together. Give H a penalty or a bounded set; otherwise the graph can be
        evaded by moving scale to H. Multiply the graph by a number to change its weight.
    feature_graph : {array-like, sparse matrix} of shape (n_features, n_features), default=None
        The same for features: ½Σ_ij s_ij‖h_i − h_j‖² over the columns of H, which makes components smooth.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The factor H.
    n_components_ : int
        Number of components.
    reconstruction_err_ : float
        ‖X − WH‖, the Frobenius norm, over the observed entries; with weights, every row is multiplied by the root of its weight. For
        other losses the root of twice the divergence, as in scikit-learn.
    n_iter_ : int
        Passes over the data.
    certificate_ : Certificate
        How far the run converged, and what is guaranteed.
    trace_ : dict of ndarray
        Objective, residual, seconds and more, at every check of the run.
    method_ : str
        The method that was used.
    consensus_ : Consensus or None
        What the runs agree on, if `n_init` is at least 2: how often each component was found, and the medoids.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1, 1], [2, 1], [3, 1.2], [4, 1], [5, 0.8], [6, 1]])
    >>> from proxsplit import NMF
    >>> model = NMF(n_components=2, init="random", random_state=0, max_iter=2000)
    >>> W = model.fit_transform(X)
    >>> bool(model.reconstruction_err_ < 1e-2), model.certificate_.converged
    (True, True)
    """

    def __init__(
        self,
        n_components: int | Literal["auto"] | None = "auto",
        *,
        init: str | None = None,
        solver: str = "cd",
        beta_loss: float | str = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | Literal["same"] = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        n_init: int = 1,
        shuffle: bool = False,
        signed: bool = False,
        W_penalty: Any = None,
        H_penalty: Any = None,
        W_set: Any = "nonneg",
        H_set: Any = "nonneg",
        method: str = "auto",
        batch_size: int | None = None,
        metric: str | None = None,
        n_threads: int | None = None,
        dtype: Any = None,
        missing: str | None = None,
        fixed_atoms: Any = None,
        graph: Any = None,
        feature_graph: Any = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.n_init = n_init
        self.shuffle = shuffle
        self.signed = signed
        self.W_penalty = W_penalty
        self.H_penalty = H_penalty
        self.W_set = W_set
        self.H_set = H_set
        self.method = method
        self.batch_size = batch_size
        self.metric = metric
        self.n_threads = n_threads
        self.dtype = dtype
        self.missing = missing
        self.fixed_atoms = fixed_atoms
        self.graph = graph
        self.feature_graph = feature_graph

    def _check_solver(self) -> None:
        checked_solver(self.solver, type(self).__name__)

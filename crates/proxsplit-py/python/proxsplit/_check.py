"""Audits of factors from any tool."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array

from . import _proxsplit
from ._data import STORED, factor, finiteness, native, similarities
from ._terms import joined


@dataclass(frozen=True, repr=False)
class Audit:
    """What is true of the factors of a matrix, by the definition of the problem ½‖Y − XA‖² + ψ₀(X) + ψ(A).

    With ``loss="kl"`` the misfit is Σ y log(y/z) − y + z with Z = XA.

    Attributes
    ----------
    objective : float
        The objective with the factors as given; infinite if a factor lies outside its set.
    misfit : float
        ½‖Y − XA‖², or the corresponding sum of another loss.
    misfit_rounding : float
        A bound on the rounding error of the misfit.
    relative_error : float
        ‖Y − XA‖/‖Y‖; for 'kl' the misfit as a fraction of Σy.
    best_objective : float
        The objective with the best A for this X.
    residual_X, residual_A : float
        How far each factor is from stationary for the other one, at the step 1/L; for 'kl', which has no L, at the step
        ‖X‖/scale_X and ‖A‖/scale_A.
    scale_X, scale_A : float
        ‖YAᵀ‖ and ‖XᵀY‖, the sizes that the residuals are compared with; for 'kl' with Y/XA in place of Y.
    sparsity_X, sparsity_A : float
        The shares of zeros.
    dead_atoms : list of int
        Atoms that are zero or that no sample uses.
    escape : float or None
        The least by which replacing a dead atom would lower the objective: 0 if a search found no replacement, although one may
        exist; None if there was no search, because codes are coupled.
    outside : str or None
        The first column that lies outside its set by more than the rounding of float32, and how far.
    scale_is_degenerate : bool
        Whether a penalty can be made arbitrarily small by moving scale from one factor to the other.
    balance_gain : float
        How much optimal scaling of every pair of atom and code row would lower the objective.
    """

    objective: float
    misfit: float
    misfit_rounding: float
    relative_error: float
    best_objective: float
    residual_X: float
    residual_A: float
    scale_X: float
    scale_A: float
    sparsity_X: float
    sparsity_A: float
    dead_atoms: list[int]
    escape: float | None
    outside: str | None
    scale_is_degenerate: bool
    balance_gain: float

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a dictionary that json can write."""
        return asdict(self)

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("objective", f"{self.objective:.10e}, and {self.best_objective:.10e} with the best codes"),
            ("relative error", f"{self.relative_error:.3e}"),
            ("residual of X", f"{self.residual_X:.3e} of {self.scale_X:.3e}"),
            ("residual of A", f"{self.residual_A:.3e} of {self.scale_A:.3e}"),
            ("zeros", f"{self.sparsity_X:.1%} of X, {self.sparsity_A:.1%} of A"),
            ("dead atoms", ", ".join(map(str, self.dead_atoms)) or "none"),
        ]
        if self.dead_atoms:
            rows.append(("replacing one", self._escape()))
        if self.outside:
            rows.append(("infeasible", self.outside))
        if self.scale_is_degenerate:
            rows.append(("scale", "degenerate: only one factor is penalized; penalize both or bound the other"))
        elif self.balance_gain > 0:
            rows.append(("scale", f"balancing the pairs would lower the objective by {self.balance_gain:.3e}"))
        return rows

    def _escape(self) -> str:
        if self.escape is None:
            return "not tried, because the codes of a sample are coupled"
        if self.escape == 0:
            return "a search found no replacement that lowers the objective, but one may exist"
        return f"would lower the objective by at least {self.escape:.3e}"

    def __repr__(self) -> str:
        return "\n".join(f"{name:<15} {text}" for name, text in self._rows())

    def _repr_html_(self) -> str:
        cells = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in self._rows())
        return f"<table>{cells}</table>"


def check(
    Y: Any,
    X: Any,
    A: Any,
    *,
    X_penalty: Any = None,
    A_penalty: Any = None,
    X_set: Any = "nonneg",
    A_set: Any = "nonneg",
    missing: str | None = None,
    loss: str = "squared",
    X_graph: Any = None,
    A_graph: Any = None,
) -> Audit:
    """Audit factors Y ≈ XA from any tool: objective, residuals, scale, dead atoms, sparsity.

    Here, as in the paper and on the command line, columns are samples. For factors of an estimator, X ≈ WH with rows as
    samples, call ``check(X.T, model.components_.T, W.T)``; nothing is copied by transposing.

    Parameters
    ----------
    Y : {array-like, sparse matrix} of shape (n_features, n_samples)
        The data.
    X : array-like of shape (n_features, n_components)
        The atoms, as columns.
    A : array-like of shape (n_components, n_samples)
        The codes, as columns.
    X_penalty, A_penalty : str, Operator or None, default=None
        A penalty on every atom and on every code.
    X_set, A_set : str, Operator or None, default='nonneg'
        A set for every atom and for every code.
    missing : {'nan', 'unstored'} or None, default=None
        Which entries of Y were not observed: those that are NaN, or those that a sparse Y does not store.
    loss : {'squared', 'kl'}, default='squared'
        The misfit of Y and Z = XA: ½‖Y − Z‖², or Kullback–Leibler, Σ y log(y/z) − y + z.
    X_graph, A_graph : {array-like, sparse matrix} or None, default=None
        Similarities of features and of samples, as `feature_graph` and `graph` of :class:`NMF`.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import numpy as np
    >>> from proxsplit import check
    >>> X, A = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[3.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    >>> found = check(X @ A, X, A)
    >>> found.objective, found.dead_atoms
    (0.0, [1])
    """
    finite = finiteness(missing)
    Y = check_array(Y, accept_sparse=("csr", "csc"), dtype=STORED, input_name="Y", ensure_all_finite=finite)
    X, A = np.asarray(X), np.asarray(A)
    if X.ndim != 2 or A.ndim != 2 or X.shape[1] != A.shape[0] or (X.shape[0], A.shape[1]) != Y.shape:
        raise ValueError(f"Y has shape {Y.shape}, X {X.shape} and A {A.shape}, but they must be (m, n), (m, K) and (K, n)")
    dtype = np.dtype(np.float32 if {X.dtype, A.dtype} == {np.dtype(np.float32)} else np.float64)
    W, H = factor(A.T, A.T.shape, dtype, "A"), factor(X.T, X.T.shape, dtype, "X")
    codes = joined(None, A_penalty, A_set, ("", "A_penalty", "A_set"))
    atoms = joined(None, X_penalty, X_set, ("", "X_penalty", "X_set"))
    graphs = similarities(A_graph, Y.shape[1], "A_graph"), similarities(X_graph, Y.shape[0], "X_graph")
    return Audit(**_proxsplit.audit(native(Y.T), W, H, codes, atoms, missing, loss, *graphs))

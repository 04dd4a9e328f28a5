"""Which rank? The error on held-out entries for one rank after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_random_state

from . import _proxsplit
from ._data import STORED, factor_dtype, finiteness, native
from ._factorization import threads
from ._terms import joined

COLUMNS = ("rank", "error", "standard_error", "objective", "bound", "cosine", "cophenetic", "converged", "fits", "seconds")


@dataclass(frozen=True, repr=False, eq=False)
class RankSelection:
    """The answer of :func:`select_rank`.

    Attributes
    ----------
    rank : int
        The smallest rank whose held-out error is within one standard error of the lowest.
    least : int
        The rank with the lowest held-out error.
    turned : bool
        Whether larger ranks were tried and found to be worse.
    words : str
        The verdict in words.
    notes : list of str
        Caveats that you should know about.
    table : dict of ndarray
        One entry per rank: `rank`, `error` and `standard_error` (of the mean over folds; squared, as a share of the sum of
        squares), `objective` of the best fit of all data and its lower `bound` by the singular values, `cosine` and `cophenetic`
        of fits from different starts, `converged` of how many `fits`, `seconds`. NaN means unknown. Pass it to
        ``pandas.DataFrame`` as it is.
    errors : ndarray of shape (n_ranks, folds * repeats)
        The held-out error of every fold.
    """

    rank: int
    least: int
    turned: bool
    words: str
    notes: list[str]
    table: dict[str, NDArray[Any]]
    errors: NDArray[Any]

    def __repr__(self) -> str:
        lines = [self.words, "  rank  held-out error        cosine  cophenetic"]
        numbers = (self.table[name] for name in ("rank", "error", "standard_error", "cosine", "cophenetic"))
        for rank, error, deviation, cosine, cophenetic in zip(*numbers):
            mark = "*" if rank == self.rank else " "
            lines.append(f"{mark} {rank:>4}  {error:<9.4g}± {deviation:<9.2g}  {cosine:>6.3f}  {cophenetic:>10.3f}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def select_rank(
    X: Any,
    ranks: Iterable[int] = range(1, 21),
    *,
    folds: int = 10,
    repeats: int = 1,
    restarts: int = 3,
    patience: int = 3,
    tol: float = 1e-3,
    max_iter: int = 200,
    random_state: Any = 0,
    W_penalty: Any = None,
    H_penalty: Any = None,
    W_set: Any = "nonneg",
    H_set: Any = "nonneg",
    missing: str | None = None,
    dtype: Any = None,
    n_threads: int | None = None,
    verbose: int = 0,
) -> RankSelection:
    """Find the rank of X ≈ WH by the error on entries held out of the fit.

    The entries of X are divided into folds, scattered over all rows and columns. At every rank each fold is predicted by a fit of
    the others. Too small a rank misses structure; too large a rank fits noise.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The data, of any sign.
    ranks : iterable of int, default=range(1, 21)
        The ranks to try, each at most min(n_samples, n_features).
    folds : int, default=10
        Number of folds that the entries are divided into.
    repeats : int, default=1
        Number of independent divisions into folds.
    restarts : int, default=3
        Number of fits to all the data at every rank, for the objective and the stability of the components.
    patience : int, default=3
        The search ends when this many ranks beyond the lowest error are all clearly worse; 0 tries all ranks.
    tol : float, default=1e-3
        The tolerance of a fit, as in :class:`NMF`.
    max_iter : int, default=200
        Maximum number of passes per fit.
    random_state : int, RandomState instance or None, default=0
        Seed of masks and starts.
    W_penalty, H_penalty : str, Operator or None, default=None
        A penalty on every row of W or of H.
    W_set, H_set : str, Operator or None, default='nonneg'
        A set for every row of W or of H; None leaves them unconstrained.
    missing : {'nan', 'unstored'} or None, default=None
        Which entries of X were not observed; the others are divided into folds.
    dtype : dtype, default=None
        Type of the factors; None is float32 for float32 data, else float64.
    n_threads : int or None, default=None
        Number of threads; None is one per core. The answer does not depend on it.
    verbose : int, default=0
        Whether to print every fit.

    Returns
    -------
    RankSelection

    Examples
    --------
    >>> import numpy as np
    >>> from proxsplit import select_rank
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((60, 3)) @ rng.random((3, 40)) + 0.05 * rng.random((60, 40))
    >>> select_rank(X, range(1, 7)).rank
    3
    """
    X = check_array(X, accept_sparse=("csr", "csc"), dtype=STORED, input_name="X", ensure_all_finite=finiteness(missing))
    plan = {
        "ranks": [_count("rank", rank, 1) for rank in ranks],
        "folds": _count("folds", folds, 2),
        "repeats": _count("repeats", repeats, 1),
        "restarts": _count("restarts", restarts, 0),
        "patience": _count("patience", patience, 0),
        "tol": float(tol),
        "passes": float(max_iter),
        "seed": int(check_random_state(random_state).randint(2**31 - 1)),
        "codes": joined(None, W_penalty, W_set, ("", "W_penalty", "W_set")),
        "atoms": joined(None, H_penalty, H_set, ("", "H_penalty", "H_set")),
        "threads": threads(n_threads),
        "single": factor_dtype(X, dtype) == np.float32,
        "missing": missing,
    }
    found = json.loads(_proxsplit.select_rank(native(X), plan, _tell if verbose else None))
    rows = found["table"]
    number = {"rank": int, "converged": int, "fits": int}
    table = {name: np.array([row[name] for row in rows], dtype=number.get(name, float)) for name in COLUMNS}
    return RankSelection(**found["choice"], table=table, errors=np.array([row["errors"] for row in rows]))


def _count(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} = {value!r}, but it must be an integer of at least {least}")
    return int(value)


def _tell(rank: int, is_fold: bool, number: int, value: float) -> None:
    what = f"fold {number + 1}: held-out error" if is_fold else f"start {number + 1}: objective"
    print(f"[select_rank] rank {rank}, {what} {value:.6g}")

"""What :meth:`MiniBatchNMF.partial_fit` remembers of earlier batches, and the components that follow from it.

For the squared loss Σ wwᵀ and Σ wxᵀ are all that the components depend on (J. Mairal and others, Online learning for matrix factorization and
sparse coding, 2010). For Kullback–Leibler the loss of a batch, with W fixed, is majorized at the present H by −a log h + b h for every
entry (A. Lefèvre, F. Bach, C. Févotte, Online algorithms for nonnegative matrix factorization with the Itakura–Saito divergence, 2011),
and the a and b of all batches are added up. Earlier batches count less and less, by the forgetting.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Shares = tuple[NDArray[Any], NDArray[Any]]


def added(old: Shares, new: Shares, forget: float) -> Shares:
    """The shares of earlier batches, of which a part is forgotten, and of a new one."""
    return forget * old[0] + new[0], forget * old[1] + new[1]


def squared_shares(X: Any, W: NDArray[Any]) -> Shares:
    """wwᵀ and wxᵀ, summed over the samples."""
    return np.ascontiguousarray(W.T @ W), np.ascontiguousarray(W.T @ X, dtype=W.dtype)


def counts_shares(X: Any, W: NDArray[Any], H: NDArray[Any]) -> Shares:
    """b for every component and a for every entry of H."""
    if sp.issparse(X):
        entries = X.tocoo()
        seen = np.einsum("ik,ik->i", W[entries.row], H.T[entries.col])
        ratio = sp.csr_matrix((_quotient(entries.data, seen), (entries.row, entries.col)), shape=X.shape)
        pulls = np.asarray((ratio.T @ W).T)
    else:
        pulls = W.T @ _quotient(X, W @ H)
    return W.sum(axis=0), np.ascontiguousarray(H * pulls, dtype=H.dtype)


def counts_components(shares: Shares, H: NDArray[Any], l1: float, l2: float) -> NDArray[Any]:
    """The minimizer of −a log h + (b + l1) h + l2 h²/2 for every entry; components that no sample uses stay."""
    linear, pulls = shares[0][:, None] + l1, shares[1]
    if l2 > 0:
        # The positive root of l2·h² + linear·h = a, without a difference.
        new = 2 * pulls / (linear + np.sqrt(linear**2 + 4 * l2 * pulls))
    else:
        new = _quotient(pulls, np.broadcast_to(linear, pulls.shape))
    return np.ascontiguousarray(np.where(shares[0][:, None] > 0, new, H), dtype=H.dtype)


def squared_error(X: Any, W: NDArray[Any], H: NDArray[Any]) -> float:
    """‖X − WH‖; a sparse X is not filled."""
    if not sp.issparse(X):
        return float(np.linalg.norm(X - W @ H))
    square = (X.data.astype(np.float64) ** 2).sum() - 2 * np.vdot(W, X @ H.T) + np.vdot(W.T @ W, H @ H.T)
    return float(np.sqrt(max(square, 0.0)))


def counts_error(X: Any, W: NDArray[Any], H: NDArray[Any]) -> float:
    """The root of twice the divergence."""
    entries = sp.coo_matrix(X)
    x, seen = entries.data.astype(np.float64), np.einsum("ik,ik->i", W[entries.row], H.T[entries.col]).astype(np.float64)
    fits = float(np.vdot(W.sum(axis=0, dtype=np.float64), H.sum(axis=1, dtype=np.float64)))
    logs = float((x * np.log(_quotient(x, seen), out=np.full_like(x, np.inf), where=seen > 0)).sum()) if x.size else 0.0
    return float(np.sqrt(2 * max(logs - x.sum() + fits, 0.0)))


def _quotient(above: Any, below: NDArray[Any]) -> NDArray[Any]:
    """above/below, and 0 where there is nothing below."""
    return np.divide(above, below, out=np.zeros_like(below), where=below > 0)

"""Data matrices: checked as scikit-learn does, handed to the native module without a copy."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import assert_all_finite, validate_data

from . import _proxsplit

# Types that the native module reads as they are; anything else becomes the first.
STORED = [np.float64, np.float32, np.uint8, np.int32, np.int16]


def validated(estimator: Any, X: Any, *, signed: bool, reset: bool) -> Any:
    """The data as a matrix of a stored type, dense or compressed; refuses infinity, NaN that is not a missing entry and, unless
    `signed`, negative entries."""
    finite = finiteness(estimator.missing)
    X = validate_data(estimator, X, accept_sparse=("csr", "csc"), dtype=STORED, reset=reset, ensure_all_finite=finite)
    if not signed and _minimum(X) < 0:
        name = type(estimator).__name__
        raise ValueError(f"Negative values in data passed to {name}; set signed=True to factorize signed data")
    return X


def _minimum(X: Any) -> Any:
    values = X.data if sp.issparse(X) else X
    # fmin passes over NaN.
    return np.fmin.reduce(values, axis=None) if values.dtype.kind != "u" and values.size else 0


def finiteness(missing: str | None) -> Any:
    """What scikit-learn's checks are told of NaN; refuses what is no way to be missing."""
    known = _proxsplit.choices()["missing"]
    if missing is not None and missing not in known:
        raise ValueError(f"missing = {missing!r}, but it must be None or one of {', '.join(map(repr, known))}")
    return "allow-nan" if missing == "nan" else True


@contextmanager
def finite(estimator: Any, X: Any) -> Iterator[None]:
    """Around native work that refuses an X that is not finite: the refusal has the words of scikit-learn, whose own look at all of X
    would cost as much as a gradient."""
    try:
        yield
    except ValueError:
        assert_all_finite(X, estimator_name=type(estimator).__name__, input_name="X")
        raise


def native(X: Any) -> Any:
    """The matrix as the native module takes it."""
    X = aligned(X)
    if sp.issparse(X):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return X.shape, X.format == "csr", X.indptr, X.indices, X.data.reshape(1, -1)
    if X.flags.c_contiguous or X.flags.f_contiguous:
        return X
    return np.ascontiguousarray(X)


def aligned(block: Any) -> Any:
    """The block, copied if its numbers do not begin where the processor wants them, as after a way over a network."""
    if not sp.issparse(block):
        return np.require(block, requirements="A")
    parts = block.data, block.indices, block.indptr
    if all(part.flags.aligned for part in parts):
        return block
    kind = sp.csr_matrix if block.format == "csr" else sp.csc_matrix
    return kind(tuple(np.require(part, requirements="A") for part in parts), shape=block.shape)


def similarities(graph: Any, nodes: int, name: str) -> Any:
    """A graph as the native module takes it; refuses another shape."""
    if graph is None:
        return None
    given = graph.tocsr() if sp.issparse(graph) else np.asarray(graph)
    if given.shape != (nodes, nodes):
        raise ValueError(f"{name} has shape {given.shape}, but it must be {(nodes, nodes)}")
    return native(given.astype(np.float64, copy=False))


def factor_dtype(X: Any, dtype: Any) -> np.dtype[Any]:
    """The type of the factors: as asked for, else float32 for float32 data and float64 for the rest."""
    chosen = np.dtype(X.dtype if dtype is None and X.dtype == np.float32 else dtype or np.float64)
    if chosen not in (np.float32, np.float64):
        raise ValueError(f"dtype = {dtype!r}, but the factors must be float32 or float64")
    return chosen


def factor(array: Any, shape: tuple[int, int], dtype: np.dtype[Any], name: str) -> NDArray[Any]:
    """A given factor as a C-ordered array, its shape checked."""
    given = np.asarray(array)
    if given.shape != shape:
        raise ValueError(f"{name} has shape {given.shape}, but it must be {shape}")
    if not np.isfinite(given).all():
        raise ValueError(f"{name} has entries that are not finite: remove or replace them")
    return np.require(given, dtype, ("C", "A"))

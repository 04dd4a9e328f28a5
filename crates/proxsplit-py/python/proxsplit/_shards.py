"""A run over shards, whatever the wire to them is: what the estimators for Dask and the command for MPI share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from . import _proxsplit
from ._data import STORED, native

# Sums and numbers of a shard, or None if it is late or lost.
Answer = tuple[NDArray[Any], NDArray[np.float64]] | None
Ask = Callable[[str, NDArray[Any], bool], list[Answer]]


def shard(block: Any, index: int, name: str, *, expected: np.dtype[Any], signed: bool, **how: Any) -> Any:
    """The shard of a block of samples (rows). What is wrong with the block is told with its name."""
    try:
        block = checked(block, expected, signed)
        return _proxsplit.Shard(native(block), index=index, **how)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def checked(block: Any, expected: np.dtype[Any], signed: bool) -> Any:
    """The block as a matrix of a stored type, dense or csr or csc."""
    if sp.issparse(block):
        block = block if block.format in ("csr", "csc") else block.tocsr()
    else:
        block = np.asarray(block)
    if block.ndim != 2:
        raise ValueError(f"it has {block.ndim} dimensions, but it must have 2")
    if block.shape[0] == 0:
        raise ValueError("it has no samples; leave it out")
    if block.dtype != expected:
        raise ValueError(f"its dtype is {block.dtype}, but that of the array is {expected}; convert it with astype")
    if block.dtype not in STORED:
        block = block.astype(np.float64)
    values = block.data if sp.issparse(block) else block
    if not signed and values.size and values.dtype.kind != "u" and values.min() < 0:
        raise ValueError("it has negative entries; set signed=True to factorize signed data")
    return block


def local(shards: list[Any]) -> Ask:
    """The wire to shards in this process."""
    return lambda header, x, needs_all: [shard.answer(header, x) for shard in shards]

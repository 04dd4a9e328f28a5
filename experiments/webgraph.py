"""A generated web graph of the paper's size: a power-law pattern with exactly the paper's rows, columns and entries.

It is not the paper's graph, which could not be had. As there, no row and no column is empty.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse

from bench.case import CACHE

SHAPE, ENTRIES = (714545, 739454), 5105039


def file(shape: tuple[int, int] = SHAPE, entries: int = ENTRIES) -> Path:
    """The path of the graph, made on the first call."""
    path = CACHE / f"webgraph_{shape[0]}x{shape[1]}_{entries}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        scipy.sparse.save_npz(path, make(shape, entries))
    return path


def make(shape: tuple[int, int], entries: int, seed: int = 0) -> scipy.sparse.csc_matrix:
    """One entry in every row and column first, then places whose row and column ranks follow power laws."""
    random = np.random.default_rng(seed)
    names = [random.permutation(size) for size in shape]
    longer = np.arange(max(shape))
    places = np.unique(pair(names[0][longer % shape[0]], names[1][longer % shape[1]], shape))
    while len(places) < entries:
        lack = entries - len(places)
        ranks = [(size * random.random(lack) ** 2.5).astype(np.int64) for size in shape]
        places = np.unique(np.append(places, pair(names[0][ranks[0]], names[1][ranks[1]], shape)))
    rows, cols = np.divmod(places, shape[1])
    return scipy.sparse.csc_matrix((np.ones(entries), (rows, cols)), shape=shape)


def pair(rows: np.ndarray, cols: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    return rows.astype(np.int64) * shape[1] + cols

"""Data whose factors are sparse, so that a penalty has something to find: both factors with 60 % zeros, and noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.case import CACHE


def file(rows: int, cols: int, rank: int) -> Path:
    """The path of the matrix, made on the first call."""
    path = CACHE / f"planted_{rows}x{cols}x{rank}.npy"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, make(rows, cols, rank))
    return path


def make(rows: int, cols: int, rank: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    x, a = random.random((rows, rank)), random.random((rank, cols))
    x[random.random(x.shape) < 0.6], a[random.random(a.shape) < 0.6] = 0.0, 0.0
    return np.maximum(x @ a + 0.3 * random.standard_normal((rows, cols)), 0.0)

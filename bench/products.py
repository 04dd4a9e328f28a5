"""The time of the two products XᵀY and YAᵀ, which no pass over Y can do without."""

from __future__ import annotations

import time

import numpy as np

from .case import Case


def seconds(case: Case, repeats: int = 5) -> float:
    """The least time of both products, by BLAS (dense, f64) or scipy (sparse, which uses one thread)."""
    y = case.matrix()
    random = np.random.default_rng(0)
    x, codes = random.random((y.shape[0], case.rank)), random.random((y.shape[1], case.rank))
    return min(timed(lambda: (y.T @ x, y @ codes)) for _ in range(repeats))


def timed(action) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin

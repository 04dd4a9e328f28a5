"""A start that programs can share: uniform factors, scaled so that XA has the mean of Y."""

from __future__ import annotations

import numpy as np

from .case import Case


def factors(case: Case, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """X and A; the mean of a product of two uniform factors is a quarter of the rank."""
    random = np.random.default_rng(seed)
    rows, cols = case.stored.shape
    scale = np.sqrt(4 * case.stored.mean() / case.scale / case.rank)
    return scale * random.random((rows, case.rank)), scale * random.random((case.rank, cols))

"""Data for passes over shards, made once and kept in a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp


def sparse(folder: Path, entries: float) -> Path:
    """A sparse set with rows of very different lengths, as text has them."""
    path = folder / f"sparse-{entries:g}.npz"
    if not path.exists():
        random, (rows, cols) = np.random.default_rng(0), (20_000, 500_000)
        per_column = int(entries / cols)
        indices = (rows * random.random((cols, per_column)) ** 3).astype(np.int32)
        indptr = np.arange(0, cols * per_column + 1, per_column, dtype=np.int64)
        values = random.integers(1, 9, cols * per_column).astype(np.float32)
        matrix = sp.csc_matrix((values, indices.ravel(), indptr), shape=(rows, cols))
        matrix.sum_duplicates()
        sp.save_npz(path, matrix, compressed=False)
    return path


def dense(folder: Path, features: int, samples: int) -> Path:
    """Uniform numbers in f32, samples one after the other."""
    path = folder / f"dense-{features}x{samples}.npy"
    if not path.exists():
        np.save(path, np.asfortranarray(np.random.default_rng(0).random((samples, features), dtype=np.float32).T))
    return path


def larger(folder: Path, gigabytes: float) -> Path:
    """A nonnegative matrix of rank 10 and noise in f32, Fortran order: samples one after the other."""
    path = folder / f"larger-{gigabytes:g}.npy"
    if path.exists():
        return path
    random, features = np.random.default_rng(0), 10_000
    samples = int(gigabytes * 1e9 / 4 / features)
    atoms = random.random((10, features), dtype=np.float32)
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": True, "shape": (features, samples)})
        for start in range(0, samples, 1000):
            count = min(1000, samples - start)
            (random.random((count, 10), dtype=np.float32) @ atoms + random.random((count, features), dtype=np.float32)).tofile(file)
    return path

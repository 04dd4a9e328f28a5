"""What a sparse fit needs besides its data, beside scikit-learn: `.venv/bin/python -m bench.fit_memory`.

Every fit of `NMF(20)` runs in a process of its own, after a small one that loads libraries and starts threads. What is printed is the peak of the
resident memory during the fit, less what was resident before it, with what the allocator had left to give back given back: the data
are not in it, the factors are. Linux only.
"""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import machine
from .case import ROOT
from .table import markdown

RANK = 20
# Rows, columns, entries of a row.
SHAPES = [(2000, 6000, 64), (20_000, 10_000, 80), (20_000, 10_000, 400)]


def scattered(rows: int, cols: int, entries: int, dtype: str, order: str) -> Any:
    """A sparse matrix with as many entries in every row, at random places."""
    rng = np.random.default_rng(0)
    indices = np.empty((rows, entries), np.int32)
    for row in indices:
        row[:] = np.sort(rng.choice(cols, entries, replace=False))
    starts = np.arange(0, indices.size + 1, entries, dtype=np.int32)
    X = sp.csr_matrix((rng.random(indices.size).astype(dtype), indices.ravel(), starts), shape=(rows, cols))
    return X.asformat(order)


def status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))


def peak(package: str, X: Any) -> int:
    """Bytes of a fit above what was there."""
    if package == "proxsplit":
        from proxsplit import NMF
    else:
        from sklearn.decomposition import NMF
    warnings.simplefilter("ignore")
    NMF(3, max_iter=3).fit(sp.random(300, 200, 0.1, format=X.format, dtype=X.dtype, random_state=0))
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    NMF(RANK, max_iter=20, random_state=0).fit(X)
    return status("VmHWM") - before


def worker(package: str, order: str, dtype: str, shape: str) -> None:
    X = scattered(*map(int, shape.split(",")), dtype, order)
    print(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes, peak(package, X))


def main() -> None:
    if len(sys.argv) > 1:
        return worker(*sys.argv[1:])
    table = []
    for shape in SHAPES:
        for dtype in ("float64", "float32"):
            for order in ("csr", "csc"):
                cells = [f"{shape[0]} × {shape[1]}, {shape[2]} a row", dtype, order]
                for package in ("scikit-learn", "proxsplit"):
                    words = [sys.executable, "-m", "bench.fit_memory", package, order, dtype, ",".join(map(str, shape))]
                    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
                    data, found = map(int, done.stdout.split())
                    if package == "scikit-learn":
                        factors = (shape[0] + shape[1]) * RANK * np.dtype(dtype).itemsize
                        cells += [f"{data / 1e6:.1f}", f"{factors / 1e6:.1f}"]
                    cells += [f"{found / 1e6:.1f}", f"{found / data:.1f}×"]
                table.append(cells)
    print(machine.sentence(machine.describe()) + "\n")
    print(markdown(["data", "type", "order", "MB of data", "MB of W and H", "scikit-learn MB", "of the data", "proxsplit MB", "of the data"], table))


if __name__ == "__main__":
    main()

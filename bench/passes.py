"""Milliseconds of a whole pass beside the two bare products XᵀY and YAᵀ by OpenBLAS: `bench/run passes [--quick]`.

For every instruction set that the processor has, a process of its own times the products and runs proxsplit, in turns, and prints the
least of both and their ratio. A pass is the run's seconds through its passes: sweeps, extrapolation and looks are in it. OpenBLAS has the data in
the precision and in the order of the run; sparse products are scipy's, which has one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse

from .case import CACHE, FULL, ROOT, Case
from .kernels import LEVELS, RANKS, available, timed
from .peers.proxsplit_cli import BINARY

TURNS = 3


def cases(quick: bool) -> list[tuple[Case, str, str]]:
    """Data, order of dense data, and precision of the factors."""
    rand = next(case for case in FULL if case.name == "rand")
    rows = [case for case in FULL if not (case.x_l1 or case.a_l1)]
    kinds = [(order, dtype) for dtype in ("f64", "f32") for order in ("row", "column")]
    ranks = (8, 32) if quick else RANKS
    found = [(replace(rand, rank=rank), order, dtype) for order, dtype in kinds for rank in ranks]
    return found + [(case, "row", dtype) for case in rows if case.name != "rand" and not case.missing for dtype in ("f64", "f32")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.5, help="of every run")
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=available())
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--method", default="batch")
    parser.add_argument("--only", default="", help="a part of a line's name")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        for case in cases(options.quick):
            if options.only in title(*case):
                measure(*case, options)
        return
    print("set     " + " " * 52 + "ms: a pass   products   ratio")
    for level in options.levels:
        env = os.environ | {"PROXSPLIT_SIMD": level, "OPENBLAS_CORETYPE": LEVELS[level], "OPENBLAS_NUM_THREADS": str(options.threads)}
        subprocess.run([sys.executable, "-m", "bench.passes", "--worker", *sys.argv[1:]], cwd=ROOT, env=env, check=True)


def title(case: Case, order: str, dtype: str) -> str:
    return f"{case.title} by {order}s, rank {case.rank} {dtype}"


def ordered(case: Case, order: str) -> Path:
    """The file of a generated matrix in this order."""
    if order == "row" or case.file:
        return case.path
    path = CACHE / f"{case.path.stem}_columns.npy"
    if not path.exists():
        np.save(path, np.asfortranarray(np.load(case.path)))
    return path


def measure(case: Case, order: str, dtype: str, options: argparse.Namespace) -> None:
    """Takes turns; prints the least times."""
    y = case.stored.astype({"f64": np.float64, "f32": np.float32}[dtype])
    if order == "column" and not scipy.sparse.issparse(y):
        y = np.asfortranarray(y)
    random = np.random.default_rng(0)
    x, codes = (random.random((size, case.rank)).astype(y.dtype) for size in y.shape)
    words = [BINARY, "factorize", ordered(case, order), "--rank", case.rank, "--tol", 0, "--time", options.seconds, "--passes", 10**9, "--scale", case.scale]
    words += ["--threads", options.threads, "--dtype", dtype, "--method", options.method, "--force", "--quiet"]
    passes, products = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(TURNS):
            subprocess.run([str(word) for word in [*words, "--out", f"{folder}/out"]], check=True)
            record = json.loads(Path(folder, "out", "run.json").read_text())
            passes.append(1e3 * record["seconds"] / record["passes"])
            # BLAS makes K×T as (YᵀX)ᵀ: what it has in memory is the same.
            products += [timed(lambda: (y.T @ x, y @ codes)) for _ in range(3)]
    own, bare = min(passes), min(products)
    level = os.environ["PROXSPLIT_SIMD"]
    print(f"{level:7} {title(case, order, dtype):52} {own:9.2f} {bare:10.2f} {own / bare:7.2f}", flush=True)


if __name__ == "__main__":
    main()

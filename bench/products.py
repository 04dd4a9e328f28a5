"""The time of the two products XᵀY and YAᵀ, which no pass over Y can do without; in a process of its own, for its threads.

By BLAS for dense data (f64), by scipy for sparse data, which uses one thread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict

import numpy as np

from .case import ROOT, Case

REPEATS = 5


def seconds(case: Case, threads: int) -> float:
    """The least time of both products."""
    words = [sys.executable, "-m", "bench.products", json.dumps(asdict(case))]
    env = os.environ | {"OPENBLAS_NUM_THREADS": str(threads)}
    return float(subprocess.run(words, cwd=ROOT, env=env, check=True, capture_output=True, text=True).stdout)


def main(fields: dict) -> None:
    case = Case(**fields | {"shape": tuple(fields["shape"])})
    y = case.matrix()
    random = np.random.default_rng(0)
    x, codes = random.random((y.shape[0], case.rank)), random.random((y.shape[1], case.rank))
    print(min(timed(lambda: (y.T @ x, y @ codes)) for _ in range(REPEATS)))


def timed(action) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

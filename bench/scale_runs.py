"""Seconds of a pass of the same run in one process, with MPI and with Dask."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import numpy as np

from .case import ROOT

FOLDER = ROOT / "target" / "bench" / "scale"


def of_trace(rows: list[dict]) -> float:
    """The median time from a row to the next, where nobody looked in between."""
    steps = [(after["seconds"] - before["seconds"]) for before, after in zip(rows[2:-1], rows[3:], strict=True) if after.get("residual") is None]
    return float(np.median(steps))


def bounds(samples: int, shards: int) -> list[tuple[int, int]]:
    """Where shards begin and end."""
    cuts = [samples * s // shards for s in range(shards + 1)]
    return list(zip(cuts[:-1], cuts[1:], strict=True))


def in_one_process(path: Path, rank: int, passes: int, shards: int) -> float:
    """With two threads and nothing between the run and its shards."""
    from proxsplit import _proxsplit, _shards
    from proxsplit._slices import File

    file = File(path, "columns")
    how = {"rank": rank, "codes": "nonneg", "atoms": "nonneg", "single": True, "threads": 2}
    parts = [_shards.shard(file.read(*at), i, "", expected=file.dtype, signed=True, **how) for i, at in enumerate(bounds(file.samples, shards))]
    settings = {**how, "init": "random", "tol": 0.0, "passes": float(passes), "time": None, "seed": 0, "method": "batch", "batch_size": None}
    answer = _proxsplit.factorize_shards(_shards.local(parts), settings)
    for part in parts:
        part.close()
    return of_trace(json.loads(answer["record"])["trace"])


def words_of_mpi(path: Path, rank: int, passes: int, ranks: int, threads: int, shards: int) -> list[str]:
    """A command line."""
    words = [
        Path(sys.executable).with_name("mpiexec"), "-n", ranks, sys.executable, "-m", "proxsplit.mpi", "factorize", path, "--rank", rank, "--dtype", "f32",
        "--method", "batch", "--tol", 0, "--passes", passes, "--threads", threads, "--shards", shards, "--quiet", "--force", "--out", FOLDER / "out",
    ]  # fmt: skip
    return [str(word) for word in words]


def with_mpi(path: Path, rank: int, passes: int, shards: int, ranks: int = 2) -> float:
    """With one thread a rank."""
    subprocess.run([*words_of_mpi(path, rank, passes, ranks, 1, shards), "--init", "random"], check=False)
    return of_trace([json.loads(line) for line in (FOLDER / "out" / "trace.jsonl").read_text().splitlines()])


def with_dask(path: Path, rank: int, passes: int, shards: int, workers: int = 2) -> float:
    """With one thread a worker."""
    import dask.array as da
    import distributed
    from dask import delayed
    from proxsplit._checkpoint import Checkpoint
    from proxsplit._slices import File
    from proxsplit.dask import NMF

    file, ends = File(path, "columns"), []
    blocks = [da.from_delayed(delayed(file.read)(a, b), (b - a, file.features), file.dtype) for a, b in bounds(file.samples, shards)]
    with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=None) as cluster:
        with distributed.Client(cluster) as client:
            model = NMF(rank, init="random", tol=0, max_iter=passes, random_state=0, dtype=np.float32, method="batch")
            with mock.patch.object(Checkpoint, "moved", lambda keeper, passed: ends.append(time.perf_counter())):
                model.fit(da.concatenate(blocks), client=client)
    # The median is that of a pass without a look.
    return float(np.median(np.diff(ends[2:])))

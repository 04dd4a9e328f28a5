"""Passes over shards: one process with two threads against two workers with one, files larger than memory, and a model of many workers.

    .venv/bin/python -m bench.scale passes sparse          one process, MPI and Dask, interleaved
    .venv/bin/python -m bench.scale passes YALE --file …   the same on a file, features × samples
    .venv/bin/python -m bench.scale larger                 16 GB, two workers with 1.5 GB each
    .venv/bin/python -m bench.scale model                  passes of many sizes, and what fits them
    .venv/bin/python -m bench.scale write                  the tables and the figure of docs/src/scale.md from what was measured

They need the package with its extras, as .venv has it. Every measurement is kept in docs/src/bench/scale.json with its date and machine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from . import machine
from .case import ROOT
from .memory import anonymous
from .scale_data import dense, larger, sparse
from .scale_runs import FOLDER, in_one_process, with_dask, with_mpi, words_of_mpi

RECORD = ROOT / "docs" / "src" / "bench" / "scale.json"
RANK, PASSES = 32, 12
# What a worker may have that no file backs.
LIMIT = 1_500_000_000


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    passes = commands.add_parser("passes", help="the time of a pass")
    passes.add_argument("name", help="the name of the row; sparse is generated")
    passes.add_argument("--file", type=Path, help="the data, features × samples")
    passes.add_argument("--entries", type=float, default=5e7, help="entries of the sparse set")
    passes.add_argument("--repeats", type=int, default=2)
    big = commands.add_parser("larger", help="a file larger than the memory of two workers")
    big.add_argument("--gigabytes", type=float, default=16.0)
    big.add_argument("--passes", type=int, default=3)
    commands.add_parser("model", help="measurements for the model")
    commands.add_parser("write", help="write the page")
    return parser.parse_args()


def keep(part: str, name: str, value: dict) -> None:
    """Put a measurement among the others."""
    print(json.dumps(value))
    kept = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    kept.setdefault(part, {})[name] = {**value, "machine": machine.describe()}
    RECORD.write_text(json.dumps(kept, indent=2) + "\n")


def measure_passes(name: str, path: Path, repeats: int) -> None:
    """Seconds of a pass, the best of some runs, which take turns. One shard for each of two workers."""
    ways = {"one process": lambda: in_one_process(path, RANK, PASSES, 2), "MPI": lambda: with_mpi(path, RANK, PASSES, 2), "Dask": lambda: with_dask(path, RANK, PASSES, 2)}
    best = dict.fromkeys(ways, np.inf)
    for _ in range(repeats):
        for way, run in ways.items():
            best[way] = min(best[way], run())
            print(way, best[way], flush=True)
    keep("passes", name, {"rank": RANK, "seconds": best})


def measure_larger(gigabytes: float, passes: int) -> None:
    """Two ranks on a file that is larger than their memory."""
    path = larger(FOLDER, gigabytes)
    words = [*words_of_mpi(path, 10, passes, 2, 1, 16), "--init", "random"]
    start = time.monotonic()
    # The limit is the kernel's, for memory that no file backs; every rank inherits it.
    run = subprocess.Popen(words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT)))
    peak = 0
    while run.poll() is None:
        peak = max(peak, *(anonymous(process) for process in ranks_of(run.pid)), 0)
        time.sleep(0.2)
    record = json.loads((FOLDER / "out" / "run.json").read_text())
    value = {
        "gigabytes": path.stat().st_size / 1e9, "passes": record["passes"], "seconds": time.monotonic() - start, "largest worker": peak, "limit": LIMIT,
        "code": run.returncode, "objective": record["objective"],
    }  # fmt: skip
    keep("larger", "npy", value)


def ranks_of(mpiexec: int) -> list[int]:
    """The processes under mpiexec, and one that has no memory."""
    found, parents = [0], {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor != mpiexec:
            ancestor = parents[ancestor]
        if ancestor == mpiexec:
            found.append(process)
    return found


def measure_model() -> None:
    """Passes of MPI on dense data of many sizes, numbers of shards and both numbers of ranks."""
    rows = []
    for features, samples, rank in ((1000, 8000, 8), (1000, 32000, 16), (16000, 1000, 16), (16000, 2000, 32), (64000, 500, 16), (4000, 4000, 64)):
        path = dense(FOLDER, features, samples)
        for workers, shards in ((1, 2), (2, 2), (2, 8)):
            seconds = with_mpi(path, rank, 8, shards, ranks=workers)
            rows.append({"m": features, "T": samples, "K": rank, "W": workers, "s": shards, "seconds": seconds})
            print(rows[-1], flush=True)
    keep("model", "MPI", {"rows": rows})


def main() -> None:
    asked = arguments()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    FOLDER.mkdir(parents=True, exist_ok=True)
    if asked.command == "passes":
        measure_passes(asked.name, asked.file or sparse(FOLDER, asked.entries), asked.repeats)
    elif asked.command == "larger":
        measure_larger(asked.gigabytes, asked.passes)
    elif asked.command == "model":
        measure_model()
    else:
        from . import scale_page

        scale_page.write(json.loads(RECORD.read_text()))


if __name__ == "__main__":
    sys.exit(main())

"""Passes over shards: one process with two threads against two workers with one, and files larger than memory.

Run by .venv/bin/python -m bench.scale passes, or .venv/bin/python -m bench.scale larger --gigabytes 16: they need the package with its extras.
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

FOLDER = ROOT / "target" / "bench" / "scale"
RECORD = ROOT / "docs" / "src" / "bench" / "scale.json"
RANK, SHARDS, PASSES = 32, 8, 12
# What a worker may have that no file backs.
LIMIT = 1_500_000_000


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    passes = commands.add_parser("passes", help="the time of a pass")
    passes.add_argument("--yale", type=Path, help="the file of YALE, u8, features × samples")
    passes.add_argument("--entries", type=float, default=5e7, help="entries of the sparse set")
    passes.add_argument("--repeats", type=int, default=3)
    larger = commands.add_parser("larger", help="a file larger than the memory of two workers")
    larger.add_argument("--gigabytes", type=float, default=16.0)
    larger.add_argument("--passes", type=int, default=3)
    return parser.parse_args()


def sparse(entries: float) -> Path:
    """A sparse set with rows of very different lengths, as text has them."""
    import scipy.sparse as sp

    path = FOLDER / f"sparse-{entries:g}.npz"
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


def mpi(path: Path, ranks: int, threads: int, passes: int, samples: str = "columns") -> tuple[float, dict]:
    """Seconds of a pass with some ranks, and the record of the run. The looks at both ends are not passes."""
    out = FOLDER / "out"
    seconds = []
    for count in (2, 2 + passes):
        words = [
            Path(sys.executable).with_name("mpiexec"), "-n", ranks, sys.executable, "-m", "proxsplit.mpi", "factorize", path, "--rank", RANK, "--dtype", "f32",
            "--tol", 0, "--passes", count, "--threads", threads, "--shards", SHARDS, "--init", "random", "--samples", samples, "--quiet", "--force", "--out", out,
        ]  # fmt: skip
        subprocess.run([str(word) for word in words], check=False, capture_output=True)
        record = json.loads((out / "run.json").read_text())
        seconds.append(record["seconds"])
    return (seconds[1] - seconds[0]) / passes, record


def measure_passes(args: argparse.Namespace) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    cases = {"sparse": sparse(args.entries)} | ({"YALE": args.yale} if args.yale else {})
    rows = []
    for name, path in cases.items():
        one, two = [], []
        for _ in range(args.repeats):
            one.append(mpi(path, 1, 2, PASSES)[0])
            two.append(mpi(path, 2, 1, PASSES)[0])
        row = {"data": name, "one process × 2 threads": min(one), "2 workers × 1 thread": min(two), "efficiency": min(one) / min(two)}
        print(json.dumps(row))
        rows.append(row)
    record = {"machine": machine.describe(), "rank": RANK, "shards": SHARDS, "rows": rows}
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    RECORD.write_text(json.dumps(record, indent=2) + "\n")


def generate(path: Path, gigabytes: float) -> None:
    """A nonnegative matrix of rank 10 and noise in f32, Fortran order: samples one after the other."""
    random, features = np.random.default_rng(0), 10_000
    samples = int(gigabytes * 1e9 / 4 / features)
    atoms = random.random((10, features), dtype=np.float32)
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": True, "shape": (features, samples)})
        for start in range(0, samples, 1000):
            count = min(1000, samples - start)
            (random.random((count, 10), dtype=np.float32) @ atoms + random.random((count, features), dtype=np.float32)).tofile(file)


def measure_larger(args: argparse.Namespace) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"larger-{args.gigabytes:g}.npy"
    if not path.exists():
        generate(path, args.gigabytes)
    words = [
        Path(sys.executable).with_name("mpiexec"), "-n", 2, sys.executable, "-m", "proxsplit.mpi", "factorize", path, "--rank", 10, "--dtype", "f32", "--tol", 0,
        "--passes", args.passes, "--init", "random", "--quiet", "--force", "--out", FOLDER / "larger-out",
    ]  # fmt: skip
    start = time.monotonic()
    # The limit is the kernel's, for memory that no file backs; every rank inherits it.
    run = subprocess.Popen([str(word) for word in words], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT)))
    peak = 0
    while run.poll() is None:
        peak = max(peak, *(anonymous(process) for process in ranks()), 0)
        time.sleep(0.2)
    result = {"gigabytes": path.stat().st_size / 1e9, "passes": args.passes, "seconds": time.monotonic() - start, "largest worker": peak, "code": run.returncode}
    print(json.dumps(result))


def ranks() -> list[int]:
    """The processes of python -m proxsplit.mpi."""
    found = [0]
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"proxsplit.mpi" in words and words[0].endswith(b"python"):
                found.append(int(folder.name))
    return found


if __name__ == "__main__":
    asked = arguments()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    measure_passes(asked) if asked.command == "passes" else measure_larger(asked)

"""The memory promise: an 8 GB file is factorized within 2 GB of anonymous memory. Run by bench/venv python -m bench.memory."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from . import machine
from .case import ROOT

FOLDER = ROOT / "target" / "bench" / "memory"
PROGRAM = ROOT / "target" / "release" / "proxsplit"
RECORD = ROOT / "docs" / "src" / "bench" / "memory.json"
FEATURES, RANK, PASSES = 10_000, 10, 2
METHODS = ["auto", "batch", "incremental", "aggregated"]
PROMISE = 2e9
PANEL = 250


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=8.0, help="size of the file; only 8 is recorded")
    return parser.parse_args()


def generate(path: Path, samples: int) -> None:
    """A nonnegative matrix in f64, C order, written panel by panel: a product of rank 10 and noise."""
    rng = np.random.default_rng(0)
    codes = rng.random((RANK, samples))
    with path.open("wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (FEATURES, samples)}
        np.lib.format.write_array_header_1_0(file, header)
        for _ in range(FEATURES // PANEL):
            (rng.random((PANEL, RANK)) @ codes + rng.random((PANEL, samples))).tofile(file)


def anonymous(process: int) -> int:
    """Bytes of resident memory that no file backs, now."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("RssAnon")), 0)


def measure(path: Path, method: str) -> dict:
    """One run: the peak of its anonymous memory, and what it says of itself."""
    words = [PROGRAM, "factorize", path, "--rank", str(RANK), "--passes", str(PASSES), "--tol", "0", "--method", method]
    words += ["--out", FOLDER / method, "--force", "--quiet", "--json"]
    peak = 0
    start = time.monotonic()
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as run:
        while run.poll() is None:
            peak = max(peak, anonymous(run.pid))
            time.sleep(0.05)
        assert run.stdout is not None
        printed = run.stdout.read()
    if run.returncode:
        sys.exit(f"{method} failed")
    record = json.loads(printed)
    seconds = {"solving": round(record["seconds"], 1), "in_all": round(time.monotonic() - start, 1)}
    return {"method": method, "passes": record["passes"], "peak_megabytes": round(peak / 1e6), "seconds": seconds}


def main() -> None:
    asked = arguments()
    samples = round(asked.gigabytes * 1e9 / 8 / FEATURES)
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "Y.npy"
    try:
        generate(path, samples)
        runs = []
        for method in METHODS:
            runs.append(measure(path, method))
            print(runs[-1], flush=True)
    finally:
        shutil.rmtree(FOLDER)
    worst = max(run["peak_megabytes"] for run in runs)
    if asked.gigabytes == 8.0:
        data = {"shape": [FEATURES, samples], "type": "f64", "bytes": FEATURES * samples * 8}
        record = {"machine": machine.describe(), "data": data, "rank": RANK, "runs": runs}
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
    print(f"peak {worst} MB of anonymous memory for {asked.gigabytes:g} GB of data, promise {PROMISE / 1e6:.0f} MB")
    if worst * 1e6 > PROMISE:
        sys.exit(1)


if __name__ == "__main__":
    main()

"""Does `proxsplit rank` find planted ranks, and what does it cost? Run by bench/venv python -m bench.ranks [--cost].

Without options: planted problems of several kinds (exact, light and heavy noise, dense and sparse factors, counts, unequal strengths,
tall, wide), each with the rank that is chosen by the usual settings, and how many of them are the planted ones.

With --cost: the processor time of the whole command on data sets, beside that of as many plain fits: `factorize` of all data at the same
ranks, with the same tolerance and limit, from random starts. A plain fit costs a third of what four restarts need beyond one, so that reading the
data is not counted. Processor time does not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse

from . import machine
from .case import CACHE, DATA
from .peers.proxsplit_cli import BINARY

STARTS = 4


@dataclass(frozen=True)
class Planted:
    """Y = XA + noise; `noise` is a share of the standard deviation of XA, or the mean of Poisson counts."""

    name: str
    shape: tuple[int, int]
    rank: int
    density: float
    noise: float
    counts: bool = False
    weakest: float = 1.0

    def matrix(self, seed: int) -> np.ndarray | scipy.sparse.csc_matrix:
        rng = np.random.default_rng(seed)
        rows, cols = self.shape
        X = (rng.random((rows, self.rank)) * 0.8 + 0.2) * (rng.random((rows, self.rank)) < self.density)
        A = (rng.random((self.rank, cols)) * 0.8 + 0.2) * (rng.random((self.rank, cols)) < self.density)
        Y = (X * np.geomspace(1, self.weakest, self.rank)) @ A
        if not self.counts:
            return Y + self.noise * Y.std() * rng.normal(size=Y.shape)
        Y = rng.poisson(Y * (self.noise / Y.mean())).astype(float)
        return scipy.sparse.csc_matrix(Y) if (Y > 0).mean() < 0.4 else Y


KINDS = [
    Planted("exact", (60, 80), 5, 0.5, 0.0),
    Planted("light noise", (80, 100), 4, 0.5, 0.1),
    Planted("dense factors", (100, 120), 3, 1.0, 0.1),
    Planted("heavy noise", (120, 150), 5, 0.5, 1.0),
    Planted("sparse factors", (150, 200), 8, 0.15, 0.3),
    Planted("counts", (120, 160), 6, 0.4, 3.0, counts=True),
    Planted("few counts", (200, 250), 4, 0.3, 0.5, counts=True),
    Planted("unequal strengths", (100, 140), 6, 0.5, 0.3, weakest=0.3),
    Planted("tall", (600, 40), 5, 0.5, 0.5),
    Planted("wide", (40, 600), 5, 0.5, 0.5),
]


def run(*words: str) -> tuple[dict, float]:
    """What a command prints, and the seconds of processor time that it takes."""
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([str(BINARY), *words, "--json", "--out", f"{folder}/out"], check=True, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return json.loads(done.stdout), after.ru_utime - before.ru_utime


def planted(seeds: int, options: list[str]) -> bool:
    """A line for every problem, and the count; whether at most one in twenty was missed."""
    found = total = 0
    for seed in range(seeds):
        for kind in KINDS:
            matrix = kind.matrix(100 + seed)
            path = CACHE / ("planted.npz" if scipy.sparse.issparse(matrix) else "planted.npy")
            if scipy.sparse.issparse(matrix):
                scipy.sparse.save_npz(path, matrix)
            else:
                np.save(path, matrix)
            record, seconds = run("rank", str(path), "--ranks", f"1..{kind.rank + 5}", *options)
            hit = record["rank"] == kind.rank
            found, total = found + hit, total + 1
            rows, cols = kind.shape
            told = f"planted {kind.rank}, found {record['rank']}{'' if hit else ' (!)'}, least error at {record['least']}"
            print(f"{kind.name:18} {rows:4} x {cols:<4} {told:45} {seconds:6.2f} s", flush=True)
            if not hit:
                for row in record["table"]:
                    print(f"    {row['rank']:2} {row['error']:.6f} ± {row['standard_error']:.6f}  cosine {row['cosine'] or 0:.3f}")
    print(f"{found} of {total} planted ranks found")
    return found >= 0.95 * total


def plain_fit(path: Path, rank: int, options: list[str]) -> float:
    """Seconds of one plain fit."""
    words = ["factorize", str(path), "--rank", str(rank), "--init", "random", "--tol", "1e-3", "--passes", "200", *options]
    _, one = run(*words)
    _, several = run(*words, "--restarts", str(STARTS))
    return (several - one) / (STARTS - 1)


def cost(options: list[str]) -> bool:
    """A line for every data set; whether no search cost more than three times its fits."""
    cases = [
        ("digits", DATA / "digits_64x1797.npy", "2..16:2", []),
        ("cbcl", DATA / "cbcl_361x2429_u8.npy", "5..25:5", ["--scale", "255"]),
        ("tdt2", DATA / "tdt2_36771x9394.npz", "5..20:5", []),
    ]
    worst = 0.0
    for name, path, ranks, extra in cases:
        if not path.exists():
            print(f"{name:8} is not there")
            continue
        record, seconds = run("rank", str(path), "--ranks", ranks, "--patience", "0", *extra, *options)
        plain = sum(row["fits"] * plain_fit(path, row["rank"], extra) for row in record["table"])
        fits = sum(row["fits"] for row in record["table"])
        worst = max(worst, seconds / plain)
        print(f"{name:8} ranks {ranks:8} {fits} fits: {seconds:7.2f} s, plain fits {plain:7.2f} s, ratio {seconds / plain:.2f}", flush=True)
    return worst <= 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.ranks", description=__doc__)
    parser.add_argument("--cost", action="store_true", help="measure the cost in place of the accuracy")
    parser.add_argument("--seeds", type=int, default=2, help="problems of every kind")
    asked, options = parser.parse_known_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    print(machine.describe())
    sys.exit(0 if (cost(options) if asked.cost else planted(asked.seeds, options)) else 1)


if __name__ == "__main__":
    main()

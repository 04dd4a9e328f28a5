"""The two products XᵀY and YAᵀ by our kernels and by OpenBLAS, taking turns: `bench/venv python -m bench.kernels [--quick]`.

For every instruction set that the processor has and for one thread and two, a process of its own prints the least time of each
and their ratio. OpenBLAS gets the data in the precision of the factors, in the same order; u8 and f32 under f64 are converted for
it beforehand.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time

from .case import ROOT

PROGRAM = ROOT / "target" / "release" / "examples" / "products"
# Our name of an instruction set, and OpenBLAS's name of a processor that has it and nothing wider.
LEVELS = {"avx2": "Haswell", "avx512": "SkylakeX"}
SHAPE = (4000, 4000)
RANKS = (4, 8, 16, 32, 49, 64, 128)
STORAGES = (("f64", "f64"), ("f32", "f32"), ("u8", "f64"), ("f32", "f64"), ("u8", "f32"))
ORDERS = ("column", "row")


def cases(quick: bool) -> list[tuple]:
    """Shape, rank, stored type, order, type of the factors."""
    if quick:
        return [(SHAPE, rank, "f64", order, "f64") for rank in (8, 32) for order in ORDERS]
    main = [(SHAPE, rank, stored, order, factors) for stored, factors in STORAGES for order in ORDERS for rank in RANKS
            if stored == factors or rank in (8, 32)]
    others = [((361, 2429), 49, "u8", "row", "f64"), ((32256, 2414), 32, "u8", "row", "f64"), ((20000, 500), 32, "f64", "column", "f64"),
              ((64, 1797), 10, "f64", "row", "f64")]
    return main + others


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.5, help="for each case")
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=available())
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--only", default="", help="a part of a line's name")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        for case in cases(options.quick):
            name = title(case)
            if options.only in name:
                measure(case, name, options.seconds)
        return
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "proxsplit-factor", "--example", "products"], cwd=ROOT, check=True)
    print("set     threads  " + " " * 34 + "ms: XᵀY    YAᵀ   OpenBLAS's XᵀY    YAᵀ   ratio of both")
    for level in options.levels:
        for threads in options.threads:
            env = os.environ | {"PROXSPLIT_SIMD": level, "OPENBLAS_CORETYPE": LEVELS[level]}
            env |= {"RAYON_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
            subprocess.run([sys.executable, "-m", "bench.kernels", "--worker", *sys.argv[1:]], cwd=ROOT, env=env, check=True)


def available() -> list[str]:
    with open("/proc/cpuinfo") as file:
        flags = file.read()
    return [level for level in LEVELS if {"avx2": "avx2", "avx512": "avx512dq"}[level] in flags]


def title(case: tuple) -> str:
    (rows, cols), rank, stored, order, factors = case
    return f"{rows}×{cols} {stored} by {order}s, rank {rank} {factors}"


def measure(case: tuple, name: str, seconds: float) -> None:
    """Takes turns until the time is over; prints the least times."""
    import numpy as np

    (rows, cols), rank, stored, order, factors = case
    dtype = {"f64": np.float64, "f32": np.float32}[factors]
    y = np.random.default_rng(0).random((rows, cols), dtype=dtype)
    y = np.asfortranarray(y) if order == "column" else y
    x, codes = np.random.random((rows, rank)).astype(dtype), np.random.random((cols, rank)).astype(dtype)
    words = [PROGRAM, str(rows), str(cols), str(rank), stored, order, factors]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as ours:
        level = ours.stdout.readline().strip()
        least = [float("inf")] * 4
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            ours.stdin.write("\n")
            found = [float(ms) for ms in ours.stdout.readline().split()]
            # BLAS makes K×T as (YᵀX)ᵀ: what it has in memory is the same.
            found += [timed(lambda: y.T @ x), timed(lambda: y @ codes)]
            least = [min(pair) for pair in zip(least, found)]
        ours.stdin.close()
    ratio = (least[0] + least[1]) / (least[2] + least[3])
    threads = os.environ["RAYON_NUM_THREADS"]
    print(f"{level:7} {threads:>7}  {name:40} {least[0]:7.2f} {least[1]:7.2f}  {least[2]:14.2f} {least[3]:7.2f}  {ratio:13.2f}", flush=True)


def timed(action) -> float:
    begin = time.perf_counter()
    action()
    return 1e3 * (time.perf_counter() - begin)


if __name__ == "__main__":
    main()

"""Time of the proxes of proxsplit beside other libraries, in one run: ns per element and the ratio peer / proxsplit.

    pip install numpy spams-bin skglm && python bench/operators.py

Ours are timed by `cargo bench -p proxsplit --bench operators`, peers here on one thread, both on a million standard normal
numbers. A ratio above 1 means that proxsplit is faster. To compare one more operator, add a line to `PEERS`.
"""

import json
import pathlib
import subprocess
import time

import numpy as np
import spams
from skglm.utils.prox_funcs import prox_SLOPE

N = 1_000_000
ROOT = pathlib.Path(__file__).resolve().parent.parent
Y = np.random.default_rng(1).standard_normal(N)
LINEAR = 2.0 * (1.0 - np.arange(N) / N)


def flat(regularizer, weight, second=0.0, size=1):
    """A prox of SPAMS; the array is made Fortran-ordered outside the clock."""
    y = np.asfortranarray(Y[:, None])
    return lambda: spams.proximalFlat(
        y, False, lambda1=weight, lambda2=second, regul=regularizer, size_group=size, numThreads=1
    )


# name in benches/operators.rs -> (peer, what to time)
PEERS = {
    "l1": ("spams", flat("l1", 0.5)),
    "sql2": ("numpy", lambda: Y / 1.5),
    "elastic": ("spams", flat("elastic-net", 0.5, 0.5)),
    "l2": ("spams", flat("l2-not-squared", 10.0)),
    "linf": ("spams", flat("linf", 100.0)),
    "linf-dense": ("spams", flat("linf", 2e5)),
    "group-l2": ("spams", flat("group-lasso-l2", 0.5, size=10)),
    "group-linf": ("spams", flat("group-lasso-linf", 0.5, size=10)),
    "fused": ("spams", flat("fused-lasso", 1.0, 0.1)),
    "slope": ("skglm", lambda: prox_SLOPE(Y, LINEAR)),
}


def nanoseconds(work, repeats=5):
    """Best time per element; the first call, which may compile, does not count."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) / N * 1e9


def ours():
    """ns per element of every operator, from the estimates that criterion leaves."""
    command = ["cargo", "bench", "-q", "-p", "proxsplit", "--bench", "operators"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = {}
    for path in (ROOT / "target" / "criterion" / "prox").glob("*/new/estimates.json"):
        found[path.parts[-3]] = json.loads(path.read_text())["median"]["point_estimate"] / N
    return found


def main():
    mine = ours()
    print(f"{'operator':<14}{'proxsplit':>12}{'peer':>12}{'ratio':>8}  (ns per element)")
    for name in sorted(mine, key=mine.get):
        line = f"{name:<14}{mine[name]:>12.2f}"
        if name in PEERS:
            peer, work = PEERS[name]
            theirs = nanoseconds(work)
            line += f"{theirs:>12.2f}{theirs / mine[name]:>8.1f}  {peer}"
        print(line)


if __name__ == "__main__":
    main()

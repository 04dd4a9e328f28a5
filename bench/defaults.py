"""Compares both packages at their defaults, from the same start: `.venv/bin/python -m bench.defaults [--only NAME] [--missing] [--page FILE]`.

Every row of `bench.default_cases` runs with one and with two threads (for OpenBLAS and proxsplit alike), in a process of its own, with the
two packages alternating, usually five times each. NumPy code in this file computes all objectives. Results are stored in
target/bench/defaults.json row by row, so a run can be interrupted at any time; `--missing` then measures what is not there yet, and
`--page` writes the page from all stored rows.

A row fails if proxsplit's objective is more than 0.05 % above scikit-learn's, if proxsplit reaches scikit-learn's final objective later than
scikit-learn does, or if its whole fit takes more than 1.2 times as long without ending at least 1 % lower.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import machine
from .case import CACHE, ROOT
from .default_cases import ROWS, Row
from .table import markdown

KEPT = CACHE / "defaults.json"
# Seconds to wait before every fit: OpenBLAS threads may keep spinning after their work and take a core from the next fit.
PAUSE = 0.05
WARM_UP = Row("warm-up", np.ones, 3, own_start=True)


def objective(row: Row, X: Any, W: np.ndarray, H: np.ndarray) -> float:
    """The objective as both packages document it, in double precision."""
    X, W, H = (X if sp.issparse(X) else np.asarray(X, float)), np.asarray(W, float), np.asarray(H, float)
    given, (n, m) = row.parameters, X.shape
    if given.get("beta_loss") == "kullback-leibler":
        Z = W @ H
        seen = X > 0
        return float((X[seen] * np.log(X[seen] / np.maximum(Z[seen], 1e-300))).sum() - X.sum() + Z.sum())
    if sp.issparse(X):
        fit = 0.5 * (X.multiply(X).sum() - 2 * np.vdot(W, X @ H.T) + np.vdot(W.T @ W, H @ H.T))
    else:
        fit = 0.5 * ((X - W @ H) ** 2).sum()
    if row.estimator == "DictionaryLearning":
        return float(fit + given.get("alpha", 1.0) * np.abs(W).sum())
    alpha, ratio = given.get("alpha_W", 0.0), given.get("l1_ratio", 0.0)
    for scale, factor in ((m, W), (n, H)):
        fit += alpha * scale * (ratio * np.abs(factor).sum() + (1 - ratio) / 2 * (factor**2).sum())
    return float(fit)


def start_of(row: Row, X: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """The factors that both packages start from: scikit-learn's own start."""
    if row.own_start:
        return None
    if row.estimator == "DictionaryLearning":
        U, S, V = np.linalg.svd(X, full_matrices=False)
        return U[:, : row.rank] * S[: row.rank], V[: row.rank]
    from sklearn.decomposition._nmf import _initialize_nmf

    return _initialize_nmf(X, row.rank, init="nndsvda", random_state=0)


def fit(package: Any, row: Row, X: Any, start: Any, **threads: int) -> tuple[float, Any, np.ndarray]:
    """The seconds, the fitted estimator and the codes. proxsplit's estimator also records the times of its looks since the call, for `reached`."""
    given = dict(row.parameters, random_state=0, **threads)
    factors = {}
    if start is not None and row.estimator == "DictionaryLearning":
        given |= {"code_init": start[0].copy(), "dict_init": start[1].copy()}
    elif start is not None:
        given |= {"init": "custom"}
        factors = {"W": start[0].copy(), "H": start[1].copy()}
    model = getattr(package, row.estimator)(row.rank, **given)
    looks: list[float] = []
    if threads:
        model._observer = lambda _: lambda *_: looks.append(time.perf_counter() - begin)
    time.sleep(PAUSE)
    begin = time.perf_counter()
    codes = model.fit_transform(X, **factors)
    seconds = time.perf_counter() - begin
    model.looks_ = looks
    return seconds, model, codes


def codes_of(row: Row, model: Any, X: Any, codes: np.ndarray) -> np.ndarray:
    """The codes that the objective needs. Those that DictionaryLearning returns belong to another problem, so they are solved for here."""
    if row.estimator != "DictionaryLearning":
        return codes
    from sklearn.decomposition import sparse_encode

    return sparse_encode(X, model.components_, algorithm="lasso_cd", alpha=row.parameters.get("alpha", 1.0), max_iter=10000)


def reached(model: Any, whole: float, target: float) -> float:
    """The time at which proxsplit reached the target to six digits.

    The trace counts from the start of the run. The time before that (checks of the data, set-up) is found by comparing it with the looks
    observed from outside; it includes the time of a look, which counts against proxsplit. With several runs, the time of the others counts too.
    """
    seconds, objective, residual = (model.trace_[name] for name in ("seconds", "objective", "residual"))
    looked = np.flatnonzero(np.isfinite(residual))
    one_run = len(looked) == len(model.looks_)
    before = min(np.array(model.looks_) - seconds[looked]) if one_run else whole - seconds[-1]
    found = np.flatnonzero(objective <= target * (1 + 1e-6))
    return before + seconds[found[0]] if len(found) else float("inf")


def measure(row: Row, threads: int) -> dict[str, float]:
    """Medians over alternating runs of both packages."""
    import proxsplit
    import sklearn.decomposition

    warnings.simplefilter("ignore")
    X = row.data(np.random.default_rng(0))
    start = start_of(row, X)
    # The first runs in a process load libraries and start threads.
    for package, own in ((sklearn.decomposition, {}), (proxsplit, {"n_threads": threads})):
        fit(package, WARM_UP, np.ones((30, 20)), None, **own)
    runs: dict[str, list[float]] = {"theirs": [], "ours": [], "reached": []}
    for _ in range(row.repeats):
        their_seconds, theirs, W = fit(sklearn.decomposition, row, X, start)
        target = objective(row, X, codes_of(row, theirs, X, W), theirs.components_)
        our_seconds, ours, W = fit(proxsplit, row, X, start, n_threads=threads)
        runs["theirs"].append(their_seconds)
        runs["ours"].append(our_seconds)
        runs["reached"].append(reached(ours, our_seconds, target))
    return {name: median(values) for name, values in runs.items()} | {
        "their_objective": target,
        "our_objective": objective(row, X, codes_of(row, ours, X, W), ours.components_),
        "verdict": ours.certificate_.verdict,
    }


def loses(found: dict[str, float]) -> list[str]:
    """The conditions that fail."""
    excess = found["our_objective"] / found["their_objective"] - 1 if found["their_objective"] > 0 else 0.0
    return [
        name
        for name, bad in (
            ("higher", excess > 5e-4),
            ("later", found["reached"] >= found["theirs"]),
            ("longer", found["ours"] > 1.2 * found["theirs"] and excess > -0.01),
        )
        if bad
    ]


def in_a_process(row: Row, threads: int) -> dict[str, float]:
    """The measurement, with OpenBLAS limited to the same number of threads."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads))
    words = [sys.executable, "-m", "bench.defaults", "--worker", row.name, "--threads", str(threads)]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{row.name}: {done.stderr}")
    return json.loads(done.stdout)


def cells(row: Row, threads: int, found: dict[str, Any]) -> list[str]:
    excess = 100 * (found["our_objective"] / found["their_objective"] - 1) if found["their_objective"] > 0 else 0.0
    return [
        row.name,
        str(row.rank),
        str(threads),
        f"{excess:+.3f} %",
        f"{1e3 * found['theirs']:.1f}",
        f"{1e3 * found['reached']:.1f}" if np.isfinite(found["reached"]) else "–",
        f"{1e3 * found['ours']:.1f}",
        f"{found['ours'] / found['theirs']:.2f}×",
        ", ".join(loses(found)) or "holds",
    ]


HEAD = ["data", "rank", "threads", "objective", "scikit-learn ms", "ms to its objective", "ms in all", "in all", "outcome"]
PAGE = """# Defaults

This page compares NMF, MiniBatchNMF and DictionaryLearning with scikit-learn's, with default settings apart from what a row
names, and from the same start. Commands: `.venv/bin/python -m bench.defaults`, then the same with `--page docs/src/defaults.md`. Measured
{machine}.

- "Objective" is proxsplit's final objective relative to scikit-learn's: above it (+) or below it (−).
- "ms to its objective" is the time at which proxsplit, by its trace, had reached scikit-learn's final objective to six
  digits.
- "ms in all" is the time of the whole fit; the column after it is the ratio to scikit-learn's.

Times are medians of five alternating runs (51 and 21 in the rows "100 × 50"). OpenBLAS and proxsplit use the same number
of threads. The time to compute the start is excluded, except in the rows "own start", where each package starts as it
does by default. A pause of 0.05 s before every fit lets the other package's threads go to sleep.

A row holds if proxsplit's objective is at most 0.05 % above scikit-learn's, if proxsplit reaches scikit-learn's objective
sooner, and if its whole fit takes at most 1.2 times as long or ends at least 1 % lower. Otherwise the last column says
what fails: a *higher* objective, reached *later*, or a *longer* fit.

{table}
{count}
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.defaults", description=__doc__)
    parser.add_argument("--only", action="append", help="only rows whose name contains this; may be repeated")
    parser.add_argument("--missing", action="store_true", help="measure only what is not stored yet")
    parser.add_argument("--page", type=Path, help="write the page from what is stored, and measure nothing")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, action="append", help="1 or 2; both by default")
    asked = parser.parse_args()
    if asked.worker:
        row = next(row for row in ROWS if row.name == asked.worker)
        print(json.dumps(measure(row, asked.threads[0])))
        return
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if asked.page:
        asked.page.write_text(page(kept))
        return
    for row in ROWS:
        if asked.only and not any(part in row.name for part in asked.only):
            continue
        for threads in asked.threads or (1, 2):
            key = f"{row.name}/{threads}"
            if asked.missing and key in kept:
                continue
            facts = machine.describe()
            found = in_a_process(row, threads)
            kept[key] = found | {"machine": facts}
            print(" | ".join(cells(row, threads, found)), found["verdict"], flush=True)
            KEPT.parent.mkdir(parents=True, exist_ok=True)
            KEPT.write_text(json.dumps(kept, indent=1))


def measured_on(machines: list[dict[str, Any]]) -> str:
    """When and where the rows were measured."""
    dates = sorted(facts["date"].removesuffix(" UTC") for facts in machines)
    loads = sorted(facts["load"] for facts in machines)
    same = ", ".join(f"{name} {machines[0][name]}" for name in ("python", "numpy", "scipy", "scikit-learn"))
    commits = " and ".join(sorted({facts["proxsplit"] for facts in machines}))
    return (
        f"{dates[0]} to {dates[-1]} UTC, {machines[0]['processor']}, {machines[0]['cores']} cores, {same}, proxsplit at {commits}; "
        f"load average in the minute before each row {loads[0]} to {loads[-1]}"
    )


def page(kept: dict[str, Any]) -> str:
    every = [(row, threads, kept[key]) for row in ROWS for threads in (1, 2) if (key := f"{row.name}/{threads}") in kept]
    held = sum(not loses(found) for _, _, found in every)
    table = markdown(HEAD, [cells(*one) for one in every])
    measured = measured_on([found["machine"] for _, _, found in every])
    return PAGE.format(machine=measured, table=table, count=f"{held} of {len(every)} rows hold.")


if __name__ == "__main__":
    main()

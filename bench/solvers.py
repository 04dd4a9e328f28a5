"""Compares solvers: `bench/venv --peers python -m bench.solvers [--quick] [--missing] [--parts linear,box,sums] [--only NAME]
[--programs NAMES]`.

The part `linear` (sparse linear models) is in this file; `box` and `sums` are in `box.py` and `finite_sums.py`. Measurements are stored row by
row in `docs/src/bench/solvers.json`, with date and machine, so a run can be interrupted at any time and continued with `--missing`. Every run
without `--quick` rewrites `docs/src/solver-speed.md` from all stored rows.

In `linear`, every program gets the same arrays in memory (Fortran order or csc, which suit all of them best) and is run with one tolerance after
the other. NumPy code in this file computes the objective of every result. The time to a gap is that of the fastest run whose objective is
within that fraction of the lowest one found by any program; every run is the best of `--repeats`. Imports and compilation are not timed.

The Python package `proxsplit` must be installed beside the peers, and the part `sums` needs `target/release/proxsplit`.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import dataclass
from itertools import chain
from typing import Any, Callable, Iterable, Iterator

import numpy as np
import scipy.sparse as sp

from . import box, finite_sums
from .case import ROOT
from .machine import describe
from .solver_peers import PEERS

GAPS = (1e-3, 1e-6, 1e-9)
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12)


@dataclass
class Problem:
    """½‖Xβ − y‖²/n or the mean of log(1 + exp(−y·Xβ)), plus a penalty of weight `alpha`."""

    name: str
    X: Any
    y: np.ndarray
    loss: str
    penalty: str  # l1, elastic, mcp, scad, group or nonneg
    alpha: float

    def objective(self, beta: np.ndarray) -> float:
        z, n, size = self.X @ beta, len(self.y), np.abs(beta)
        value = 0.5 * ((z - self.y) ** 2).sum() / n if self.loss == "least-squares" else np.logaddexp(0, -self.y * z).sum() / n
        if self.penalty == "l1":
            return value + self.alpha * size.sum()
        if self.penalty == "elastic":
            return value + self.alpha * (0.5 * size.sum() + 0.25 * (beta**2).sum())
        if self.penalty == "mcp":
            inside = size <= 3 * self.alpha
            return value + np.where(inside, self.alpha * size - size**2 / 6, 1.5 * self.alpha**2).sum()
        if self.penalty == "scad":
            a, w = 3.7, self.alpha
            middle = (2 * a * w * size - size**2 - w**2) / (2 * (a - 1))
            return value + np.where(size <= w, w * size, np.where(size <= a * w, middle, w**2 * (a + 1) / 2)).sum()
        if self.penalty == "group":
            return value + self.alpha * np.sqrt((beta.reshape(-1, 5) ** 2).sum(1)).sum()
        return value + self.alpha * size.sum() if beta.min() >= 0 else np.inf


def least_alpha(X: Any, y: np.ndarray, loss: str, penalty: str) -> float:
    """The smallest weight at which 0 is a solution."""
    slope = np.asarray(X.T @ (y if loss == "least-squares" else 0.5 * y)).ravel() / len(y)
    if penalty == "group":
        return float(np.sqrt((slope.reshape(-1, 5) ** 2).sum(1)).max())
    return float((slope if penalty == "nonneg" else np.abs(slope)).max()) * (2 if penalty == "elastic" else 1)


def make(name: str, shape: tuple[int, int], density: float | None, loss: str, penalty: str, part: float, seed: int = 0) -> Problem:
    rng = np.random.default_rng(seed)
    n, p = shape
    if density is None:
        X: Any = np.asfortranarray(rng.normal(size=shape))
    else:
        # Like words: a few occur in many documents, most in few.
        often = np.minimum(0.3, density * p / np.arange(1, p + 1) / np.log(p))
        columns = [rng.choice(n, max(1, rng.binomial(n, q)), replace=False) for q in often]
        rows, cols = np.concatenate(columns), np.repeat(np.arange(p), [len(c) for c in columns])
        X = sp.csc_matrix((1 + rng.exponential(size=len(rows)), (rows, cols)), shape=shape)
        X = sp.csc_matrix(X.multiply(1 / np.sqrt(np.maximum(X.multiply(X).sum(0), 1e-12))))
        X.sort_indices()
        X *= np.sqrt(n)
    truth = np.zeros(p)
    support = rng.choice(p, max(5, min(n, p) // 20), replace=False)
    truth[support] = np.abs(rng.normal(size=len(support))) if penalty == "nonneg" else rng.normal(size=len(support))
    z = np.asarray(X @ truth).ravel()
    y = z + 0.3 * z.std() * rng.normal(size=n)
    if loss == "logistic":
        y = np.where(y > np.median(y), 1.0, -1.0)
    return Problem(name, X, y, loss, penalty, part * least_alpha(X, y, loss, penalty))


def problems(quick: bool, only: str) -> Iterator[Problem]:
    """The problems, each generated when it is needed."""
    scale = 4 if quick else 1
    wide, tall, text = (2000 // scale, 10000 // scale), (20000 // scale, 1000 // scale), (10000 // scale, 40000 // scale)
    every = []
    for name, shape, density in (("wide", wide, None), ("tall", tall, None), ("text", text, 0.002)):
        for loss, penalty in (("least-squares", "l1"), ("logistic", "l1")):
            every.append((f"{loss} {penalty}, {name} {shape[0]} × {shape[1]}", shape, density, loss, penalty, 0.1))
    for penalty in ("elastic", "mcp", "scad", "group", "nonneg"):
        every.append((f"least-squares {penalty}, wide {wide[0]} × {wide[1]}", wide, None, "least-squares", penalty, 0.1))
    for penalty in ("elastic", "mcp"):
        every.append((f"least-squares {penalty}, text {text[0]} × {text[1]}", text, 0.002, "least-squares", penalty, 0.1))
    # Small enough for general conic solvers.
    for loss in ("least-squares", "logistic"):
        every.append((f"{loss} l1, small 200 × 500", (200, 500), None, loss, "l1", 0.1))
    return (make(*arguments) for arguments in every if only in arguments[0])


Runs = list[tuple[float, float]]  # seconds and objective


def race(problem: Problem, repeats: int, patience: float, skipped: Iterable[str] = ()) -> Iterator[tuple[str, Runs]]:
    """The runs of every program that is not in `skipped`."""
    for name, peer in PEERS.items():
        solve: Callable[[float], np.ndarray] | None = None if name in skipped else peer(problem)
        if solve is None:
            continue
        runs: Runs = []
        try:
            solve(1e-2)  # compiles
            for tolerance in TOLERANCES:
                seconds, beta = np.inf, None
                for _ in range(repeats):
                    start = time.perf_counter()
                    beta = solve(tolerance)
                    seconds = min(seconds, time.perf_counter() - start)
                runs.append((seconds, problem.objective(beta)))
                if seconds > patience:
                    break
        except Exception as error:  # name a peer that fails, and go on with the others
            print(f"  {name}: {type(error).__name__}: {error}")
        yield name, runs


def table(name: str, runs: dict[str, Runs]) -> str:
    best = min(objective for found in runs.values() for _, objective in found)
    lines = [f"### {name}", "", "| program | " + " | ".join(f"to {gap:g}" for gap in GAPS) + " |", "|---|" + "---|" * len(GAPS)]
    for program in filter(runs.__contains__, PEERS):
        times = []
        for gap in GAPS:
            enough = [seconds for seconds, objective in runs[program] if objective - best <= gap * abs(best)]
            times.append(f"{1e3 * min(enough):.1f} ms" if enough else "–")
        lines.append(f"| {program} | " + " | ".join(times) + " |")
    return "\n".join(lines) + "\n"


class Kept:
    """All measurements: the runs of every program for `linear`, a table for each of the other parts; each with time and machine."""

    def __init__(self, is_written: bool) -> None:
        self.is_written, self.now = is_written, machine()
        self.entries: dict[str, Any] = json.loads(KEPT.read_text()) if is_written and KEPT.exists() else {}

    def programs(self, name: str) -> dict[str, Any]:
        return self.entries.setdefault(name, {})

    def add(self, name: str, entry: dict[str, Any]) -> None:
        self.entries[name] = entry
        if self.is_written:
            KEPT.write_text(json.dumps(self.entries, indent=1, ensure_ascii=False) + "\n")
            write(self.entries)


def measure(options: argparse.Namespace, kept: Kept) -> None:
    """Measure what `options` ask for, row by row."""
    if "linear" in options.parts:
        for problem in problems(options.quick, options.only):
            measure_linear(problem, options, kept)
    others: list[tuple[str, str]] | Iterator[tuple[str, str]] = []
    if "box" in options.parts and not (options.missing and "box/calls" in kept.entries):
        others = [("box/calls", box.section(options.quick))]
    if "sums" in options.parts:
        known = [name.removeprefix("sums/") for name in kept.entries] if options.missing else []
        sums = finite_sums.tables(options.quick, options.only, known)
        others = chain(others, ((f"sums/{name}", text) for name, text in sums))
    for name, text in others:
        print(text, flush=True)
        kept.add(name, {"text": text, "measured": kept.now})


def measure_linear(problem: Problem, options: argparse.Namespace, kept: Kept) -> None:
    name = f"linear/{problem.name}"
    asked = list(filter(None, options.programs.split(","))) or list(PEERS)
    found = dict(kept.programs(name)) if options.missing or options.programs else {}
    skipped = [program for program in PEERS if program not in asked or options.missing and program in found]
    for program, runs in race(problem, options.repeats, options.patience, skipped):
        if runs:
            found[program] = {"runs": runs, "measured": kept.now}
            kept.add(name, found)
    if found:
        print(linear_table(name, found), flush=True)


def linear_table(name: str, found: dict[str, Any]) -> str:
    """The table of a problem, followed by when its rows were measured."""
    text = table(name.removeprefix("linear/"), {program: entry["runs"] for program, entry in found.items()})
    when: dict[str, list[str]] = {}
    for program in filter(found.__contains__, PEERS):
        when.setdefault(found[program]["measured"], []).append(program)
    if len(when) == 1:
        return text + f"\nMeasured {next(iter(when))}.\n"
    return text + "".join(f"\n{', '.join(programs)}: measured {stamp}.\n" for stamp, programs in when.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small problems; nothing is written")
    parser.add_argument("--parts", default="linear,box,sums", type=lambda text: text.split(","))
    parser.add_argument("--only", default="", help="only problems whose name contains this")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--patience", type=float, default=10.0, help="after a run longer than this many seconds, a program gets no smaller tolerances")
    parser.add_argument("--missing", action="store_true", help="measure only what is not stored yet")
    parser.add_argument("--programs", default="", help="only these programs in the part linear, such as proxsplit,skglm; the rows of the others are kept")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    measure(options, Kept(not options.quick))


def machine() -> str:
    facts = describe()
    return f"{facts['date']}, {facts['processor']}, {facts['cores']} cores, load {facts['load']} before, proxsplit at {facts['proxsplit']}"


def write(kept: dict[str, Any]) -> None:
    """Write the page from all stored measurements."""
    parts: dict[str, list[str]] = {part: [] for part in ("linear", "box", "sums")}
    for name, entry in kept.items():
        part = name.split("/")[0]
        parts[part].append(linear_table(name, entry) if part == "linear" else f"{entry['text']}\nMeasured {entry['measured']}.\n")
    heads = {"linear": LINEAR, "box": "", "sums": finite_sums.HEAD}
    body = "\n".join(heads[part] + "\n" * bool(heads[part]) + "\n".join(texts) for part, texts in parts.items() if texts)
    (ROOT / "docs/src/solver-speed.md").write_text(PAGE + body)


KEPT = ROOT / "docs/src/bench/solvers.json"

PAGE = """# Solver speed

This page is written by `bench/venv --peers python -m bench.solvers`, which needs the Python package in the same environment
and, with `--missing`, continues where it was interrupted. Programs run one after the other. Below every table stands when
and where it was measured, separately for programs that ran at different times, and the load average just before. That
load includes work that was suspended during the measurement.

"""

LINEAR = """## Sparse linear models: time to a gap

The tables give the time until the objective is within a relative gap of the lowest one that any program found, as the best
of at least two runs. All programs get the same arrays in memory, in Fortran order or csc, and the same NumPy code computes
all objectives. Every program is run with a sequence of tolerances; one that takes longer than `--patience` seconds for a
tolerance is not run with smaller ones. proxsplit uses all cores, its default; the peers use theirs.

The weight of the penalty is a tenth of the smallest one at which 0 is a solution. A dash means that no run came that close.
For MCP and SCAD, programs may end in different stationary points; a dash then only says that another program ended lower.
"""


if __name__ == "__main__":
    main()

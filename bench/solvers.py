"""Solvers by several programs: `bench/venv --peers python -m bench.solvers [--quick] [--missing] [--parts linear,box,sums] [--only NAME]
[--programs NAMES]`.

The part `linear` is in this file: sparse linear models; `box` and `sums` are in `box.py` and `finite_sums.py`. What was measured is kept in
`docs/src/bench/solvers.json` with its date and machine, row by row, so that a run may be cut off at any time and `--missing` goes on with
what is not there. Every run that is not quick writes `docs/src/solver-speed.md` from all of it. Every program gets the same arrays in memory, in the order that it likes best (F order or csc for all), and is asked for one tolerance after
the other. One judge, below, computes the objective of every point in NumPy. The time to a gap is that of the fastest run whose
objective is within that part of the lowest one that anybody has found; best of `--repeats`. Compilation and imports are done before.
It needs the Python package `proxsplit` beside the peers, and `target/release/proxsplit` for the part `sums`.
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
    """The least weight with which 0 is the solution."""
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
        # Words: few are in many documents, most in few.
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
    """One after the other: they are made when they are needed."""
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
    # Where general solvers of cones can take part.
    for loss in ("least-squares", "logistic"):
        every.append((f"{loss} l1, small 200 × 500", (200, 500), None, loss, "l1", 0.1))
    return (make(*arguments) for arguments in every if only in arguments[0])


Runs = list[tuple[float, float]]  # seconds and objective


def race(problem: Problem, repeats: int, patience: float, skipped: Iterable[str] = ()) -> Iterator[tuple[str, Runs]]:
    """Every program but those, with its runs."""
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
        except Exception as error:  # a peer that fails is named, and the others go on
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
    """All that was measured: for `linear` the runs of every program, for the other parts a table; each with when and where."""

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
    """What was asked for, row by row."""
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
    """The table of a problem, and when its rows were measured."""
    text = table(name.removeprefix("linear/"), {program: entry["runs"] for program, entry in found.items()})
    when: dict[str, list[str]] = {}
    for program in filter(found.__contains__, PEERS):
        when.setdefault(found[program]["measured"], []).append(program)
    if len(when) == 1:
        return text + f"\nMeasured {next(iter(when))}.\n"
    return text + "".join(f"\n{', '.join(programs)}: measured {stamp}.\n" for stamp, programs in when.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small problems, and nothing is written")
    parser.add_argument("--parts", default="linear,box,sums", type=lambda text: text.split(","))
    parser.add_argument("--only", default="", help="a part of a problem's name")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--patience", type=float, default=10.0, help="no smaller tolerance after a run of so many seconds")
    parser.add_argument("--missing", action="store_true", help="only what is not kept yet")
    parser.add_argument("--programs", default="", help="only these programs of the part linear, such as proxsplit,skglm; rows of others stay")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    measure(options, Kept(not options.quick))


def machine() -> str:
    facts = describe()
    return f"{facts['date']}, {facts['processor']}, {facts['cores']} cores, load {facts['load']} before, proxsplit at {facts['proxsplit']}"


def write(kept: dict[str, Any]) -> None:
    """The page, from all that is kept."""
    parts: dict[str, list[str]] = {part: [] for part in ("linear", "box", "sums")}
    for name, entry in kept.items():
        part = name.split("/")[0]
        parts[part].append(linear_table(name, entry) if part == "linear" else f"{entry['text']}\nMeasured {entry['measured']}.\n")
    heads = {"linear": LINEAR, "box": "", "sums": finite_sums.HEAD}
    body = "\n".join(heads[part] + "\n" * bool(heads[part]) + "\n".join(texts) for part, texts in parts.items() if texts)
    (ROOT / "docs/src/solver-speed.md").write_text(PAGE + body)


KEPT = ROOT / "docs/src/bench/solvers.json"

PAGE = """# Solver speed

Written by `bench/venv --peers python -m bench.solvers`, which needs the Python package in the same environment. Every table says when and where it was
measured, row by row where programs ran at different times, and the load average before; the programs ran one after the other. Work that is frozen for the
time of a measurement counts in that load, too. With `--missing` it goes on where it was cut off.

"""

LINEAR = """## Sparse linear models: time to a gap

Time to a relative gap to the lowest objective that any program has found, of the best of at least two runs. All programs get the same arrays in memory, in F order or csc, and
the same judge computes their objectives; a dash means that no run came as close; who has needed more than some seconds for one tolerance (`--patience`) is not asked for smaller ones. Ours uses all cores, as it does by default; the peers use what they
use. Weights are a tenth of the least one with which 0 is the solution. For MCP and SCAD programs may end in different stationary points, and a dash then
says only that another one was lower.
"""


if __name__ == "__main__":
    main()

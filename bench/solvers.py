"""Solvers by several programs: `bench/venv --peers python -m bench.solvers [--quick] [--parts linear,box,sums] [--only NAME]`.

The part `linear` is in this file: sparse linear models; `box` and `sums` are in `box.py` and `finite_sums.py`. Tables are kept in
`docs/src/bench/solvers.json` with their date and machine, so that parts can be measured one by one, and every run that is not quick writes
`docs/src/solver-speed.md` from all of them. Every program gets the same arrays in memory, in the order that it likes best (F order or csc for all), and is asked for one tolerance after
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
from typing import Any, Callable, Iterator

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


def problems(quick: bool, only: str) -> list[Problem]:
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
    return [make(*arguments) for arguments in every if only in arguments[0]]


def race(problem: Problem, repeats: int, patience: float) -> dict[str, list[tuple[float, float]]]:
    """(seconds, objective) of every run of every program."""
    runs: dict[str, list[tuple[float, float]]] = {}
    for name, peer in PEERS.items():
        solve: Callable[[float], np.ndarray] | None = peer(problem)
        if solve is None:
            continue
        runs[name] = []
        try:
            solve(1e-2)  # compiles
            for tolerance in TOLERANCES:
                seconds, beta = np.inf, None
                for _ in range(repeats):
                    start = time.perf_counter()
                    beta = solve(tolerance)
                    seconds = min(seconds, time.perf_counter() - start)
                runs[name].append((seconds, problem.objective(beta)))
                if seconds > patience:
                    break
        except Exception as error:  # a peer that fails is named, and the others go on
            print(f"  {name}: {type(error).__name__}: {error}")
    return runs


def table(problem: Problem, runs: dict[str, list[tuple[float, float]]]) -> str:
    best = min(objective for found in runs.values() for _, objective in found)
    lines = [f"### {problem.name}", "", "| program | " + " | ".join(f"to {gap:g}" for gap in GAPS) + " |", "|---|" + "---|" * len(GAPS)]
    for name, found in runs.items():
        times = []
        for gap in GAPS:
            enough = [seconds for seconds, objective in found if objective - best <= gap * abs(best)]
            times.append(f"{1e3 * min(enough):.1f} ms" if enough else "–")
        lines.append(f"| {name} | " + " | ".join(times) + " |")
    return "\n".join(lines) + "\n"


def measure(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """The tables that were asked for, each with its part and name."""
    if "linear" in options.parts:
        for problem in problems(options.quick, options.only):
            yield f"linear/{problem.name}", table(problem, race(problem, options.repeats, options.patience))
    if "box" in options.parts:
        yield "box/calls", box.section(options.quick)
    if "sums" in options.parts:
        for name, text in finite_sums.tables(options.quick, options.only):
            yield f"sums/{name}", text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small problems, and nothing is written")
    parser.add_argument("--parts", default="linear,box,sums", type=lambda text: text.split(","))
    parser.add_argument("--only", default="", help="a part of a problem's name")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--patience", type=float, default=10.0, help="no smaller tolerance after a run of so many seconds")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, text in measure(options):
        print(text, flush=True)
        if not options.quick:
            kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
            kept[name] = {"text": text, "measured": machine()}
            KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
            write(kept)


def machine() -> str:
    facts = describe()
    return f"{facts['date']}, {facts['processor']}, {facts['cores']} cores, load {facts['load']}, proxsplit at {facts['proxsplit']}"


def write(kept: dict[str, dict[str, str]]) -> None:
    """The page, from all tables that are kept."""
    parts = {part: [] for part in ("linear", "box", "sums")}
    for name, entry in kept.items():
        parts[name.split("/")[0]].append(f"{entry['text']}\nMeasured {entry['measured']}.\n")
    heads = {"linear": LINEAR, "box": "", "sums": finite_sums.HEAD}
    body = "\n".join(heads[part] + "\n" * bool(heads[part]) + "\n".join(texts) for part, texts in parts.items() if texts)
    (ROOT / "docs/src/solver-speed.md").write_text(PAGE + body)


KEPT = ROOT / "docs/src/bench/solvers.json"

PAGE = """# Solver speed

Written by `bench/venv --peers python -m bench.solvers`, which needs the Python package in the same environment. Every table says when and where it was
measured; all programs of a table ran one after the other on an idle machine.

"""

LINEAR = """## Sparse linear models: time to a gap

Time to a relative gap to the lowest objective that any program has found, of the best of three runs. All programs get the same arrays in memory, in F order or csc, and
the same judge computes their objectives; a dash means that no run came as close. Ours uses all cores, as it does by default; the peers use what they
use. Weights are a tenth of the least one with which 0 is the solution. For MCP and SCAD programs may end in different stationary points, and a dash then
says only that another one was lower.
"""


if __name__ == "__main__":
    main()

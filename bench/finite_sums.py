"""Compares PAGE and SAGA with the incremental method, full gradients and scikit-learn's SAGA on sums of 10⁵ terms. A part of `bench.solvers`.

Every program is run with one tolerance, or number of passes, after the other. NumPy code in this file computes the residual of the mean
objective, R(x) = L‖x − P(x − ∇f(x)/L)‖, relative to the gradient at the start; for the network, a step of 0.1 takes the
place of 1/L. The time to a residual is that of the fastest run that reached it.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Collection, Iterator

import numpy as np

from .case import ROOT

LEVELS = (1e-2, 1e-4, 1e-6)


@dataclass
class Linear:
    """The mean of a loss over rows, plus W‖x‖₁."""

    name: str
    loss: str
    a: np.ndarray
    b: np.ndarray
    weight: float

    def gradient(self, x: np.ndarray) -> np.ndarray:
        z = self.a @ x
        slope = -self.b / (1 + np.exp(self.b * z)) if self.loss == "logistic" else (z - self.b) / (1 + (z - self.b) ** 2)
        return self.a.T @ slope / len(self.b)

    def residual(self, x: np.ndarray) -> float:
        bend = 0.25 if self.loss == "logistic" else 1.0
        step = 1 / (bend * np.linalg.norm(self.a.T @ self.a, 2) / len(self.b))
        y = x - step * self.gradient(x)
        p = np.sign(y) * np.maximum(np.abs(y) - step * self.weight, 0)
        return float(np.linalg.norm(x - p) / step / np.linalg.norm(self.gradient(np.zeros_like(x))))


def make(name: str, loss: str, rows: int, cols: int) -> Linear:
    """Columns of uneven scale; in regression, a tenth of the targets are outliers."""
    rng = np.random.default_rng(1)
    a = rng.normal(size=(rows, cols)) * np.logspace(0, -1, cols)
    b = a @ (rng.normal(size=cols) * (rng.random(cols) < 0.3)) + 0.3 * rng.normal(size=rows)
    if loss == "logistic":
        b = np.where(b > 0, 1.0, -1.0)
    else:
        b[:: 10] += rng.normal(size=len(b[::10])) * 10
    problem = Linear(name, loss, a, b, 0.0)
    problem.weight = 0.02 * float(np.abs(problem.gradient(np.zeros(cols))).max())
    return problem


def command(problem: Linear, folder: Path, method: str) -> Any:
    """(seconds, x) from the command line for one tolerance after the other; the seconds are those of the solver, without reading files."""
    np.save(folder / "a.npy", problem.a)
    np.save(folder / "b.npy", problem.b)
    loss = problem.loss if problem.loss == "logistic" else "cauchy:1"
    words = [str(ROOT / "target/release/proxsplit"), "solve", "--loss", loss, "--mean", "--data", "a.npy", "--target", "b.npy", "--force",
             "--penalty", f"l1:{problem.weight!r}", "--method", method, "--out", "out", "--quiet", "--time", "10", "--passes", "3000"]  # fmt: skip
    for tolerance in (3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7):
        subprocess.run([*words, "--tol", str(tolerance)], cwd=folder, check=False, capture_output=True)
        seconds = json.loads((folder / "out/run.json").read_text())["seconds"]
        yield seconds, np.load(folder / "out/x.npy")
        if seconds > 8:
            break


def sklearn_saga(problem: Linear) -> Any:
    from sklearn.linear_model import LogisticRegression

    inverse = 1 / (problem.weight * len(problem.b))
    for passes in (2, 4, 8, 16, 32, 64, 128, 256, 512):
        model = LogisticRegression(l1_ratio=1.0, C=inverse, solver="saga", tol=0.0, max_iter=passes, fit_intercept=False, random_state=0)
        start = time.perf_counter()
        model.fit(problem.a, problem.b)
        seconds = time.perf_counter() - start
        yield seconds, model.coef_.ravel()
        if seconds > 8:
            break


class Network:
    """A network with one hidden layer, squared loss and an ℓ1 penalty on all weights, whose terms are NumPy functions."""

    name = "a network 10 → 8 → 1, 10⁵ rows, ℓ1; its terms are functions in Python"

    def __init__(self, rows: int, hidden: int = 8, inputs: int = 10) -> None:
        rng = np.random.default_rng(2)
        self.a, self.shape, self.rows = rng.normal(size=(rows, inputs)), (inputs, hidden), rows
        self.b = np.sin(self.a[:, 0]) * self.a[:, 1] + 0.1 * rng.normal(size=rows)
        self.start, self.weight = 0.5 * rng.normal(size=inputs * hidden + hidden), 1e-4

    def terms(self, w: np.ndarray, batch: np.ndarray) -> tuple[float, np.ndarray]:
        first, last = w[: self.shape[0] * self.shape[1]].reshape(self.shape), w[self.shape[0] * self.shape[1] :]
        a = self.a[batch]
        h = np.tanh(a @ first)
        r = (h @ last - self.b[batch]) / self.rows
        back = np.outer(r, last) * (1 - h**2)
        return 0.5 * self.rows * float(r @ r), np.r_[(a.T @ back).ravel(), h.T @ r]

    def residual(self, w: np.ndarray) -> float:
        whole = np.arange(self.rows)
        y = w - 0.1 * self.terms(w, whole)[1]
        p = np.sign(y) * np.maximum(np.abs(y) - 0.1 * self.weight, 0)
        return float(np.linalg.norm(w - p) / 0.1 / np.linalg.norm(self.terms(self.start, whole)[1]))


def network(problem: Network, method: str) -> Any:
    from proxsplit import minimize

    whole = np.arange(problem.rows)
    size = {"incremental": {"batch_size": 100}}.get(method, {})
    for tolerance in (1e-2, 1e-3, 1e-4, 1e-5):
        start = time.perf_counter()
        options = {"maxiter": 2000, "maxtime": 8.0, "atol": 0.0} | size
        if method == "batch":
            x = minimize(lambda w: problem.terms(w, whole), problem.start, prox=f"l1:{problem.weight}", tol=tolerance, options=options).x
        else:
            terms = (problem.rows, problem.terms)
            x = minimize(None, problem.start, terms=terms, method=method, prox=f"l1:{problem.weight}", tol=tolerance, options=options).x
        seconds = time.perf_counter() - start
        yield seconds, x
        if seconds > 7:
            break


def table(name: str, residual: Callable[[np.ndarray], float], programs: dict[str, Any]) -> str:
    lines = [f"### {name}", "", "| program | " + " | ".join(f"to {level:g}" for level in LEVELS) + " | smallest residual |", "|---|" + "---|" * (len(LEVELS) + 1)]
    for program, runs in programs.items():
        found = [(seconds, residual(x)) for seconds, x in runs]
        times = [min((s for s, r in found if r <= level), default=np.inf) for level in LEVELS]
        shown = [f"{t:.3g} s" if np.isfinite(t) else "–" for t in times]
        lines.append(f"| {program} | " + " | ".join(shown) + f" | {min(r for _, r in found):.1e} |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def tables(quick: bool, only: str, known: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """The names and tables of the problems that are not in `known`."""
    rows = 5000 if quick else 100_000
    for name, loss in (("logistic", "logistic"), ("robust regression (Cauchy)", "cauchy")):
        title = f"{name}, {rows} × 50, ℓ1"
        if only in title and title not in known:
            problem = make(title, loss, rows, 50)
            with tempfile.TemporaryDirectory() as folder:
                programs = {f"proxsplit {m}": command(problem, Path(folder), m) for m in ("saga", "page", "incremental", "panoc")}
                if loss == "logistic":
                    programs["scikit-learn SAGA"] = sklearn_saga(problem)
                yield title, table(title, problem.residual, programs)
    net = Network(rows)
    if only in net.name and net.name not in known:
        yield net.name, table(net.name, net.residual, {f"minimize {m}": network(net, m) for m in ("saga", "page", "incremental", "batch")})


HEAD = """## Finite sums: time to a residual

The tables give the time to a residual of the mean objective, relative to the gradient at the start and computed in NumPy for
all programs. For `proxsplit`, this is the time of its solver without reading files; for scikit-learn, the time of `fit`; for
`minimize`, the time of the call. The incremental method visits single rows, and batches of 100 for the network.
"""

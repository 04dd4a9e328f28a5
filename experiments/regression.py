"""Regression with a nonsmooth penalty: our solvers beside methods that came after the paper, at the end each one chooses."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.peers.proxsplit_cli import BINARY
from bench.table import markdown

from .jobs import Work
from .store import Store

HEAD = ["problem", "program", "method", "s", "objective", "true residual", "what it says"]


@dataclass(frozen=True)
class Problem:
    """min (1/n) Σ ℓ(⟨a_i, x⟩, b_i) + ψ(x), with what the judge needs: value of ψ, its prox, and slope of ℓ."""

    title: str
    loss: str
    penalty: str
    data: np.ndarray
    target: np.ndarray
    losses: Callable[[np.ndarray, np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray, np.ndarray], np.ndarray]
    value: Callable[[np.ndarray], float]
    prox: Callable[[np.ndarray, float], np.ndarray]

    def judge(self, x: np.ndarray) -> tuple[float, float]:
        """The objective, and ‖x − prox(x − s∇f(x))‖/s for a step s = 1/L, the same for all."""
        scores, count = self.data @ x, len(self.target)
        step = count / np.linalg.norm(self.data, 2) ** 2
        gradient = self.data.T @ self.slope(scores, self.target) / count
        residual = np.linalg.norm(x - self.prox(x - step * gradient, step)) / step
        return float(self.losses(scores, self.target).mean() + self.value(x)), float(residual)


def problems() -> list[Problem]:
    """Both with correlated columns and 50 of 2000 true coefficients; weights at a tenth of the one that makes x = 0."""
    random = np.random.default_rng(0)
    data = random.standard_normal((1500, 2000)) + 0.5 * random.standard_normal((1500, 1))
    truth = np.zeros(2000)
    truth[random.choice(2000, 50, replace=False)] = random.standard_normal(50)
    scores = data @ truth
    target = scores + 0.1 * random.standard_normal(1500)
    signs = np.where(scores + random.standard_normal(1500) > 0, 1.0, -1.0)
    mcp = 0.1 * float(abs(data.T @ target).max()) / 1500
    l1 = 0.1 * float(abs(data.T @ signs).max()) / 3000
    squares = (lambda s, b: (s - b) ** 2 / 2, lambda s, b: s - b)
    logistic = (lambda s, b: np.logaddexp(0, -b * s), lambda s, b: -b / (1 + np.exp(b * s)))
    return [
        Problem("least squares, MCP", "least-squares", f"mcp:{mcp!r},3", data, target, *squares, *mcp_parts(mcp, 3.0)),
        Problem("logistic, ℓ1", "logistic", f"l1:{l1!r}", data, signs, *logistic, *l1_parts(l1)),
    ]


def l1_parts(weight: float):
    return lambda x: weight * abs(x).sum(), lambda v, step: np.sign(v) * np.maximum(abs(v) - step * weight, 0)


def mcp_parts(weight: float, gamma: float):
    """The prox for steps below γ."""

    def value(x):
        size = abs(x)
        return np.where(size <= gamma * weight, weight * size - size**2 / (2 * gamma), gamma * weight**2 / 2).sum()

    def prox(v, step):
        inside = np.sign(v) * np.maximum(abs(v) - step * weight, 0) / (1 - step / gamma)
        return np.where(abs(v) <= gamma * weight, inside, v)

    return value, prox


def ours(problem: Problem, **options) -> tuple[np.ndarray, float, str]:
    """A run of `proxsplit solve`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, array in [("data", problem.data), ("target", problem.target)]:
            np.save(Path(folder) / f"{name}.npy", array)
        words = [BINARY, "solve", "--loss", problem.loss, "--penalty", problem.penalty, "--mean", "--quiet"]
        words += ["--data", f"{folder}/data.npy", "--target", f"{folder}/target.npy", "--out", f"{folder}/out"]
        words += [word for option, value in options.items() for word in (f"--{option}", str(value))]
        subprocess.run([str(word) for word in words], check=True)
        record = json.loads((Path(folder) / "out" / "run.json").read_text())
        verdict = record["certificate"]["verdict"]
        says = verdict if isinstance(verdict, str) else ": ".join(*verdict.items())
        return np.load(Path(folder) / "out" / "x.npy"), record["seconds"], says


def skglm(problem: Problem) -> tuple[np.ndarray, float, str]:
    """The second of two runs: the first one compiles."""
    from skglm import GeneralizedLinearEstimator, datafits, penalties, solvers

    name, _, weights = problem.penalty.partition(":")
    weights = [float(weight) for weight in weights.split(",")]
    penalty = penalties.MCPenalty(*weights) if name == "mcp" else penalties.L1(*weights)
    squares = problem.loss == "least-squares"
    solver = solvers.AndersonCD(tol=1e-9, fit_intercept=False) if squares else solvers.ProxNewton(tol=1e-9, fit_intercept=False)
    model = GeneralizedLinearEstimator(datafits.Quadratic() if squares else datafits.Logistic(), penalty, solver)
    for _ in range(2):
        begin = time.perf_counter()
        model.fit(np.asfortranarray(problem.data), problem.target)
    return model.coef_.ravel(), time.perf_counter() - begin, "converged" if model.stop_crit_ <= 1e-9 else "not converged"


def saga(problem: Problem) -> tuple[np.ndarray, float, str]:
    from sklearn.linear_model import LogisticRegression

    weight = float(problem.penalty.partition(":")[2])
    options = {"C": 1 / (weight * len(problem.target)), "fit_intercept": False, "max_iter": 1000, "tol": 1e-6}
    model = LogisticRegression(l1_ratio=1.0, solver="saga", random_state=0, **options)
    begin = time.perf_counter()
    model.fit(problem.data, problem.target)
    return model.coef_.ravel(), time.perf_counter() - begin, "converged" if model.n_iter_[0] < 1000 else "not converged"


NEARLY = "stationary up to the measured error; residual at the returned point"
ROWS = [
    (None, "proxsplit", "Algorithm 1, backtracking", "2012, here", NEARLY, lambda p: ours(p, tol=1e-8, passes=20000, step="backtracking")),
    (None, "proxsplit", "eq.32, 15 batches, automatic step", "2012, here", NEARLY, lambda p: ours(p, method="incremental", batch=100)),
    (None, "proxsplit", "PANOC+", "2022", "a stationary point, descent of the envelope", lambda p: ours(p, method="panoc", tol=1e-8, passes=20000)),
    (None, "proxsplit", "working sets, Anderson", "2022", "the gap or residual over all coordinates", lambda p: ours(p, method="working-set", tol=1e-8, passes=20000)),
    (None, "proxsplit", "SAGA", "2014", "errors that vanish with the moves", lambda p: ours(p, method="saga", batch=100)),
    (None, "proxsplit", "PAGE", "2021", "errors that vanish with the moves", lambda p: ours(p, method="page", batch=100)),
    ("skglm", "skglm", "coordinate descent, working sets, Anderson", "2022", "a critical point (its paper, under regularity)", skglm),
    ("sklearn", "scikit-learn", "SAGA", "2014", "linear rate if strongly convex; convex terms only", saga),
]
TABLE = "regression"


def works(store: Store) -> list[Work]:
    """Every method on every problem."""
    found = []
    for problem in problems():
        for package, program, method, year, promise, solve in ROWS:
            if program == "scikit-learn" and problem.loss != "logistic":
                continue
            named = {"problem": problem.title, "program": program, "method": method}

            def do(problem=problem, package=package, solve=solve, named=named, rest=(year, promise)) -> None:
                row = dict(zip(HEAD[3:7], outcome(problem, package, solve), strict=True))
                store.add(TABLE, [named | row | {"year": rest[0], "what it guarantees": rest[1]}])

            found.append(Work(f"regression: {program}, {method}", 3.0, lambda named=named: store.has(TABLE, **named), do))
    return found


def outcome(problem: Problem, package: str | None, solve: Callable) -> list[str]:
    """Seconds, objective, residual and the program's word; a program that fails or is missing says so."""
    if package and not importlib.util.find_spec(package):
        return ["", "", "", "not installed"]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x, seconds, says = solve(problem)
    except Exception as error:  # noqa: BLE001: a peer's failure is a result
        return ["", "", "", f"failed: {error}"]
    objective, residual = problem.judge(x)
    return [f"{seconds:.2f}", f"{objective:.8f}", f"{residual:.1e}", says]


def table(store: Store) -> str:
    head = [*HEAD, "year", "what it guarantees"]
    return markdown(head, [[row[name] for name in head] for row in store.rows(TABLE)])

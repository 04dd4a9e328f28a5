"""Counts calls of f on box problems, for `minimize`, scipy's L-BFGS-B and Barzilai–Borwein steps. A part of `bench.solvers`.

A call is one evaluation of f and ∇f. Calls count until the objective of an iterate is within a relative gap of the lowest one that any program
found. The callbacks of both programs report the iterate after every iteration.
"""

from __future__ import annotations

import time
from typing import Any, Callable

import numpy as np
from scipy import optimize

GAPS = (1e-3, 1e-6, 1e-9)
Function = Callable[[np.ndarray], "tuple[float, np.ndarray]"]


def rosenbrock(d: int) -> tuple[Function, np.ndarray, tuple[float, float]]:
    """Started at (−1.2, 1, −1.2, …); the unconstrained minimum is outside the box."""
    start = np.where(np.arange(d) % 2 == 0, -1.2, 1.0)
    return lambda x: (optimize.rosen(x), optimize.rosen_der(x)), start, (-2.0, 0.9)


def nnls(rows: int, cols: int) -> tuple[Function, np.ndarray, tuple[float, float]]:
    """½‖Ax − b‖², x ≥ 0, with entries |N(0, 1)|."""
    rng = np.random.default_rng(0)
    a = np.abs(rng.normal(size=(rows, cols)))
    b = a @ np.maximum(rng.normal(size=cols), 0) + rng.normal(size=rows)

    def f(x: np.ndarray) -> tuple[float, np.ndarray]:
        r = a @ x - b
        return 0.5 * r @ r, a.T @ r

    return f, np.zeros(cols), (0.0, np.inf)


def hilbert(n: int) -> tuple[Function, np.ndarray, tuple[float, float]]:
    """½‖Hx − b‖², x ≥ 0, with a Hilbert matrix H and noise in b, so that some entries of the solution are 0."""
    h = 1.0 / (1.0 + np.add.outer(np.arange(n), np.arange(n)))
    b = h @ np.ones(n) + 1e-2 * np.random.default_rng(0).normal(size=n)

    def f(x: np.ndarray) -> tuple[float, np.ndarray]:
        r = h @ x - b
        return 0.5 * r @ r, h.T @ r

    return f, np.zeros(n), (0.0, np.inf)


def problems(quick: bool) -> dict[str, tuple[Function, np.ndarray, tuple[float, float]]]:
    size = (1000, 200) if quick else (10_000, 2000)
    return {
        "Rosenbrock on a box, d = 10": rosenbrock(10),
        "Rosenbrock on a box, d = 50": rosenbrock(50),
        f"nonnegative least squares, {size[0]} × {size[1]}, entries abs N(0,1)": nnls(*size),
        "nonnegative least squares, Hilbert 10": hilbert(10),
        "nonnegative least squares, Hilbert 100": hilbert(100),
    }


class Counted:
    """f with a count of its calls, and the objective of every iterate with the calls and seconds up to it."""

    def __init__(self, f: Function) -> None:
        self.f, self.calls, self.seen = f, 0, [(0, np.inf, 0.0)]
        # The time of the start, shifted by the time spent in `note`.
        self.start = time.perf_counter()
        self.last: tuple[np.ndarray, float] = (np.empty(0), np.inf)

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        self.calls += 1
        value, gradient = self.f(x)
        self.last = (x.copy(), float(value))
        return value, gradient

    def note(self, x: np.ndarray) -> None:
        # Usually the iterate is the point of the last call; if not, an uncounted call evaluates it.
        now = time.perf_counter()
        known = np.array_equal(x, self.last[0])
        self.seen.append((self.calls, self.last[1] if known else float(self.f(x)[0]), now - self.start))
        self.start += time.perf_counter() - now


def limit(start: np.ndarray) -> int:
    """The maximum number of calls, lower where a call takes long."""
    return 1000 if len(start) >= 1000 else 5000


def ours(step: str | None) -> Callable[..., Any]:
    from proxsplit import minimize

    def solve(f: Counted, start: np.ndarray, box: tuple[float, float]) -> None:
        text = "nonneg" if box == (0.0, np.inf) else f"box:{box[0]},{box[1]}"
        minimize(f, start, prox=text, step=step, tol=1e-13, callback=f.note, options={"maxiter": limit(start), "atol": 0.0})

    return solve


def theirs(f: Counted, start: np.ndarray, box: tuple[float, float]) -> None:
    limits = {"maxiter": 20_000, "maxfun": limit(start), "ftol": 0.0, "gtol": 1e-14}
    bounds = [(box[0], None if np.isinf(box[1]) else box[1])] * len(start)
    optimize.minimize(f, start, jac=True, bounds=bounds, method="L-BFGS-B", callback=f.note, options=limits)


def section(quick: bool) -> str:
    lines = [
        "## Box problems: calls of f",
        "",
        "The number of calls of f and ∇f, and the time, until the objective of an iterate is within a relative gap of the lowest one found, for "
        "`minimize` with its defaults, scipy's L-BFGS-B, and `minimize(step=\"bb\")` with Barzilai–Borwein steps. A ratio is the number of calls of "
        "`minimize` divided by that of the program to its left. A dash means that 5000 calls (1000 for the largest problem) were not enough.",
        "",
        "| problem | gap | minimize | L-BFGS-B | ratio | bb | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (f, start, box) in problems(quick).items():
        runs = {}
        for program, solve in {"ours": ours(None), "scipy": theirs, "bb": ours("bb")}.items():
            runs[program] = Counted(f)
            solve(runs[program], start, box)
        best = min(value for run in runs.values() for _, value, _ in run.seen)
        for gap in GAPS:
            limit = best + gap * max(abs(best), 1e-12)
            firsts = {p: min(((c, seconds) for c, value, seconds in run.seen if value <= limit), default=(np.inf, np.inf)) for p, run in runs.items()}
            counts = {p: calls for p, (calls, _) in firsts.items()}
            shown = {p: f"{calls:.0f} in {seconds:.2g} s" if np.isfinite(calls) else "–" for p, (calls, seconds) in firsts.items()}
            ratio = {p: f"{counts['ours'] / counts[p]:.2f}" if np.isfinite(counts["ours"] + counts[p]) else "–" for p in counts}
            lines.append(f"| {name} | {gap:g} | {shown['ours']} | {shown['scipy']} | {ratio['scipy']} | {shown['bb']} | {ratio['bb']} |")
    return "\n".join(lines) + "\n"

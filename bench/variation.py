"""Compares isotropic total variation with a plain NumPy program: `.venv/bin/python -m bench.variation`.

Both solve the dual by the fast gradient projection of Beck and Teboulle (2009) and check the duality gap every ten rounds. They stop when it
proves the same distance to the solution, or after the same number of rounds. Times are the best of three alternating runs on one thread.
"""

from __future__ import annotations

import time

import numpy as np
from proxsplit.prox import TV2D

from . import machine
from .table import markdown

ROUNDS = 5000


def gradient(x: np.ndarray) -> np.ndarray:
    """Forward differences down and across, 0 across the border."""
    d = np.zeros((2, *x.shape))
    d[0, :-1] = x[1:] - x[:-1]
    d[1, :, :-1] = x[:, 1:] - x[:, :-1]
    return d


def divergence(p: np.ndarray) -> np.ndarray:
    """The negative transpose of `gradient`."""
    out = p[0] + p[1]
    out[1:] -= p[0, :-1]
    out[:, 1:] -= p[1, :, :-1]
    return out


def fast_gradient_projection(y: np.ndarray, weight: float, tolerance: float) -> tuple[np.ndarray, int]:
    """The prox, and the number of rounds it took."""
    p = q = np.zeros((2, *y.shape))
    t, target = 1.0, tolerance * np.linalg.norm(y - y.mean())
    for rounds in range(1, ROUNDS + 1):
        new = q + gradient(y + divergence(q)) / 8
        new /= np.maximum(1, np.sqrt((new**2).sum(0)) / weight)
        following = (1 + np.sqrt(1 + 4 * t * t)) / 2
        p, q, t = new, new + (t - 1) / following * (new - p), following
        if rounds % 10 == 0:
            slopes = gradient(y + divergence(p))
            gap = weight * np.sqrt((slopes**2).sum(0)).sum() - (p * slopes).sum()
            if np.sqrt(2 * max(gap, 0.0)) <= target:
                break
    return y + divergence(p), rounds


def best_of_three(*works) -> list[float]:
    best = [float("inf")] * len(works)
    for _ in range(3):
        for i, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def main() -> None:
    rows = []
    for side, weight, tolerance in [(64, 0.05, 1e-5), (64, 0.2, 1e-3), (128, 0.2, 1e-3), (256, 0.05, 1e-4), (256, 0.2, 1e-3), (512, 0.1, 1e-3)]:
        picture = np.zeros((side, side))
        picture[side // 4 : side // 2, side // 3 :] = 1
        picture += 0.2 * np.random.default_rng(0).normal(size=picture.shape)
        operator = TV2D(weight, picture.shape, tolerance)
        ours, theirs = best_of_three(lambda: operator.prox(picture), lambda: fast_gradient_projection(picture, weight, tolerance))
        (point, bound), (other, rounds) = operator.prox_with_error(picture), fast_gradient_projection(picture, weight, tolerance)
        size = np.linalg.norm(picture - picture.mean())
        apart = np.linalg.norm(point - other) / size
        rows.append([f"{side} × {side}", f"{weight:g}", f"{tolerance:g}", f"{bound / size:.1e}", f"{apart:.1e}", str(rounds),
                     f"{1e3 * theirs:.1f}", f"{1e3 * ours:.1f}", f"{theirs / ours:.1f}×"])  # fmt: skip
    print(machine.sentence(machine.describe()) + "\n")
    print(markdown(["picture", "weight", "tolerance", "proved", "apart", "NumPy rounds", "NumPy ms", "proxsplit ms", "ratio"], rows))


if __name__ == "__main__":
    main()

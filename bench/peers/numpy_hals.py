"""Accelerated HALS in NumPy: several coordinate sweeps over a factor for every product with Y.

After N. Gillis and F. Glineur, Accelerated multiplicative updates and hierarchical ALS algorithms for nonnegative matrix
factorization, 2012. With ℓ1 on both factors the scale of every pair (x_k, a_k) is balanced exactly.
"""

import numpy as np

from . import Job
from ..clock import Clock


def run(job: Job, clock: Clock) -> None:
    y, (x_l1, a_l1) = job.case.matrix(), (job.case.x_l1, job.case.a_l1)
    random, start = np.random.default_rng(job.seed), job.start()
    clock.restart()
    x, a = start or (random.random((y.shape[0], job.case.rank)), random.random((job.case.rank, y.shape[1])))
    mark, passes = 0.0, 0
    while not clock.over:
        sweep(a, x.T @ x, np.asarray((y.T @ x).T) - a_l1)
        xt = np.ascontiguousarray(x.T)
        sweep(xt, a @ a.T, np.asarray(y @ a.T).T - x_l1)
        x = xt.T
        if x_l1 and a_l1:
            balance(x, a, x_l1, a_l1)
        passes += 1
        if clock.seconds >= mark:
            clock.point(x)
            mark = 1.5 * clock.seconds
    clock.point(x)
    clock.notes = {"passes": passes}


def sweep(factor: np.ndarray, gram: np.ndarray, linear: np.ndarray, most: int = 12) -> None:
    """Coordinate sweeps until one moves the factor by less than a tenth of the first."""
    first = None
    for _ in range(most):
        moved = 0.0
        for k in range(len(gram)):
            old = factor[k].copy()
            np.maximum(old + (linear[k] - gram[k] @ factor) / max(gram[k, k], 1e-16), 0.0, out=factor[k])
            moved += float(((factor[k] - old) ** 2).sum())
        first = moved if first is None else first
        if moved <= 0.01 * first:
            return


def balance(x: np.ndarray, a: np.ndarray, x_l1: float, a_l1: float) -> None:
    """The scale c of each pair that minimizes λ‖x_k‖₁·c + γ‖a_k‖₁/c."""
    left, right = x_l1 * x.sum(axis=0), a_l1 * a.sum(axis=1)
    scale = np.sqrt(np.divide(right, left, out=np.ones_like(left), where=(left > 0) & (right > 0)))
    x *= scale
    a /= scale[:, None]

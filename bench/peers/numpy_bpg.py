"""BPG-NMF in NumPy: Bregman proximal gradients on X and A at once, with the quartic kernel that makes the misfit relatively smooth.

M. C. Mukkamala and P. Ochs, Beyond alternating updates for matrix factorization with inertial Bregman proximal gradient algorithms,
2019. With h = (c₁/4)(‖X‖² + ‖A‖²)² + (c₂/2)(‖X‖² + ‖A‖²), c₁ = 3 and c₂ = ‖Y‖, every step below 1 lowers the objective; over X, A ≥ 0 a
step is a clipping and one root of a cubic.
"""

import numpy as np

from . import Job
from ..clock import Clock

STEP = 0.99
QUARTIC = 3.0


def run(job: Job, clock: Clock) -> None:
    y, rank = job.case.matrix(), job.case.rank
    random, start = np.random.default_rng(job.seed), job.start()
    clock.restart()
    x, a = start or (random.random((y.shape[0], rank)), random.random((rank, y.shape[1])))
    linear, passes, mark = float(np.linalg.norm(y)), 0, 0.0
    while not clock.over:
        size = QUARTIC * ((x**2).sum() + (a**2).sum()) + linear
        of_x, of_a = x @ (a @ a.T) - y @ a.T, (x.T @ x) @ a - x.T @ y
        x, a = np.maximum(size * x - STEP * of_x, 0.0), np.maximum(size * a - STEP * of_a, 0.0)
        length = root(QUARTIC * ((x**2).sum() + (a**2).sum()), linear)
        x, a = length * x, length * a
        passes += 1
        if clock.seconds >= mark:
            clock.point(x)
            mark = 1.5 * clock.seconds
    clock.point(x)
    clock.notes = {"passes": passes}


def root(cubic: float, linear: float) -> float:
    """The r > 0 with cubic·r³ + linear·r = 1, by Newton's method from above, where it falls without fail."""
    r = 1 / linear
    for _ in range(100):
        r, last = r - (cubic * r**3 + linear * r - 1) / (3 * cubic * r**2 + linear), r
        if abs(r - last) <= 1e-15 * last:
            break
    return r

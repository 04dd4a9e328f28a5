"""PALM and iPALM of pyproximal: alternating prox-gradient steps of length 1/L on X and on A.

J. Bolte, S. Sabach and M. Teboulle, Proximal alternating linearized minimization, 2014; T. Pock and S. Sabach, Inertial
PALM, 2016.
"""

import numpy as np
import pyproximal
from pyproximal.optimization import palm
from pyproximal.utils.bilinear import LowRankFactorizedMatrix

from . import Job
from ..clock import Clock


class Over(Exception):
    """The time is over; the callback has no other way to say so."""


def run(job: Job, clock: Clock) -> None:
    y, rank = np.ascontiguousarray(job.case.matrix()), job.case.rank
    random, start = np.random.default_rng(job.seed), job.start()
    clock.restart()
    x, a = start or (random.random((y.shape[0], rank)), random.random((rank, y.shape[1])))
    kept = {"mark": 0.0, "passes": 0}

    def look(x_now: np.ndarray, _: np.ndarray) -> None:
        kept["passes"] += 1
        if clock.seconds >= kept["mark"] or clock.over:
            clock.point(x_now.reshape(-1, rank))
            kept["mark"] = 1.5 * clock.seconds
        if clock.over:
            raise Over

    bilinear = LowRankFactorizedMatrix(x, a, y.ravel())
    nonneg = pyproximal.Box(0, np.inf)
    method = getattr(palm, job.setting["method"])
    try:
        method(bilinear, nonneg, nonneg, x.ravel(), a.ravel(), niter=10**9, callback=look, **job.setting["options"])
    except Over:
        clock.notes = {"passes": kept["passes"]}

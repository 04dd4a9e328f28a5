"""SPAMS nmf (online dictionary learning with nonnegative factors). It has no seed.

`spams.nmf` calls `trainDL` with the settings below and takes no start; `trainDL` takes one, with atoms in the unit ball.

Every point is a run of its own, with twice the iterations of the run before; the last one fills the budget.
"""

import numpy as np
import spams

from . import Job
from ..clock import Clock


def run(job: Job, clock: Clock) -> None:
    y, batch = job.case.matrix(), job.setting["batch"]
    options = {"K": job.case.rank, "batchsize": batch, "numThreads": job.threads}
    options |= {"lambda1": 0, "posAlpha": True, "posD": True, "verbose": False}
    if start := job.start():
        options["D"] = np.asfortranarray(start[0] / np.linalg.norm(start[0], axis=0))
    iterations = max(1, y.shape[1] // (2 * batch))
    last = False
    while not last:
        clock.restart()
        x = spams.trainDL(y, iter=iterations, **options)
        seconds = clock.seconds
        clock.point(x, seconds)
        clock.notes = {"passes": iterations * batch / y.shape[1]}
        last = 1.2 * seconds >= clock.budget
        iterations = round(iterations * min(2.0, clock.budget / seconds))

"""SPAMS nmf (online dictionary learning with nonnegative factors). It has no seed and takes no start.

Every point is a run of its own, with twice the iterations of the run before; the last one fills the budget.
"""

import spams

from . import Job
from ..clock import Clock


def run(job: Job, clock: Clock) -> None:
    y = job.case.matrix()
    iterations = max(1, y.shape[1] // (2 * job.setting["batch"]))
    last = False
    while not last:
        clock.restart()
        x = spams.nmf(
            y, K=job.case.rank, batchsize=job.setting["batch"], iter=iterations, numThreads=job.threads
        )
        seconds = clock.seconds
        clock.point(x, seconds)
        last = 1.2 * seconds >= clock.budget
        iterations = round(iterations * min(2.0, clock.budget / seconds))

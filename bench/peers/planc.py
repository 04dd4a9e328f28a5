"""PLANC through pyplanc. Every point is a run of its own from the same start, with twice the iterations of the last."""

import numpy as np
import pyplanc
import scipy.sparse

from . import Job
from ..clock import Clock


def run(job: Job, clock: Clock) -> None:
    y, rank = job.case.matrix(), job.case.rank
    if scipy.sparse.issparse(y):
        y = scipy.sparse.csc_matrix(y)
    random = np.random.default_rng(job.seed)
    x, a = job.start() or (random.random((y.shape[0], rank)), random.random((rank, y.shape[1])))
    start = {"Winit": np.asfortranarray(x), "Hinit": np.asfortranarray(a.T)}
    iterations, last = 1, False
    while not last:
        clock.restart()
        copies = {name: factor.copy(order="F") for name, factor in start.items()}
        out = pyplanc.nmf(y, rank, iterations, job.setting["algo"], job.threads, **copies)
        seconds = clock.seconds
        clock.point(out.W, seconds)
        clock.notes = {"passes": iterations}
        last = 1.2 * seconds >= clock.budget
        iterations = max(1, round(iterations * min(2.0, clock.budget / seconds)))

"""nmf-rs, a Rust port of R's NMF package: its multiplicative updates of Kullback–Leibler (Brunet), on dense arrays.

Its state is (W, H) alone, so a chunked run makes the iterates of an undisturbed one.
"""

import nmf_rs
import numpy as np
import scipy.sparse

from . import Job
from ..clock import Clock


def run(job: Job, clock: Clock) -> None:
    y, (w, h) = job.case.matrix(), job.start()
    y = y.toarray() if scipy.sparse.issparse(y) else np.ascontiguousarray(y)
    chunk, passes = 1, 0
    clock.restart()
    while not clock.over:
        begin = clock.seconds
        out = nmf_rs.nmf(y, job.case.rank, method="brunet", W0=w, H0=h, max_iter=chunk, num_threads=job.threads)
        w, h = out.W, out.H
        per_iteration = (clock.seconds - begin) / chunk
        clock.point(w, a=h)
        passes += chunk
        left = (clock.budget - clock.seconds) / per_iteration
        chunk = max(1, min(2 * chunk, round(left)))
    clock.notes = {"passes": passes}

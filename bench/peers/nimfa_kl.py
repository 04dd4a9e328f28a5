"""nimfa: multiplicative updates of Kullback–Leibler, on dense arrays, in chunks of iterations that continue from each other."""

import warnings

import numpy as np
import scipy.sparse

from . import Job
from ..clock import Clock

# The last release of nimfa uses a name that NumPy 2 has dropped.
np.mat = getattr(np, "mat", np.asmatrix)
warnings.simplefilter("ignore")
import nimfa  # noqa: E402


def run(job: Job, clock: Clock) -> None:
    y, (w, h) = job.case.matrix(), job.start()
    y = y.toarray() if scipy.sparse.issparse(y) else np.ascontiguousarray(y)
    options = {"rank": job.case.rank, "seed": None, "update": "divergence", "objective": "div", "min_residuals": 0}
    chunk, passes = 1, 0
    clock.restart()
    while not clock.over:
        begin = clock.seconds
        fit = nimfa.Nmf(y, W=w, H=h, max_iter=chunk, **options)()
        w, h = np.asarray(fit.basis()), np.asarray(fit.coef())
        per_iteration = (clock.seconds - begin) / chunk
        clock.point(w, a=h)
        passes += chunk
        left = (clock.budget - clock.seconds) / per_iteration
        chunk = max(1, min(2 * chunk, round(left)))
    clock.notes = {"passes": passes}

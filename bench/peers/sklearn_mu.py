"""scikit-learn's NMF by multiplicative updates of Kullback–Leibler, in chunks of iterations that continue from each other."""

import warnings

import scipy.sparse
from sklearn.decomposition import non_negative_factorization

from . import Job
from ..clock import Clock


def run(job: Job, clock: Clock) -> None:
    warnings.simplefilter("ignore")
    y, (w, h) = job.case.matrix(), job.start()
    y = scipy.sparse.csr_matrix(y) if scipy.sparse.issparse(y) else y
    options = {"n_components": job.case.rank, "init": "custom", "solver": "mu", "beta_loss": "kullback-leibler", "tol": 0.0}
    chunk, passes = 1, 0
    clock.restart()
    while not clock.over:
        begin = clock.seconds
        w, h, _ = non_negative_factorization(y, w, h, max_iter=chunk, **options)
        per_iteration = (clock.seconds - begin) / chunk
        clock.point(w, a=h)
        passes += chunk
        left = (clock.budget - clock.seconds) / per_iteration
        chunk = max(1, min(2 * chunk, round(left)))
    clock.notes = {"passes": passes}

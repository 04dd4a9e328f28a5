"""scikit-learn's NMF by coordinate descent, in chunks of iterations that continue from each other.

Its state is (W, H) alone, so a chunked run makes the iterates of an undisturbed one. Its penalties are per sample and
per feature: alpha_W·(features)·‖W‖₁ and alpha_H·(samples)·‖H‖₁.
"""

import warnings

from sklearn.decomposition import non_negative_factorization

from . import Job
from ..clock import Clock


def run(job: Job, clock: Clock) -> None:
    warnings.simplefilter("ignore")
    case, y = job.case, job.case.matrix()
    rows, cols = y.shape
    options = {
        "n_components": case.rank,
        "solver": "cd",
        "tol": 0.0,
        "alpha_W": case.x_l1 / cols,
        "alpha_H": case.a_l1 / rows,
        "l1_ratio": 1.0,
        "random_state": job.seed,
    }
    start = job.start()
    factors, init = (start, "custom") if start else ((None, None), job.setting["init"])
    chunk, passes = 1, 0
    clock.restart()
    while not clock.over:
        begin = clock.seconds
        w, h, _ = non_negative_factorization(y, *factors, init=init, max_iter=chunk, **options)
        per_iteration = (clock.seconds - begin) / chunk
        clock.point(w)
        passes += chunk
        factors, init = (w, h), "custom"
        left = (clock.budget - clock.seconds) / per_iteration
        chunk = max(1, min(2 * chunk, round(left)))
    clock.notes = {"passes": passes}

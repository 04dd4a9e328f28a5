"""scikit-learn's MiniBatchNMF; a mini-batch is a set of columns of Y."""

import warnings

import numpy as np
from sklearn.decomposition import MiniBatchNMF

from . import Job
from ..clock import Clock


def run(job: Job, clock: Clock) -> None:
    warnings.simplefilter("ignore")
    case, y = job.case, job.case.matrix().T
    samples, features = y.shape
    y = y.tocsr() if hasattr(y, "tocsr") else y
    model = MiniBatchNMF(
        case.rank,
        init="custom" if job.same_start else "random",
        batch_size=job.setting["batch"],
        alpha_W=case.a_l1 / features,
        alpha_H=case.x_l1 / samples,
        l1_ratio=1.0,
        random_state=job.seed,
    )
    random, start = np.random.default_rng(job.seed), job.start()
    clock.restart()
    mark, seen = 0.0, 0
    while not clock.over:
        order = random.permutation(samples)
        for first in range(0, samples, job.setting["batch"]):
            part = order[first : first + job.setting["batch"]]
            # scikit-learn reads W and H in the first call only.
            given = {"W": start[1][:, part].T.copy(), "H": start[0].T.copy()} if start and not seen else {}
            model.partial_fit(y[part], **given)
            seen += len(part)
            if clock.seconds >= mark:
                clock.point(model.components_.T)
                mark = 1.5 * clock.seconds
            if clock.over:
                break
    clock.point(model.components_.T)
    clock.notes = {"passes": seen / samples}

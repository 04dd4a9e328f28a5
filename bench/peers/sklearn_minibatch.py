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
        init="random",
        batch_size=job.setting["batch"],
        alpha_W=case.a_l1 / features,
        alpha_H=case.x_l1 / samples,
        l1_ratio=1.0,
        random_state=job.seed,
    )
    random = np.random.default_rng(job.seed)
    clock.restart()
    mark = 0.0
    while not clock.over:
        order = random.permutation(samples)
        for first in range(0, samples, job.setting["batch"]):
            model.partial_fit(y[order[first : first + job.setting["batch"]]])
            if clock.seconds >= mark:
                clock.point(model.components_.T)
                mark = 1.5 * clock.seconds
            if clock.over:
                break
    clock.point(model.components_.T)

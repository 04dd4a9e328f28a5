"""Runs proxsplit again for just the passes after which its trace had the best peer's objective, and judges that X."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import numpy as np

from . import race, table
from .case import Case


def objective(runs: list[race.Run], case: Case, threads: int) -> float:
    """The median over seeds of what the judge says then; NaN if the objective was not reached."""
    rival = table.best_rival(runs, case)
    mine = table.of(runs, case, table.OURS)
    if rival is None or not mine:
        return np.nan
    target = median(run.final for run in table.of(runs, case, rival))
    passes = [(run, next((n for value, n in run.notes["trace"] if value <= target), None)) for run in mine]
    again = [
        race.run(case, replace(run.program, setting=run.program.setting | {"passes": n}), run.seed, threads)
        for run, n in passes
        if n is not None
    ]
    judged = [run.final for run in again if not run.failure]
    return median(judged) if judged else np.nan

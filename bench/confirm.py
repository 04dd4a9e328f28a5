"""Runs proxsplit again for just the seconds after which its trace had the best peer's objective, and judges that X."""

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
    times = [(run, run.reaches(target)) for run in mine]
    again = [race.run(replace(case, seconds=t), run.program, run.seed, threads) for run, t in times if np.isfinite(t)]
    judged = [run.final for run in again if not run.failure]
    return median(judged) if judged else np.nan

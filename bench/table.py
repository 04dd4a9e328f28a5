"""Tables: what each program reached and when, and how long proxsplit took to reach the same objective."""

from __future__ import annotations

from statistics import median

import numpy as np

from .case import Case
from .race import Run

OURS = "proxsplit"


def of(runs: list[Run], case: Case, name: str) -> list[Run]:
    """The successful runs of a program on a case."""
    return [run for run in runs if run.case == case and run.program.name == name and not run.failure]


def names(runs: list[Run], case: Case) -> list[str]:
    """The programs with a result on a case, in order of their median objective."""
    found = {run.program.name for run in runs if run.case == case and not run.failure}
    return sorted(found, key=lambda name: median(run.final for run in of(runs, case, name)))


def best_rival(runs: list[Run], case: Case) -> str | None:
    """The program from pip with the lowest final objective."""
    rivals = [name for name in names(runs, case) if of(runs, case, name)[0].program.rival]
    return rivals[0] if rivals else None


def to_target(runs: list[Run], case: Case, target: float, name: str = OURS) -> float:
    """The median time to a target over the seeds, in seconds."""
    times = [run.reaches(target) for run in of(runs, case, name)]
    return median(times) if times else np.inf


def first_row(runs: list[Run], case: Case, products: float, judged: float) -> list[str]:
    """The row of the main table; `judged` is the evaluator's objective for proxsplit, stopped when it reached the target."""
    rival = best_rival(runs, case)
    if rival is None or not of(runs, case, OURS):
        return [case.title, str(case.rank)] + ["–"] * (len(HEAD) - 2)
    theirs = of(runs, case, rival)
    target, seconds = median(run.final for run in theirs), median(run.seconds for run in theirs)
    numpy_time = to_target(runs, case, target, "NumPy accelerated HALS")
    own = to_target(runs, case, target)
    passes = [run.seconds / run.passes for run in of(runs, case, OURS)]
    return [
        case.title,
        str(case.rank),
        rival,
        number(target),
        time(seconds),
        time(own),
        number(judged),
        time(to_target(runs, case, target, "proxsplit f32")),
        time(to_target(runs, case, target, "proxsplit incremental")),
        time(numpy_time),
        f"**{ratio(seconds, own)}**",
        f"{1e3 * median(passes):.1f} / {1e3 * products:.1f}",
    ]


HEAD = ["data", "rank", "best peer from pip", "its objective", "its s", "proxsplit s", "judged then", "f32 s", "incremental s"]
HEAD += ["NumPy HALS s", "peer / proxsplit", "ms per pass / bare products"]


def every_row(runs: list[Run], case: Case) -> list[list[str]]:
    """A row per program: its final objective, proxsplit's time to reach it, and the smallest ratio along its whole curve."""
    rows = []
    for name in names(runs, case):
        group = of(runs, case, name)
        target, seconds = median(run.final for run in group), median(run.seconds for run in group)
        own = "" if name.startswith(OURS) else time(to_target(runs, case, target))
        ratios = [] if name.startswith(OURS) else curve(runs, case, group)
        ends = [ratio(seconds, to_target(runs, case, target)), ratio(min(ratios), 1.0)] if ratios else ["", ""]
        spread = f"{number(min(run.final for run in group))} … {number(max(run.final for run in group))}"
        rows.append([name, str(len(group)), number(target), spread, time(seconds), own, *ends])
    return rows


EVERY = ["program", "runs", "objective (median)", "least … greatest", "s", "proxsplit s to it", "ratio", "least ratio on its curve"]


def curve(runs: list[Run], case: Case, group: list[Run]) -> list[float]:
    """A program's time divided by proxsplit's, at every point of the program's curve."""
    points = [point for run in group for point in run.points]
    return [seconds / max(to_target(runs, case, objective), 1e-9) for seconds, objective in points]


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def number(value: float) -> str:
    return f"{value:.0f}" if value >= 1e5 else f"{value:.6g}"


def time(seconds: float) -> str:
    return f"{seconds:.2f}" if np.isfinite(seconds) else "not reached"


def ratio(theirs: float, ours: float) -> str:
    return f"{theirs / ours:.1f}×" if np.isfinite(ours) and theirs > 0 else "not reached"

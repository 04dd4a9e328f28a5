"""Writes docs/src/benchmarks.md, its figures and the raw results."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from . import machine as machines
from . import plot, table
from .case import Case
from .race import Run

TEXT = """# Benchmarks

Command: `{command}`. Measured {machine}.
{busy}

Every program receives the same matrix in memory, {threads} threads and the same time, and runs in a process of its own, in f64
unless its name says otherwise. Timing starts once the data is loaded and includes the program's initialization.

One evaluator scores all programs (`bench/evaluate.py`). It uses only X and solves for the codes A itself, to a precision
of 1e−7 · ½‖Y‖². Numbers are medians over seeds. All programs run with the first seed; with the others, only proxsplit,
NumPy accelerated HALS and the best program from pip. SPAMS has no seed. Its nmf is designed for dense data and returned
no result on the web graph within two minutes, so it is omitted on sparse data.

proxsplit's times come from its trace, whose last objective must agree with the evaluator's. "Judged then" is the
evaluator's objective when proxsplit is run again and stopped after as many passes as it needed to reach the peer's
objective. Every point of SPAMS is a separate run, and so are proxsplit's first points on dense data, whose runs stop
inside the first pass.

"Best peer" is the program from pip with the lowest objective at the end of its time. "s" is the time at which a program
reached the peer's objective; "peer / proxsplit" is the ratio of the two times. Bare products are XᵀY and YAᵀ computed by
BLAS (for sparse data, by scipy with one thread).

{main}
"""

CASE = """
## {title}, rank {rank}, {seconds} s for each program

![{title}: objective against time]({figure})

{table}
"""

IDLE = 1.5
BUSY = (
    "**The load average was above 1.5 when the race began.** If other work was running, all times are too long and the "
    "ratios are only indicative."
)


def write(runs: list[Run], extra: dict[str, tuple[float, float]], settings: dict, docs: Path) -> None:
    """Write the page, the figures and the results; `extra` holds the bare products and the confirmed objective of every case."""
    machine = settings["machine"]
    folder = docs / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    cases = list(dict.fromkeys(run.case for run in runs))
    main = table.markdown(table.HEAD, [table.first_row(runs, case, *extra[case.name]) for case in cases])
    busy = BUSY if machine["load"] > IDLE else ""
    text = TEXT.format(main=main, machine=machines.sentence(machine), busy=busy, **settings["shown"])
    for case in cases:
        text += section(runs, case, folder)
    failures = sorted({f"- {run.program.name} on {run.case.title}: {run.failure}" for run in runs if run.failure})
    if settings["missing"]:
        failures += [f"- data set missing: {name}" for name in settings["missing"]]
    text += "\n## What did not run\n\n" + ("\n".join(failures) or "Nothing.") + "\n"
    text += "\nRaw results: [results.csv](bench/results.csv), [machine.json](bench/machine.json).\n"
    (docs / "benchmarks.md").write_text(text)
    (folder / "machine.json").write_text(json.dumps(machine, indent=1) + "\n")
    results(runs, machine["date"], settings["shown"]["threads"], folder / "results.csv")


def section(runs: list[Run], case: Case, folder: Path) -> str:
    if not table.names(runs, case):
        return ""
    plot.excess(runs, case, folder / f"{case.name}.svg")
    rows = table.markdown(table.EVERY, table.every_row(runs, case))
    return CASE.format(
        title=case.title, rank=case.rank, seconds=case.seconds, figure=f"bench/{case.name}.svg", table=rows
    )


def results(runs: list[Run], date: str, threads: int, path: Path) -> None:
    """Write the points of every run as rows."""
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["date", "case", "rank", "program", "threads", "seed", "seconds", "objective", "failure"])
        for run in runs:
            head = [date, run.case.name, run.case.rank, run.program.name, threads, run.seed]
            for seconds, objective in thinned(run.points):
                out.writerow([*head, f"{seconds:.4f}", f"{objective:.8g}", ""])
            if run.failure:
                out.writerow([*head, "", "", run.failure])


def thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points but those that come within 1 % of the time of the one before: thousands of passes tell no more, and the file is in the tree."""
    kept = points[:1]
    for point in points[1:-1]:
        if point[0] >= 1.01 * kept[-1][0]:
            kept.append(point)
    return kept + points[1:][-1:]

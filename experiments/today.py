"""Where the paper's method stands today: the same factorizations by methods that came after it, and regression beside specialists."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from bench.case import FULL, QUICK, Case
from bench.peers import ALL, Program
from bench.table import markdown, number

from . import regression
from .checks import Checks
from .jobs import Work
from .output import Output
from .races import is_here, points, work
from .store import Store
from .variants import AGGREGATED, BATCH, INCREMENTAL, PAPER

TABLE = "today"
SECONDS = {"rand": 1.8, "cbcl": 1.0}
SEEDS = 3
BPG = Program("NumPy BPG-NMF", "numpy_bpg")

METHODS = [
    (PAPER, "eq.32 as printed, a scalar step", "2012", "stationary up to the measured error; no step need vanish"),
    (INCREMENTAL, "eq.32 in the metric AAᵀ", "2012, here", "the same"),
    (AGGREGATED, "eq.32 with remembered statistics, the aggregated gradients of SAG and SAGA", "2010–2014, here", "errors that vanish with the moves"),
    (BATCH, "alternating prox steps in the metric with safeguarded extrapolation", "here", "the certificate's residual; descent"),
    (next(p for p in ALL if p.name == "pyproximal PALM"), "proximal alternating linearized minimization", "2014", "a critical point (Kurdyka–Łojasiewicz)"),
    (next(p for p in ALL if p.name == "pyproximal iPALM"), "the same with inertia 0.4", "2016", "the same, for shorter steps than pyproximal's"),
    (BPG, "Bregman proximal gradients on both factors at once", "2019", "a critical point; every step descends"),
]

TEXT = """
{answer}

## Factorization

Plain NMF from one shared start a seed, {seeds} seeds, two threads; every program by an X that it saved, all by the judge of [figure 1](figure1.md). Objective at the end of the time: median (range), lowest in bold.
PALM and iPALM are pyproximal's, BPG-NMF is a plain NumPy loop around BLAS. Guarantees are those of the methods' papers.

{table}
## Regression

1500 rows, 2000 correlated columns, 50 of which matter; every program runs to the end that it chooses itself. One judge, in NumPy: the objective, and the residual ‖x − prox(x − s∇f(x))‖/s with s = 1/L. Time without compiling.

{regression}
Raw: `experiments/results/today.csv`, `experiments/results/regression.csv`.
"""


def cases(quick: bool) -> list[Case]:
    if quick:
        return [replace(QUICK[0], title="RAND 200×150", shape=(200, 150), rank=6, seconds=0.15)]
    return [replace(case, seconds=SECONDS[case.name]) for case in FULL if case.name in SECONDS]


def racing(quick: bool) -> list[tuple[Program, str, str, str]]:
    rows = [row for row in METHODS if is_here(row[0])]
    return [row for row in rows if row[0] in (INCREMENTAL, BPG)] if quick else rows


def works(store: Store, quick: bool) -> list[Work]:
    seeds = 1 if quick else SEEDS
    found = [
        work(store, TABLE, case, row[0], "same", seed)
        for case in cases(quick) if not case.missing
        for seed in range(seeds)
        for row in racing(quick)
    ]
    return found if quick else found + regression.works(store)


def write(store: Store, out: Output, checks: Checks, quick: bool) -> None:
    present = [case for case in cases(quick) if store.has(TABLE, case=case.name)]
    if not present:
        return out.empty("today", "Where the method stands today")
    seeds = 1 if quick else SEEDS
    ends: dict[tuple[str, str], list[float]] = {}
    for case in present:
        for program, *_ in racing(quick):
            curves = [points(store, TABLE, case=case.name, program=program.name, seed=seed) for seed in range(seeds)]
            ends[case.name, program.name] = [curve[-1][1] for curve in curves if curve]
    middle = {key: median(values) for key, values in ends.items() if values}
    least = {case.name: min(value for (name, _), value in middle.items() if name == case.name) for case in present}
    rows = []
    for program, idea, year, promise in racing(quick):
        cells = []
        for case in present:
            values = ends[case.name, program.name]
            text = f"{number(median(values))} ({number(min(values))} … {number(max(values))})" if values else "failed"
            cells.append(f"**{text}**" if values and median(values) == least[case.name] else text)
        rows.append([program.name, idea, year, *cells, promise])
    head = ["program", "method", "year", *(f"{case.title}, {case.seconds:g} s" for case in present), "what it guarantees"]
    text = TEXT.format(answer=answer(present, middle, least), seeds=seeds, table=markdown(head, rows), regression=regression.table(store) if store.has(regression.TABLE) else "Not in this run.\n")
    out.page("today", "Where the method stands today", text)
    checks.claim("today's methods run", all(ends.values()), "; ".join(f"{c} {p}" for (c, p), v in ends.items() if not v) or f"{len(ends)} groups")


def answer(present: list[Case], middle: dict, least: dict) -> str:
    """The page's first three sentences."""

    def above(program: Program) -> str:
        shares = [(case, middle.get((case.name, program.name))) for case in present]
        return ", ".join(f"{100 * (value / least[case.name] - 1):.2g} % on {case.name.upper()}" for case, value in shares if value)

    winners = ", ".join(f"{next(p for (c, p), v in middle.items() if c == case.name and v == least[case.name])} on {case.name.upper()}" for case in present)
    return (
        f"Lowest after equal seconds: {winners}. The paper's method ended above the lowest by {above(PAPER) or 'an amount that this run did not measure'} with its scalar step, and by {above(INCREMENTAL)} in the metric AAᵀ. "
        f"Of the methods that came later, BPG-NMF ended above the lowest by {above(BPG)}."
    )

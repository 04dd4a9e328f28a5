"""Where the paper's method stands today: one table of methods, their results in the benchmark, and what each guarantees."""

from __future__ import annotations

import csv
from collections import defaultdict
from statistics import median

from bench.case import FULL
from bench.table import markdown, number

from . import regression
from .figure1 import RESULTS
from .output import Output

METHODS = [
    ("proxsplit incremental", "incremental pass (eq.32) in the metric AAᵀ", "2012, here", "nearly stationary, linear in the measured error; no step need vanish"),
    ("proxsplit", "aggregated, then extrapolated batch passes", "here", "the certificate's residual at the returned point; descent is restored after a failed extrapolation"),
    ("SPAMS", "online dictionary learning (best batch)", "2010", "almost surely stationary for infinite data and vanishing steps; no stopping test"),
    ("scikit-learn cd random", "cyclic coordinate descent", "2009–2011", "monotone; limit points stationary if every sub-problem has one minimizer"),
    ("scikit-learn cd nndsvda", "the same from an SVD", "2009–2011", "the same"),
    ("scikit-learn MiniBatchNMF", "online multiplicative updates", "2011, 2022", "none for the finite sum; stops on a change of the objective"),
    ("PLANC anls", "block principal pivoting", "2011", "limit points stationary (two-block coordinate descent)"),
    ("PLANC hals", "hierarchical alternating least squares", "2009", "limit points stationary if no atom dies"),
    ("PLANC admm", "alternating optimization, ADMM inside", "2016", "none for inexact inner solves"),
    ("pyproximal PALM", "proximal alternating linearized minimization", "2014", "converges to a critical point (Kurdyka–Łojasiewicz)"),
    ("pyproximal iPALM", "the same with inertia 0.4", "2016", "the same, for shorter steps than pyproximal's"),
    ("NumPy accelerated HALS", "several sweeps a product", "2012", "as HALS"),
]

TEXT = """
## Factorization

Median objective at the end of the time that every program had in [the benchmarks](../benchmarks.md), lowest in bold, by the
same judge. "–": the program cannot take the penalty or the sparse data, or failed. Guarantees are those of the methods' papers.

{table}
## Regression

1500 rows, 2000 correlated columns, 50 of which matter; all programs run to the end that they choose themselves, one thread or two as they please. One judge, in
NumPy: the objective, and the residual ‖x − prox(x − s∇f(x))‖/s with s = 1/L. Time without compiling.

{regression}
Raw: [regression.csv](regression.csv).

## What is not in the tables

RcppML (needs R). Methods from the literature that no installed package offers: BPG-NMF, SAGA, SVRG and SPIDER for nonconvex sums.
"""


def ends() -> dict[tuple[str, str], float]:
    """The median over seeds of the last objective, by program and case; SPAMS by its best batch."""
    last: dict[tuple, float] = {}
    if RESULTS.exists():
        for row in csv.DictReader(RESULTS.open()):
            if row["seconds"]:
                last[row["program"], row["case"], row["seed"]] = float(row["objective"])
    groups = defaultdict(list)
    for (program, case, _), objective in last.items():
        groups[program, case].append(objective)
    found = {key: median(values) for key, values in groups.items()}
    for case in {case for _, case in found}:
        sizes = [value for (program, name), value in found.items() if name == case and program.startswith("SPAMS")]
        if sizes:
            found["SPAMS", case] = min(sizes)
    return found


def run(out: Output) -> None:
    found = ends()
    cases = [case for case in FULL if any(name == case.name for _, name in found)]
    least = {case.name: min(v for (p, c), v in found.items() if c == case.name and (p != "proxsplit f32")) for case in cases}
    rows = []
    for program, idea, year, promise in METHODS:
        cells = []
        for case in cases:
            value = found.get((program, case.name))
            text = "–" if value is None else number(value)
            cells.append(f"**{text}**" if value == least[case.name] else text)
        rows.append([program, idea, year, *cells, promise])
    head = ["program", "method", "year", *(f"{case.title}, {case.seconds:g} s" for case in cases), "what it guarantees"]
    text = TEXT.format(table=markdown(head, rows), regression=regression.run(out))
    out.page("today", "Where the method stands today", text)

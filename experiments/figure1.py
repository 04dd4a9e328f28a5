"""Figure 1: plain NMF, objective against running time; every curve from saved X, all judged by one evaluator."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from statistics import median

import numpy as np

from bench import style
from bench.case import FULL, QUICK, Case
from bench.peers import ALL, Program
from bench.table import markdown, number, time

from .checks import Checks
from .jobs import Work
from .output import Output
from .races import best, is_here, points, work
from .statistics import reached, spread
from .store import Store
from .variants import BATCH, INCREMENTAL, PAPER, four

TABLE = "figure1"
SECONDS = {"rand": 1.8, "cbcl": 1.0, "yale": 3.0}
SEEDS, TUNED_ON = 5, 1000
GROUPS = {"SPAMS": "spams_nmf", "PLANC": "planc"}
ABOVE = 0.3

TEXT = """
{answer}

Plain NMF as in the paper's Figure 1. Every point of every curve is an X that the program had at that time, judged by `bench/evaluate.py`, which solves the codes itself; nobody's own
objective is used. "Own start" is each program's, "same start" one pair of uniform factors a seed, scaled to the mean of Y (SPAMS takes its X with columns of norm 1). {seeds} seeds; SPAMS has no
randomness of its own and begins once by itself, and PLANC's own start would be a uniform one again. The mini-batches of SPAMS (256, 512, 1024) and the algorithm of PLANC (hals, anls, admm) are those that ended lowest on seed {tuned}, which is not scored. Two threads.
`incremental` is eq.32 in the metric AAᵀ with O = prox, "scalar step" the paper's own form of it, `batch` Algorithm 1 in the metric with extrapolation; all with the automatic step.

Times to an objective are read between saved X by straight lines in logarithms. "To SPAMS" is the time to the objective at which SPAMS itself ended from the same start and seed.
{sections}
Raw: `experiments/results/figure1.csv`.
"""


def cases(quick: bool) -> list[Case]:
    if quick:
        return [replace(QUICK[0], title="RAND 200×150", shape=(200, 150), rank=6, seconds=0.15)]
    return [replace(case, seconds=SECONDS[case.name]) for case in FULL if case.name in SECONDS]


def seeds(quick: bool) -> int:
    return 2 if quick else SEEDS


def tuned(group: str, quick: bool) -> list[Program]:
    return [] if quick else [p for p in ALL if p.module == GROUPS[group] and is_here(p)]


def field(store: Store, case: Case, quick: bool) -> list[Program]:
    """Who races: ours, and the peers that are installed, with the settings that were found best for them."""
    if quick:
        return [INCREMENTAL, PAPER, next(p for p in ALL if p.module == "numpy_hals")]
    peers = [best(store, TABLE, case, group) for name in GROUPS if (group := tuned(name, quick))]
    sklearn = [p for p in ALL if p.name == "scikit-learn cd random" and is_here(p)]
    return [INCREMENTAL, PAPER, BATCH, *peers, *sklearn]


@cache
def upper(case: Case) -> float:
    """u of the box 0 ≤ X ≤ u: no entry of the shared start is larger."""
    return float(np.sqrt(4 * case.stored.mean() / case.scale / case.rank))


def works(store: Store, quick: bool) -> list[Work]:
    """Tuning of the peers, then seeds in turn, so that an interrupted run has whole ones."""
    found = []
    for case in cases(quick):
        if case.missing:
            continue
        for name in GROUPS:
            found += [work(store, TABLE, case, program, "same", TUNED_ON, "tune") for program in tuned(name, quick)]
        for seed in range(seeds(quick)):
            found.append(later(store, case, seed, quick))
    return found


def begins(program: Program, seed: int) -> bool:
    """Whether a run from the program's own start tells anything new: PLANC's is uniform, as the shared one is, and SPAMS's is always the same."""
    return program not in (PAPER, BATCH) and program.module != "planc" and (program.module != "spams_nmf" or seed == 0)


def later(store: Store, case: Case, seed: int, quick: bool) -> Work:
    """One seed of all programs: which of them race is known after the tuning."""

    def parts() -> list[Work]:
        racing = field(store, case, quick)
        runs = [(program, "same") for program in racing] + [(program, "own") for program in racing if begins(program, seed)]
        runs += [(program, "same") for program in four(upper(case))[1:]]
        return [work(store, TABLE, case, program, begin, seed) for program, begin in runs]

    def do() -> None:
        for part in parts():
            if not part.is_done():
                part.do()

    count = 7 if quick else 11
    return Work(f"{case.name}: seed {seed} of all programs", count * (1.2 if quick else 2.0 + 1.3 * case.seconds), lambda: all(p.is_done() for p in parts()), do)


def write(store: Store, out: Output, checks: Checks, quick: bool) -> None:
    present = [case for case in cases(quick) if not case.missing and all(one.is_done() for one in works(store, quick) if one.label.startswith(case.name))]
    if not present:
        return out.empty("figure1", "Figure 1: NMF")
    sections = "".join(section(store, case, out, quick) for case in present)
    failures = sorted({(row["program"], row["failure"]) for row in store.rows(TABLE) if row["failure"]})
    for case in present:
        mine = [p for p in field(store, case, quick) if p.module == "proxsplit_saved"]
        bad = [p.name for p in mine if not all(points(store, TABLE, case=case.name, program=p.name, seed=s, start="same") for s in range(seeds(quick)))]
        checks.claim(f"every method of ours runs on {case.title}", not bad, "; ".join(bad) or f"{len(mine)} methods")
    if failures:
        sections += "\n## Failures\n\n" + "".join(f"- {program}: {cause}\n" for program, cause in failures)
    text = TEXT.format(answer=answer(store, present, quick), seeds=seeds(quick), tuned=TUNED_ON, sections=sections)
    out.page("figure1", "Figure 1: NMF", text)


def reference(store: Store, case: Case, quick: bool) -> Program:
    """SPAMS, or what stands for it where it is not installed."""
    racing = field(store, case, quick)
    return next((p for p in racing if p.module == "spams_nmf"), racing[-1])


def ratios(store: Store, case: Case, program: Program, begin: str, quick: bool) -> list[float]:
    """How many times as fast a program is to the objective at which the reference ends, seed by seed."""
    found = []
    for seed in range(seeds(quick)):
        key = {"case": case.name, "start": begin, "seed": seed, "role": "score"}
        rival = reference(store, case, quick)
        theirs = points(store, TABLE, program=rival.name, **key | {"seed": seed if begins(rival, seed) or begin == "same" else 0})
        mine = points(store, TABLE, program=program.name, **key)
        if theirs and mine:
            target = theirs[-1][1]
            found.append(reached(theirs, target) / reached(mine, target))
    return found


def answer(store: Store, present: list[Case], quick: bool) -> str:
    """The page's first three sentences."""

    def told(program: Program) -> str:
        """How many times as fast, or where it did not get there."""
        spreads = [(case.name.upper(), spread(ratios(store, case, program, "same", quick))) for case in present]
        words = [f"{one.middle:.1f} times as fast on {case} ({one.low:.1f} … {one.high:.1f})" for case, one in spreads if one.high > 0]
        never = [case for case, one in spreads if one.high == 0]
        return ", ".join(words + [f"not there in the time given on {', '.join(never)}"] * bool(never))

    rival = {reference(store, case, quick).name for case in present}
    name = "SPAMS" if any("SPAMS" in one for one in rival) else ", ".join(rival)
    return (
        f"To the objective at which {name} ended from the same start, the paper's method with its own scalar step was {told(PAPER)}. "
        f"In the metric AAᵀ it was {told(INCREMENTAL)}: medians with the range over seeds. "
        + (f"Algorithm 1 on all columns with extrapolation (`batch`), no method of the paper's experiments, was {told(BATCH)}." if not quick else "Batch passes are not in the quick run.")
    )


def section(store: Store, case: Case, out: Output, quick: bool) -> str:
    draw(store, case, out, quick)
    rows = []
    rival = reference(store, case, quick)
    racing = field(store, case, quick)
    boxed = four(upper(case))[1:]
    for begin, programs in [("same", racing + boxed), ("own", racing)]:
        for program in programs:
            runs = [points(store, TABLE, case=case.name, program=program.name, start=begin, seed=seed, role="score") for seed in range(seeds(quick))]
            runs = [run for run in runs if run]
            if runs:
                ends = [run[-1][1] for run in runs]
                faster = spread(ratios(store, case, program, begin, quick))
                spent = f"{time(median(run[-1][0] for run in runs))}"
                value = f"{number(median(ends))} ({number(min(ends))} … {number(max(ends))})"
                rows.append([program.name, begin, value, spent, faster.text(lambda v: f"{v:.2f}") if program != rival else "1"])
    head = ["program", "start", "objective at the end: median (range)", "s", f"times as fast to {rival.name}'s end: median (range)"]
    note = f"The box of the constrained variants is 0 ≤ X ≤ {upper(case):.3g}, whose inside the shared start is; its minimum is that of X ≥ 0, since A can take up the scale."
    return f"\n## {case.title}, rank {case.rank}\n\n![{case.title}](figure1-{case.name}.svg)\n\n{markdown(head, rows)}\n{note}\n"


def draw(store: Store, case: Case, out: Output, quick: bool) -> None:
    """Own start, same start and the four variants, medians over seeds; direct labels."""
    racing, variants = field(store, case, quick), four(upper(case))
    names = list(dict.fromkeys(p.name for p in racing))
    looks = {name: style.look(index) for index, name in enumerate(names)}
    panels = {"same start": (racing, "same"), "own start": (racing, "own"), "the paper's four variants": (variants, "same")}
    figure, axes = style.plt.subplots(len(panels), 1, figsize=(6.4, 8.4), sharex=True)
    drawn = {}
    for title, (programs, begin) in panels.items():
        for index, program in enumerate(programs):
            stored = PAPER.name if program.name == "O = prox, X ≥ 0" else program.name
            curve = middle(store, case, stored, begin, quick)
            if curve:
                drawn[title, program.name] = (curve, looks[program.name] if programs is racing else style.look(index))
    least = min(value for curve, _ in drawn.values() for _, value in curve)
    named = {}
    for panel, title in zip(axes, panels, strict=True):
        labels = named[panel] = []
        for (where, name), (curve, look) in drawn.items():
            above = [(s, v / least - 1) for s, v in curve if v > least]
            # Far above are first points, and whole curves of slow methods, which are drawn all the same.
            shown = [(s, v) for s, v in above if v < ABOVE] or above
            if where == title and shown:
                panel.plot(*zip(*shown, strict=True), **look)
                labels.append((*shown[-1], name, look["color"]))
        panel.set(xscale="log", yscale="log", title=title, ylabel="objective / least − 1")
        style.seconds(panel.xaxis)
    axes[-1].set_xlabel("seconds")
    figure.tight_layout()
    for panel, labels in named.items():
        style.label_ends(panel, labels)
    out.figure(f"figure1-{case.name}", figure)


def middle(store: Store, case: Case, name: str, begin: str, quick: bool) -> list[tuple[float, float]]:
    """The medians over seeds of the i-th saved point of a program."""
    runs = [points(store, TABLE, case=case.name, program=name, start=begin, seed=seed, role="score") for seed in range(seeds(quick))]
    runs = [run for run in runs if run]
    length = min((len(run) for run in runs), default=0)
    return [(median(run[i][0] for run in runs), median(run[i][1] for run in runs)) for i in range(length)]

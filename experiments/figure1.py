"""Figure 1: plain NMF, objective against running time, our methods beside the peers of `bench/run`."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench import race, style
from bench.case import FULL, QUICK, ROOT, Case
from bench.peers import ALL
from bench.table import markdown, number, time

from .checks import Checks
from .output import Output
from .variants import FOUR, OTHERS

RESULTS = ROOT / "docs" / "src" / "bench" / "results.csv"
SECONDS = {"rand": 5.0, "cbcl": 3.0, "yale": 9.0}
THREADS = 2

SHARED = 0.6

TEXT = """
Plain NMF as in the paper's Figure 1: objective against seconds, log axes, values above {above} times the least suppressed. Left: the paper's method in its four
variants, with `batch` and `aggregated`. Middle: `incremental` (O = prox) beside the peers, SPAMS with its best batch size. Curves of
the peers are those of [the benchmarks](../benchmarks.md) (first seed, same machine and threads, each from its own start); ours here are runs of {limit}, seed 0.
Right: programs that take a start, all from the same one (`bench/start.py`: uniform factors, scaled to the mean of Y), with {shared:g} times those seconds. SPAMS takes only X,
with columns of norm 1. Time per pass is the whole time by the number of passes over Y, whatever else a program does in it.
{missing}
{sections}
Raw: [figure1.csv](figure1.csv).
"""
ABOVE = 1.1


def peers(case: Case, path: Path = RESULTS) -> dict[str, list[tuple[float, float]]]:
    """The curves of the first seed that `bench/run` has left, one batch size for SPAMS."""
    curves = defaultdict(list)
    if path.exists():
        for row in csv.DictReader(path.open()):
            ours = row["program"].startswith("proxsplit")
            if row["case"] == case.name and row["seed"] == "0" and row["seconds"] and not ours:
                curves[row["program"]].append((float(row["seconds"]), float(row["objective"])))
    sizes = sorted((curve[-1][1], name) for name, curve in curves.items() if name.startswith("SPAMS"))
    return {name: curve for name, curve in curves.items() if name not in {name for _, name in sizes[1:]}}


def run(out: Output, checks: Checks, quick: bool) -> None:
    """All runs, one figure a data set, one page."""
    cases = [QUICK[0]] if quick else [case for case in FULL if case.name in SECONDS]
    missing = "".join(f"\nMissing data: {case.title}.\n" for case in cases if case.missing)
    sections, rows = "", []
    for case in (case for case in cases if not case.missing):
        shorter = replace(case, seconds=SECONDS[case.name] if not quick else case.seconds)
        extra = {"passes": 60} if quick else {}
        programs = [replace(p, setting=p.setting | extra) for p in FOUR + OTHERS]
        runs = [tell(race.run(shorter, program, 0, THREADS)) for program in programs]
        rivals = peers(case) if not quick else {}
        again = same_start(replace(shorter, seconds=SHARED * shorter.seconds), rivals) if not quick else []
        draw(case, runs, rivals, again, out)
        sections += section(case, runs, rivals, again)
        for start, group in [("own", runs), ("same", again)]:
            rows += [[case.name, one.program.name, start, *point] for one in group for point in one.points]
        agree(case, runs, checks)
    out.csv("figure1", ["case", "program", "start", "seconds", "objective"], rows)
    limit = "60 passes" if quick else ", ".join(f"{SECONDS[name]:g} s ({name.upper()})" for name in SECONDS)
    text = TEXT.format(above=ABOVE, limit=limit, shared=SHARED, missing=missing, sections=sections)
    out.page("figure1", "Figure 1: NMF", text)


def tell(one: race.Run) -> race.Run:
    print(f"{one.case.name:6} {one.program.name:26} {one.failure or f'{one.final:.7g} at {one.seconds:.2f} s'}", flush=True)
    return one


def same_start(case: Case, rivals: dict) -> list[race.Run]:
    """Our methods and every peer of the middle panel that takes a start, from one start."""
    mine = [replace(FOUR[0], name="incremental"), *OTHERS]
    others = [p for p in ALL if p.name in rivals and p.setting.get("init") != "nndsvda"]
    return [tell(race.run(case, replace(program, same_start=True), 0, THREADS)) for program in mine + others]


def agree(case: Case, runs: list[race.Run], checks: Checks) -> None:
    """All variants end at local minima of the same quality: within 1 % of each other, several times what starts differ by."""
    failures = [f"{one.program.name}: {one.failure}" for one in runs if one.failure]
    checks.claim(f"every method runs on {case.title}", not failures, "; ".join(failures) or f"{len(runs)} runs")
    ends = [one.final for one in runs if not one.failure]
    spread = max(ends) / min(ends) - 1 if ends else np.inf
    checks.claim(f"all variants agree within 1 % on {case.title}", spread < 0.01, f"{100 * spread:.2f} %")


def draw(case: Case, runs: list[race.Run], rivals: dict, again: list[race.Run], out: Output) -> None:
    mine, shared = ({one.program.name: one.points for one in group if not one.failure} for group in (runs, again))
    first = {"incremental": mine.get(FOUR[0].name, [])}
    titles = {"variants": mine, "own starts": first | rivals, "the same start": shared}
    titles = {title: curves for title, curves in titles.items() if len(curves) > 1}
    least = min(o for curves in titles.values() for curve in curves.values() for _, o in curve)
    size = {"figsize": (5 * len(titles), 4.2), "sharey": True, "squeeze": False}
    figure, [panels] = style.plt.subplots(1, len(titles), **size)
    looks = {name: style.look(index) for index, name in enumerate(dict.fromkeys([*first, *rivals, *shared]))}
    for panel, (title, curves) in zip(panels, titles.items(), strict=True):
        for index, (name, curve) in enumerate(curves.items()):
            points = [(s, o) for s, o in curve if o < ABOVE * least and s > 0]
            if points:
                every = max(1, len(points) // 10)
                look = style.look(index) if curves is mine else looks[name]
                panel.plot(*zip(*points, strict=True), label=name, markevery=every, **look)
        panel.set(xscale="log", yscale="log", xlabel="seconds", title=title)
        style.seconds(panel.xaxis)
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=2, fontsize=8)
    panels[0].set_ylabel("objective")
    style.plain_numbers(panels[0].yaxis)
    figure.suptitle(case.title)
    figure.subplots_adjust(wspace=0.08)
    out.figure(f"figure1-{case.name}", figure)


def section(case: Case, runs: list[race.Run], rivals: dict, again: list[race.Run]) -> str:
    spams = [(name, curve) for name, curve in rivals.items() if name.startswith("SPAMS")]
    head = ["method", "start", "objective", "s", "passes", "ms per pass"]
    head += [f"s to the end of {name}, {number(curve[-1][1])} at {time(curve[-1][0])} s" for name, curve in spams]
    rows = []
    for start, one in [("own", one) for one in runs] + [("same", one) for one in again]:
        if one.failure:
            rows.append([one.program.name, start, one.failure] + [""] * (len(head) - 3))
            continue
        reached = [time(one.reaches(curve[-1][1])) for _, curve in spams]
        passes = [f"{one.passes:.0f}", f"{1e3 * one.seconds / one.passes:.1f}"]
        rows.append([one.program.name, start, number(one.final), time(one.seconds), *passes, *reached])
    figure = f"![{case.title}: objective against time](figure1-{case.name}.svg)"
    return f"\n## {case.title}, rank {case.rank}\n\n{figure}\n\n{markdown(head, rows)}"

"""Figure 2: sparse NMF, the paper's method against SGGD from the same start: objective and sparsity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bench import race, style
from bench.case import FULL, Case
from bench.peers import Program
from bench.table import markdown, number

from . import webgraph
from .checks import Checks
from .output import Output
from .variants import ours

THREADS = 2
GRID = [0.03, 0.1, 0.3, 1.0, 3.0]
NIPS = {
    "NIPS, constant": ours("NIPS, constant", "incremental", step="0.25"),
    "NIPS, diminishing": ours("NIPS, diminishing", "incremental", step="diminishing:1,1"),
    "NIPS, automatic": ours("NIPS, automatic", "incremental"),
}

TEXT = """
Sparse NMF as in the paper's Figure 2: min ½‖Y − XA‖² + λ‖X‖₁ + γ‖A‖₁ over X, A ≥ 0. NIPS is `--method incremental` with O = prox: a constant step
of 0.25, the diminishing step 1/(1 + k), and the automatic one. SGGD is `--method sggd`; its step η₀ is tuned over a grid with the
first seed (the grid grows if its end is best) and the best is shown. All methods use the same seeds, hence the same starts, and the same mini-batches.
Sparsity is the fraction of exact zeros. Bars and numbers are means over seeds, with the least and the greatest value.
{missing}{sections}
Raw: [figure2.csv](figure2.csv).
"""


def cases(quick: bool) -> list[tuple[Case, int, int]]:
    """Case, columns of a mini-batch, number of seeds."""
    if quick:
        return [(Case("rand", "RAND 200×150, λ = 1e−5, γ = 1", 6, 1.0, shape=(200, 150), x_l1=1e-5, a_l1=1.0), 30, 3)]
    rand = replace(FULL[-1], name="rand", seconds=4.0)
    web = Case("web", "WEB-SCC, λ = γ = 1e−6", 4, 4.0, FULL[3].file, x_l1=1e-6, a_l1=1e-6)
    generated = replace(web, name="webgraph", title="generated web graph 714545×739454, λ = γ = 1e−6", file=str(webgraph.file()))
    return [(rand, 500, 3), (web, 50000, 3), (replace(generated, seconds=5.0), 100000, 2)]


def sggd(step: float) -> Program:
    return ours(f"SGGD, η₀ = {step:g}", "sggd", step=f"diminishing:{step:g},1")


def run(out: Output, checks: Checks, quick: bool) -> None:
    sections, missing, rows = "", "", []
    for case, batch, seeds in cases(quick):
        if case.missing:
            missing += f"\nMissing data: {case.title}.\n"
            continue
        extra = {"batch": batch} | ({"passes": 30} if quick else {})
        race_once = lambda program, seed: tell(race.run(case, replace(program, setting=program.setting | extra), seed, THREADS))  # noqa: E731
        grid = tune(race_once)
        best = min((step for step in grid if not grid[step].failure), key=lambda step: grid[step].final, default=GRID[0])
        programs = {**NIPS, f"SGGD, best η₀ = {best:g}": sggd(best)}
        groups = {name: [race_once(program, seed) for seed in range(seeds)] for name, program in programs.items()}
        draw(case, groups, out)
        sections += section(case, groups, grid, batch)
        rows += [[case.name, name, one.seed, one.final, *zeros(one), one.passes] for name, group in groups.items() for one in group]
        compare(case, groups, checks)
    out.csv("figure2", ["case", "method", "seed", "objective", "zeros of X", "zeros of A", "passes"], rows)
    out.page("figure2", "Figure 2: sparse NMF against SGGD", TEXT.format(missing=missing, sections=sections))


def tell(one: race.Run) -> race.Run:
    print(f"{one.case.name:8} seed {one.seed} {one.program.name:22} {one.failure or f'{one.final:.7g}'}", flush=True)
    return one


def tune(race_once) -> dict[float, race.Run]:
    """SGGD for every step of the grid, which grows by factors of 3 while its end is best."""
    runs = {step: race_once(sggd(step), 0) for step in GRID}
    for _ in range(3):
        fine = {step: one.final for step, one in runs.items() if not one.failure}
        best = min(fine, key=fine.get, default=None)
        if best is None or min(runs) < best < max(runs):
            break
        step = best / 3 if best == min(runs) else best * 3
        runs[step] = race_once(sggd(step), 0)
    return dict(sorted(runs.items()))


def zeros(one: race.Run) -> tuple[float, float]:
    found = one.notes.get("sparsity", {"x": np.nan, "a": np.nan})
    return found["x"], found["a"]


def column(group: list[race.Run], name: str) -> list[float]:
    """Objective, or zeros of X or A, of all runs that did not fail."""
    fine = [one for one in group if not one.failure]
    if name == "objective":
        return [one.final for one in fine]
    return [zeros(one)["xa".index(name)] for one in fine]


def compare(case: Case, groups: dict, checks: Checks) -> None:
    """The paper's claim for every seed: a lower objective, and no fewer zeros in X and A together."""
    baseline = next(group for name, group in groups.items() if name.startswith("SGGD"))
    for name in NIPS:
        pairs = [(a, b) for a, b in zip(groups[name], baseline, strict=True) if not a.failure and not b.failure]
        lower = [a.final < b.final for a, b in pairs]
        seen = "; ".join(f"{number(a.final)} against {number(b.final)}" for a, b in pairs)
        checks.claim(f"{name}: lower objective than SGGD on {case.title}", pairs and all(lower), seen)
        sparser = [sum(zeros(a)) > sum(zeros(b)) for a, b in pairs]
        seen = "; ".join(f"{zeros(a)[0]:.3f}, {zeros(a)[1]:.3f} against {zeros(b)[0]:.3f}, {zeros(b)[1]:.3f}" for a, b in pairs)
        checks.claim(f"{name}: sparser X and A together than SGGD on {case.title}", pairs and all(sparser), seen)


def draw(case: Case, groups: dict, out: Output) -> None:
    figure, (left, right) = style.plt.subplots(1, 2, figsize=(10, 3.8))
    for index, (name, group) in enumerate(groups.items()):
        points = [(s, o) for s, o in group[0].points if s > 0 and np.isfinite(o)]
        if points:
            left.plot(*zip(*points, strict=True), label=name, markevery=max(1, len(points) // 10), **style.look(index))
        for place, factor in enumerate("xa"):
            values = column(group, factor) or [0.0]
            mean = float(np.mean(values))
            spread = [[mean - min(values)], [max(values) - mean]]
            at = place + 0.2 * (index - 1.5)
            right.bar(at, mean, 0.18, yerr=spread, ecolor=style.GREY, color=style.COLOURS[index], label="" if place else name)
    left.set(xscale="log", yscale="log", xlabel="seconds", ylabel="objective", title=case.title)
    right.set(xticks=[0, 1], xticklabels=["X", "A"], ylabel="fraction of exact zeros", ylim=(0, 1))
    style.legend(right)
    figure.tight_layout()
    out.figure(f"figure2-{case.name}", figure)


def section(case: Case, groups: dict, grid: dict, batch: int) -> str:
    def spread(values, show):
        return f"{show(np.mean(values))} ({show(min(values))} … {show(max(values))})" if values else "failed"

    rows = []
    for name, group in groups.items():
        objective = spread(column(group, "objective"), number)
        shares = [spread(column(group, factor), lambda value: f"{value:.3f}") for factor in "xa"]
        rows.append([name, objective, *shares, f"{group[0].passes:.0f}", str(len(group))])
    table = markdown(["method", "objective", "zeros of X", "zeros of A", "passes", "seeds"], rows)
    tuned = ", ".join(f"{step:g}: {one.failure or number(one.final)}" for step, one in grid.items())
    figure = f"![{case.title}: objective and sparsity](figure2-{case.name}.svg)"
    limit = f"rank {case.rank}, {case.seconds:g} s each, mini-batches of {batch} columns"
    return f"\n## {case.title}\n\n{limit}. SGGD over η₀: {tuned}.\n\n{figure}\n\n{table}"

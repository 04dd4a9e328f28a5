"""Figure 2: sparse NMF, the paper's method against SGGD from the same start: objective and sparsity."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

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
    "NIPS, diminishing": ours("NIPS, diminishing", "incremental", step="diminishing:1,0.5"),
    "NIPS, automatic": ours("NIPS, automatic", "incremental"),
}

TEXT = """
Sparse NMF as in the paper's Figure 2: min ½‖Y − XA‖² + λ‖X‖₁ + γ‖A‖₁ over X, A ≥ 0. NIPS is `--method incremental` with O = prox: a constant step
of 0.25, the diminishing step 1/√(1 + k), and the automatic one. SGGD is `--method sggd`; its step η₀ is tuned over a grid with the
first seed (the grid grows if its end is best) and the best is shown. All methods use the same seeds, hence the same starts, and the same mini-batches.
Sparsity is the fraction of exact zeros. Bars and numbers are means over seeds, with the least and the greatest value.

Mind the scale: with ℓ1 on both factors and X only nonnegative, NIPS here balances the scale of every pair (x_k, a_k) exactly, which makes the product of the weights matter and not each of them.
SGGD has no such step and stays where its start's scale put it: γ then presses on A much harder, so that its A may be sparser at a
higher objective. The small case of the quick run was chosen so that both penalties bind: with λ = 1e−5 and γ = 1 on the same small matrix
the A of NIPS was less sparse than that of SGGD, and the claim on sparsity did not hold. The case 0 ≤ X ≤ 1 has no free scale and is the compact problem that the theory asks for.
{missing}{sections}
Raw: [figure2.csv](figure2.csv).
"""


@dataclass(frozen=True)
class Contest:
    """A case, columns of a mini-batch, number of seeds, and options that all methods share."""

    case: Case
    batch: int
    seeds: int = 3
    options: dict = field(default_factory=dict)


def contests(quick: bool) -> list[Contest]:
    if quick:
        case = Case("rand", "RAND 200×150, λ = γ = 0.3", 6, 1.0, shape=(200, 150), x_l1=0.3, a_l1=0.3)
        return [Contest(case, 30, options={"passes": 30})]
    rand = replace(FULL[-1], name="rand", seconds=2.5)
    bounded = replace(rand, name="rand-bounded", title=f"{rand.title}, 0 ≤ X ≤ 1")
    web = Case("web", "WEB-SCC, λ = γ = 1e−6", 4, 2.5, FULL[3].file, x_l1=1e-6, a_l1=1e-6)
    title = "generated web graph 714545×739454, λ = γ = 1e−6"
    generated = replace(web, name="webgraph", title=title, file=str(webgraph.file()), seconds=4.0)
    box = {"x-set": "box:0,1"}
    return [Contest(rand, 500), Contest(bounded, 500, options=box), Contest(web, 50000), Contest(generated, 100000, 2)]


def sggd(step: float) -> Program:
    return ours(f"SGGD, η₀ = {step:g}", "sggd", step=f"diminishing:{step:g},1")


def run(out: Output, checks: Checks, quick: bool) -> None:
    sections, missing, rows = "", "", []
    for contest in contests(quick):
        case = contest.case
        if case.missing:
            missing += f"\nMissing data: {case.title}.\n"
            continue
        groups, grid = compete(contest)
        draw(case, groups, out)
        sections += section(contest, groups, grid)
        rows += [[case.name, name, one.seed, one.final, *zeros(one), one.passes] for name in groups for one in groups[name]]
        compare(case, groups, checks)
    out.csv("figure2", ["case", "method", "seed", "objective", "zeros of X", "zeros of A", "passes"], rows)
    out.page("figure2", "Figure 2: sparse NMF against SGGD", TEXT.format(missing=missing, sections=sections))


def compete(contest: Contest) -> tuple[dict[str, list[race.Run]], dict[float, race.Run]]:
    """The runs of every method by name, and SGGD's over its grid."""
    shared = {"batch": contest.batch, **contest.options}

    def once(program: Program, seed: int) -> race.Run:
        return tell(race.run(contest.case, replace(program, setting=program.setting | shared), seed, THREADS))

    grid = tune(once)
    best = min((step for step in grid if not grid[step].failure), key=lambda step: grid[step].final, default=GRID[0])
    groups = {name: [once(program, seed) for seed in range(contest.seeds)] for name, program in NIPS.items()}
    groups[f"SGGD, best η₀ = {best:g}"] = [grid[best], *(once(sggd(best), seed) for seed in range(1, contest.seeds))]
    return groups, grid


def tell(one: race.Run) -> race.Run:
    print(f"{one.case.name:8} seed {one.seed} {one.program.name:22} {one.failure or f'{one.final:.7g}'}", flush=True)
    return one


def tune(once) -> dict[float, race.Run]:
    """SGGD for every step of the grid, which grows by factors of 3 while its end is best."""
    runs = {step: once(sggd(step), 0) for step in GRID}
    for _ in range(3):
        fine = {step: one.final for step, one in runs.items() if not one.failure}
        best = min(fine, key=fine.get, default=None)
        if best is None or min(runs) < best < max(runs):
            break
        step = best / 3 if best == min(runs) else best * 3
        runs[step] = once(sggd(step), 0)
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
    """The paper's claims, for every seed."""
    baseline = next(group for name, group in groups.items() if name.startswith("SGGD"))
    for name in NIPS:
        pairs = [(a, b) for a, b in zip(groups[name], baseline, strict=True) if not a.failure and not b.failure]
        for text, value, below in [
            ("lower objective", lambda one: one.final, True),
            ("sparser X", lambda one: zeros(one)[0], False),
            ("sparser X and A together", lambda one: sum(zeros(one)) / 2, False),
        ]:
            holds = all(value(a) < value(b) if below else value(a) > value(b) for a, b in pairs)
            seen = "; ".join(f"{value(a):.6g} against {value(b):.6g}" for a, b in pairs)
            checks.claim(f"{name}: {text} than SGGD on {case.title}", pairs and holds, seen)


def draw(case: Case, groups: dict, out: Output) -> None:
    figure, panels = style.plt.subplots(1, 3, figsize=(12, 3.8), width_ratios=[5, 3, 5])
    curves, objectives, zeros_of = panels
    for index, (name, group) in enumerate(groups.items()):
        points = [(s, o) for s, o in group[0].points if s > 0 and np.isfinite(o)]
        if points:
            curves.plot(*zip(*points, strict=True), markevery=max(1, len(points) // 10), **style.look(index))
        bar(objectives, 0.2 * (index - 1.5), column(group, "objective"), index)
        for place, factor in enumerate("xa"):
            bar(zeros_of, place + 0.2 * (index - 1.5), column(group, factor), index, "" if place else name)
    curves.set(xscale="log", yscale="log", xlabel="seconds", ylabel="objective", title="first seed")
    style.plain_numbers(curves.yaxis)
    style.seconds(curves.xaxis)
    ends = [value for group in groups.values() for value in column(group, "objective")]
    room = 0.15 * (max(ends) - min(ends)) if ends else 1.0
    objectives.set(xticks=[], title="objective at the end", ylim=(min(ends) - room, max(ends) + room) if ends else None)
    objectives.ticklabel_format(useOffset=False)
    zeros_of.set(xticks=[0, 1], xticklabels=["X", "A"], title="fraction of exact zeros", ylim=(0, 1))
    style.legend(zeros_of)
    figure.suptitle(case.title)
    figure.tight_layout()
    out.figure(f"figure2-{case.name}", figure)


def bar(panel, at: float, values: list[float], index: int, label: str = "") -> None:
    """The mean over seeds, with a line from the least to the greatest value."""
    if values:
        mean = float(np.mean(values))
        spread = [[mean - min(values)], [max(values) - mean]]
        panel.bar(at, mean, 0.18, yerr=spread, ecolor=style.GREY, color=style.COLOURS[index], label=label)


def section(contest: Contest, groups: dict, grid: dict) -> str:
    case = contest.case

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
    limit = f"rank {case.rank}, {case.seconds:g} s each, mini-batches of {contest.batch} columns"
    return f"\n## {case.title}\n\n{limit}. SGGD over η₀: {tuned}.\n\n{figure}\n\n{table}"

"""Figure 2: sparse NMF, prox against subgradient as a designed experiment; tables and figures from the rows of figure2.csv."""

from __future__ import annotations

from statistics import median

import numpy as np

from bench import style
from bench.table import markdown, number

from .checks import Checks
from .design import ARMS, AUTO, TABLE, TUNED_ON, Arm, Contest, contests, key, works
from .output import Output
from .statistics import Spread, at, reached, spread
from .store import Store

__all__ = ["works", "write"]

PAIRS = [(Arm(True, gram, rescaled), Arm(False, gram, rescaled)) for gram in (False, True) for rescaled in (False, True)]
TITLE, APPENDIX = "Figure 2: sparse NMF, prox against subgradient", "Figure 2, appendix: every arm"
MEASURES = {
    "objective": "objective, %",
    "x_zeros": "zeros of X at equal objective, points",
    "zeros": "zeros of X and A at equal objective, points",
    "passes": "passes to a common residual, ratio",
    "seconds": "seconds to a common residual, ratio",
}

TEXT = """
{answer}

## The design

min ½‖Y − XA‖² + λ‖X‖₁ + γ‖A‖₁ over X, A ≥ 0, as in the paper's Figure 2. The paper compares NIPS with SGGD, which differ in more than one thing; here
they are taken apart:

- **prox** is eq.32 with O = prox (`--method incremental`), **subgradient** the step along −(∇f_t + s), s ∈ ∂ψ₀, with the projection on X ≥ 0 after it (`--method sggd`). Eq.32 goes back to
  the start of the pass for its last step; the subgradient method goes on from its last point. Nothing else differs.
- **scalar** is a plain number as the step, relative to 1/‖AAᵀ‖, which is the paper's own form; **gram** is a step in the metric AAᵀ.
- **rescaled** sets the scale between X and A anew after every pass, which the penalties of both decide on; **not rescaled** leaves it.

Every arm has the step η₀/√(1 + k) in pass k. Its η₀ is searched on seed {tuned}, which is not scored, over the same number of values for every arm of a case: outwards by factors of 4
until the best lies inside, then halving the gaps around it. Then {seeds} other seeds are run, each from one start for all arms, with the same mini-batches and whole
passes. The judge is `bench/evaluate.py`: it takes X alone, solves the codes itself, and measures the residual for unit atoms, so that scale does not enter.
Intervals are order statistics of the paired differences that cover their median with 95 % or more.

## What holds

Prox minus subgradient, so that a negative objective and positive zeros speak for the prox; a ratio is the subgradient's passes (seconds) by the prox's, so that more than 1 speaks for
the prox. The common residual of a pair is the larger one of the least that each has reached; the equal objective is the larger one of both ends. Bold: the interval excludes equality.

{holds}
![Prox minus subgradient in percent of the objective](figure2.svg)

The other factors of the design, at the end of the runs, in percent of the objective; negative speaks for gram, for rescaling, and for the automatic step, which is not tuned:

{others}
{sections}
All arms, their steps and their numbers are in [the appendix](figure2-appendix.md). Raw: `experiments/results/figure2.csv`.
"""


def write(store: Store, out: Output, checks: Checks, quick: bool) -> None:
    present = [contest for contest in contests(quick) if complete(store, contest)]
    if not present:
        out.empty("figure2", TITLE)
        return out.empty("figure2-appendix", APPENDIX)
    found = {(c.case.name, a.name): compare(store, c, a, b) for c in present for a, b in PAIRS}
    rows = [row(c, a, found[c.case.name, a.name]) for c in present for a, _ in PAIRS]
    text = TEXT.format(
        answer=answer(store, present, found),
        tuned=TUNED_ON,
        seeds=" or ".join(sorted({str(c.seeds) for c in present})),
        holds=markdown(["case", "arms", *MEASURES.values()], rows),
        others=markdown(["case", "gram against scalar", "rescaled against not", "automatic step against tuned"], [effects(store, c) for c in present]),
        sections="".join(section(store, c, out) for c in present),
    )
    forest(present, found, out)
    out.page("figure2", TITLE, text)
    appendix(store, present, out)
    inside(store, present, checks)


def complete(store: Store, contest: Contest) -> bool:
    return all(store.has(TABLE, **key(contest, arm, contest.seeds - 1, "score")) for arm in [*ARMS, AUTO])


def curve(store: Store, contest: Contest, arm: Arm, seed: int) -> list[dict]:
    rows = store.rows(TABLE, **key(contest, arm, seed, "score"))
    return [{name: float(value) for name, value in row.items() if name not in ("case", "arm", "role", "says")} for row in rows]


def end(store: Store, contest: Contest, arm: Arm, seed: int, name: str = "objective") -> float:
    return curve(store, contest, arm, seed)[-1][name]


def compare(store: Store, contest: Contest, first: Arm, second: Arm) -> dict[str, Spread]:
    """All measures of a pair of arms over its seeds."""
    pairs = [[curve(store, contest, arm, seed) for arm in (first, second)] for seed in range(contest.seeds)]
    values: dict[str, list[float]] = {name: [] for name in MEASURES}
    for one, other in pairs:
        values["objective"].append(100 * (one[-1]["objective"] / other[-1]["objective"] - 1))
        for name, share in [("x_zeros", (1.0, 0.0)), ("zeros", (0.5, 0.5))]:
            values[name].append(100 * (zeros_at(one, other, share) - zeros_at(other, one, share)))
        for name in ("passes", "seconds"):
            values[name].append(time_ratio(one, other, name))
    return {name: spread([v for v in group if np.isfinite(v)]) for name, group in values.items()}


def zeros_at(one: list[dict], other: list[dict], share: tuple[float, float]) -> float:
    """Zeros of one run where its objective is the larger one of both ends."""
    target = max(one[-1]["objective"], other[-1]["objective"])
    return at([(row["objective"], share[0] * row["x_zeros"] + share[1] * row["a_zeros"]) for row in one], target)


def time_ratio(one: list[dict], other: list[dict], name: str) -> float:
    """The other's passes or seconds by the first one's, to the larger one of their least residuals."""
    target = max(min(row["residual"] for row in run) for run in (one, other)) * (1 + 1e-9)
    first, second = (reached([(row[name], row["residual"]) for row in run], target) for run in (one, other))
    return second / first


def row(contest: Contest, arm: Arm, found: dict[str, Spread]) -> list[str]:
    cells = []
    for name, one in found.items():
        base = 1.0 if name in ("passes", "seconds") else 0.0
        text = one.text(lambda v, name=name: f"{v:.2f}" if name in ("passes", "seconds") else f"{v:+.2g}")
        cells.append(f"**{text}**" if one.low > base or one.high < base else text)
    return [contest.case.title, arm.name.removeprefix("prox, "), *cells]


def effects(store: Store, contest: Contest) -> list[str]:
    """What the metric, the rescaling and the automatic step change, over all arms and seeds."""

    def gain(pairs: list[tuple[Arm, Arm]]) -> str:
        ends = [[[end(store, contest, arm, seed) for arm in pair] for pair in pairs] for seed in range(contest.seeds)]
        means = [float(np.mean([100 * (a / b - 1) for a, b in seed])) for seed in ends]
        return spread(means).text(lambda v: f"{v:+.2g}")

    flags = [(prox, other) for prox in (True, False) for other in (True, False)]
    metric = gain([(Arm(prox, True, other), Arm(prox, False, other)) for prox, other in flags])
    scale = gain([(Arm(prox, other, True), Arm(prox, other, False)) for prox, other in flags])
    return [contest.case.title, metric, scale, gain([(AUTO, Arm(True, True, True))])]


def answer(store: Store, present: list[Contest], found: dict) -> str:
    """The page's first three sentences."""

    def count(name: str, base: float, better: int) -> tuple[int, int, int]:
        signs = [int(one[name].low > base) - int(one[name].high < base) for one in found.values()]
        return sum(s == better for s in signs), sum(s == -better for s in signs), len(signs)

    lower, higher, total = count("objective", 0.0, -1)
    sparser, less, _ = count("x_zeros", 0.0, 1)
    sooner, later, _ = count("seconds", 1.0, 1)
    own = Arm(True, False, False).name
    papers = "; ".join(f"{found[c.case.name, own]['objective'].text(lambda v: f'{v:+.2g}')} % on {c.case.title}" for c in present)
    return (
        f"With equally tuned steps and after equal passes, the prox ended at a lower objective than the subgradient in {lower} of {total} comparisons and at a higher one in {higher} "
        f"(the 95 % interval over paired seeds excludes zero; the rest is undecided). In the paper's own form, a scalar step and no rescaling, prox minus subgradient was {papers}. "
        f"At equal objective the X of the prox had more zeros in {sparser} of {total} comparisons and fewer in {less}; to a common residual it took less time in {sooner} and more in {later}."
    )


COLOURS = {(False, False): style.COLOURS[0], (False, True): style.COLOURS[4], (True, False): style.COLOURS[2], (True, True): style.COLOURS[1]}


def section(store: Store, contest: Contest, out: Output) -> str:
    figure, panels = style.plt.subplots(1, 2, figsize=(8.2, 3.6), sharey=True)
    runs = {arm: [curve(store, contest, arm, seed) for seed in range(contest.seeds)] for arm in ARMS}
    least = min(row["objective"] for group in runs.values() for run in group for row in run)
    labels = []
    for arm, group in runs.items():
        look = {"color": COLOURS[arm.gram, arm.rescaled], "linestyle": "-" if arm.prox else "--", "marker": "o" if arm.prox else "s"}
        heights = [median(run[i]["objective"] / least - 1 for run in group) for i in range(len(group[0]))]
        for panel, name in zip(panels, ("passes", "seconds"), strict=True):
            panel.plot([median(run[i][name] for run in group) for i in range(len(group[0]))], heights, **look)
        if arm.prox:
            labels.append((median(run[-1]["seconds"] for run in group), heights[-1], arm.name.removeprefix("prox, "), look["color"]))
    for panel, name in zip(panels, ("passes", "seconds"), strict=True):
        panel.set(xscale="log", yscale="log", xlabel=name)
        style.seconds(panel.xaxis)
    panels[0].set_ylabel("objective / least − 1")
    figure.suptitle(f"{contest.case.title}: prox ——, subgradient - -", fontsize=10)
    style.label_ends(panels[1], labels)
    out.figure(f"figure2-{contest.case.name}", figure)
    limit = f"Rank {contest.case.rank}, mini-batches of {contest.batch} columns, {contest.milestones[-1]} passes, {contest.seeds} seeds; {contest.note}."
    return f"\n## {contest.case.title}\n\n{limit} Medians over seeds, each a saved X.\n\n![{contest.case.title}](figure2-{contest.case.name}.svg)\n"


def forest(present: list[Contest], found: dict, out: Output) -> None:
    """Every comparison of objectives with its interval."""
    rows = [(c, a) for c in present for a, _ in PAIRS]
    figure, axes = style.plt.subplots(figsize=(7.0, 0.8 + 0.28 * len(rows)))
    for place, (contest, arm) in enumerate(reversed(rows)):
        one, colour = found[contest.case.name, arm.name]["objective"], COLOURS[arm.gram, arm.rescaled]
        axes.plot([one.low, one.high], [place, place], color=colour, linewidth=2)
        axes.plot([one.middle], [place], "o", color=colour)
    axes.axvline(0, color=style.GREY, linewidth=1)
    axes.set_yticks(range(len(rows)), [f"{c.case.name}: {a.name.removeprefix('prox, ')}" for c, a in reversed(rows)])
    axes.set_xscale("symlog", linthresh=0.01)
    axes.margins(x=0.08)
    axes.set_xlabel("prox minus subgradient, % of the objective (left: prox lower)")
    out.figure("figure2", figure)


def appendix(store: Store, present: list[Contest], out: Output) -> None:
    sections = ""
    for contest in present:
        rows = []
        for arm in [*ARMS, AUTO]:
            group = [curve(store, contest, arm, seed) for seed in range(contest.seeds)]

            def cell(name: str, show, group=group) -> str:
                return spread([run[-1][name] for run in group]).text(show)

            shares = [cell(name, lambda v: f"{v:.3f}") for name in ("x_zeros", "a_zeros")]
            step = group[0][-1]["step"]
            cells = [cell("objective", number), cell("residual", lambda v: f"{v:.2e}"), *shares, cell("seconds", lambda v: f"{v:.2f}")]
            rows.append([arm.name, "–" if np.isnan(step) else f"{step:.3g}", *cells])
        head = ["arm", "η₀", "objective", "residual", "zeros of X", "zeros of A", "seconds"]
        sections += f"\n## {contest.case.title}\n\n{markdown(head, rows)}\nThe grids, η₀: objective at the end on seed {TUNED_ON}.\n\n{grids(store, contest)}"
    text = f"Medians with 95 % intervals over seeds at the end of the runs of [figure 2](figure2.md).\n{sections}\nRaw: `experiments/results/figure2.csv`."
    out.page("figure2-appendix", APPENDIX, text)


def grids(store: Store, contest: Contest) -> str:
    rows = []
    for arm in ARMS:
        tries = sorted(store.rows(TABLE, **key(contest, arm, TUNED_ON, "tune")), key=lambda row: float(row["step"]))
        texts = [f"{float(row['step']):.3g}: {number(float(row['objective']))}" for row in tries]
        rows.append([arm.name, str(len(tries)), ", ".join(texts)])
    return markdown(["arm", "steps", "η₀: objective"], rows)


def inside(store: Store, present: list[Contest], checks: Checks) -> None:
    """What must be true of the design itself, whatever the outcome."""
    for contest in present:
        counts, border = set(), []
        for arm in ARMS:
            tries = {float(row["step"]): float(row["objective"]) for row in store.rows(TABLE, **key(contest, arm, TUNED_ON, "tune"))}
            counts.add(len(tries))
            border += [arm.name] * (min(tries, key=tries.get) in (min(tries), max(tries)))
        checks.claim(f"every arm was tuned over the same number of steps on {contest.case.title}", len(counts) == 1, f"{sorted(counts)}")
        checks.claim(f"no best step is at the end of its grid on {contest.case.title}", not border, "; ".join(border) or "all inside")

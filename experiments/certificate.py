"""What the paper could not show: early-stopped inner solves, and the certificate beside what the judge sees, run by run."""

from __future__ import annotations

from collections import Counter
from statistics import median

import numpy as np

from bench import style
from bench.case import Case
from bench.table import markdown

from . import design, planted
from .checks import Checks
from .jobs import Work, follow
from .output import Output
from .statistics import reached, spread
from .store import Store

TABLE = "inner"
TOLERANCES = [3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.001]
STEP = "0.5"

TEXT = """
{answer}

## Inner solves that stop early

eq.32 with the constant step {step} in the metric AAᵀ on {title}, rank {rank}; {seeds} seeds. The codes of a mini-batch are improved until a sweep moves them by less than the
given fraction of their first move (`--codes-tol`); what they then lack is part of e. With one batch there is no drift, and e comes from the inner solves alone; with four, both are
in it. "Floor seen" is the residual at the end (the program's own, exact, relative); "predicted" is K·ē with the K and the largest ē of the run's certificate. Seconds are to a residual
of {target:.0e} by the judge. Medians over seeds, with intervals.

![Time and floor against the accuracy of inner solves](certificate.svg)

{table}
## The certificate at work

All scored runs of [figure 2](figure2.md), {count} in number, and those above: what each said of itself, beside the judge.

{runs}
"Within the prediction": the residual at the end is at most K·ē, of the runs whose certificate has both. Raw: `experiments/results/inner.csv`, `experiments/results/figure2.csv`.
"""


def setup(quick: bool) -> tuple[Case, list[int], int, float]:
    """The case, its milestones, the number of seeds, and the residual that is to be reached."""
    if quick:
        case = Case("inner", "planted 120×100, λ = γ = 0.5", 4, 1.0, str(planted.file(120, 100, 4)), x_l1=0.5, a_l1=0.5)
        return case, [4, 16, 64], 2, 1e-2
    case = Case("inner", "planted 1000×800, λ = γ = 2", 16, 1.0, str(planted.file(1000, 800, 16)), x_l1=2.0, a_l1=2.0)
    return case, [4, 8, 16, 32, 64, 128], 5, 1e-3


def works(store: Store, quick: bool) -> list[Work]:
    case, milestones, seeds, _ = setup(quick)
    found = []
    for seed in range(seeds):
        for batches in (1, 4):
            for tolerance in TOLERANCES:
                found.append(work(store, case, milestones, (batches, tolerance, seed)))
    return found


def work(store: Store, case: Case, milestones: list[int], choice: tuple[int, float, int]) -> Work:
    batches, tolerance, seed = choice
    named = {"batches": batches, "tolerance": tolerance, "seed": seed}

    def do() -> None:
        columns = case.stored.shape[1]
        setting = {"method": "incremental", "step": STEP, "batch": -(-columns // batches), "codes-tol": tolerance}
        store.add(TABLE, [named | row for row in follow(case, setting, seed, milestones)])

    return Work(f"inner: {batches} batches, tolerance {tolerance:g}, seed {seed}", 1.0, lambda: store.has(TABLE, **named), do)


def group(store: Store, batches: int, tolerance: float, seeds: int) -> list[list[dict]]:
    runs = [store.rows(TABLE, batches=batches, tolerance=tolerance, seed=seed) for seed in range(seeds)]
    return [[{name: float(value) for name, value in row.items() if name != "says"} for row in run] for run in runs if run]


def write(store: Store, out: Output, checks: Checks, quick: bool) -> None:
    case, _, seeds, target = setup(quick)
    if not all(one.is_done() for one in works(store, quick)):
        return out.empty("certificate", "The certificate at work")
    rows, curves = [], {}
    for batches in (1, 4):
        for tolerance in TOLERANCES:
            runs = group(store, batches, tolerance, seeds)
            ends = [run[-1] for run in runs]
            seen = [row["own_residual"] for row in ends]
            told = [row["level"] * row["constant"] for row in ends]
            times = [reached([(row["seconds"], row["residual"]) for row in run], target) for run in runs]
            curves[batches, tolerance] = (median(times), median(seen), median(told))
            shown = [told_of(values, none) for values, none in ((times, "not reached"), (seen, ""), (told, "none stated"))]
            rows.append([str(batches), f"{tolerance:g}", *shown])
    draw(curves, target, out)
    fast = min((t for (b, t) in curves if b == 1), key=lambda t: curves[1, t][0])
    table, count, worst = at_work(store, quick)
    kept, stated = held(curves)
    answer = (
        f"With one batch, where all errors come from inner solves, the residual at the end was {curves[1, TOLERANCES[0]][1]:.1e} for codes improved by a single sweep and {curves[1, TOLERANCES[-1]][1]:.1e} for a tolerance "
        f"of {TOLERANCES[-1]:g}, and a residual of {target:.0e} was reached soonest with {fast:g}. The floor that the ledger predicts, K·ē, was above the one that was seen in {kept} of the {stated} settings for which a certificate states one. "
        f"Over {count} runs of figure 2 the program's own objective differed from the judge's by at most {max(worst, 1e-7):.0e} of it."
    )
    text = TEXT.format(answer=answer, step=STEP, title=case.title, rank=case.rank, seeds=seeds, target=target, count=count,
                       table=markdown(["batches", "tolerance", "seconds", "floor seen", "floor predicted"], rows), runs=table)
    out.page("certificate", "The certificate at work", text)
    checks.claim("the program's own objective is the judge's", worst < 1e-4, f"{worst:.1e}")
    checks.claim("the predicted floor is not below the one that is seen", kept == stated > 0, f"{kept} of {stated} settings that state one")


def told_of(values: list[float], none: str) -> str:
    """A median with its interval, if all values are finite."""
    return spread(values).text(lambda v: f"{v:.2g}") if np.isfinite(values).all() else none


def held(curves: dict) -> tuple[int, int]:
    """In how many settings the prediction is not below what is seen, and of how many there is one."""
    pairs = [(seen, told) for _, seen, told in curves.values() if np.isfinite(told)]
    return sum(seen <= told for seen, told in pairs), len(pairs)


def at_work(store: Store, quick: bool) -> tuple[str, int, float]:
    """A line for each arm: what its runs said at their end."""
    lines, worst, total = [], 0.0, 0
    for arm in [*design.ARMS, design.AUTO]:
        ends = []
        for contest in design.contests(quick):
            runs = [store.rows(design.TABLE, **design.key(contest, arm, seed, "score")) for seed in range(contest.seeds)]
            ends += [run[-1] for run in runs if run]
        said = Counter(row["says"] for row in ends)
        bounds = [(float(row["own_residual"]), float(row["level"]) * float(row["constant"])) for row in ends]
        bounds = [(seen, told) for seen, told in bounds if np.isfinite(told)]
        apart = [abs(float(row["own_objective"]) / float(row["objective"]) - 1) for row in ends]
        worst, total = max([worst, *apart]), total + len(ends)
        within = f"{sum(seen <= told for seen, told in bounds)} of {len(bounds)}" if bounds else "no constant"
        lines.append([arm.name, ", ".join(f"{word} ({count})" for word, count in said.most_common()), within, f"{max([1e-7, *apart]):.0e}"])
    return markdown(["arm", "verdicts", "within the prediction", "own objective against the judge's, at most"], lines), total, worst


def draw(curves: dict, target: float, out: Output) -> None:
    figure, (times, floors) = style.plt.subplots(1, 2, figsize=(8.2, 3.4))
    labels = {times: [], floors: []}
    for index, batches in enumerate((1, 4)):
        look, name = style.look(index), "1 batch" if batches == 1 else "4 batches"
        chosen = [(t, curves[batches, t]) for t in TOLERANCES]
        fine = [(t, c[0]) for t, c in chosen if np.isfinite(c[0])]
        if fine:
            times.plot(*zip(*fine, strict=True), **look)
            labels[times].append((*fine[0], name, look["color"]))
        floors.plot(TOLERANCES, [c[1] for _, c in chosen], **look)
        floors.plot(TOLERANCES, [c[2] for _, c in chosen], color=look["color"], linestyle=":")
        labels[floors] += [(TOLERANCES[0], chosen[0][1][1], f"{name}, seen", look["color"]), (TOLERANCES[0], chosen[0][1][2], f"{name}, predicted", look["color"])]
    times.set(xscale="log", yscale="log", xlabel="inner tolerance", ylabel=f"seconds to a residual of {target:.0e}")
    floors.set(xscale="log", yscale="log", xlabel="inner tolerance", ylabel="residual at the end")
    figure.tight_layout(w_pad=5)
    for panel, named in labels.items():
        style.label_ends(panel, named)
    out.figure("certificate", figure)

"""The theory at work: error floor, drift, step rules and the cost of proxes, from the Rust examples."""

from __future__ import annotations

import csv
import io
import subprocess
from collections import defaultdict

import numpy as np

from bench import style
from bench.case import ROOT
from bench.table import markdown

from .checks import Checks
from .jobs import Work
from .output import Output
from .store import Store

TEXT = """
{answer}

Robust regression (Cauchy loss, nonconvex) with an ℓ1 penalty, made by `cargo run --release -p proxsplit --example error_floor`
and `--example theory -- drift|steps|cost`.

## (a) The residual follows the error level

Algorithm 1 with a gradient that is always wrong by ‖e‖: a fixed direction (bias), a new random one in every iteration, or one that
shortens every entry (adversarial). The theorem "Convergence" promises ‖ρ‖ ≤ K·ε.

![Final residual against error level](floor.svg)

Slopes on log axes: {slopes}. Raw: `floor.csv`.

## (b) Drift of an incremental pass

‖e(xᵏ)‖ of one pass over 20 batches against η for the four variants, from the same point. "Bound" is the corrected sum
Σ ((1+2ηL)^(T−t) − 1)β_t, "printed" the paper's constant (1+2ηL)^(T−1) Σ β_t, which does not go to 0 with η.
For O = identity no prox enters the pass, so that both sets give the same curve; from this point the box does not
change the one for O = prox either.
The bound holds everywhere and has the right slope; it is about {slack:.0f} times too large for the shortest step, and useless for η near 1/L.

![Drift against step](drift.svg)

Slopes of the measured drift for η ≤ 1e−3: {drift_slopes}. Raw: `drift.csv`.

## (c) Constant against diminishing steps

The true residual of incremental runs with constant steps of 1, 1/4 and 1/16 of 1/L, and with η_k = (1/L)/(1 + k/10)^0.7. A constant step
ends at a floor that is proportional to it; a diminishing one goes on. With O = prox the floor is much higher than with O = identity, since T proxes are
applied between two majors.

![Residual over passes](steps.svg)

{floors}
Raw: `steps.csv`.

## (d) What a prox between the terms costs

Prox calls and time of a pass with 32 batches, 576 variables. A cheap prox costs nothing; an expensive one favours O = identity.

{cost}
Raw: `cost.csv`.

## (e) Late and lossy gradients

The paper's motivation. 20 workers hold the terms of the same regression problem. Late: all answer with the gradient of some iterations ago; that error vanishes with the moves, so that a step that is short enough for the delay reaches a
stationary point, and a longer one does not settle. Lossy: each sends its share rounded to a few bits; the shares cancel at a solution, their rounding does not, and a floor remains that falls with the bits.

{late}
{lossy}
Raw: `motivation.csv`.

## (f) Nonconvex h

The paper leaves nonconvex h open. For any lsc h and η < 1/L, liminf dist(0, ∂Φ(x⁺)) ≤ ē·(1 + 2(1+ηL)/(1−ηL)). The largest ratio of the distance at the end to that bound, over three shapes of the error and levels from 1e−1 to 1e−5:

{nonconvex}
![Distance to stationarity against the error level, a constant error, η = 0.75/L](nonconvex.svg)

Raw: `nonconvex.csv`, all in `experiments/results`.
"""


STUDIES = {"floor": ["error_floor"]} | {name: ["theory", name] for name in ("drift", "steps", "cost", "motivation", "nonconvex")}


def works(store: Store, quick: bool) -> list[Work]:
    """One study each; they are the same in a quick run."""
    return [Work(f"theory: {name}", 4.0, lambda name=name: store.has(name), lambda name=name: study(store, name)) for name in STUDIES]


def study(store: Store, name: str) -> None:
    """The CSV that an example prints."""
    example, *words = STUDIES[name]
    command = [str(ROOT / "target" / "release" / "examples" / example), *words]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    store.add(name, list(csv.DictReader(io.StringIO(text))))


def group(rows: list[dict], *keys: str) -> dict[str, list[dict]]:
    groups = defaultdict(list)
    for row in rows:
        groups[", ".join(row[key] for key in keys)].append(row)
    return groups


def slope(x: list[float], y: list[float]) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def column(rows: list[dict], name: str) -> list[float]:
    return [float(row[name]) for row in rows]


def write(store: Store, out: Output, checks: Checks, quick: bool) -> None:
    """All studies, their figures and their page."""
    if not all(store.has(name) for name in STUDIES):
        return out.empty("theory", "The theory at work")
    tables = {name: store.rows(name) for name in STUDIES}
    slopes, ratio = floor(tables["floor"], out, checks)
    drift_slopes, slack = drift(tables["drift"], out, checks)
    floors = steps(tables["steps"], out, checks)
    late, lossy, at_most = motivation(tables["motivation"], checks)
    nonconvex_table, largest = nonconvex(tables["nonconvex"], out, checks)
    answer = (
        f"The final residual was linear in the error level over five decades, with K of at most {ratio:.1f} for convex h. For nonconvex h, which the paper leaves open, the distance to stationarity was "
        f"at most {largest:.2f} of what the theorem of this project allows, in every one of {len(tables['nonconvex'])} runs. Gradients that were late or rounded to a few bits ended within {at_most:.2f} of K times their measured error."
    )
    text = TEXT.format(answer=answer, slopes=slopes, drift_slopes=drift_slopes, slack=slack, floors=floors, cost=cost(tables["cost"], checks), late=late, lossy=lossy, nonconvex=nonconvex_table)
    out.page("theory", "The theory at work", text)


def motivation(rows: list[dict], checks: Checks) -> tuple[str, str, float]:
    """Late and lossy gradients: the residual at the end, and its share of K times the measured level."""
    tables, shares = {}, []
    for source in ("late", "lossy"):
        lines = []
        for row in (row for row in rows if row["source"] == source):
            residual, level = float(row["residual"]), float(row["level"])
            floor = level * float(row["constant"]) if row["constant"] else np.nan
            share = residual / floor if floor > 1e-9 else np.nan
            shares += [share] if np.isfinite(share) and "AtErrorFloor" in row["verdict"] else []
            lines.append([row["amount"], f"{row['share']}/L", f"{residual:.1e}", f"{level:.1e}", row["constant"] or "none", row["verdict"]])
        head = ["iterations late" if source == "late" else "bits of the mantissa", "step", "residual", "largest ‖e‖ of the second half", "K", "verdict"]
        tables[source] = markdown(head, lines)
    most = max(shares, default=0.0)
    checks.claim("late and lossy runs that end at a floor are below K times their error", most <= 1.0, f"{most:.2f} at most")
    return tables["late"], tables["lossy"], most


def nonconvex(rows: list[dict], out: Output, checks: Checks) -> tuple[str, float]:
    """dist(0, ∂Φ(x⁺)) against K·ē for nonconvex h."""
    figure, axes = style.plt.subplots(figsize=(6.2, 3.8))
    lines, worst, labels = [], 0.0, []
    for index, (term, part) in enumerate(group(rows, "term").items()):
        shares = {}
        for share, half in group(part, "share").items():
            ratios = [float(row["distance"]) / (float(row["level"]) * float(row["constant"])) for row in half]
            shares[share] = (max(ratios), half[0]["constant"])
            worst = max(worst, *ratios)
        lines.append([f"`{term}`", *(f"{ratio:.3f} of K = {constant}" for ratio, constant in shares.values())])
        bias = [row for row in part if row["shape"] == "Bias" and row["share"] == "0.75"]
        axes.plot(column(bias, "level"), column(bias, "distance"), **style.look(index))
        labels.append((float(bias[0]["level"]), float(bias[0]["distance"]), term, style.look(index)["color"]))
    level = column(bias, "level")
    axes.plot(level, [float(bias[0]["constant"]) * e for e in level], color=style.GREY, linestyle="--")
    labels.append((level[0], float(bias[0]["constant"]) * level[0], "K·‖e‖", style.GREY))
    axes.set(xscale="log", yscale="log", xlabel="error level ‖e‖", ylabel="dist(0, ∂Φ) at the end")
    style.label_ends(axes, labels)
    out.figure("nonconvex", figure)
    checks.claim("nonconvex h: the distance to stationarity stays below K times the error", worst <= 1.0, f"{worst:.2f} at most")
    return markdown(["h", "η = 0.25/L", "η = 0.75/L"], lines), worst


def words(slopes: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in slopes.items())


def floor(rows: list[dict], out: Output, checks: Checks) -> tuple[str, float]:
    figure, axes = style.plt.subplots(figsize=(6, 4))
    slopes, ratios = {}, []
    for index, (shape, part) in enumerate(group(rows, "shape").items()):
        level, residual = column(part, "level"), column(part, "residual")
        axes.plot(level, residual, label=shape.lower(), **style.look(index))
        slopes[shape.lower()] = slope(level, residual)
        ratios += [r / e for r, e in zip(residual, level, strict=True)]
    axes.plot(level, level, color=style.GREY, linestyle="--", label="‖ρ‖ = ‖e‖")
    axes.set(xscale="log", yscale="log", xlabel="error level ‖e‖", ylabel="final residual ‖ρ‖")
    style.legend(axes)
    out.figure("floor", figure)
    # Linear over five decades: a slope within 0.1 of 1, and K below 3 as in the library's own test.
    holds = all(abs(s - 1) < 0.1 for s in slopes.values()) and max(ratios) < 3
    checks.claim("the final residual is linear in the error level", holds, words(slopes))
    return words(slopes), max(ratios)


def drift(rows: list[dict], out: Output, checks: Checks) -> tuple[str, float]:
    figure, axes = style.plt.subplots(figsize=(6, 4.4))
    slopes, slack = {}, []
    for index, (name, part) in enumerate(group(rows, "inner", "set").items()):
        label = name.replace("Identity", "O = identity").replace("Prox", "O = prox").replace(", none", ", X = ℝⁿ")
        label = label.replace(", box", ", X a box")
        step, seen, bound = (column(part, key) for key in ("step", "drift", "bound"))
        colour = style.look(index)
        axes.plot(step, seen, label=label, markevery=3, **colour)
        axes.plot(step, bound, color=colour["color"], linestyle="--", linewidth=1, label="" if index else "bound of the same colour")
        short = [i for i, s in enumerate(step) if s <= 1e-3]
        slopes[label] = slope([step[i] for i in short], [seen[i] for i in short])
        slack.append(bound[0] / seen[0])
        checks.claim(f"drift stays within its bound, {label}", all(np.less_equal(seen, bound)), f"slope {slopes[label]:.2f}")
    axes.plot(step, column(part, "printed"), color=style.GREY, linestyle=":", label="printed constant (last variant)")
    axes.set(xscale="log", yscale="log", xlabel="η", ylabel="‖e(x)‖", ylim=(1e-4, 1e6))
    style.legend(axes)
    out.figure("drift", figure)
    # First order in η: a slope within 0.1 of 1 where ηL is small.
    checks.claim("drift is O(η)", all(abs(s - 1) < 0.1 for s in slopes.values()), words(slopes))
    return words(slopes), float(np.median(slack))


def steps(rows: list[dict], out: Output, checks: Checks) -> str:
    figure, panels = style.plt.subplots(1, 2, figsize=(9, 3.8), sharey=True)
    lines = []
    for panel, (inner, part) in zip(panels, group(rows, "inner").items(), strict=True):
        ends = {}
        for index, (name, curve) in enumerate(group(part, "rule", "share").items()):
            rule, share = name.split(", ")
            label = "diminishing" if rule == "diminishing" else f"constant {share}/L"
            panel.plot(column(curve, "pass"), column(curve, "residual"), label=label, markevery=5, **style.look(index))
            ends[label] = float(np.median(column(curve, "residual")[-5:]))
        panel.set(xscale="log", yscale="log", xlabel="passes", title=f"O = {inner.lower()}")
        lines.append([f"O = {inner.lower()}", *(f"{end:.3g}" for end in ends.values())])
        quotient = ends["constant 0.25/L"] / ends["constant 0.0625/L"]
        # A floor proportional to η falls by 4 here; half or twice that leaves room for second-order terms.
        checks.claim(f"the floor is proportional to the step, O = {inner.lower()}", 2 < quotient < 8, f"{quotient:.2f} for 4")
        lowest = ends["diminishing"] < min(end for label, end in ends.items() if label != "diminishing")
        checks.claim(f"a diminishing step ends lowest, O = {inner.lower()}", lowest, f"{ends['diminishing']:.3g}")
    panels[0].set_ylabel("‖ρ(x)‖")
    style.legend(panels[1])
    out.figure("steps", figure)
    return markdown(["residual after 2000 passes", *ends], lines)


def cost(rows: list[dict], checks: Checks) -> str:
    calls = {(row["term"], row["inner"]): int(row["calls"]) for row in rows}
    right = all(count == (1 if inner == "Identity" else 32) for (_, inner), count in calls.items())
    checks.claim("one prox a pass with O = identity, one a batch with O = prox", right, "1 and 32")
    table = []
    for term, (plain, prox) in group(rows, "term").items():
        ratio = float(prox["milliseconds"]) / float(plain["milliseconds"])
        times = [f"{float(row['milliseconds']):.2f}" for row in (plain, prox)]
        table.append([term, plain["calls"], prox["calls"], *times, f"{ratio:.1f}×"])
    return markdown(["term", "calls, O = identity", "calls, O = prox", "ms, O = identity", "ms, O = prox", "ratio"], table)

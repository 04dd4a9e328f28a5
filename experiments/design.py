"""The design of figure 2: {prox, subgradient} × {scalar, gram} × {rescaled, not}, on every case with the same tuning."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from bench.case import FULL, Case

from . import planted, webgraph
from .jobs import NUMBERS, Work, follow
from .store import Store

TABLE = "figure2"
TUNED_ON = 1000
POWER = 0.5
MOST = 11


@dataclass(frozen=True)
class Arm:
    """A method of the design; with the automatic step there is nothing to tune."""

    prox: bool
    gram: bool
    rescaled: bool
    auto: bool = False

    @property
    def name(self) -> str:
        words = ["prox" if self.prox else "subgradient", "gram" if self.gram else "scalar"]
        words += ["rescaled" if self.rescaled else "not rescaled"] + ["automatic step"] * self.auto
        return ", ".join(words)

    def setting(self, step: float | None) -> dict:
        words = {"method": "incremental" if self.prox else "sggd", "metric": "gram" if self.gram else "scalar"}
        words["rescale"] = "yes" if self.rescaled else "no"
        return words if step is None else words | {"step": f"diminishing:{step:.6g},{POWER:g}"}


ARMS = [Arm(*flags) for flags in product([True, False], repeat=3)]
AUTO = Arm(True, True, True, auto=True)


@dataclass(frozen=True)
class Contest:
    """A case, its mini-batches, the passes after which X is saved, the numbers of seeds and of grid points, and seconds of a run."""

    case: Case
    batch: int
    milestones: tuple[int, ...]
    note: str
    seconds: float
    seeds: int = 10
    grid: int = 7


def contests(quick: bool) -> list[Contest]:
    if quick:
        title = "planted 120×100, λ = γ = 0.5"
        case = Case("planted", title, 4, 1.0, str(planted.file(120, 100, 4)), x_l1=0.5, a_l1=0.5)
        return [Contest(case, 25, (2, 8, 24), "both penalties bind", 0.2, seeds=6, grid=5)]
    rand = replace(FULL[-1], name="rand")
    title = "planted 1000×800, λ = γ = 2"
    binding = Case("planted", title, 16, 1.0, str(planted.file(1000, 800, 16)), x_l1=2.0, a_l1=2.0)
    web = Case("web", "WEB-SCC 434818×434818, λ = γ = 1e−6", 4, 1.0, FULL[3].file, x_l1=1e-6, a_l1=1e-6)
    title = "generated graph 714545×739454, λ = γ = 1e−6"
    graph = replace(web, name="webgraph", title=title, file=str(webgraph.file()))
    return [
        Contest(binding, 100, (2, 8, 32, 96), "both penalties bind", 1.0, grid=7),
        Contest(rand, 500, (2, 6, 16), "the paper's weights", 2.4, grid=6),
        Contest(web, 50000, (2, 6), "the paper's weights", 2.2, grid=5),
        Contest(graph, 100000, (2, 5), "the paper's weights", 3.6, grid=5),
    ]


def works(store: Store, quick: bool) -> list[Work]:
    """Tuning first, then the seeds that count."""
    found = []
    for contest in contests(quick):
        if contest.case.missing:
            continue
        found.append(tuning(store, contest))
        for seed in range(contest.seeds):
            found += [scoring(store, contest, arm, seed) for arm in [*ARMS, AUTO]]
    return found


def key(contest: Contest, arm: Arm, seed: int, role: str) -> dict:
    return {"case": contest.case.name, "arm": arm.name, "seed": seed, "role": role}


def tuning(store: Store, contest: Contest) -> Work:
    """All arms over grids of one size: the longest that an arm needs to have its best step inside."""

    def do() -> None:
        budget = contest.grid
        while any(is_border(search(store, contest, arm, budget)) for arm in ARMS) and budget < MOST:
            budget += 1
        for arm in ARMS:
            search(store, contest, arm, budget)
        store.add("figure2_grids", [{"case": contest.case.name, "points": budget}])

    label = f"{contest.case.name}: tuning of {len(ARMS)} arms, {contest.grid} steps each"
    seconds = len(ARMS) * (contest.grid + 1) * 0.7 * contest.seconds
    return Work(label, seconds, lambda: store.has("figure2_grids", case=contest.case.name), do)


def search(store: Store, contest: Contest, arm: Arm, budget: int) -> dict[float, float]:
    """The objective at the end for so many steps η₀ = 2^p: outwards while an end is best, then between the best and its neighbours."""
    seen: dict[float, float] = {}
    for power in [-2.0, 0.0, 2.0]:
        seen[power] = tried(store, contest, arm, power)
    while len(seen) < budget:
        power = following(seen)
        seen[power] = tried(store, contest, arm, power)
    return seen


def following(seen: dict[float, float]) -> float:
    """The next exponent to try."""
    places = sorted(seen)
    best = places.index(min(seen, key=seen.get))
    if best == 0:
        return places[0] - 2
    if best == len(places) - 1:
        return places[-1] + 2
    left, right = places[best] - places[best - 1], places[best + 1] - places[best]
    return places[best] - left / 2 if left >= right else places[best] + right / 2


def is_border(seen: dict[float, float]) -> bool:
    return min(seen, key=seen.get) in (min(seen), max(seen))


def tried(store: Store, contest: Contest, arm: Arm, power: float) -> float:
    """The objective at the end of a run with η₀ = 2^power on the seed that does not count."""
    named = key(contest, arm, TUNED_ON, "tune") | {"step": 2**power}
    if not store.has(TABLE, **named):
        setting = arm.setting(2**power) | {"batch": contest.batch}
        store.add(TABLE, [named | row for row in outcome(contest, setting, TUNED_ON, contest.milestones[-1:])])
    return float(store.rows(TABLE, **named)[-1]["objective"])


def best_step(store: Store, contest: Contest, arm: Arm) -> float:
    rows = store.rows(TABLE, **key(contest, arm, TUNED_ON, "tune"))
    return float(min(rows, key=lambda row: float(row["objective"]))["step"])


def scoring(store: Store, contest: Contest, arm: Arm, seed: int) -> Work:
    named = key(contest, arm, seed, "score")

    def do() -> None:
        step = None if arm.auto else best_step(store, contest, arm)
        setting = arm.setting(step) | {"batch": contest.batch}
        label = {"step": np.nan if step is None else step}
        store.add(TABLE, [named | label | row for row in outcome(contest, setting, seed, contest.milestones)])

    label = f"{contest.case.name}: {arm.name}, seed {seed}"
    return Work(label, contest.seconds, lambda: store.has(TABLE, **named), do)



def outcome(contest: Contest, setting: dict, seed: int, milestones) -> list[dict]:
    """The rows of a run; one that ends without numbers has an infinite objective."""
    try:
        return follow(contest.case, setting, seed, list(milestones))
    except (subprocess.CalledProcessError, ValueError) as error:
        return [dict.fromkeys(NUMBERS, np.nan) | {"objective": np.inf, "says": type(error).__name__}]

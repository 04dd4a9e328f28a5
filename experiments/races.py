"""Races by the clock as rows of a table: one row a saved X, judged by `bench/evaluate.py`, whoever made it."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import numpy as np

from bench import race
from bench.case import Case
from bench.peers import Program

from .jobs import THREADS, Work
from .store import Store

MODULES = {"scikit-learn": "sklearn", "spams-bin": "spams", "pyplanc": "pyplanc", "pyproximal": "pyproximal"}
OVERHEAD = 2.0


def is_here(program: Program) -> bool:
    """Whether the package of a program is installed."""
    return not program.package or importlib.util.find_spec(MODULES[program.package]) is not None


def work(store: Store, table: str, case: Case, program: Program, start: str, seed: int, role: str = "score") -> Work:
    """One run of one program, from its own start or from the one that all share."""
    named = {"case": case.name, "program": program.name, "start": start, "seed": seed, "role": role}

    def do() -> None:
        chosen = replace(program, same_start=start == "same")
        one = race.run(case, chosen, seed, THREADS)
        store.add(table, [named | row for row in rows(one)])

    label = f"{case.name}: {program.name}, {start} start, seed {seed}"
    doubled = program.module in ("spams_nmf", "planc")
    seconds = OVERHEAD + case.seconds * (2 if doubled else 1)
    return Work(label, seconds, lambda: store.has(table, **named), do)


def rows(one: race.Run) -> list[dict]:
    """The saved points; a run that failed is one row with its cause."""
    if one.failure or not one.looks:
        numbers = dict.fromkeys(["seconds", "objective", "residual"], np.nan)
        return [numbers | {"passes": np.nan, "failure": one.failure or "no points"}]
    looks = sorted(one.looks, key=lambda look: look["seconds"])
    return [{name: look[name] for name in ("seconds", "objective", "residual")} | {"passes": float(one.passes), "failure": ""} for look in looks]


def points(store: Store, table: str, **key) -> list[tuple[float, float]]:
    """(seconds, objective) of a run, the least objective so far; none if it failed."""
    found = store.rows(table, **key)
    if not found or found[0]["failure"]:
        return []
    pairs = [(float(row["seconds"]), float(row["objective"])) for row in found]
    return [(seconds, min(value for _, value in pairs[: i + 1])) for i, (seconds, _) in enumerate(pairs)]


def best(store: Store, table: str, case: Case, programs: list[Program]) -> Program:
    """The program that ended lowest on the seed that does not count."""

    def last(program: Program) -> float:
        curve = points(store, table, case=case.name, program=program.name, role="tune")
        return curve[-1][1] if curve else np.inf

    return min(programs, key=last)

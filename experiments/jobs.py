"""Work that can be told apart, counted and done once."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.case import CACHE, Case
from bench.evaluate import score
from bench.peers import Job as Run
from bench.peers import proxsplit_saved

THREADS = 2
PRECISION = 1e-6
NUMBERS = ["passes", "seconds", "objective", "residual", "x_zeros", "a_zeros", "says"]
NUMBERS += ["own_objective", "own_residual", "level", "constant"]


@dataclass(frozen=True)
class Work:
    """A piece of work: what it is, about how long it takes, whether it is done, and how to do it."""

    label: str
    seconds: float
    is_done: Callable[[], bool]
    do: Callable[[], None]


def follow(case: Case, setting: dict, seed: int, milestones: list[int]) -> list[dict]:
    """Runs proxsplit from the shared start of the seed; what it says and what the judge says after so many passes each."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        out = Path(folder) / "out"
        job = Run(case, seed, THREADS, setting, same_start=True)
        return [look(case, out, proxsplit_saved.part(job, out, passes)) for passes in milestones]


def look(case: Case, out: Path, record: dict) -> dict:
    """A row: the program's own numbers beside the judge's."""
    found, certificate = score(case, np.load(out / "X.npy"), PRECISION), record["certificate"]
    return {
        "passes": float(record["passes"]),
        "seconds": float(record["seconds"]),
        "objective": found.objective,
        "residual": found.residual,
        "x_zeros": found.x_zeros,
        "a_zeros": found.a_zeros,
        "says": certificate["words"].split(":")[0],
        "own_objective": float(record["objective"]),
        "own_residual": float(certificate["stationarity"]),
        "level": float(certificate["error_level"] or np.nan),
        "constant": float(certificate["of_method"]["constant"] or np.nan),
    }

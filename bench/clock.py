"""A stopwatch that stands still while a program's factors are saved."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np


class Clock:
    """Counts solving time and keeps points (seconds, X) for the judge."""

    def __init__(self, budget: float, folder: Path):
        self.budget = budget
        self.folder = folder
        self.points: list[dict] = []
        self.notes: dict = {}
        self.paused = 0.0
        self.start = time.perf_counter()

    def restart(self) -> None:
        """Begins to count now: data is loaded, libraries are imported."""
        self.paused, self.start = 0.0, time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.start - self.paused

    @property
    def over(self) -> bool:
        return self.seconds >= self.budget

    def point(self, x: np.ndarray, seconds: float | None = None) -> None:
        """Keeps X as it is after `seconds` (now, if not given)."""
        begin = time.perf_counter()
        name = f"x{len(self.points)}.npy"
        seconds = self.seconds if seconds is None else seconds
        np.save(self.folder / name, np.ascontiguousarray(x))
        self.points.append({"seconds": seconds, "x": name})
        self.paused += time.perf_counter() - begin

    def traced(self, seconds: float, objective: float) -> None:
        """Keeps an objective that the program itself reports."""
        self.points.append({"seconds": seconds, "objective": objective})

    def save(self) -> None:
        (self.folder / "points.json").write_text(json.dumps({"points": self.points, "notes": self.notes}))

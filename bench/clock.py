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

    def point(self, x: np.ndarray, seconds: float | None = None, a: np.ndarray | None = None) -> None:
        """Keeps X as it is after `seconds` (now, if not given), with A where the judge is to look at the pair."""
        begin = time.perf_counter()
        seconds = self.seconds if seconds is None else seconds
        kept = {"x": x} if a is None else {"x": x, "a": a}
        names = {name: f"{name}{len(self.points)}.npy" for name in kept}
        for name, factor in kept.items():
            np.save(self.folder / names[name], np.ascontiguousarray(factor))
        self.points.append({"seconds": seconds} | names)
        self.paused += time.perf_counter() - begin

    def traced(self, seconds: float, objective: float) -> None:
        """Keeps an objective that the program itself reports."""
        self.points.append({"seconds": seconds, "objective": objective})

    def save(self) -> None:
        (self.folder / "points.json").write_text(json.dumps({"points": self.points, "notes": self.notes}))

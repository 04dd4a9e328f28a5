"""Numbers of several seeds: medians with intervals that assume no distribution, and times read from saved points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from statistics import median

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Spread:
    """A median with an interval for it: order statistics, as in the sign test."""

    middle: float
    low: float
    high: float

    @property
    def sign(self) -> int:
        """Whether the interval lies above or below zero, or neither."""
        return int(self.low > 0) - int(self.high < 0)

    def text(self, show: Callable[[float], str]) -> str:
        return f"{show(self.middle)} ({show(self.low)} … {show(self.high)})"


def spread(values: list[float]) -> Spread:
    """The narrowest symmetric pair of order statistics that covers the median with 95 %; the extremes if there are too few."""
    ordered, count = sorted(values), len(values)
    if not count:
        return Spread(np.nan, np.nan, np.nan)
    place = 0
    while 2 * sum(comb(count, j) for j in range(place + 2)) / 2**count <= 1 - CONFIDENCE and 2 * place + 3 < count:
        place += 1
    return Spread(float(median(ordered)), ordered[place], ordered[count - 1 - place])


def reached(points: list[tuple[float, float]], target: float) -> float:
    """Where a curve of (x, value) first comes down to the target, between saved points by their logarithms; infinite if never."""
    before = None
    for x, value in points:
        if value <= target:
            if before is None or before[1] <= value:
                return x
            share = (np.log(before[1]) - np.log(target)) / (np.log(before[1]) - np.log(value))
            return float(np.exp(np.log(before[0]) + share * (np.log(x) - np.log(before[0]))))
        before = (x, value)
    return np.inf


def at(points: list[tuple[float, float]], target: float) -> float:
    """The second number where the first, which falls, comes down to the target; by straight lines between saved points."""
    for (high, left), (low, right) in zip(points, points[1:], strict=False):
        if low <= target <= high:
            share = (high - target) / (high - low) if high > low else 1.0
            return left + share * (right - left)
    return points[-1][1] if points and points[-1][0] <= target else np.nan

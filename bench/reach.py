"""Medians over seeds of the seconds to an objective, from the recorded curves: python -m bench.reach rand 647436 [results.csv]."""

import csv
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median

from .case import ROOT

RESULTS = ROOT / "docs" / "src" / "bench" / "results.csv"


def reached(case: str, target: float, results: Path = RESULTS) -> dict[str, float]:
    """Seconds of every program that ran on the case, soonest first; infinite if half of its seeds or more did not get there."""
    first: dict[tuple[str, str], float] = {}
    with results.open() as rows:
        for row in csv.DictReader(rows):
            if row["case"] != case or row["failure"]:
                continue
            key = row["program"], row["seed"]
            seconds = float(row["seconds"]) if float(row["objective"]) <= target else float("inf")
            first[key] = min(first.get(key, float("inf")), seconds)
    programs: dict[str, list[float]] = defaultdict(list)
    for (program, _), seconds in first.items():
        programs[program].append(seconds)
    medians = {program: median(times) for program, times in programs.items()}
    return dict(sorted(medians.items(), key=lambda item: item[1]))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    file = Path(sys.argv[3]) if len(sys.argv) == 4 else RESULTS
    for program, seconds in reached(sys.argv[1], float(sys.argv[2]), file).items():
        print(f"{seconds:8.2f}  {program}")

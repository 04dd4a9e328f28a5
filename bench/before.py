"""Two builds of proxsplit side by side, in turns: python -m bench.before OLD_PROGRAM [--data rand …] [--seeds N] [--seconds S].

For every case and setting of the table: the seconds of each build until 99 % of the way from the first pass to the larger of
the two ends is gone, best of two turns, median of the seeds; the same for ms per pass; and old / new, where the new build is
faster above 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median

from . import machine
from .case import CACHE, FULL, Case
from .peers import ALL, Job, Program, proxsplit_cli

NEW = proxsplit_cli.BINARY


def curve(program: Path, job: Job, seconds: float) -> tuple[list[tuple[float, float]], float]:
    """(seconds, objective) of a run, and its seconds per pass."""
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        out = Path(folder) / "out"
        subprocess.run([str(program), *proxsplit_cli.command(job, seconds, out)[1:]], check=True)
        record = json.loads((out / "run.json").read_text())
        rows = [json.loads(line) for line in (out / "trace.jsonl").read_text().splitlines()]
    return [(row["seconds"], row["objective"]) for row in rows], record["seconds"] / record["passes"]


def reached(points: list[tuple[float, float]], target: float) -> float:
    return next(seconds for seconds, objective in points if objective <= target)


def duel(case: Case, program: Program, asked: argparse.Namespace) -> str:
    """A row of the table."""
    CACHE.mkdir(parents=True, exist_ok=True)
    times: list[list[float]] = [[], []]
    passes: list[list[float]] = [[], []]
    for seed in range(asked.seeds):
        job = Job(case, seed, asked.threads, program.setting)
        turns = [[curve(build, job, case.seconds) for build in (asked.old, NEW)] for _ in range(2)]
        end = max(points[-1][1] for turn in turns for points, _ in turn)
        first = next(objective for seconds, objective in turns[0][0][0] if seconds > 0)
        target = end + 0.01 * max(first - end, 0)
        for at, runs in enumerate(zip(*turns, strict=True)):
            times[at].append(min(reached(points, target) for points, _ in runs))
            passes[at].append(1e3 * min(pace for _, pace in runs))
    old, new = map(median, times)
    slow, fast = map(median, passes)
    return f"{case.name:12} {program.name:24} {old:8.3f} {new:8.3f} {old / new:7.2f}   {slow:8.2f} {fast:8.2f} {slow / fast:7.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.before", description=__doc__)
    parser.add_argument("old", type=Path, help="the other build's proxsplit")
    parser.add_argument("--data", nargs="+", choices=[case.name for case in FULL])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, help="time of every run")
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    print(machine.describe())
    print(f"{'data':12} {'setting':24} {'old s':>8} {'new s':>8} {'ratio':>7}   {'ms/pass':>8} {'new':>8} {'ratio':>7}")
    for case in FULL:
        if case.missing or (asked.data and case.name not in asked.data):
            continue
        case = replace(case, seconds=asked.seconds or case.seconds)
        for program in ALL:
            if program.module == "proxsplit_cli":
                print(duel(case, program, asked), flush=True)


if __name__ == "__main__":
    main()

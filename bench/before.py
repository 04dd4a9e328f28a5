"""Two builds of proxsplit side by side, in turns: python -m bench.before OLD_PROGRAM [--data rand …] [--seeds N] [--seconds S].

For every case and setting of the table: the seconds of each build until 99 % of the way from the first pass to the larger of
the two ends is gone, best of two turns, median of the seeds; the same for ms per pass; and old / new, where the new build is
faster above 1. Seconds count from where the passes begin, as builds differ in whether the start is part of a run; the last columns have the whole
command with one pass, which is reading, the start, and what follows a run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
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
    start = next((row["seconds"] for row in rows if row["pass"] == 0), 0.0)
    points = [(row["seconds"] - start, row["objective"]) for row in rows if row["pass"] > 0]
    return points, (record["seconds"] - start) / record["passes"]


def first_pass(program: Path, job: Job) -> float:
    """Seconds of the whole command with one pass, the best of three."""
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        short = replace(job, setting=job.setting | {"passes": 1})
        words = [str(program), *proxsplit_cli.command(short, 0.0, Path(folder) / "out")[1:]]
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            subprocess.run(words, check=True)
            times.append(time.perf_counter() - begin)
    return min(times)


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
        first = turns[0][0][0][0][1]
        target = end + 0.01 * max(first - end, 0)
        for at, runs in enumerate(zip(*turns, strict=True)):
            times[at].append(min(reached(points, target) for points, _ in runs))
            passes[at].append(1e3 * min(pace for _, pace in runs))
    old, new = map(median, times)
    slow, fast = map(median, passes)
    begun = [first_pass(build, Job(case, 0, asked.threads, program.setting)) for build in (asked.old, NEW)]
    pairs = ((old, new, "8.3f"), (slow, fast, "8.2f"), (*begun, "8.3f"))
    numbers = "  ".join(f"{one:{form}} {other:{form}} {one / other:7.2f}" for one, other, form in pairs)
    return f"{case.name:12} {program.name:24} {numbers}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.before", description=__doc__)
    parser.add_argument("old", type=Path, help="the other build's proxsplit")
    parser.add_argument("--data", nargs="+", choices=[case.name for case in FULL])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, help="time of every run")
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    print(machine.describe())
    pairs = "  ".join(f"{what:>8} {'new':>8} {'ratio':>7}" for what in ("s to 99 %", "ms/pass", "s in all"))
    print(f"{'data':12} {'setting':24} {pairs}")
    for case in FULL:
        if case.missing or (asked.data and case.name not in asked.data):
            continue
        case = replace(case, seconds=asked.seconds or case.seconds)
        for program in ALL:
            if program.module == "proxsplit_cli":
                print(duel(case, program, asked), flush=True)


if __name__ == "__main__":
    main()

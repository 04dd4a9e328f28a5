"""Races programs on counts (Kullback–Leibler): bench/run counts [--data digits …] [--seeds N] [--seconds S] [--threads N] [--record FILE] [--docs FILE].

All programs start from the same factors, and one evaluator scores the pairs (X, A) along their way. With --record, the race can be run in
parts: runs that the file already holds are not repeated.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median

from . import machine, race, table
from .case import COUNTS, DATA, ROOT, Case
from .peers import COUNTS as PROGRAMS

PAGE = """# Speed on counts

This page compares `--loss kl` with other programs that minimize the Kullback–Leibler divergence: those from pip, and the
R package fastTopics, cloned to the folder that the environment variable FASTTOPICS names. Its updates are called one by
one, without its progress reports. All programs start from the same random factors and get the same time and the same
number of threads. A single evaluator scores every pair of factors; what programs report about themselves is not used.

- "Its divergence" is the final divergence of a program, the median over the seeds ({seeds}).
- The next columns are its time, the times proxsplit needs in f64 and in f32 to reach the same divergence, and the ratio
  of the first two.
- The last column is the smallest ratio on the program's whole curve: for every pair of factors on it, the program's time
  divided by proxsplit's. It is smallest in the first passes, where a single pass is a large part of either time.
- "Not reached" means that proxsplit did not get as low from the same starts, usually because the other program found a
  better local minimum.

"""
ENDS = """
With several local minima, the results of single seeds say more. The final divergence of every program:

"""
HEAD = ["data", "rank", "program", "its divergence", "its s", "proxsplit s to it", "proxsplit f32 s", "ratio", "least ratio on its curve"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run counts", description="Races proxsplit --loss kl against its peers.")
    parser.add_argument("--data", nargs="+", choices=[case.name for case in COUNTS], help="only these data sets")
    parser.add_argument("--programs", nargs="+", choices=[program.name for program in PROGRAMS], help="only these programs")
    parser.add_argument("--seeds", type=int, help="number of seeds (default: that of each data set)")
    parser.add_argument("--seconds", type=float, help="seconds for every program on every data set")
    parser.add_argument("--threads", type=int, default=2, help="threads for every program")
    parser.add_argument("--record", type=Path, help="a file of finished runs: those it holds are reused, and new ones are appended")
    parser.add_argument("--docs", type=Path, help="the page to write; without it, the tables are only printed")
    return parser.parse_args()


def rows(runs: list[race.Run], case: Case) -> list[list[str]]:
    """A row per rival: what it reached, and how long proxsplit took to get there."""
    found = []
    for name in table.names(runs, case):
        group = table.of(runs, case, name)
        if not group[0].program.rival:
            continue
        target, seconds = median(run.final for run in group), median(run.seconds for run in group)
        own = table.to_target(runs, case, target)
        narrow = table.to_target(runs, case, target, "proxsplit f32")
        least = min(table.curve(runs, case, group))
        cells = [table.number(target), table.time(seconds), table.time(own), table.time(narrow)]
        found.append([case.title, str(case.rank), name, *cells, f"**{table.ratio(seconds, own)}**", table.ratio(least, 1.0)])
    return found


def ends(runs: list[race.Run], case: Case) -> list[list[str]]:
    """A row per program: its final divergence for every seed."""
    groups = [table.of(runs, case, name) for name in table.names(runs, case)]
    return [[case.title, group[0].program.name, ", ".join(f"{run.final:.7g}" for run in group)] for group in groups]


def recorded(path: Path | None) -> dict[tuple[str, str, int], dict]:
    """The runs in a file, by data, program and seed."""
    if path is None or not path.exists():
        return {}
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return {(run["case"], run["program"], run["seed"]): run for run in found}


def compete(case: Case, asked: argparse.Namespace) -> list[race.Run]:
    """All runs on a case."""
    runs, known = [], recorded(asked.record)
    for seed in range(asked.seeds or case.seeds):
        for program in PROGRAMS:
            if asked.programs and program.name not in asked.programs:
                continue
            before = known.get((case.name, program.name, seed))
            if before:
                rest = {name: before[name] for name in ("final", "failure", "notes")}
                runs.append(race.Run(case, program, seed, [tuple(point) for point in before["points"]], **rest))
                continue
            run = race.run(case, program, seed, asked.threads)
            outcome = run.failure or f"{run.final:.7g} at {run.seconds:.2f} s after {run.passes:.0f} passes"
            print(f"{case.name:8} seed {seed}  {program.name:18} {outcome}", flush=True)
            runs.append(run)
            if asked.record:
                kept = {"points": run.points, "final": run.final, "failure": run.failure, "notes": run.notes}
                with asked.record.open("a") as file:
                    file.write(json.dumps({"case": case.name, "program": program.name, "seed": seed} | kept) + "\n")
    return runs


def main() -> None:
    asked = arguments()
    cases = [replace(case, seconds=asked.seconds or case.seconds) for case in COUNTS if not asked.data or case.name in asked.data]
    lines, last, failures = [], [], []
    for case in cases:
        if case.missing:
            print(f"missing: {case.path.name} is not in {DATA.name}", file=sys.stderr)
            continue
        runs = compete(case, asked)
        lines += rows(runs, case)
        last += ends(runs, case)
        failures += [f"- {case.title}: {run.program.name}: {run.failure}\n" for run in runs if run.failure]
    text = table.markdown(HEAD, lines) + ENDS + table.markdown(["data", "program", "final divergence by seed"], last) + ("\nWithout a result:\n\n" + "".join(failures) if failures else "")
    print(text)
    if asked.docs:
        command = shlex.join(["bench/run", "counts", *sys.argv[1:]])
        where = machine.describe()
        note = f"Printed by `{command}` on {where['date']}: {where['processor']}, {asked.threads} threads.\n"
        seeds = ", ".join(f"{case.name} {asked.seeds or case.seeds}" for case in cases)
        (ROOT / asked.docs).write_text(f"{PAGE.format(seeds=seeds)}{text}\n{note}")


if __name__ == "__main__":
    main()

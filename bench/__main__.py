"""The command: python -m bench [--quick] [--data rand cbcl …] [--seeds N] [--programs …] [--threads N] [--docs FOLDER]."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from . import confirm, machine, page, products, race, table
from .case import DATA, FULL, QUICK, ROOT, Case
from .peers import ALL, Program


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run", description="Races proxsplit against its peers.")
    parser.add_argument("--quick", action="store_true", help="small generated data, one seed, one second each")
    parser.add_argument("--data", nargs="+", choices=[case.name for case in FULL], help="only these data sets")
    parser.add_argument("--programs", nargs="+", choices=[program.name for program in ALL], help="only these programs")
    parser.add_argument("--seeds", type=int, help="how many seeds (3; 7 for cbcl)")
    parser.add_argument("--seconds", type=float, help="time of every program on every data set, for a short look")
    parser.add_argument("--threads", type=int, default=2, help="threads of every program")
    parser.add_argument("--docs", type=Path, help="where the page goes (docs/src; target/bench/quick with --quick)")
    return parser.parse_args()


def contenders(runs: list[race.Run], case: Case, programs: list[Program]) -> list[Program]:
    """Who runs with the other seeds: ours, the NumPy scheme, and the best program from pip."""
    best = table.best_rival(runs, case)
    return [program for program in programs if program.name == best or not program.rival]


def compete(case: Case, programs: list[Program], seeds: int, asked: argparse.Namespace) -> list[race.Run]:
    """All runs on a case."""
    runs: list[race.Run] = []
    for seed in range(seeds):
        for program in programs if seed == 0 else contenders(runs, case, programs):
            run = race.run(case, program, seed, asked.threads)
            outcome = run.failure or f"{run.final:.7g} at {run.seconds:.2f} s"
            print(f"{case.name:12} seed {seed}  {program.name:26} {outcome}", flush=True)
            runs.append(run)
    return runs


def main() -> None:
    asked = arguments()
    cases = [case for case in (QUICK if asked.quick else FULL) if not asked.data or case.name in asked.data]
    cases = [replace(case, seconds=asked.seconds or case.seconds) for case in cases]
    missing = [f"{case.title} ({case.path.name} is not in {DATA.name})" for case in cases if case.missing]
    for name in missing:
        print(f"missing: {name}; set PROXSPLIT_DATA to the folder that has it", file=sys.stderr)
    command = shlex.join(["bench/run", *sys.argv[1:]])
    shown = {"command": command, "threads": asked.threads}
    settings = {"machine": machine.describe(), "missing": missing, "shown": shown}
    docs = asked.docs or (ROOT / "target" / "bench" / "quick" if asked.quick else ROOT / "docs" / "src")
    runs, extra = [], {}
    for case in (case for case in cases if not case.missing):
        bare = products.seconds(case, asked.threads)
        programs = [p for p in ALL if p.fits(case) and (not asked.programs or p.name in asked.programs)]
        runs += compete(case, programs, asked.seeds or case.seeds, asked)
        extra[case.name] = bare, confirm.objective(runs, case, asked.threads)
        case.__dict__.pop("stored", None)
        page.write(runs, extra, settings, docs)
    print(f"wrote {docs / 'benchmarks.md'}")


if __name__ == "__main__":
    main()

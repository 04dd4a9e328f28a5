"""`python -m fuzz.judge run` and `python -m fuzz.judge recipes`."""

import argparse
import importlib
import os
import shutil
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: small matrices, where threads only wait for each other

import numpy as np

from .program import Program

KINDS = ("factorize", "solve", "minimize", "path", "linear", "rank", "large")
SLOW = ("large",)  # only if asked for


def judge_of(kind):
    """The module that has `case(rng, program)` for this command."""
    name = "factor" if kind == "factorize" else kind
    return importlib.import_module(f".{name}_judge", __package__)


def one(task):
    """One case; an exception of the judge itself is reported as such."""
    kind, seed, number, path, keep = task
    folder = Path(tempfile.mkdtemp(prefix=f"judge-{kind}-{seed}-{number}-"))
    try:
        rng = np.random.default_rng([seed, number, KINDS.index(kind)])
        verdict, outcome, complaints = judge_of(kind).case(rng, Program(folder, path))
        refusal = outcome.message if verdict == "refused" else ""
        return kind, number, verdict, complaints, outcome.shell() if complaints or keep else "", refusal
    except Exception as error:
        import traceback

        where = traceback.extract_tb(error.__traceback__)[-1]
        return kind, number, "judge", [f"the judge failed: {type(error).__name__}: {error} ({where.filename}:{where.lineno})"], "", ""
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def run(options):
    kinds = [options.only] if options.only else [kind for kind in KINDS if kind not in SLOW]
    numbers = [options.case] if options.case is not None else range(options.count)
    tasks = [(kind, options.seed, n, options.program, options.keep) for kind in kinds for n in numbers]
    counts, refusals, failed = Counter(), Counter(), 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for kind, number, verdict, complaints, command, refusal in pool.map(one, tasks, chunksize=4):
            counts[f"{kind} {verdict}"] += 1
            refusals[refusal] += bool(refusal)
            if complaints:
                failed += 1
                print(f"FAIL {kind} {number} [{verdict}] " + " | ".join(complaints))
                print(f"     python -m fuzz.judge run --only {kind} --seed {options.seed} --case {number} --keep", flush=True)
            if command and options.keep:
                print(f"     {command}")
    if options.refusals:
        for message, count in refusals.most_common():
            if count:
                print(f"refused {count} times: {message}")
    print("verdicts: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    print(f"{len(tasks) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(prog="python -m fuzz.judge", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    fuzz = commands.add_parser("run", help="random problems with random options")
    fuzz.add_argument("--seed", type=int, default=0)
    fuzz.add_argument("--count", type=int, default=200, help="cases of each kind")
    fuzz.add_argument("--only", choices=KINDS)
    fuzz.add_argument("--case", type=int, help="this case alone")
    fuzz.add_argument("--program", help="the binary; target/release/proxsplit by default")
    fuzz.add_argument("--jobs", type=int, default=2)
    fuzz.add_argument("--keep", action="store_true", help="keep the files, and print the command")
    fuzz.add_argument("--refusals", action="store_true", help="print what the program refused, and how often")
    listed = commands.add_parser("recipes", help="the known ways to be wrong, one by one")
    listed.add_argument("names", nargs="*")
    listed.add_argument("--program")
    options = parser.parse_args()
    if options.command == "run":
        return run(options)
    from .recipes import run as recipes

    return recipes(options.names, options.program)


if __name__ == "__main__":
    sys.exit(main())

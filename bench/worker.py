"""One run of one program in a process of its own: python -m bench.worker PROGRAM CASE SEED THREADS FOLDER [--quick]."""

import importlib
import sys
from pathlib import Path

from . import case, peers
from .clock import Clock


def main(name: str, case_name: str, seed: str, threads: str, folder: str, *flags: str) -> None:
    program = next(program for program in peers.ALL if program.name == name)
    chosen = case.find(case_name, "--quick" in flags)
    clock = Clock(chosen.seconds, Path(folder))
    module = importlib.import_module(f".peers.{program.module}", __package__)
    module.run(peers.Job(chosen, int(seed), int(threads), program.setting), clock)
    clock.save()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""One run of one program in a process of its own: python -m bench.worker JOB.json FOLDER."""

import importlib
import json
import sys
from pathlib import Path

from . import case, peers
from .clock import Clock


def main(job: str, folder: str) -> None:
    fields = json.loads(Path(job).read_text())
    chosen = case.Case(**fields["case"] | {"shape": tuple(fields["case"]["shape"])})
    clock = Clock(chosen.seconds, Path(folder))
    module = importlib.import_module(f".peers.{fields['program']['module']}", __package__)
    program = fields["program"]
    module.run(peers.Job(chosen, fields["seed"], fields["threads"], program["setting"], program["same_start"]), clock)
    clock.save()


if __name__ == "__main__":
    main(*sys.argv[1:])

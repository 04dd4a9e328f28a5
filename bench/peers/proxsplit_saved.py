"""proxsplit by its command line, from checkpoint to checkpoint: every point of the curve is an X that was saved after whole passes.

`--resume` goes on to the same bits as an undisturbed run. Its seconds include the certificate at the end of every part.
"""

import json
import subprocess
from dataclasses import replace

import numpy as np

from . import Job
from ..clock import Clock
from .proxsplit_cli import command


def run(job: Job, clock: Clock) -> None:
    """To `passes`, if they are given as a list, else to about the budget, doubling the passes of every part."""
    out = clock.folder / "out"
    given = list(job.setting.get("passes", []))
    passes, seconds, last = 0, 0.0, False
    while not last:
        passes = given.pop(0) if given else further(passes, seconds, clock.budget)
        record = part(job, out, passes)
        seconds = record["seconds"]
        clock.point(np.load(out / "X.npy"), seconds)
        clock.points[-1] |= {"passes": record["passes"], "certificate": record["certificate"]}
        last = not given if "passes" in job.setting else seconds >= 0.9 * clock.budget
    clock.notes = {name: record[name] for name in ("passes", "seconds", "objective", "sparsity")}


def further(passes: int, seconds: float, budget: float) -> int:
    """Twice the passes, or those that fill the budget."""
    return max(passes + 1, round(passes * min(2.0, budget / max(seconds, 1e-9))))


def part(job: Job, out, passes: int) -> dict:
    """Goes on until so many passes are made in all."""
    words = command(replace(job, setting=job.setting | {"passes": passes}), 0.0, out)
    words = [word for word in words if word != "--force"] + ["--resume"]
    subprocess.run(words, check=True)
    return json.loads((out / "run.json").read_text())

"""proxsplit by its command line; the curve is its own trace, the last point its X."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np

from . import Job
from ..case import ROOT
from ..clock import Clock

BINARY = ROOT / "target" / "release" / "proxsplit"


def command(job: Job, seconds: float, out) -> list[str]:
    """The command line of a job."""
    case = job.case
    words = [BINARY, "factorize", case.path, "--rank", case.rank, "--tol", 0]
    if "passes" not in job.setting:
        words += ["--time", seconds, "--passes", 10**9]
    words += ["--seed", job.seed, "--threads", job.threads, "--out", out, "--force", "--quiet"]
    if case.loss != "squared":
        words += ["--loss", case.loss]
    if case.scale != 1:
        words += ["--scale", case.scale]
    if case.x_l1 or case.a_l1:
        words += ["--x-penalty", f"l1:{case.x_l1}", "--a-penalty", f"l1:{case.a_l1}"]
    if start := job.start():
        words += ["--init", save(start, out.parent / "start")]
    for option, value in job.setting.items():
        words += [f"--{option}", value]
    return [str(word) for word in words]


def save(start: tuple[np.ndarray, np.ndarray], folder: Path) -> Path:
    """The folder that `--init` reads."""
    folder.mkdir(exist_ok=True)
    for name, factor in zip("XA", start, strict=True):
        np.save(folder / f"{name}.npy", factor)
    return folder


# Where runs of their own are stopped, so that the curve begins inside the first pass over dense data.
EARLY = (0.1, 0.2, 0.4, 0.7)


def early(job: Job, clock: Clock) -> None:
    """Points inside the first pass, which the trace of one run does not have."""
    out = clock.folder / "early"
    for passes in EARLY:
        short = replace(job, setting=job.setting | {"passes": passes})
        subprocess.run(command(short, clock.budget, out), check=True)
        record = json.loads((out / "run.json").read_text())
        clock.point(np.load(out / "X.npy"), record["seconds"])
        shutil.rmtree(out)


def run(job: Job, clock: Clock) -> None:
    if job.case.loss == "squared" and not job.case.sparse and "passes" not in job.setting:
        early(job, clock)
    out = clock.folder / "out"
    subprocess.run(command(job, clock.budget, out), check=True)
    record = json.loads((out / "run.json").read_text())
    clock.notes = {name: record[name] for name in ("passes", "seconds", "objective", "sparsity")}
    rows = [json.loads(line) for line in (out / "trace.jsonl").read_text().splitlines()]
    for row in rows:
        clock.traced(row["seconds"], row["objective"])
    clock.notes["trace"] = [(row["objective"], row["pass"]) for row in rows]
    pair = {"a": np.load(out / "A.npy")} if job.case.loss == "kl" else {}
    clock.point(np.load(out / "X.npy"), record["seconds"], **pair)
    shutil.rmtree(out)

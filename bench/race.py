"""Runs programs one after the other, each in its own process with a time-out, and judges what they return."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from .case import CACHE, ROOT, Case
from .evaluate import Score, divergence, score
from .peers import Program


@dataclass(frozen=True)
class Run:
    """What came of a run: points (seconds, objective) in order of time, or the cause of a failure.

    `looks` has what the judge says of every X that was kept, with what the program says of itself there.
    """

    case: Case
    program: Program
    seed: int
    points: list[tuple[float, float]]
    final: float = np.nan
    failure: str = ""
    notes: dict = field(default_factory=dict)
    looks: list[dict] = field(default_factory=list)

    @property
    def passes(self) -> float:
        return self.notes.get("passes", np.nan)

    @property
    def seconds(self) -> float:
        return self.points[-1][0]

    def reaches(self, target: float) -> float:
        """Seconds to the target; infinite if it is not reached."""
        return next((seconds for seconds, objective in self.points if objective <= target), np.inf)


def run(case: Case, program: Program, seed: int, threads: int) -> Run:
    """Runs and judges; a failure is a result, not an exception."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        job = Path(folder) / "job.json"
        fields = {"case": asdict(case), "program": asdict(program), "seed": seed, "threads": threads}
        job.write_text(json.dumps(fields))
        words = [sys.executable, "-m", "bench.worker", str(job), folder]
        env = os.environ | {f"{name}_NUM_THREADS": str(threads) for name in ("OMP", "OPENBLAS", "MKL")}
        limit = 3 * case.seconds + 45
        try:
            done = subprocess.run(words, cwd=ROOT, env=env, timeout=limit, capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            return Run(case, program, seed, [], failure=f"no answer after {limit:.0f} s")
        if done.returncode != 0:
            cause = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            return Run(case, program, seed, [], failure=cause.replace(f"{ROOT}/", ""))
        return judge(case, program, seed, Path(folder))


def judge(case: Case, program: Program, seed: int, folder: Path) -> Run:
    """Scores every X that was kept; objectives of a trace are taken as reported and checked at the end."""
    saved = json.loads((folder / "points.json").read_text())
    try:
        judged = [objective(case, point, folder) for point in saved["points"]]
    except ValueError as error:
        return Run(case, program, seed, [], failure=str(error))
    looks = [point | asdict(one) for point, one in zip(saved["points"], judged, strict=True) if isinstance(one, Score)]
    values = [one.objective if isinstance(one, Score) else one for one in judged]
    points = [(point["seconds"], value) for point, value in zip(saved["points"], values, strict=True)]
    final = points[-1][1]
    reported = saved["notes"].get("objective", final)
    if abs(reported - final) > 1e-4 * final:
        failure = f"reports {reported:.6g}, the judge finds {final:.6g}"
        return Run(case, program, seed, points[-1:], final, failure, saved["notes"])
    return Run(case, program, seed, sorted(points), final, notes=saved["notes"], looks=looks)


def objective(case: Case, point: dict, folder: Path) -> float | Score:
    """The objective that was reported, or the judge's, with all that it saw where only X counts."""
    if "objective" in point:
        return point["objective"]
    if "a" in point:
        return divergence(case.stored, np.load(folder / point["x"]), np.load(folder / point["a"]))
    return score(case, np.load(folder / point["x"]))

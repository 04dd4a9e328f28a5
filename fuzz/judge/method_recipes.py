"""Steps, floors, theorems and interruptions of `factorize`."""

import json
import signal
import subprocess
import time

import numpy as np

from .beside import continued
from .factor_math import Problem
from .proxes import Term
from .recipes import factorize, honest, recipe, strength


@recipe
def identity_step(program):
    """`--inner identity` with its default step neither blows up nor ends above its start."""
    complaints = []
    for data, batch in (("planted:40x60x4,0.1", 8), ("planted:30x50x5,0.1", 5), ("rand:40x60", 7)):
        run = factorize(program, data, "-k", 8, "--method", "incremental", "--inner", "identity", "--batch", batch)
        values = [row["objective"] for row in run.trace]
        if run.verdict == "diverged" or any(v is None or v < 0 for v in values):
            complaints.append(f"{data}: {run.certificate.get('words')}")
        elif not run.record["objective"] <= values[0]:
            complaints.append(f"{data}: ends at {run.record['objective']:.5g}, began at {values[0]:.5g}")
    return complaints


@recipe
def words_of_a_huge_step(program):
    """A step of 1e155: the verdict does not contradict its numbers, and the exit code tells."""
    return honest(factorize(program, "swimmer", "-k", 2, "--method", "incremental", "--step", "1e155"))


@recipe
def own_step_judged(program):
    """A step of 2.1/L is outside 0 < η < 2/L: no theorem."""
    run = factorize(program, "planted:60x80x5,0.1", "-k", 5, "--method", "incremental", "--step", 2.1, "--passes", 300)
    complaints = honest(run)
    if strength(run) in ("stationary", "minimizer", "minimizers", "neighbourhood"):
        complaints.append(f"guarantee “{strength(run)}” for a step beyond 2/L")
    if any("inside" in text for _, text in run.certificate.get("details", [])):
        complaints.append("the step is called inside its range")
    return complaints


@recipe
def vanishing_step(program):
    """A vanishing step does not make rounding in single precision vanish."""
    options = ["-k", 5, "--method", "incremental", "--step", "diminishing:0.5,0.6", "--dtype", "f32"]
    run = factorize(program, "planted:60x80x5,0.1", *options)
    return honest(run) + (["“limit points are stationary” in single precision"] if strength(run) in ("stationary", "plain-stationary") else [])


@recipe
def default_theorem(program):
    """The default method has a theorem whose assumptions are listed, with none violated or unknown. It is about passes without momentum."""
    run = factorize(program, "planted:60x80x5,0.1", "-k", 5)
    return _covered(run) + (["“limit points are stationary” of passes with momentum, too"] if strength(run) == "stationary" else [])


@recipe
def first_command(program):
    """README's first command is stationary, with a guarantee."""
    run = factorize(program, "swimmer", "--rank", 17)
    return _covered(run) + ([] if run.verdict == "stationary" else [f"verdict {run.verdict}"])


def _covered(run):
    method = run.certificate.get("of_method") or {}
    complaints = honest(run)
    if not method.get("assumptions"):
        complaints.append("no assumption is listed")
    bad = [a["name"] for a in method.get("assumptions", []) if a.get("standing") in ("violated", "unknown")]
    if strength(run) in (None, "none") or bad:
        complaints.append(f"guarantee: {method.get('guarantee') or run.certificate.get('guarantee')} {bad}")
    return complaints


@recipe
def false_floor(program):
    """“At the error floor” while four times the passes still bring the objective down by 2 %."""
    complaints = []
    for data, rank, batch in (("rand:40x60", 12, None), ("rand:40x60", 12, 7), ("planted:60x90x12,0.2", 12, None)):
        y = program.generated(data)
        for seed in range(3):
            arguments = ["factorize", data, "-k", rank, "--method", "aggregated", "--seed", seed, "-q"]
            arguments += ["--batch", batch] if batch else []
            run = program.run(arguments)
            found = honest(run)
            if run.verdict == "at-error-floor":
                found += continued(program, run, arguments, Problem(y, None, Term("nonneg"), Term("nonneg")))
            complaints += [f"{data}, batch {batch}, seed {seed}: {c}" for c in found]
    return complaints


@recipe
def stale_floor(program):
    """A floor of stale gradients is none while its level still falls."""
    rng = np.random.default_rng(2)
    y = rng.random((100, 30)) ** 4 @ rng.random((30, 300)) ** 4 + 0.05 * rng.random((100, 300))
    np.save(program.folder / "y.npy", y)
    arguments = ["factorize", program.folder / "y.npy", "-k", 20, "--method", "aggregated", "--batch", 50, "-q"]
    run = program.run(arguments)
    floor = continued(program, run, arguments, Problem(y, None, Term("nonneg"), Term("nonneg"))) if run.verdict == "at-error-floor" else []
    return honest(run) + floor


@recipe
def gathered_rounding(program):
    """In single precision `aggregated` falls from pass to pass, up to the rounding of a single objective, however many batches it has seen."""
    data, complaints = "planted:30x80x5,0.1", []
    size = 0.5 * float((program.generated(data) ** 2).sum())
    for batch in (1, 3, 7):
        options = ["-k", 6, "--method", "aggregated", "--batch", batch, "--dtype", "f32", "--tol", 0, "--passes", 400]
        run = factorize(program, data, *options)
        values = [row["objective"] for row in run.trace if row["objective"] is not None]
        rise = max(after - before for before, after in zip(values, values[1:], strict=False))
        # ½‖Y‖² − ⟨Y, XA⟩ + ½‖XA‖² has parts of about twice this size; 32 roundings of 2⁻²⁴ each.
        if rise > 32 * 2.0**-24 * 2 * size:
            complaints.append(f"batches of {batch}: a pass rises by {rise:.2g} of {size:.4g}")
        complaints += honest(run)
    return complaints


@recipe
def subgradients_with_a_huge_step(program):
    """After a step to infinity the judged point is the reported one."""
    return honest(factorize(program, "planted:40x60x4,0.1", "-k", 6, "--method", "sggd", "--step", "1e300"))


@recipe
def interrupted_program(program):
    """Ctrl-C: exit code 130, the point is kept, the run is not called diverged."""
    target = program.folder / "interrupted"
    command = [program.path, "factorize", "rand:400x600", "-k", "12", "--tol", "0", "--passes", "1e7", "--out", str(target), "-q"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    running.send_signal(signal.SIGINT)
    try:
        _, err = running.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        running.kill()
        return ["no end 30 s after Ctrl-C"]
    if not (target / "X.npy").exists():
        return [f"the point is lost: {err[-200:]}"]
    record = json.loads((target / "run.json").read_text())
    complaints = [] if running.returncode == 130 else [f"exit code {running.returncode}, not 130"]
    if "interrupt" not in str(record["reason"]) or "diverged" in record["certificate"]["words"]:
        complaints.append(f"reason {record['reason']}: {record['certificate']['words']}")
    return complaints

"""Known ways for a certificate to be wrong, each with the command that shows it and what must hold instead.

`python -m fuzz.judge recipes [NAME ...]` runs them. A recipe is a function that gives complaints; its docstring is its claim.
"""

import shutil
import sys
import tempfile
import traceback
from pathlib import Path

import numpy as np

from . import claims
from .factor_judge import continued, dead, point
from .factor_math import Problem, descend
from .options import Choice
from .program import Program
from .proxes import Term

ALL = {}


def recipe(function):
    ALL[function.__name__.replace("_", "-")] = function
    return function


def factorize(program, data, *options, **keywords):
    return program.run(["factorize", data, "-q", *options], **keywords)


def choice(x="nonneg", a="nonneg", tol=1e-6, dtype="f64", strict=False):
    return Choice([], 0, Term(x), Term(a), dtype, tol, 1000, strict, "")


def honest(outcome):
    """The certificate and the exit code by themselves."""
    if not outcome.record:
        return [f"no result: {outcome.message}"]
    return claims.certificate(outcome.certificate) + claims.agree(outcome.record) + claims.exit_code(outcome, False)


def strength(outcome):
    """The kind of the guarantee, of either layout."""
    stated = outcome.certificate.get("of_method", outcome.certificate).get("guarantee")
    return next(iter(stated)) if isinstance(stated, dict) else stated


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
    return honest(run) + (["“limit points are stationary” in single precision"] if strength(run) == "stationary" else [])


@recipe
def default_theorem(program):
    """The default method has a theorem whose assumptions are listed, with none violated or unknown."""
    return _covered(factorize(program, "planted:60x80x5,0.1", "-k", 5))


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
def dead_atoms(program):
    """A stationary plain NMF has no dead atom that a new direction would revive at a gain."""
    complaints = []
    for data, options in (("swimmer", ["-k", 20, "--batch", 50]), ("planted:40x60x7,0.1", ["-k", 7, "--batch", 3])):
        y = program.generated(data)
        for seed in range(3):
            run = factorize(program, data, *options, "--method", "aggregated", "--seed", seed)
            problem = Problem(y, None, Term("nonneg"), Term("nonneg"))
            x, a = run.array("X"), run.array("A")
            found = honest(run) + dead(problem, choice(), run, x, a, problem.objective(x, a))
            complaints += [f"{data}, seed {seed}: {c}" for c in found]
    return complaints


@recipe
def redrawn_atoms(program):
    """An atom that is drawn anew is drawn in its set."""
    complaints = []
    for where in ("monotone", "nonneg+l2-ball:1"):
        run = factorize(program, "swimmer", "-k", 8, "--x-set", where, "--a-penalty", "l1:3", "--method", "batch")
        amount, allowed = Term(where).excess(run.array("X"), 2.0**-52)
        complaints += [f"{where}: {c}" for c in honest(run)]
        if amount > allowed:
            complaints.append(f"X is outside {where} by {amount:.2g}")
        if run.verdict == "diverged":
            complaints.append(f"{where}: {run.certificate['words']}")
    return complaints


@recipe
def warm_start(program):
    """A start at a solution is recognized in one look; so are data that are solved exactly."""
    complaints = []
    rng = np.random.default_rng(0)
    blocks = np.kron(np.eye(4), np.ones((8, 10))) * np.outer(rng.random(32) + 0.5, rng.random(40) + 0.5)
    np.save(program.folder / "blocks.npy", blocks)
    for data, rank in (("planted:40x60x4,0.1", 4), (program.folder / "blocks.npy", 4)):
        first = factorize(program, data, "-k", rank, "--passes", 5000, "--tol", "1e-8")
        again = factorize(program, data, "-k", rank, "--init", first.folder)
        for name, run in (("first", first), ("again", again)):
            complaints += honest(run) + ([] if run.verdict == "stationary" else [f"{name}: {run.certificate.get('words')}"])
        if again.record and again.record["passes"] > 1:
            complaints.append(f"{again.record['passes']:g} passes from a solution")
    return complaints


@recipe
def nonnegative_least_squares(program):
    """NNLS of positive data at `--tol 1e-3`: whoever reads “stationary” also reads a true bound of the distance to the minimum."""
    from scipy.optimize import nnls

    rng = np.random.default_rng(0)
    d, b = np.abs(rng.normal(size=(2000, 400))), np.abs(rng.normal(size=2000))
    files = _linear(program, d, b)
    run = program.run(["solve", "--loss", "least-squares", *files, "--set", "nonneg", "--tol", "1e-3", "-q"])
    best = 0.5 * nnls(d, b, maxiter=20000)[1] ** 2
    excess, gap = run.record["objective"] - best, point(run).get("gap")
    complaints = honest(run)
    if run.verdict == "stationary" and gap is None:
        complaints.append(f"stationary at {run.record['objective']:.5g}, minimum {best:.5g}, and no word about it")
    if gap is not None and gap < excess * (1 - 1e-9):
        complaints.append(f"gap {gap:.5g}, truly {excess:.5g}")
    return complaints


def _linear(program, d, b):
    np.save(program.folder / "d.npy", d)
    np.save(program.folder / "b.npy", b)
    return ["--data", program.folder / "d.npy", "--target", program.folder / "b.npy"]


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
def single_precision_sets(program):
    """Results in single precision are accepted by `check` and `--init`."""
    complaints = []
    for where in ("l2-ball:1", "l1-ball:1", "simplex:1", "nonneg+l2-ball:1", "box:0,0.3", "sphere:1", "sum:1", "linf-ball:0.1"):
        run = factorize(program, "planted:40x60x4,0.1", "-k", 4, "--x-set", where, "--dtype", "f32", "--passes", 50)
        if not run.record:
            complaints.append(f"{where}: {run.message}")
            continue
        code, audit, message = program.json(["check", "planted:40x60x4,0.1", run.folder / "X.npy", run.folder / "A.npy", "--x-set", where])
        complaints += [f"{where}: check: {message}"] if audit is None else []
        for dtype in ("f32", "f64"):
            start = ["--init", run.folder, "--dtype", dtype, "--passes", 5]
            again = factorize(program, "planted:40x60x4,0.1", "-k", 4, "--x-set", where, *start)
            complaints += [f"{where}: --init in {dtype}: {again.message}"] if not again.record else []
    return complaints


@recipe
def cancelled_objectives(program):
    """Objectives near 0 are true: exact low rank in single precision, and `check` of signed factors of large norm."""
    rng = np.random.default_rng(2)
    y = 100 * rng.random((60, 4)) @ rng.random((4, 80))
    np.save(program.folder / "y.npy", y)
    run = factorize(program, program.folder / "y.npy", "-k", 4, "--dtype", "f32", "--passes", 300)
    problem, x, a = Problem(y, None, Term("nonneg"), Term("nonneg")), run.array("X"), run.array("A")
    truth, room = problem.objective(x, a), problem.rounding(x, a, 2.0**-24)
    complaints = honest(run)
    if abs(run.record["objective"] - truth) > 1e-4 * truth + room:
        complaints.append(f"objective {run.record['objective']:.6g}, truly {truth:.6g}")
    complaints += [f"trace: {r['objective']:.4g}" for r in run.trace if r["objective"] is not None and r["objective"] < 0][:1]
    x, a = 1e7 * rng.normal(size=(60, 2)), rng.normal(size=(2, 80))
    x, a = np.c_[x, -x], np.r_[a, a]
    x[:, :2] += 1e-3 * rng.normal(size=(60, 2))
    y = x @ a + rng.normal(size=(60, 80))
    for name, value in (("y", y), ("X", x), ("A", a)):
        np.save(program.folder / f"{name}.npy", value)
    files = [program.folder / f"{name}.npy" for name in ("y", "X", "A")]
    _, audit, message = program.json(["check", *files, "--x-set", "zero", "--a-set", "zero"])
    truth = 0.5 * ((y - x @ a) ** 2).sum()
    if audit is None or abs(audit["misfit"] - truth) > 1e-6 * truth:
        complaints.append(f"check: misfit {audit and audit['misfit']}, truly {truth:.6g} {message}")
    return complaints


@recipe
def killed_by_l1(program):
    """ℓ1 on both factors does not kill true atoms: no more than 8 % above plain descent from random starts."""
    complaints = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = (rng.random((200, 8)) * (rng.random((200, 8)) < 0.3)) @ (rng.random((8, 300)) * (rng.random((8, 300)) < 0.3))
        np.save(program.folder / "y.npy", y)
        run = factorize(program, program.folder / "y.npy", "-k", 8, "--x-penalty", "l1:3", "--a-penalty", "l1:2")
        problem = Problem(y, None, Term("l1:3+nonneg"), Term("l1:2+nonneg"))
        best = min(descend(problem, rng.random((200, 8)), rng.random((8, 300)), 200, 1) for _ in range(2))
        complaints += honest(run)
        if run.record["objective"] > 1.08 * best:
            complaints.append(f"seed {seed}: {run.record['objective']:.5g} ({run.verdict}), plain descent {best:.5g}")
    return complaints


@recipe
def collapsed_step(program):
    """A collapsed step does not look stationary: scad, and a large part that nothing fits."""
    complaints = []
    for seed, rows, columns in ((0, 60, 20), (2, 100, 10), (36, 60, 20), (38, 100, 10)):
        rng = np.random.default_rng(seed)
        d = rng.normal(size=(rows, columns))
        b = d @ (3 * rng.normal(size=columns))
        unfit = np.linalg.qr(d, mode="complete")[0][:, columns:]
        b = b + 10 ** rng.uniform(1, 9) * unfit @ rng.normal(size=rows - columns)
        term, files = Term("scad:1,3.7"), _linear(program, d, b)
        options = ["--method", "incremental", "--batch", rows, "-q"]
        run = program.run(["solve", "--loss", "least-squares", *files, "--penalty", term.text, *options])
        x = run.array("x")
        true = term.dist_slopes(x, -d.T @ (d @ x - b))
        room = 64 * 2.0**-53 * np.linalg.norm(d) * np.linalg.norm(b)
        complaints += honest(run)
        if run.verdict == "stationary" and true > 3 * run.certificate["tolerance"] + room:
            complaints.append(f"seed {seed}: stationary to {run.certificate['tolerance']:.2g}, but dist(0, ∂Φ) = {true:.2g}")
    return complaints


@recipe
def subgradients_with_a_huge_step(program):
    """After a step to infinity the judged point is the reported one."""
    return honest(factorize(program, "planted:40x60x4,0.1", "-k", 6, "--method", "sggd", "--step", "1e300"))


@recipe
def interrupted_program(program):
    """Ctrl-C: exit code 130, the point is kept, the run is not called diverged."""
    import signal
    import subprocess
    import time

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
    import json

    if not (target / "X.npy").exists():
        return [f"the point is lost: {err[-200:]}"]
    record = json.loads((target / "run.json").read_text())
    complaints = [] if running.returncode == 130 else [f"exit code {running.returncode}, not 130"]
    if "interrupt" not in str(record["reason"]) or "diverged" in record["certificate"]["words"]:
        complaints.append(f"reason {record['reason']}: {record['certificate']['words']}")
    return complaints


def run(names, path):
    """Run the recipes and print a line for each."""
    from . import python_recipes  # noqa: F401  (adds those of the Python package)

    unknown = [name for name in names if name not in ALL]
    if unknown:
        sys.exit(f"no recipe {', '.join(unknown)}; there are {', '.join(ALL)}")
    failed = 0
    for name in names or ALL:
        folder = Path(tempfile.mkdtemp(prefix=f"recipe-{name}-"))
        try:
            complaints = ALL[name](Program(folder, path))
        except ImportError as error:
            complaints = [f"not run: {error}"]
        except Exception as error:  # noqa: BLE001
            where = traceback.extract_tb(error.__traceback__)[-1]
            complaints = [f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"]
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        failed += bool(complaints)
        print(f"{'FAIL' if complaints else 'pass'} {name:32} {ALL[name].__doc__}")
        for complaint in complaints[:4]:
            print(f"       {complaint}", flush=True)
    count = len(names or ALL)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0

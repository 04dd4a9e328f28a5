"""Runs of `solve` that look stationary."""

import numpy as np

from .factor_judge import point
from .proxes import Term
from .recipes import honest, recipe


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

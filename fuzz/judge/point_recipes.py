"""Factors that are not what is said of them: dead atoms, sets, warm starts, objectives."""

import numpy as np

from .factor_judge import dead
from .factor_math import Problem, descend
from .options import Choice
from .proxes import Term
from .recipes import factorize, honest, recipe


PLAIN = Choice([], 0, Term("nonneg"), Term("nonneg"), "f64", 1e-6, 1000, False, "")


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
            found = honest(run) + dead(problem, PLAIN, run, x, a, problem.objective(x, a))
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
def small_bounds(program):
    """Where Huber's bound is small, so is every slope: a start that a few passes lower by a quarter is not stationary."""
    complaints = []
    for bound in ("1e-6", "1e-9", "1e-12"):
        loss = ["-k", 5, "--loss", f"huber:{bound}"]
        run = factorize(program, "planted:60x80x5,0.1", *loss)
        later = factorize(program, "planted:60x80x5,0.1", *loss, "--tol", 0, "--passes", 300)
        complaints += honest(run)
        if run.verdict == "stationary" and later.record["objective"] < 0.9 * run.record["objective"]:
            complaints.append(f"{bound}: stationary at {run.record['objective']}, but {later.record['objective']} is near")
    return complaints


@recipe
def single_precision_sets(program):
    """Results in single precision are accepted by `check` and `--init`."""
    complaints = []
    for where in ("l2-ball:1", "l1-ball:1", "simplex:1", "nonneg+l2-ball:1", "box:0,0.3", "sphere:1", "sum:1", "linf-ball:0.1"):
        run = factorize(program, "planted:40x60x4,0.1", "-k", 4, "--x-set", where, "--dtype", "f32", "--passes", 50)
        if not run.record:
            complaints.append(f"{where}: {run.message}")
            continue
        _code, audit, message = program.json(["check", "planted:40x60x4,0.1", run.folder / "X.npy", run.folder / "A.npy", "--x-set", where])
        complaints += [f"{where}: check: {message}"] if audit is None else []
        for dtype in ("f32", "f64"):
            start = ["--init", run.folder, "--dtype", dtype, "--passes", 5]
            again = factorize(program, "planted:40x60x4,0.1", "-k", 4, "--x-set", where, *start)
            complaints += [f"{where}: --init in {dtype}: {again.message}"] if not again.record else []
    return complaints


@recipe
def sets_beyond_single_precision(program):
    """A set that single precision rounds to 0 or to infinity is refused; in double precision it is not."""
    complaints = []
    for where in ("l2-ball:1e-60", "simplex:1e-60", "box:0,1e-60", "sphere:1e-60", "nonneg+l2-ball:1e-42", "simplex:1e40"):
        for option in ("--x-set", "--a-set"):
            options = ["-k", 3, option, where, "--passes", 2]
            run = factorize(program, "planted:10x20x3,0.1", *options, "--dtype", "f32")
            if not (run.refused and "f64" in run.message):
                complaints.append(f"{option} {where}: not refused")
            if not factorize(program, "planted:10x20x3,0.1", *options, "--dtype", "f64").record:
                complaints.append(f"{option} {where}: refused in double precision")
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
def sparse_atoms_against_scikit_learn(program):
    """ℓ1 on exactly sparse data of rank 8: no run of 72 ends more than 0.05 % above scikit-learn's."""
    import warnings

    from sklearn.decomposition import NMF

    above = []
    for seed in range(18):
        rng = np.random.default_rng(seed)
        y = (rng.random((200, 8)) * (rng.random((200, 8)) < 0.3)) @ (rng.random((8, 300)) * (rng.random((8, 300)) < 0.3))
        np.save(program.folder / "y.npy", y)
        for alpha in (0.003, 0.006, 0.01, 0.02):
            of_w, of_h = alpha * y.shape[1], alpha * y.shape[0]  # scikit-learn multiplies by the length of the other side
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # its limit of iterations
                model = NMF(8, alpha_W=alpha, l1_ratio=1, max_iter=1000, tol=1e-6, random_state=seed)
                w = model.fit_transform(y)
            problem = Problem(y, None, Term(f"l1:{of_w}+nonneg"), Term(f"l1:{of_h}+nonneg"))
            other = problem.objective(w, model.components_)
            terms = ["--a-penalty", f"l1:{of_w}", "--x-penalty", f"l1:{of_h}", "--samples", "rows", "--seed", seed]
            run = factorize(program, program.folder / "y.npy", "-k", 8, *terms)
            mine = problem.objective(run.array("A").T, run.array("X").T)
            if mine > 1.0005 * other:
                above.append(f"seed {seed}, alpha {alpha}: {mine:.6g} ({run.verdict}), scikit-learn {other:.6g}")
    return above

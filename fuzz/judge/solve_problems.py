"""Random linear models with random terms, and options of `solve`."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse

from .linear import Linear
from .options import plain
from .proxes import Term

LOSSES = ["least-squares", "logistic", "huber:1.5", "huber:0.1", "sigmoid", "cauchy:1", "cauchy:0.3", "geman-mcclure:1"]
PENALTIES = """- - l1:W l1:W l2:W linf:W sql2:W elastic:W,W group-l2:W,3 group-linf:W,2 sparse-group:W,W,3 tv1d:W fused:W,W oscar:W,W
huber:W,0.5 entropy:W l0:W lp:W,1/2 lp:W,2/3 scad:W,3.7 mcp:W,3 log-sum:W,0.5 capped-l1:W,0.7 nuclear:W,RxC tv2d-aniso:W,RxC""".split()
SETS = """- - - nonneg nonneg box:-R,R box:0,R simplex:R l1-ball:R l2-ball:R linf-ball:R sum:R box-sum:-1,R,R monotone soc sparse-ball:3
sphere:R binary nonneg+l2-ball:R""".split()


@dataclass
class Case:
    """The model, the command line and what it asks for."""

    model: Linear
    arguments: list
    start: np.ndarray
    tol: float
    passes: float
    strict: bool
    unit: float = 2.0**-53
    absolute: float = 0.0  # a tolerance that is added
    gap: float | None = None  # the suboptimality that is asked for
    knows_curvature: bool = True


def design(rng, m, n):
    kind = rng.choice(["normal", "positive", "sparse", "correlated", "scaled", "repeated"])
    d = rng.normal(size=(m, n))
    if kind == "positive":
        d = np.abs(d)
    elif kind == "sparse":
        d = d * (rng.random((m, n)) < 0.2)
    elif kind == "correlated":
        d = d[:, :1] + 0.1 * d
    elif kind == "scaled":
        d = d * 10 ** rng.uniform(-3, 3, size=n)
    elif kind == "repeated":
        d = d[:, rng.integers(0, max(1, n // 2), size=n)]
    return d


def target(rng, d, loss):
    if loss in ("logistic", "sigmoid"):
        return np.where(d @ rng.normal(size=d.shape[1]) + rng.normal(size=len(d)) > 0, 1.0, -1.0)
    b = d @ (rng.normal(size=d.shape[1]) * (rng.random(d.shape[1]) < 0.4)) + rng.choice([0, 0.1, 1.0]) * rng.normal(size=len(d))
    return b + (rng.random(len(d)) < 0.1) * rng.choice([0.0, 10.0, 1e6]) * rng.normal(size=len(d))


def make_term(rng, weight, shape):
    """(penalty or None, set or None, Term) with numbers in place of W, R and RxC."""
    while True:
        texts = []
        for forms, size in ((PENALTIES, weight), (SETS, 1.0)):
            text = str(rng.choice(forms)).replace("RxC", "@")
            while "W" in text:
                text = text.replace("W", plain(size * 10 ** rng.uniform(-3, 0)), 1)
            radius = plain(10 ** rng.uniform(-1, 1))
            texts.append(None if text == "-" else text.replace("R", radius).replace("@", f"{shape[0]}x{shape[1]}"))
        term = Term(*texts)
        if texts[0] and texts[1] == "binary":  # the program has no rule for it
            continue
        try:
            term.prox(np.linspace(-1, 1, shape[0] * shape[1]), 0.5)
        except NotImplementedError:
            continue
        return *texts, term


def step(rng, method):
    rules = ["auto", "auto", "auto", "number", "diminishing"] + (["backtracking", "bb", "adaptive"] if method == "batch" else [])
    rule = str(rng.choice(rules))
    if rule == "number":
        return plain(10 ** rng.uniform(-5, 0.5)) if rng.random() < 0.9 else "1e200"
    return f"diminishing:{plain(10 ** rng.uniform(-4, 0))},{rng.choice([0.5, 0.75, 1.0])}" if rule == "diminishing" else rule


def make(rng, folder):
    shape = (int(rng.integers(1, 6)), int(rng.integers(1, 7)))
    m, n = int(rng.integers(2, 61)), shape[0] * shape[1]
    d, loss = design(rng, m, n), str(rng.choice(LOSSES))
    b = target(rng, d, loss)
    if rng.random() < 0.06:
        d = d * 10.0 ** int(rng.choice([-100, -8, 8, 60]))
    mean = rng.random() < 0.2
    factor = 1 / m if mean else 1.0
    weight = min(max(float(np.abs(d.T @ b).max()) * factor, 1e-8), 1e12)
    penalty, where, term = make_term(rng, weight, shape)
    model = Linear(d, b, loss, term, mean)
    path = folder / ("d.npz" if rng.random() < 0.25 else "d.npy")
    scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(d)) if path.suffix == ".npz" else np.save(path, d)
    np.save(folder / "b.npy", b)
    arguments = ["solve", "--loss", loss, "--data", path, "--target", folder / "b.npy", "-q"]
    arguments += ["--penalty", penalty] if penalty else []
    arguments += ["--set", where] if where else []
    arguments += ["--mean"] if mean else []
    return _with_options(rng, folder, model, arguments, n)


def _with_options(rng, folder, model, arguments, n):
    choices = ["batch", "panoc", "working-set", "incremental", "mini-batch", "page", "saga"]
    method = str(rng.choice(choices, p=[0.3, 0.1, 0.15, 0.25, 0.05, 0.075, 0.075]))
    arguments += ["--method", method, "--step", step(rng, method), "--seed", int(rng.integers(0, 100))]
    if method in ("incremental", "mini-batch", "page", "saga") and rng.random() < 0.7:
        arguments += ["--batch", int(rng.integers(1, len(model.b) + 1))]
    if method == "incremental":
        arguments += ["--inner", str(rng.choice(["identity", "prox"]))]
    start = np.zeros(n)
    if rng.random() < 0.25:
        start = rng.normal(size=n) * 10 ** rng.uniform(-1, 2)
        np.save(folder / "start.npy", start)
        arguments += ["--start", folder / "start.npy"]
    tol = float(rng.choice([1e-2, 1e-3, 1e-4, 1e-6, 1e-6, 1e-8, 1e-10, 0]))
    passes = float(rng.choice([3, 30, 300, 1000, 5000], p=[0.05, 0.1, 0.25, 0.4, 0.2]))
    strict = rng.random() < 0.15
    arguments += ["--tol", f"{tol:g}", "--passes", f"{passes:g}"] + (["--strict"] if strict else [])
    gap = 10 ** rng.uniform(-8, 0) if rng.random() < 0.2 else None
    arguments += ["--gap", plain(gap)] if gap else []
    return Case(model, arguments, start, tol, passes, strict, gap=gap)

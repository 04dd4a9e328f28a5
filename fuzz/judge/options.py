"""Random options of `factorize`."""

from dataclasses import dataclass

import numpy as np

from .proxes import Term

PENALTIES = ["l1", "sql2", "elastic", "l2", "group-l2"]
SETS = ["nonneg", "box", "simplex", "l2-ball", "l1-ball", "monotone", "sparse-ball", "binary", "zero", "nonneg+l2-ball"]
SET_WEIGHTS = np.array([10, 1.5, 1.5, 1.5, 1, 1, 0.7, 0.5, 2, 1.5])
# What Kullback–Leibler takes: it is tried on a quarter of the data that it is defined for.
OF_COUNTS = {"l1", "sql2", "elastic", "nonneg", "box", "simplex"}
COUNTS = 0.25


@dataclass
class Choice:
    """A command line without the data, and what it means."""

    arguments: list
    rank: int
    x_term: Term
    a_term: Term
    dtype: str
    tol: float
    passes: float
    strict: bool
    method: str
    loss: str = "squared"
    bound: float = np.inf
    fixed: int = 0
    x_graph: np.ndarray | None = None
    a_graph: np.ndarray | None = None

    @property
    def unit(self):
        return 2.0**-24 if self.dtype == "f32" else 2.0**-53

    @property
    def tiny(self):
        """The least number of the type: what is smaller rounds to 0 or to this."""
        return 2.0**-149 if self.dtype == "f32" else 5e-324


def plain(value):
    """Four digits in text, without a plus sign, which joins operators."""
    return f"{value:.4g}".replace("e+", "e")


def weight(rng, size):
    """A penalty's weight: from negligible to one that wins over the data."""
    return plain(size * 10 ** rng.uniform(-5, 0.5))


def penalty(rng, size):
    if rng.random() < 0.6:
        return None
    name = str(rng.choice(PENALTIES))
    if name == "elastic":
        return f"elastic:{weight(rng, size)},{weight(rng, size)}"
    return f"{name}:{weight(rng, size)}" + (f",{int(rng.integers(2, 5))}" if name.startswith("group") else "")


def a_set(rng, size, length):
    name = str(rng.choice(SETS, p=SET_WEIGHTS / SET_WEIGHTS.sum()))
    radius = size * 10 ** rng.uniform(-1, 1)
    if name == "box":
        low = float(rng.choice([0.0, -1.0, 0.1])) * radius
        return f"box:{plain(low)},{plain(radius)}"
    if name == "sparse-ball":
        return f"sparse-ball:{int(rng.integers(1, length + 1))}"
    if name in ("simplex", "l2-ball", "l1-ball", "nonneg+l2-ball"):
        return f"{name}:{plain(radius)}"
    return name


def term(rng, size, length, allowed=None):
    """(penalty or None, set, Term) of a pair for which the judge has a prox of its own, of some names if these are given."""
    while True:
        chosen, where = penalty(rng, size), a_set(rng, size, length)
        candidate = Term(chosen, where)
        if allowed and (candidate.names - allowed or not candidate.nonnegative() or (chosen and "simplex" in candidate.names)):
            continue
        if chosen and where == "binary":  # the program has no rule for it
            continue
        try:
            candidate.prox(np.linspace(-1, 1, max(length, 2)), 0.5)
        except NotImplementedError:
            continue
        return chosen, where, candidate


def _step(rng):
    draw = rng.random()
    if draw < 0.5:
        return "auto"
    if draw < 0.8:
        return f"{10 ** rng.uniform(-3, 1):.3g}"
    if draw < 0.85:
        return str(rng.choice(["1e5", "1e155", "1e300"]))
    return f"diminishing:{10 ** rng.uniform(-2, 0.5):.3g},{rng.choice([0.5, 0.6, 1.0])}"


def choose(rng, data):
    """Options for one run on this data."""
    m, n = data.y.shape
    size = max(float(np.sqrt(np.abs(data.y).max(initial=0.0))), 1e-60)
    # Sometimes more atoms than the data have rows.
    rank = int(rng.integers(1, max(2, min(12, m, n) if rng.random() < 0.9 else min(12, n)) + 1))
    loss = "kl" if data.nonnegative and rng.random() < COUNTS else "squared"
    allowed = OF_COUNTS if loss == "kl" else None
    x_penalty, x_set, x_term = term(rng, size, m, allowed and allowed - {"simplex"})
    a_penalty, a_set_, a_term = term(rng, size, rank, allowed)
    weights = [0.3, 0.2, 0.2, 0.2, 0.1] if loss == "squared" else [0.4, 0.3, 0.3, 0.0, 0.0]
    method = str(rng.choice(["auto", "batch", "incremental", "aggregated", "sggd"], p=weights))
    arguments = ["-k", rank, "--method", method, "--x-set", x_set, "--a-set", a_set_]
    arguments += ["--loss", loss] if loss != "squared" else []
    arguments += ["--x-penalty", x_penalty] if x_penalty else []
    arguments += ["--a-penalty", a_penalty] if a_penalty else []
    if data.own_weights:
        method = arguments[3] = str(rng.choice(["auto", "batch"]))
    if method in ("incremental", "aggregated", "sggd") and rng.random() < 0.7:
        arguments += ["--batch", int(rng.integers(1, n + 1))]
    if method == "incremental" and loss == "squared" and rng.random() < 0.4:
        arguments += ["--inner", "identity"]
    if method in ("incremental", "sggd"):
        arguments += ["--step", _step(rng)]
    is_plain = x_set == "nonneg" and a_set_ == "nonneg" and data.nonnegative and data.weights is None
    starts = ["auto", "random"] + (["nndsvd", "nndsvda", "nndsvdar"] if is_plain else [])
    if rng.random() < 0.5:
        arguments += ["--init", str(rng.choice(starts))]
    dtype = "f32" if rng.random() < 0.25 else "f64"
    tol = float(rng.choice([1e-2, 1e-3, 1e-4, 1e-6, 1e-6, 1e-6, 1e-8, 1e-10, 0]))
    passes = float(rng.choice([1, 3, 10.5, 60, 300, 1000], p=[0.05, 0.05, 0.1, 0.15, 0.25, 0.4]))
    strict = rng.random() < 0.15
    arguments += ["--dtype", dtype, "--tol", f"{tol:g}", "--passes", f"{passes:g}", "--seed", int(rng.integers(0, 1000))]
    arguments += ["--threads", int(rng.integers(1, 3)), "-q"] + (["--strict"] if strict else [])
    arguments += ["--sparse-out"] if rng.random() < 0.05 else []
    if rng.random() < 0.06:
        arguments += ["--restarts", int(rng.integers(2, 4))] + (["--consensus"] if rng.random() < 0.5 else [])
    fixed = _fix_atoms(rng, data, rank, arguments)
    bound = np.inf
    if loss == "squared" and method in ("auto", "batch") and rng.random() < 0.2:
        bound = float(plain(size**2 * 10 ** (rng.uniform(-2, 0.3) if rng.random() < 0.7 else rng.uniform(-14, -2))))
        arguments += ["--loss", f"huber:{plain(bound)}"]
    _passes(rng.spawn(1)[0], method, loss, arguments)
    graphs = _graphs(rng, data, arguments) if loss == "squared" and method in ("auto", "batch") else (None, None)
    return Choice(arguments, rank, x_term, a_term, dtype, tol, passes, strict, method, loss, bound, fixed, *graphs)


def _passes(rng, method, loss, arguments):
    """Sometimes, how passes over mini-batches step, how exact their codes are, and whether factors are scaled anew."""
    if method in ("incremental", "sggd"):
        if loss == "squared" and rng.random() < 0.5:
            arguments += ["--metric", str(rng.choice(["scalar", "gram"]))]
        if rng.random() < 0.3:
            arguments += ["--codes-tol", plain(10 ** rng.uniform(-9, 0))]
    if rng.random() < 0.3:
        arguments += ["--rescale", str(rng.choice(["yes", "no"]))]


def _graphs(rng, data, arguments):
    """Sometimes, graphs of features and of samples: random similarities that need not be symmetric. Returns both Laplacians."""
    found = []
    for name, nodes in (("x", data.y.shape[0]), ("a", data.y.shape[1])):
        if rng.random() >= 0.15:
            found.append(None)
            continue
        similar = rng.random((nodes, nodes)) * (rng.random((nodes, nodes)) < rng.choice([0.05, 0.5]))
        weight = float(plain(10 ** rng.uniform(-4, 2)))
        path = data.path.parent / f"{name}-graph.npy"
        np.save(path, similar)
        arguments += [f"--{name}-graph", path, f"--{name}-graph-weight", plain(weight)]
        both = weight * (similar + similar.T)
        np.fill_diagonal(both, 0.0)
        found.append(np.diag(both.sum(axis=1)) - both)
    return tuple(found)


def _fix_atoms(rng, data, rank, arguments):
    """Sometimes, some atoms are given: columns of the data, or any numbers."""
    if rng.random() >= 0.15:
        return 0
    count = int(rng.integers(1, rank + 1))
    m, n = data.y.shape
    atoms = data.y[:, rng.integers(0, n, size=count)] if rng.random() < 0.5 else rng.normal(size=(m, count))
    path = data.path.parent / "fixed.npy"
    np.save(path, atoms)
    arguments += ["--fixed-x", path]
    return count

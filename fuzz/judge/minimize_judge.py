"""Judges `proxsplit.minimize` of the Python package: functions of the judge's own, and every number of the result again."""

from dataclasses import dataclass, field

import numpy as np

from . import claims, solve_judge
from .linear import Linear
from .program import Outcome
from .proxes import Term
from .smooth import Biased, Eigen, Rosenbrock
from .solve_problems import LOSSES, design, make_term, target

STATUS = {"stationary": 0, "optimal": 0, "at-error-floor": 3, "diverged": 4}


@dataclass
class Asked:
    """What was asked of `minimize`, in the shape that the judge of `solve` reads."""

    model: object
    start: np.ndarray
    tol: float
    unit: float
    keywords: dict = field(default_factory=dict)
    strict: bool = False
    absolute: float = 1e-9  # the default of options["atol"]
    gap: float | None = None  # the suboptimality that is asked for

    @property
    def knows_curvature(self):
        return "lipschitz" in self.keywords.get("options", {})


def case(rng, program):
    """Make a function, minimize it, judge the result; returns (verdict, outcome, complaints)."""
    from proxsplit import minimize

    asked = make(rng)
    before = asked.start.copy()
    outcome = Outcome([f"minimize {describe(asked)}"], 0, "", "", program.folder)
    try:
        with np.errstate(all="ignore"):
            result = minimize(_function(asked), asked.start, **asked.keywords)
    except (ValueError, TypeError) as error:
        outcome.err = f"error: {error}"
        return "refused", outcome, []
    except BaseException as error:  # (a panic of Rust is no Exception)
        return "crashed", outcome, [f"{type(error).__name__}: {error}"]
    outcome.record = {"objective": result.fun, "certificate": as_dict(result.certificate)}
    with np.errstate(all="ignore"):
        complaints = judge(asked, result, outcome)
    if not np.array_equal(before, asked.start):
        complaints.append("x0 was changed")
    return outcome.verdict, outcome, complaints


def as_dict(certificate):
    """The certificate's numbers, with the verdict in the words of run.json."""
    cert = dict(certificate.to_dict())
    verdict = str(claims.verdict_kind(cert)).replace("at the error", "at error").replace(" ", "-")
    levels = [level for _, level in cert["of_method"]["errors"].values()]
    known = None if None in levels else sum(levels)
    prox = cert["at_point"]["prox_error"]
    cert["guarantee"] = cert["of_method"]["guarantee"]
    cert["of_method"] = _method(cert["of_method"])
    return cert | {"verdict": verdict, "error_level": known, "stationarity": cert["at_point"]["residual"] + (np.inf if prox is None else prox)}


def _method(method):
    """What is said of the method, with the names and shapes of run.json: in Python a guarantee is a sentence, and errors have keys."""
    promises = {"limit points are minimizers": "minimizer", "limit points are stationary": "stationary"}
    promise = next((name for words, name in promises.items() if words in method["guarantee"]), method["guarantee"])
    errors = [{"source": source, "level": "unknown" if kind == "unknown" else {kind: level}} for source, (kind, level) in method["errors"].items()]
    return method | {"guarantee": promise, "errors": errors}


def describe(asked):
    options = {k: v for k, v in asked.keywords.items() if k != "terms"}
    return f"{type(asked.model).__name__} n={asked.start.size} {asked.start.dtype} {options}"


def _function(asked):
    if "terms" in asked.keywords:
        return None

    def f(x):
        value, gradient, _ = asked.model.smooth(x.astype(float))
        return value, gradient

    return f


def make(rng):
    """One function with one term, method, step and set of options."""
    kind = str(rng.choice(["linear", "sphere", "rosenbrock", "biased"], p=[0.6, 0.15, 0.15, 0.1]))
    shape = (int(rng.integers(1, 5)), int(rng.integers(1, 6)))
    n = shape[0] * shape[1]
    keywords, options = {}, {"maxiter": int(rng.choice([30, 300, 3000]))}
    start = rng.normal(size=n) * 10 ** rng.uniform(-2, 1)
    if kind == "sphere":
        model, n = _eigen(rng)
        start = rng.normal(size=n)
    elif kind == "rosenbrock":
        low, high = sorted(np.round(rng.uniform(-2, 2, size=2), 2))
        model = Rosenbrock(Term(str(rng.choice(["zero", f"box:{low},{high}", "l2-ball:0.8", "nonneg"]))))
        start = rng.uniform(-1.5, 1.5, size=int(rng.integers(2, 7)))
    else:
        model = _linear(rng, shape)
        if kind == "biased":
            model = Biased(model, 10 ** rng.uniform(-6, -1) * rng.normal(size=n))
    unit = 2.0**-53
    if rng.random() < 0.15:
        start, unit = start.astype(np.float32), 2.0**-24
    if isinstance(model, Linear) and rng.random() < 0.4:
        _terms(rng, model, keywords, options)
    elif rng.random() < 0.5:
        rules = ["bb", "backtracking", "adaptive", 10 ** rng.uniform(-4, 0), "diminishing:0.1,0.6"]
        keywords["step"] = rules[int(rng.integers(0, len(rules)))]
    if isinstance(model, Linear) and rng.random() < 0.5:
        options["lipschitz"] = model.curvature()
    if model.convex and rng.random() < 0.7:
        options["convex"] = True
    tol = float(rng.choice([1e-3, 1e-5, 1e-6, 1e-8, 1e-10]))
    keywords |= {"prox": model.term.text, "tol": tol, "options": options}
    gap = 10 ** rng.uniform(-8, 0) if rng.random() < 0.2 else None
    if gap:
        keywords["gap"] = gap
    return Asked(model, start, tol, unit, keywords, gap=gap)


def _eigen(rng):
    n = int(rng.integers(2, 25))
    b = rng.normal(size=(n, n))
    return Eigen(b @ b.T * 10 ** rng.uniform(-2, 2), Term(str(rng.choice(["sphere:1", "sphere:3", "l2-ball:1"])))), n


def _linear(rng, shape):
    d, loss = design(rng, int(rng.integers(2, 40)), shape[0] * shape[1]), str(rng.choice(LOSSES))
    b = target(rng, d, loss)
    weight = min(max(float(np.abs(d.T @ b).max()), 1e-8), 1e12)
    return Linear(d, b, loss, make_term(rng, weight, shape)[2])


def _terms(rng, model, keywords, options):
    def terms(x, batch):
        part = Linear(model.d[batch], model.b[batch], model.loss, model.term)
        return part.smooth(x.astype(float))[:2]

    method = str(rng.choice(["incremental", "mini-batch", "page", "saga"]))
    keywords |= {"terms": (len(model.b), terms), "method": method}
    options |= {"batch_size": int(rng.integers(1, len(model.b) + 1)), "order": str(rng.choice(["cyclic", "reshuffled", "random"][: 2 if method == "saga" else 3]))}
    options |= {"inner": str(rng.choice(["identity", "prox"])), "seed": int(rng.integers(0, 99))}
    if rng.random() < 0.7:
        keywords["step"] = [10 ** rng.uniform(-5, -1), "diminishing:0.05,0.75"][int(rng.integers(0, 2))]


def judge(asked, result, outcome):
    """Complaints about the result."""
    cert, x = outcome.certificate, np.asarray(result.x, dtype=float)
    complaints = claims.certificate(cert)
    if result.success != (outcome.verdict in claims.SUCCESS):
        complaints.append(f"success = {result.success}, but the verdict is {outcome.verdict}")
    if outcome.verdict in STATUS and result.status != STATUS[outcome.verdict]:
        complaints.append(f"status {result.status} for {outcome.verdict}")
    if result.message != cert["words"]:
        complaints.append("the message is not the certificate's")
    if result.x.dtype != asked.start.dtype or result.x.shape != asked.start.shape:
        complaints.append(f"x has {result.x.dtype} {result.x.shape}")
    if not np.isfinite(x).all():
        return complaints + ["a number in x is not finite"]
    gap = getattr(result, "gap", None)
    stated = (cert.get("at_point") or {}).get("gap")
    if "at_point" in cert and gap != stated:
        complaints.append(f"result.gap = {gap}, the certificate's is {stated}")
    return complaints + solve_judge.at_point(asked, outcome, x)

"""Judges the linear models of the Python package: intercepts, weights of samples and paths, every number again in NumPy."""

import warnings

import numpy as np
import scipy.sparse
from scipy.optimize import minimize_scalar

from . import claims, solve_judge
from .minimize_judge import as_dict
from .options import plain
from .path_judge import scaled
from .program import Outcome
from .solve_problems import LOSSES, Case, design, make_term, target
from .weighted import ButLast, Weighted

LABELS = ("logistic", "sigmoid")


def case(rng, program):
    """Make data and an estimator, fit it, judge the result; returns (verdict, outcome, complaints)."""
    asked, estimator, arrays = make(rng)
    outcome = Outcome([f"{estimator!r}.fit on {arrays[0].shape} {arrays[0].dtype}"], 0, "", "", program.folder)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            complaints = fitted(asked, estimator, arrays, outcome)
            if not complaints and rng.random() < 0.2:
                complaints = path(asked, estimator, arrays)
    except ValueError as error:
        outcome.err = f"error: {error}"
        return "refused", outcome, []
    except BaseException as error:  # (a panic of Rust is no Exception)
        return "crashed", outcome, [f"{type(error).__name__}: {error}"]
    return outcome.verdict, outcome, complaints


def make(rng):
    """(what is asked for, the estimator, its arrays)"""
    from proxsplit import SparseClassifier, SparseRegressor

    shape = (int(rng.integers(1, 5)), int(rng.integers(1, 6)))
    m, n = int(rng.integers(2, 50)), shape[0] * shape[1]
    d, loss = design(rng, m, n), str(rng.choice(LOSSES))
    single = rng.random() < 0.2
    d = d.astype(np.float32) if single else d
    b = target(rng, d.astype(float), loss)
    if loss in LABELS:
        b[:2] = [-1.0, 1.0]  # a classifier needs both
    else:
        b = b.astype(np.float32).astype(float)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], size=m) if rng.random() < 0.5 else None
    if weights is not None:
        weights[:2] = 1.0
    size = min(max(float(np.abs(d.T @ b).max()) / m, 1e-8), 1e12)
    penalty, where, term = make_term(rng, size, shape)
    alpha = float(plain(10 ** rng.uniform(-1, 0.5)))
    intercept = bool(rng.random() < 0.6)
    tol, gap = float(rng.choice([1e-3, 1e-5, 1e-6, 1e-8])), 10 ** rng.uniform(-8, 0) if rng.random() < 0.2 else None
    settings = {"penalty": penalty, "alpha": alpha, "set": where, "fit_intercept": intercept, "tol": tol, "gap": gap}
    settings |= {"max_iter": int(rng.choice([3, 100, 1000])), "n_threads": 1}
    estimator = (SparseClassifier if loss in LABELS else SparseRegressor)(loss, **settings)
    term = scaled(term, alpha)
    whole = np.column_stack([d, np.ones(m)]) if intercept else d
    model = Weighted(whole.astype(float), b, loss, ButLast(term) if intercept else term, weights=np.ones(m) if weights is None else weights)
    unit = 2.0**-24 if single else 2.0**-53
    asked = Case(model, [], np.zeros(whole.shape[1]), tol, 0, False, unit, gap=gap)
    return asked, estimator, (scipy.sparse.csr_matrix(d) if rng.random() < 0.2 else d, b, weights)


def fitted(asked, estimator, arrays, outcome):
    estimator.fit(*arrays)
    cert = as_dict(estimator.certificate_)
    outcome.record = {"objective": cert["at_point"]["objective"], "certificate": cert}
    x = np.ravel(estimator.coef_).astype(float)
    if estimator.fit_intercept:
        x = np.append(x, np.ravel(estimator.intercept_))
    elif np.any(estimator.intercept_):
        return ["an intercept that was not asked for"]
    if not np.isfinite(x).all():
        return ["a number in x is not finite"]
    return claims.certificate(cert) + solve_judge.at_point(asked, outcome, x)


def path(asked, estimator, arrays):
    """The first alpha is the least one with which β = 0 is a solution, and every certificate is that of its coefficients."""
    model, alpha = asked.model, estimator.alpha
    alphas, coefs, intercepts, certificates = estimator.path(arrays[0], arrays[1], n_alphas=3, eps=0.1, sample_weight=arrays[2])
    complaints, free = [], estimator.fit_intercept
    inner = model.term.term if free else model.term
    for a, beta, zero, certificate in zip(alphas, coefs, intercepts, certificates, strict=True):
        term = scaled(inner, a / alpha)
        x = np.append(beta, zero).astype(float) if free else beta.astype(float)
        of = Weighted(model.d, model.b, model.loss, ButLast(term) if free else term, weights=model.weights)
        outcome = Outcome([], 0, "", "", None, {"certificate": as_dict(certificate) | {"start_objective": None}})
        stated = certificate.objective
        truth = of.objective(x)
        room = (1e-9 + 64 * asked.unit) * abs(truth) + of.value_rounding(x, asked.unit)
        if abs(stated - truth) > room:
            complaints.append(f"path: objective {stated!r} at alpha {a:.4g}, by plain sums {truth!r}")
        complaints += claims.certificate(outcome.certificate)
    return complaints + (first_weight(model, inner, alphas[0] / alpha, free) if model.convex else [])


def first_weight(model, inner, factor, free):
    """Where β = 0 and β₀ is the best one, the slope is within the penalty's, but not within 95 % of it."""
    zero = np.zeros(model.d.shape[1])
    if free:
        def at(level):
            return model.smooth(np.append(zero[:-1], level))[0]

        reach = 10 * (np.abs(model.b).max() + 1)
        zero[-1] = minimize_scalar(at, bounds=(-reach, reach), method="bounded", options={"xatol": 1e-10}).x
    gradient = model.smooth(zero)[1][: -1 if free else None]
    if not np.isfinite(gradient).all() or np.abs(gradient).max() < 1e-7:
        return []
    step = 1e-3 / np.abs(gradient).max()
    moves = [np.abs(scaled(inner, factor * by).prox(-step * gradient, step)).max() / 1e-3 for by in (1.001, 0.95)]
    complaints = [f"path: β = 0 is no solution with the first alpha: it moves by {moves[0]:.2g}"] if moves[0] > 1e-6 else []
    return complaints + (["path: β = 0 is a solution with less than the first alpha"] if moves[1] < 1e-9 else [])

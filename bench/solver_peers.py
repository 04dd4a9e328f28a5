"""Programs for sparse linear models: each is a function of a problem that returns `solve(tolerance)`, or None where it does not apply."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

Solve = Callable[[float], np.ndarray]
OUR_PENALTY = {"l1": "l1:1", "elastic": "elastic:0.5,0.5", "mcp": "mcp:1,3", "scad": "scad:1,3.7", "group": "group-l2:1,5", "nonneg": "l1:1"}


def proxsplit(problem: Any) -> Solve | None:
    from proxsplit import SparseClassifier, SparseRegressor

    kind = SparseRegressor if problem.loss == "least-squares" else SparseClassifier
    penalty, alpha = OUR_PENALTY[problem.penalty], problem.alpha
    if problem.penalty in ("mcp", "scad"):
        penalty, alpha = f"{problem.penalty}:{problem.alpha!r},{3.7 if problem.penalty == 'scad' else 3}", 1.0
    where = "nonneg" if problem.penalty == "nonneg" else None
    convex = problem.penalty not in ("mcp", "scad")

    def solve(tolerance: float) -> np.ndarray:
        ends = {"gap": tolerance, "tol": 0.0} if convex else {"tol": tolerance}
        model = kind(problem.loss, penalty=penalty, alpha=alpha, set=where, fit_intercept=False, **ends)
        return np.ravel(model.fit(problem.X, problem.y).coef_)

    return solve


def skglm(problem: Any) -> Solve | None:
    from skglm import datafits, penalties, solvers
    from skglm.utils.data import grp_converter
    from skglm.utils.jit_compilation import compiled_clone

    X, y, alpha = problem.X, problem.y, problem.alpha
    penalty = {
        "l1": lambda: penalties.L1(alpha),
        "elastic": lambda: penalties.L1_plus_L2(alpha, 0.5),
        "mcp": lambda: penalties.MCPenalty(alpha, 3.0),
        "scad": lambda: penalties.SCAD(alpha, 3.7),
        "nonneg": lambda: penalties.L1(alpha, positive=True),
    }
    if problem.penalty == "group":
        indices, starts = grp_converter(5, X.shape[1])
        fit = compiled_clone(datafits.QuadraticGroup(starts, indices))
        weights = np.ones(X.shape[1] // 5)
        term = compiled_clone(penalties.WeightedGroupL2(alpha, weights, starts, indices))
        make = lambda tolerance: solvers.GroupBCD(tol=tolerance, max_iter=1000)  # noqa: E731
    else:
        fit = compiled_clone(datafits.Quadratic() if problem.loss == "least-squares" else datafits.Logistic())
        term = compiled_clone(penalty[problem.penalty]())
        kind = solvers.AndersonCD if problem.loss == "least-squares" else solvers.ProxNewton
        options = {"max_iter": 1000, "fit_intercept": False}
        make = lambda tolerance: kind(tol=tolerance * scale, **options)  # noqa: E731
    scale = float(np.abs(np.asarray(X.T @ y)).max()) / len(y)

    def solve(tolerance: float) -> np.ndarray:
        return make(tolerance).solve(X, y, fit, term)[0][: X.shape[1]]

    return solve


def celer(problem: Any) -> Solve | None:
    try:
        import celer as package
    except ImportError:
        return None
    options = {"fit_intercept": False, "max_iter": 1000, "max_epochs": 100_000}
    y, n = problem.y, len(problem.y)
    if problem.loss == "logistic" and problem.penalty == "l1":
        return lambda t: package.LogisticRegression(C=1 / (problem.alpha * n), tol=t, fit_intercept=False).fit(problem.X, y).coef_.ravel()
    if problem.loss == "least-squares" and problem.penalty == "l1":
        return lambda t: package.Lasso(problem.alpha, tol=t, **options).fit(problem.X, y).coef_
    if problem.penalty == "elastic":
        return lambda t: package.ElasticNet(problem.alpha, l1_ratio=0.5, tol=t, **options).fit(problem.X, y).coef_
    if problem.penalty == "nonneg":
        return lambda t: package.Lasso(problem.alpha, tol=t, positive=True, **options).fit(problem.X, y).coef_
    if problem.penalty == "group":
        return lambda t: package.GroupLasso(5, problem.alpha, tol=t, **options).fit(problem.X, y).coef_
    return None


def sklearn(problem: Any) -> Solve | None:
    from sklearn import linear_model as models

    options = {"fit_intercept": False, "max_iter": 100_000}
    y, n = problem.y, len(problem.y)
    if problem.loss == "logistic":
        C = 1 / (problem.alpha * n)
        return lambda t: models.LogisticRegression(C=C, l1_ratio=1.0, solver="liblinear", tol=t, max_iter=10_000, fit_intercept=False).fit(problem.X, y).coef_.ravel()
    ratio = {"l1": 1.0, "nonneg": 1.0, "elastic": 0.5}.get(problem.penalty)
    if ratio is None:
        return None
    positive = problem.penalty == "nonneg"
    return lambda t: models.ElasticNet(problem.alpha, l1_ratio=ratio, tol=t, positive=positive, **options).fit(problem.X, y).coef_


def l_bfgs_b(problem: Any) -> Solve | None:
    """β = u − v with u, v ≥ 0, or β ≥ 0 itself."""
    if problem.penalty not in ("l1", "nonneg"):
        return None
    X, y, n, p = problem.X, problem.y, len(problem.y), problem.X.shape[1]
    transposed = X.T.tocsr() if sp.issparse(X) else X.T
    halves = 1 if problem.penalty == "nonneg" else 2

    def f(both: np.ndarray) -> tuple[float, np.ndarray]:
        beta = both[:p] - both[p:] if halves == 2 else both
        z = X @ beta
        if problem.loss == "least-squares":
            value, slope = 0.5 * ((z - y) ** 2).sum(), z - y
        else:
            value, slope = np.logaddexp(0, -y * z).sum(), -y / (1 + np.exp(np.minimum(y * z, 700)))
        gradient = transposed @ slope / n
        whole = np.r_[gradient, -gradient] if halves == 2 else gradient
        return value / n + problem.alpha * both.sum(), whole + problem.alpha

    def solve(tolerance: float) -> np.ndarray:
        options = {"ftol": 1e-3 * tolerance, "gtol": 0.0, "maxiter": 20_000, "maxfun": 40_000}
        both = minimize(f, np.zeros(halves * p), jac=True, bounds=[(0, None)] * (halves * p), method="L-BFGS-B", options=options).x
        return both[:p] - both[p:] if halves == 2 else both

    return solve


def first_order(problem: Any) -> tuple[Callable[..., Any], Callable[..., np.ndarray], float] | None:
    """(value and gradient, prox of ℓ1, 1/L) for the general packages."""
    if problem.penalty != "l1" or sp.issparse(problem.X):
        return None
    X, y, n = problem.X, problem.y, len(problem.y)
    bend = 1.0 if problem.loss == "least-squares" else 0.25
    step = n / (bend * np.linalg.norm(X, 2) ** 2)

    def f(beta: np.ndarray) -> tuple[float, np.ndarray]:
        z = X @ beta
        if problem.loss == "least-squares":
            return 0.5 * ((z - y) ** 2).sum() / n, X.T @ (z - y) / n
        return np.logaddexp(0, -y * z).sum() / n, X.T @ (-y / (1 + np.exp(np.minimum(y * z, 700)))) / n

    return f, lambda x, eta: np.sign(x) * np.maximum(np.abs(x) - eta * problem.alpha, 0), step


def copt(problem: Any) -> Solve | None:
    import copt as package

    parts = first_order(problem)
    if parts is None:
        return None
    f, prox, step = parts
    start = np.zeros(problem.X.shape[1])
    options = {"jac": True, "accelerated": True, "max_iter": 5000}
    return lambda t: package.minimize_proximal_gradient(f, start, prox, tol=t * problem.alpha, step=lambda _: step, **options).x


def pyproximal(problem: Any) -> Solve | None:
    from pyproximal import L1, ProxOperator
    from pyproximal.optimization.primal import ProximalGradient

    parts = first_order(problem)
    if parts is None:
        return None
    f, _, step = parts

    class Loss(ProxOperator):
        def __init__(self) -> None:
            super().__init__(None, True)

        def __call__(self, x: np.ndarray) -> float:
            return f(x)[0]

        def grad(self, x: np.ndarray) -> np.ndarray:
            return f(x)[1]

    start, term = np.zeros(problem.X.shape[1]), L1(sigma=problem.alpha)
    return lambda t: ProximalGradient(Loss(), term, start, tau=step, niter=int(30 / np.sqrt(t)) if t > 3e-5 else 5000, acceleration="fista", tol=None)


def clarabel(problem: Any) -> Solve | None:
    """cvxpy with Clarabel, which is for small problems."""
    if problem.penalty != "l1" or problem.X.shape[0] * problem.X.shape[1] > 200_000:
        return None
    import cvxpy as cp

    beta, n = cp.Variable(problem.X.shape[1]), len(problem.y)
    if problem.loss == "least-squares":
        loss = cp.sum_squares(problem.X @ beta - problem.y) / (2 * n)
    else:
        loss = cp.sum(cp.logistic(-cp.multiply(problem.y, problem.X @ beta))) / n
    whole = cp.Problem(cp.Minimize(loss + problem.alpha * cp.norm1(beta)))

    def solve(tolerance: float) -> np.ndarray:
        whole.solve(solver=cp.CLARABEL, tol_gap_rel=tolerance, tol_gap_abs=1e-14, tol_feas=min(tolerance, 1e-8))
        return beta.value

    return solve


def sklearn_saga(problem: Any) -> Solve | None:
    from sklearn.linear_model import LogisticRegression

    if problem.loss != "logistic":
        return None
    C = 1 / (problem.alpha * len(problem.y))
    return lambda t: LogisticRegression(C=C, l1_ratio=1.0, solver="saga", tol=t, max_iter=2000, fit_intercept=False).fit(problem.X, problem.y).coef_.ravel()


PEERS = {
    "proxsplit": proxsplit, "skglm": skglm, "celer": celer, "scikit-learn": sklearn, "scikit-learn SAGA": sklearn_saga, "L-BFGS-B": l_bfgs_b,
    "copt": copt, "pyproximal": pyproximal, "cvxpy with Clarabel": clarabel,
}  # fmt: skip

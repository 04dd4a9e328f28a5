"""Penalties that couple neighbours, order or singular values: total variation, sorted ℓ1, nuclear norm and rank."""

import numpy as np
from scipy.optimize import isotonic_regression, lsq_linear

from . import taut


def value(name, args, x):
    return sum(_value(name, args, column) for column in x.T)


def prox(name, args, y, eta):
    return np.column_stack([_prox(name, args, column, eta) for column in y.T])


def _value(name, args, v):
    if name == "tv1d":
        return args[0] * np.abs(np.diff(v)).sum()
    if name == "fused":
        return args[0] * np.abs(v).sum() + args[1] * np.abs(np.diff(v)).sum()
    if name == "oscar":
        return (_weights(args, len(v)) * -np.sort(-np.abs(v))).sum()
    rows, cols = args[1]
    if name in ("nuclear", "rank"):
        s = np.linalg.svd(v.reshape(rows, cols, order="F"), compute_uv=False)
        return args[0] * (s.sum() if name == "nuclear" else np.count_nonzero(s > 1e-12 * max(s[0], 1e-300)))
    d = (_differences(rows, cols) @ v).reshape(2, -1)
    return args[0] * (np.abs(d).sum() if name == "tv2d-aniso" else np.hypot(*d).sum())


def _prox(name, args, y, eta):
    n = len(y)
    if name == "tv1d":
        return taut.prox(y, eta * args[0])
    if name == "fused":
        x = taut.prox(y, eta * args[1])
        return np.sign(x) * np.maximum(np.abs(x) - eta * args[0], 0)
    if name == "oscar":
        order = np.argsort(-np.abs(y), kind="stable")
        sizes = isotonic_regression(np.abs(y)[order] - eta * _weights(args, n), increasing=False).x
        x = np.zeros(n)
        x[order] = np.maximum(sizes, 0)
        return np.sign(y) * x
    rows, cols = args[1]
    if name in ("nuclear", "rank"):
        u, s, w = np.linalg.svd(y.reshape(rows, cols, order="F"), full_matrices=False)
        s = np.maximum(s - eta * args[0], 0) if name == "nuclear" else np.where(s * s > 2 * eta * args[0], s, 0)
        return ((u * s) @ w).ravel(order="F")
    d = _differences(rows, cols)
    return _dual_box(d, y, eta * args[0]) if name == "tv2d-aniso" else _dual_balls(d, y, eta * args[0])


def _weights(args, n):
    return args[0] + args[1] * (n - np.arange(1, n + 1))


def _differences(rows, cols):
    """Forward differences down and to the right, none across the border, of a column-major picture."""
    index = np.arange(rows * cols).reshape(rows, cols, order="F")
    d = np.zeros((2, rows * cols, rows * cols))
    for axis, (here, there) in enumerate([(index[:-1], index[1:]), (index[:, :-1], index[:, 1:])]):
        d[axis, here.ravel(), there.ravel()] = 1
        d[axis, here.ravel(), here.ravel()] = -1
    return d.reshape(-1, rows * cols)


def _dual_box(d, y, bound):
    """x = y − Dᵀu, u the nearest in the box |u| ≤ bound: an active-set method, exact up to rounding.

    D has no constants in its range: a level of y that dwarfs the bound would only drown what the method looks at.
    """
    if bound == 0:
        return y
    rows, level = d[np.abs(d).any(1)], y.mean()
    unit = min(bound, max(np.abs(y - level).max(), 1e-300))
    u = lsq_linear(rows.T, (y - level) / unit, (-bound / unit, bound / unit), method="bvls", tol=1e-15, max_iter=5000).x
    return y - unit * (rows.T @ u)


def picture_prox(rows, cols, y, weight, rounds=20000):
    """The prox of isotropic total variation with a bound of its distance to the exact one: ½‖x − x*‖² ≤ primal − dual value."""
    import scipy.sparse

    def down(n):
        return scipy.sparse.diags([-np.ones(n), np.ones(n - 1)], [0, 1]).tolil()

    first, second = down(rows), down(cols)
    first[-1], second[-1] = 0, 0
    d = scipy.sparse.vstack([scipy.sparse.kron(scipy.sparse.eye(cols), first), scipy.sparse.kron(second, scipy.sparse.eye(rows))]).tocsr()
    x = _dual_balls(d, y, weight, rounds)
    primal = 0.5 * ((x - y) ** 2).sum() + weight * np.hypot(*(d @ x).reshape(2, -1)).sum()
    dual = 0.5 * (y @ y) - 0.5 * (x @ x)
    return x, np.sqrt(2 * max(primal - dual, 0.0))


def _dual_balls(d, y, bound, rounds=20000):
    """The same with ‖(u_i, u_{i+n})‖ ≤ bound, by accelerated projected gradients with restarts (‖D‖² ≤ 8)."""
    u = z = np.zeros(d.shape[0])
    t = 1.0
    for _ in range(rounds):
        new = z + d @ (y - d.T @ z) / 8
        size = np.hypot(*new.reshape(2, -1))
        new = new * np.tile(np.minimum(1, bound / np.maximum(size, 1e-300)), 2)
        if np.linalg.norm(new - u) <= 1e-15 * (1 + np.linalg.norm(u)):
            break
        if (z - new) @ (new - u) > 0:
            t = 1.0
        next_t = (1 + np.sqrt(1 + 4 * t * t)) / 2
        u, z, t = new, new + (t - 1) / next_t * (new - u), next_t
    return y - d.T @ u

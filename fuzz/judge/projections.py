"""Nearest points of the catalogue's sets, and how far a point is outside. Columns of a matrix are points of their own."""

import numpy as np
from scipy.optimize import isotonic_regression

EXACT = {"nonneg", "binary", "sparse-ball", "monotone"}  # sets that rounding cannot leave


def project(name, args, y):
    """The nearest point of the set to each column of y."""
    if name in ("nonneg", "box", "linf-ball"):
        low, high = bounds(name, args)
        return np.clip(y, low, high)
    if name == "binary":
        return (y > 0.5).astype(float)
    if name == "simplex":
        return _simplex(y, args[0])
    if name == "l1-ball":
        inside = np.abs(y).sum(0) <= args[0]
        return np.where(inside, y, np.sign(y) * _simplex(np.abs(y), args[0]))
    if name in ("l2-ball", "sphere"):
        return _round(y, args[0], name == "sphere")
    if name == "sum":
        return y - (y.sum(0) - args[0]) / len(y)
    if name == "box-sum":
        return _box_sum(y, *args)
    if name == "monotone":
        return np.column_stack([isotonic_regression(column).x for column in y.T])
    if name == "soc":
        return np.column_stack([_soc(column) for column in y.T])
    if name == "psd":
        return np.column_stack([_psd(column, int(args[0])) for column in y.T])
    if name == "sparse-ball":
        return _largest(y, int(args[0]))
    if name == "rank-ball":
        return np.column_stack([_rank(column, args) for column in y.T])
    raise KeyError(name)


def excess(name, args, x):
    """How far the columns of x are outside the set, relative to its size: 0 inside, and for EXACT sets 0 or more than rounding."""
    if name in ("nonneg", "box", "linf-ball"):
        low, high = bounds(name, args)
        size = max([abs(v) for v in (low, high) if np.isfinite(v)] + [1e-300])
        size = 1.0 if name == "nonneg" else size
        return max(0.0, float(np.max(low - x)), float(np.max(x - high))) / size
    if name == "binary":
        return float(np.max(np.minimum(np.abs(x), np.abs(x - 1))))
    if name == "simplex":
        return max(0.0, float(np.max(-x)), float(np.max(np.abs(x.sum(0) - args[0])))) / args[0]
    if name in ("l1-ball", "l2-ball"):
        norms = np.abs(x).sum(0) if name == "l1-ball" else np.linalg.norm(x, axis=0)
        return max(0.0, float(np.max(norms)) / args[0] - 1)
    if name == "sphere":
        return float(np.max(np.abs(np.linalg.norm(x, axis=0) / args[0] - 1)))
    if name in ("sum", "box-sum"):
        off = float(np.max(np.abs(x.sum(0) - args[-1]))) / max(abs(args[-1]), float(np.abs(x).sum(0).max()), 1e-300)
        return off if name == "sum" else max(off, excess("box", args[:2], x))
    if name == "monotone":
        return max(0.0, float(np.max(-np.diff(x, axis=0), initial=0.0)))
    if name == "soc":
        return max(0.0, float(np.max(np.linalg.norm(x[1:], axis=0) - x[0]))) / max(float(np.abs(x).max()), 1e-300)
    if name == "sparse-ball":
        return float(max(0, np.count_nonzero(x, axis=0).max() - int(args[0])))
    nearest = project(name, args, x)
    return float(np.linalg.norm(x - nearest) / max(np.linalg.norm(x), 1e-300))


def bounds(name, args):
    """The interval of an elementwise set."""
    return {"nonneg": (0.0, np.inf), "box": tuple(args[:2]), "linf-ball": (-args[0], args[0]) if args else None}[name]


def _simplex(y, radius):
    """x = max(y − τ, 0) with Σx = R: τ from the sorted entries (Held, Wolfe, Crowder 1974)."""
    ordered = -np.sort(-y, axis=0)
    means = (np.cumsum(ordered, axis=0) - radius) / np.arange(1, len(y) + 1)[:, None]
    count = np.count_nonzero(ordered > means, axis=0)
    tau = means[np.maximum(count, 1) - 1, np.arange(y.shape[1])]
    return np.maximum(y - tau, 0)


def _round(y, radius, surface):
    norms = np.linalg.norm(y, axis=0)
    scaled = y * (radius / np.where(norms > 0, norms, 1.0))
    if surface:
        scaled[0, norms == 0] = radius
        return scaled
    return np.where(norms > radius, scaled, y)


def _box_sum(y, low, high, total):
    """clip(y − τ, low, high) with the right sum, by bisection on τ."""
    finite = [v for v in (low, high) if np.isfinite(v)]
    reach = np.abs(y).max() + max(map(abs, finite), default=0.0) + abs(total) + 1
    below, above = np.full(y.shape[1], -reach), np.full(y.shape[1], reach)
    for _ in range(200):
        tau = 0.5 * (below + above)
        much = np.clip(y - tau, low, high).sum(0) > total
        below, above = np.where(much, tau, below), np.where(much, above, tau)
    return np.clip(y - 0.5 * (below + above), low, high)


def _soc(v):
    norm = np.linalg.norm(v[1:])
    if norm <= v[0]:
        return v
    if norm <= -v[0]:
        return np.zeros_like(v)
    half = 0.5 * (v[0] + norm)
    return np.r_[half, half * v[1:] / norm]


def _psd(v, n):
    matrix = v.reshape(n, n, order="F")
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return ((vectors * np.maximum(values, 0)) @ vectors.T).ravel(order="F")


def _largest(y, count):
    if count >= len(y):
        return y
    keep = np.argsort(-np.abs(y), axis=0, kind="stable")[:count]
    x = np.zeros_like(y)
    np.put_along_axis(x, keep, np.take_along_axis(y, keep, 0), 0)
    return x


def _rank(v, args):
    rows, cols = args[1]
    u, s, w = np.linalg.svd(v.reshape(rows, cols, order="F"), full_matrices=False)
    s[int(args[0]):] = 0
    return ((u * s) @ w).ravel(order="F")

"""Σ ℓ(aᵢᵀx, bᵢ) + g(x): losses of a linear model with their slopes, and points that are as low as the judge can get."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from . import projections
from .proxes import Term

CONVEX = {"least-squares", "logistic", "huber"}


@dataclass
class Linear:
    """D, b, the loss in text form, g, and whether the mean stands in place of the sum."""

    d: np.ndarray
    b: np.ndarray
    loss: str
    term: Term
    mean: bool = False

    @property
    def name(self):
        return self.loss.partition(":")[0]

    @property
    def parameter(self):
        return float(self.loss.partition(":")[2] or 1.0)

    @property
    def factor(self):
        return 1.0 / len(self.b) if self.mean else 1.0

    @property
    def terms(self):
        """Products in the sums of a gradient."""
        return max(self.d.shape)

    @property
    def convex(self):
        return self.name in CONVEX and self.term.convex

    def smooth(self, x):
        """(f(x), ∇f(x), a bound of the size of what cancels in ∇f)"""
        z = self.d @ x
        value, slope = _loss(self.name, self.parameter, z, self.b)
        gradient = self.factor * (self.d.T @ slope)
        size = np.linalg.norm(self.d) * (self._reach(x) + np.linalg.norm(self.b)) * self._steepness()
        return self.factor * float(value.sum()), gradient, self.factor * float(size + np.linalg.norm(self.d) * np.linalg.norm(slope))

    def _reach(self, x):
        """‖|D||x|‖: products that cancel in Dx round by a part of their own size, not of what is left."""
        return np.linalg.norm(np.abs(self.d) @ np.abs(x))

    def value_rounding(self, x, unit):
        """What rounding of Dx may change in f(x): its slope along it, and the curvature beyond."""
        slope = np.linalg.norm(_loss(self.name, self.parameter, self.d @ x, self.b)[1])
        off = (4 + np.sqrt(self.d.shape[1])) * unit * self._reach(x)
        return self.factor * float(slope * off + self._steepness() * off * off)

    def _steepness(self):
        return {"logistic": 0.25 * max(1.0, np.abs(self.b).max()) ** 2, "sigmoid": 0.1}.get(self.name, 1.0)

    def objective(self, x):
        return self.smooth(x)[0] + self.term.value(x)

    def curvature(self):
        """L of ∇f: exact for least squares, an upper bound for the others."""
        return self.factor * float(np.linalg.norm(self.d, 2)) ** 2 * self._steepness()

    def residual(self, x, step):
        gradient = self.smooth(x)[1]
        return float(np.linalg.norm(x - self.term.prox(x - step * gradient, step)) / step)

    def lower(self, x, rounds):
        """A point with a value as low as accelerated proximal gradients with restarts reach from x."""
        curvature = self.curvature()
        if not 0 < curvature < np.inf:
            return x
        eta = 1 / curvature
        best, least = x, self.objective(x)
        current, z, t = x, x, 1.0
        for _ in range(rounds):
            new = self.term.prox(z - eta * self.smooth(z)[1], eta)
            if (z - new) @ (new - current) > 0:
                t = 1.0
            following = (1 + np.sqrt(1 + 4 * t * t)) / 2
            settled = np.linalg.norm(new - z) <= 1e-15 * np.linalg.norm(z)
            z, current, t = new + (t - 1) / following * (new - current), new, following
            value = self.objective(current)
            if value < least:
                best, least = current, value
            if settled:
                break
        return best

    def quasi_newton(self, x):
        """The same by L-BFGS-B on x = p − n with p, n ≥ 0, where g is ℓ1 and squares over an interval; else x itself."""
        if not self.term.names <= {"l1", "sql2", "nonneg", "box", "linf-ball"}:
            return x
        low, high = -np.inf, np.inf
        for name, args in self.term.sets:
            a, b = projections.bounds(name, args)
            low, high = max(low, a), min(high, b)
        weights = [sum(a[0] for n, a in self.term.atoms if n == name) for name in ("l1", "sql2")]

        def f(both):
            p, n = np.split(both, 2)
            value, gradient, _ = self.smooth(p - n)
            gradient = gradient + weights[1] * (p - n)
            value += weights[0] * both.sum() + 0.5 * weights[1] * ((p - n) ** 2).sum()
            return value, np.r_[weights[0] + gradient, weights[0] - gradient]

        sides = [(max(0.0, low), max(0.0, high)), (max(0.0, -high), max(0.0, -low))]
        bounds = [sides[0]] * len(x) + [sides[1]] * len(x)
        options = {"ftol": 1e-16, "gtol": 1e-14, "maxiter": 2000, "maxfun": 4000, "maxcor": 30}
        p, n = np.split(minimize(f, np.r_[np.maximum(x, 0), np.maximum(-x, 0)], jac=True, bounds=bounds, method="L-BFGS-B", options=options).x, 2)
        return np.clip(p - n, low, high)


def _loss(name, c, z, b):
    """(ℓ, ∂ℓ/∂z), elementwise."""
    r = z - b
    if name == "least-squares":
        return 0.5 * r * r, r
    if name == "logistic":
        return np.logaddexp(0, -b * z), -b * expit(-b * z)
    if name == "huber":
        s = np.abs(r)
        return np.where(s <= c, 0.5 * r * r, c * s - 0.5 * c * c), np.clip(r, -c, c)
    if name == "sigmoid":
        return expit(-b * z), -b * expit(b * z) * expit(-b * z)
    if name == "cauchy":
        return 0.5 * c * c * np.log1p((r / c) ** 2), r / (1 + (r / c) ** 2)
    q = 1 + (r / c) ** 2
    return 0.5 * r * r / q, r / q**2

"""Σ ℓ(aᵢᵀx, bᵢ) + g(x): losses of a linear model with their slopes, and points that are as low as the judge can get."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

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
        size = np.linalg.norm(self.d) * (np.linalg.norm(z) + np.linalg.norm(self.b)) * self._steepness()
        return self.factor * float(value.sum()), gradient, self.factor * float(size + np.linalg.norm(self.d) * np.linalg.norm(slope))

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

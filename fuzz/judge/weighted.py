"""Linear models of the estimators: Σ wᵢ ℓ(aᵢᵀβ + β₀, bᵢ)/Σ wᵢ + g(β), where g leaves the intercept β₀ alone."""

from dataclasses import dataclass

import numpy as np

from .linear import Linear, _loss


@dataclass
class Weighted(Linear):
    """Rows with weights; with an intercept the last column of D is of ones, and the term is a `ButLast`."""

    weights: np.ndarray | None = None

    def smooth(self, x):
        z, w = self.d @ x, self.weights / self.weights.sum()
        value, slope = _loss(self.name, self.parameter, z, self.b)
        rows = w * np.linalg.norm(self.d, axis=1)
        size = float(rows @ (np.abs(self.d) @ np.abs(x) + np.abs(self.b))) * self._steepness()
        return float(w @ value), self.d.T @ (w * slope), size + float(rows @ np.abs(slope))

    def value_rounding(self, x, unit):
        w = self.weights / self.weights.sum()
        slope = np.abs(_loss(self.name, self.parameter, self.d @ x, self.b)[1])
        off = (4 + np.sqrt(self.d.shape[1])) * unit * (np.abs(self.d) @ np.abs(x) + np.abs(self.b))
        return float(w @ (slope * off + self._steepness() * off * off))

    def curvature(self):
        w = self.weights / self.weights.sum()
        return float(np.linalg.norm(np.sqrt(w)[:, None] * self.d, 2)) ** 2 * self._steepness()


class ButLast:
    """A term of all entries but the last, which is free."""

    def __init__(self, term):
        self.term, self.text, self.convex = term, f"{term.text} but for the intercept", term.convex
        self.names, self.sets, self.penalties = term.names | {"intercept"}, term.sets, term.penalties
        self.separable = term.separable

    def value(self, x):
        return self.term.value(x[:-1])

    def excess(self, x, unit, tiny=0.0):
        return self.term.excess(x[:-1], unit, tiny)

    def step_limit(self):
        return self.term.step_limit()

    def prox(self, y, eta):
        return np.append(self.term.prox(y[:-1], eta), y[-1])

    def dist_slopes(self, x, v, unit=0.0):
        return float(np.hypot(self.term.dist_slopes(x[:-1], v[:-1], unit), v[-1]))

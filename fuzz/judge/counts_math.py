"""Kullback–Leibler, Σ w(y log(y/z) − y + z) + Σ gx(x_k) + Σ ga(a_t) with Z = XA, by plain sums."""

from dataclasses import dataclass

import numpy as np

from .factor_math import Problem


@dataclass
class Counts(Problem):
    """The same data and terms as of the squared misfit."""

    def _weights(self):
        return np.ones_like(self.y) if self.weights is None else self.weights

    def pulling(self, x, a):
        """W∘Y/Z, which cancels with W at a solution."""
        z = x @ a
        return self._weights() * np.divide(self.y, z, out=np.zeros_like(z), where=self.y > 0)

    def misfit(self, x, a):
        """The slope of the misfit in Z with its sign turned: W∘(Y/Z − 1)."""
        return self.pulling(x, a) - self._weights()

    def fit(self, x, a):
        z, w = x @ a, self._weights()
        logs = np.where(self.y > 0, self.y * np.log(np.divide(self.y, z, out=np.ones_like(z), where=self.y > 0)), 0.0)
        return float((w * (logs - self.y + z)).sum())

    def rounding(self, x, a, unit):
        """Every z is off by about K roundings, which the logarithm turns into as many of y."""
        z = x @ a
        logs = np.abs(np.log(np.divide(self.y, z, out=np.ones_like(z), where=(self.y > 0) & (z > 0))))
        terms = self.x_term.value(x) + self.a_term.value(a)
        return (64 + x.shape[1]) * unit * (float((self._weights() * (self.y * (1 + logs) + z)).sum()) + abs(terms))

    def turned(self):
        return Counts(self.y.T, None if self.weights is None else self.weights.T, self.a_term, self.x_term, self.sparse)

    def curvatures(self, x, a):
        """There is no L: residuals are stated at the step ‖X‖/scale, that of a multiplicative update of a typical entry."""
        size, scale = np.linalg.norm(x), np.linalg.norm(self.pulling(x, a) @ a.T)
        curvature = float(scale / size) if size > 0 else 0.0
        return curvature, curvature

    def slope_size(self, x, a):
        pull, push = np.linalg.norm(self.pulling(x, a) @ a.T), np.linalg.norm(self._weights() @ a.T)
        return (8 + x.shape[1]) * (pull + push), 0.0

    def largest_exchange(self, x, a):
        return self.objective(x, a)

    def better_codes(self, x, a, rounds):
        """Multiplicative updates, which never raise the objective, under nonneg and l1; other terms leave A as it is."""
        if self.a_term.names - {"nonneg", "l1"}:
            return a
        weight = sum(args[0] for name, args in self.a_term.penalties if name == "l1")
        push = x.T @ self._weights() + weight
        for _ in range(rounds):
            a = np.divide(a * (x.T @ self.pulling(x, a)), push, out=np.zeros_like(a), where=push > 0)
        return a

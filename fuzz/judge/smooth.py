"""Functions for `minimize` that are no linear models: with `smooth`, `objective`, `residual` and `lower` as `linear.Linear` has them."""

import numpy as np


class Function:
    """f + g with g a Term."""

    convex = False
    name = "function"

    def __init__(self, term):
        self.term = term

    def objective(self, x):
        return self.smooth(x)[0] + self.term.value(x)

    def residual(self, x, step):
        return float(np.linalg.norm(x - self.term.prox(x - step * self.smooth(x)[1], step)) / step)

    def value_rounding(self, x, unit):
        return 0.024 * unit * self.smooth(x)[2] * float(np.linalg.norm(x))

    def lower(self, x, rounds):
        return x

    def quasi_newton(self, x):
        return x

    @property
    def terms(self):
        """Products in the sums of a gradient."""
        return 16


class Eigen(Function):
    """f(x) = −½xᵀQx: on a sphere its minimizers are leading eigenvectors."""

    def __init__(self, q, term):
        super().__init__(term)
        self.q = q

    def smooth(self, x):
        gradient = -self.q @ x
        return 0.5 * float(x @ gradient), gradient, float(np.linalg.norm(self.q) * np.linalg.norm(x))

    def curvature(self):
        return float(np.linalg.norm(self.q, 2))


class Rosenbrock(Function):
    """Σ 100(x_{i+1} − x_i²)² + (1 − x_i)²"""

    def smooth(self, x):
        a, b = x[1:] - x[:-1] ** 2, 1 - x[:-1]
        gradient = np.zeros_like(x)
        gradient[1:] += 200 * a
        gradient[:-1] -= 400 * a * x[:-1] + 2 * b
        size = np.linalg.norm(200 * np.abs(x).max() * (1 + 2 * np.abs(x))) * (1 + np.abs(x).max()) + 2
        return float((100 * a * a + b * b).sum()), gradient, float(size)

    def curvature(self):
        return 1e4


class Biased(Function):
    """A gradient that is off by a constant: all that is stated is stated for the gradient that was given."""

    def __init__(self, model, bias):
        super().__init__(model.term)
        self.model, self.bias = model, bias

    def smooth(self, x):
        value, gradient, size = self.model.smooth(x)
        return value, gradient + self.bias, size + float(np.linalg.norm(self.bias))

    def curvature(self):
        return self.model.curvature()

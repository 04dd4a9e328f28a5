"""Kullback–Leibler of the judge against SciPy's definition and central differences."""

import unittest

import numpy as np
import scipy.special

from fuzz.judge.counts_math import Counts
from fuzz.judge.factor_math import better_codes, side_a, side_x
from fuzz.judge.proxes import Term


class CountsMath(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        y, self.weights = rng.poisson(2.0, (6, 7)).astype(float), (rng.random((6, 7)) < 0.8).astype(float)
        self.x, self.a = rng.random((6, 3)), rng.random((3, 7))
        self.problem = Counts(self.weights * y, self.weights, Term("nonneg"), Term("l1:0.2+nonneg"))

    def test_the_value_is_the_definition(self):
        expected = (self.weights * scipy.special.kl_div(self.problem.y, self.x @ self.a)).sum()
        self.assertAlmostEqual(self.problem.misfit(self.x, self.a), expected, places=10)

    def test_slopes_are_central_differences(self):
        slope = -self.problem.pull(self.x, self.a) @ self.a.T
        for i, k in np.ndindex(self.x.shape):
            moved = np.zeros_like(self.x)
            moved[i, k] = 1e-6
            ends = [self.problem.misfit(self.x + sign * moved, self.a) for sign in (1, -1)]
            self.assertAlmostEqual(slope[i, k], (ends[0] - ends[1]) / 2e-6, places=5)

    def test_better_codes_are_lower_and_stationary(self):
        codes = better_codes(self.problem, self.x, self.a, 20000)
        self.assertLess(self.problem.objective(self.x, codes), self.problem.objective(self.x, self.a))
        self.assertLess(side_a(self.problem, self.x, codes).residual, 1e-4)
        self.assertGreater(side_x(self.problem, self.x, codes).residual, 1e-2)


if __name__ == "__main__":
    unittest.main()

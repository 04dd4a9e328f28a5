"""The judge against scipy's active-set solver, on dense, u8 and sparse storage."""

import unittest

import numpy as np
import scipy.optimize
import scipy.sparse
import scipy.special

from bench import evaluate
from bench.case import Case


def by_active_set(y, x, x_l1, a_l1):
    """The definition, column by column; γ‖a‖₁ enters as a linear term of the Gram form."""
    root = np.linalg.cholesky(x.T @ x).T
    total = x_l1 * x.sum()
    for column in y.T:
        target = np.linalg.solve(root.T, x.T @ column - a_l1)
        codes, _ = scipy.optimize.nnls(root, target)
        total += 0.5 * ((column - x @ codes) ** 2).sum() + a_l1 * codes.sum()
    return total


class Evaluation(unittest.TestCase):
    def judge(self, stored, x, scale=1.0, x_l1=0.0, a_l1=0.0):
        case = Case("test", "test", x.shape[1], 0.0, scale=scale, x_l1=x_l1, a_l1=a_l1)
        case.__dict__["stored"] = stored
        return evaluate.score(case, x, 1e-11)

    def test_all_storages_agree_with_the_active_set_method(self):
        random = np.random.default_rng(1)
        y = random.integers(0, 256, (40, 30)).astype(np.uint8)
        y[random.random(y.shape) < 0.5] = 0
        x = random.random((40, 6))
        for weights in [(0.0, 0.0), (0.3, 0.2)]:
            expected = by_active_set(y / 255.0, x, *weights)
            for stored in [y, np.asfortranarray(y, float), scipy.sparse.csc_matrix(y)]:
                found = self.judge(stored, x, 255.0, *weights)
                self.assertLess(abs(found.objective - expected), 1e-8 * expected)
                self.assertLess(found.excess, 1e-8 * expected)

    def test_blocks_do_not_change_the_value_and_dead_atoms_do_not_matter(self):
        random = np.random.default_rng(2)
        y, x = random.random((50, 80)), random.random((50, 4))
        whole = self.judge(y, x).objective
        evaluate.BLOCK_BYTES, kept = 50 * 8 * 7, evaluate.BLOCK_BYTES
        try:
            dead = np.hstack([x, np.zeros((50, 1))])
            self.assertLess(abs(self.judge(y, dead).objective - whole), 1e-9 * whole)
        finally:
            evaluate.BLOCK_BYTES = kept

    def test_factors_that_are_not_feasible_are_refused(self):
        with self.assertRaises(ValueError):
            self.judge(np.ones((3, 3)), -np.ones((3, 1)))

    def test_divergences_are_those_of_the_definition(self):
        random = np.random.default_rng(3)
        y = random.poisson(1.0, (20, 30)).astype(float)
        x, a = random.random((20, 3)), random.random((3, 30))
        z = x @ a
        expected = scipy.special.kl_div(y, z).sum()
        for stored in [y, scipy.sparse.csc_matrix(y)]:
            self.assertLess(abs(evaluate.divergence(stored, x, a) - expected), 1e-10 * expected)
        with self.assertRaises(ValueError):
            evaluate.divergence(y, -x, a)


if __name__ == "__main__":
    unittest.main()

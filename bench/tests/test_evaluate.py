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

    def test_the_residual_vanishes_at_a_solution_and_does_not_depend_on_scale(self):
        random = np.random.default_rng(4)
        x, a = random.random((30, 2)), random.random((2, 40))
        x[x < 0.3], a[a < 0.3] = 0.0, 0.0
        self.assertLess(self.judge(x @ a, x).residual, 1e-8)
        near = np.maximum(x + 0.1 * random.standard_normal(x.shape), 0.0)
        one, other = self.judge(x @ a, near), self.judge(x @ a, near * [10.0, 0.2])
        self.assertGreater(one.residual, 1e-3)
        self.assertLess(abs(one.residual - other.residual), 1e-6 * one.residual)
        self.assertAlmostEqual(one.x_zeros, np.mean(near == 0))

    def test_the_residual_is_that_of_the_definition(self):
        random = np.random.default_rng(5)
        y, x, weights = random.random((20, 15)), random.random((20, 2)), (0.4, 1.7)
        x /= np.linalg.norm(x, axis=0)
        root = np.linalg.cholesky(x.T @ x).T
        codes = [scipy.optimize.nnls(root, np.linalg.solve(root.T, x.T @ column - weights[1]))[0] for column in y.T]
        a = np.array(codes).T
        step = 1 / np.linalg.norm(a @ a.T, 2)
        moved = np.maximum(x - step * ((x @ a - y) @ a.T) - step * weights[0], 0.0)
        expected = np.linalg.norm(x - moved) / step / np.linalg.norm(y @ a.T)
        found = self.judge(y, x, 1.0, *weights)
        self.assertLess(abs(found.residual - expected), 1e-4 * expected)
        self.assertAlmostEqual(found.a_zeros, np.mean(a == 0))

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

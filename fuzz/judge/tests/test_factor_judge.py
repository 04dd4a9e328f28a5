"""The judge of factorizations accepts a true record and objects to every number of it that is changed."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

from fuzz.judge import factor_judge
from fuzz.judge.factor_math import Problem, better_codes, side_a, side_x, singular_bound
from fuzz.judge.options import Choice
from fuzz.judge.program import Outcome
from fuzz.judge.proxes import Term


def outcome(folder, x, a, certificate, code=0):
    folder = Path(tempfile.mkdtemp(dir=folder))
    np.save(folder / "X.npy", x)
    np.save(folder / "A.npy", a)
    stationary = certificate["verdict"] == "stationary"
    record = {"objective": certificate["at_point"]["objective"], "converged": stationary, "reason": "", "certificate": certificate}
    return Outcome([], code, "", "", folder, record)


def certificate(problem, x, a, verdict, tol):
    one, two = side_x(problem, x, a), side_a(problem, x, a)
    objective = problem.objective(x, a)
    relative = max(side.residual / side.scale for side in (one, two))
    dead = [k for k in range(x.shape[1]) if not (x[:, k].any() and a[k].any())]
    pair = {
        "residual_x": one.residual, "residual_a": two.residual, "scale_x": one.scale, "scale_a": two.scale,
        "step_x": 1 / one.curvature, "step_a": 1 / two.curvature, "escape": 0.0, "dead_atoms": len(dead),
        "codes_gap": objective - problem.objective(x, better_codes(problem, x, a, 2000)) + 1e-12,
    }  # fmt: skip
    point = {
        "objective": objective, "residual": relative, "reference_step": 1.0, "prox_error": 0.0, "scale": 1.0, "rounding": 1e-15,
        "gap": None, "lower_bound": singular_bound(problem, x.shape[1]), "feasible": True, "pair": pair,
    }  # fmt: skip
    return {"verdict": verdict, "words": "", "stationarity": relative, "tolerance": tol, "error_level": 0.0, "at_point": point}


class FactorJudge(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(0)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.choice = Choice([], 3, Term("l1:0.1+nonneg"), Term("nonneg"), "f64", 1e-6, 1000, False, "batch")
        self.x, self.a = self.rng.random((12, 3)), self.rng.random((3, 15))

    def complaints(self, y, cert, x=None, a=None, weights=None, begin=1e3, code=0):
        problem = Problem(y, weights, self.choice.x_term, self.choice.a_term, bound=self.choice.bound, fixed=self.choice.fixed)
        x, a = self.x if x is None else x, self.a if a is None else a
        first = np.sqrt(2 * begin) * np.eye(1, 12).T, np.eye(1, 15)
        start = Outcome([], 0, "", "", Path(tempfile.mkdtemp(dir=self.folder.name)), {"objective": 0})
        for name, value in zip("XA", first):
            np.save(start.folder / f"{name}.npy", value)
        cert.setdefault("start_objective", problem.objective(*first))
        return factor_judge.judge(problem, self.choice, outcome(self.folder.name, x, a, cert, code), start)

    def test_a_true_record_passes_and_every_false_number_is_found(self):
        y = self.x @ self.a + 0.1 * self.rng.random((12, 15))
        problem = Problem(y, None, self.choice.x_term, self.choice.a_term)

        def fresh():
            return certificate(problem, self.x, self.a, {"not-converged": "pass-limit"}, 1e-6)

        self.assertEqual(self.complaints(y, fresh()), [])
        for name, factor in (("objective", 1 + 1e-6), ("residual", 0.9), ("lower_bound", 1e3)):
            cert = fresh()
            cert["at_point"][name] *= factor
            self.assertNotEqual(self.complaints(y, cert), [], name)
        self.assertNotEqual(self.complaints(y, fresh() | {"start_objective": 3.0}), [])
        for name in ("residual_x", "residual_a", "scale_x", "scale_a", "step_x", "step_a"):
            cert = fresh()
            cert["at_point"]["pair"][name] *= 1.01
            self.assertNotEqual(self.complaints(y, cert), [], name)
        for name, value in (("codes_gap", 1e-9), ("dead_atoms", 1), ("escape", 1e3)):
            cert = fresh()
            cert["at_point"]["pair"][name] = value
            self.assertNotEqual(self.complaints(y, cert), [], name)

    def test_missing_entries_count_with_weight_0(self):
        y, weights = self.x @ self.a + 0.1, (self.rng.random((12, 15)) < 0.7).astype(float)
        problem = Problem(y * weights, weights, self.choice.x_term, self.choice.a_term)
        cert = certificate(problem, self.x, self.a, {"not-converged": "pass-limit"}, 1e-6)
        self.assertEqual(self.complaints(y * weights, cert, weights=weights), [])
        cert = certificate(problem, self.x, self.a, {"not-converged": "pass-limit"}, 1e-6)
        self.assertNotEqual(self.complaints(y * weights, cert), [])

    def test_weights_and_the_bound_of_huber_are_part_of_every_number(self):
        y, weights = self.x @ self.a + self.rng.normal(size=(12, 15)), 3 * self.rng.random((12, 15))
        for bound in (np.inf, 0.5):
            self.choice.bound = bound
            problem = Problem(y, weights, self.choice.x_term, self.choice.a_term, bound=bound)
            for name, factor in (("", 1.0), ("residual_x", 1.01), ("residual_a", 1.01), ("scale_x", 1.01), ("scale_a", 1.01)):
                cert = certificate(problem, self.x, self.a, {"not-converged": "pass-limit"}, 1e-6)
                if name:
                    cert["at_point"]["pair"][name] *= factor
                self.assertEqual(self.complaints(y, cert, weights=weights) == [], not name, f"{name} {bound}")
        # The slopes are those of the objective.
        for side, at in ((side_x, (3, 1)), (side_a, (1, 4))):
            free = Problem(y, weights, Term("zero"), Term("zero"), bound=0.5)
            moved = [self.x.copy(), self.a.copy()]
            moved[side is side_a][at] += 1e-6
            rise = (free.objective(*moved) - free.objective(self.x, self.a)) / 1e-6
            pull = free.pull(self.x, self.a)
            slope = -(pull @ self.a.T if side is side_x else self.x.T @ pull)[at]
            self.assertAlmostEqual(rise, slope, places=3)

    def test_an_atom_that_nothing_with_weight_uses_may_be_called_dead(self):
        y, self.a[2, 1:] = self.x @ self.a + 0.1, 0
        for weight, is_right in ((0.0, True), (1.0, False)):
            weights = np.ones((12, 15))
            weights[:, 0] = weight
            problem = Problem(y, weights, self.choice.x_term, self.choice.a_term)
            cert = certificate(problem, self.x, self.a, {"not-converged": "pass-limit"}, 1e-6)
            cert["at_point"]["pair"]["dead_atoms"] = 1
            self.assertEqual(self.complaints(y, cert, weights=weights) == [], is_right)

    def test_fixed_atoms_are_no_part_of_residual_and_penalty(self):
        y = self.x @ self.a + 0.1 * self.rng.random((12, 15))
        path = Path(self.folder.name) / "fixed.npy"
        np.save(path, self.x[:, :2])
        self.choice.fixed, self.choice.arguments = 2, ["--fixed-x", path]
        for fixed in (2, 0):
            problem = Problem(y, None, self.choice.x_term, self.choice.a_term, fixed=fixed)
            cert = certificate(problem, self.x, self.a, {"not-converged": "pass-limit"}, 1e-6)
            self.assertEqual(self.complaints(y, cert) == [], fixed == 2)
        moved = self.x + np.eye(12, 3) * 1e-12
        problem = Problem(y, None, self.choice.x_term, self.choice.a_term, fixed=2)
        cert = certificate(problem, moved, self.a, {"not-converged": "pass-limit"}, 1e-6)
        self.assertIn("fixed atom", " ".join(self.complaints(y, cert, moved)))

    def test_graphs_are_part_of_objective_and_residuals(self):
        y = self.x @ self.a + 0.1 * self.rng.random((12, 15))
        graphs = []
        for nodes in (12, 15):
            both = self.rng.random((nodes, nodes))
            both = np.triu(both, 1) + np.triu(both, 1).T
            graphs.append(np.diag(both.sum(axis=1)) - both)
        with_graphs = Problem(y, None, Term("zero"), Term("zero"), x_graph=graphs[0], a_graph=graphs[1])
        plain = Problem(y, None, Term("zero"), Term("zero"))
        added = 0.5 * np.trace(self.x.T @ graphs[0] @ self.x) + 0.5 * np.trace(self.a @ graphs[1] @ self.a.T)
        self.assertAlmostEqual(with_graphs.objective(self.x, self.a), plain.objective(self.x, self.a) + added)
        for side in (side_x, side_a):
            slopes = np.zeros_like(self.x if side is side_x else self.a)
            for place in np.ndindex(slopes.shape):
                ends = []
                for step in (1e-5, -1e-5):
                    moved = [self.x.copy(), self.a.copy()]
                    moved[side is side_a][place] += step
                    ends.append(with_graphs.objective(*moved))
                slopes[place] = (ends[0] - ends[1]) / 2e-5
            self.assertAlmostEqual(side(with_graphs, self.x, self.a).residual, float(np.linalg.norm(slopes)), places=5)
        better = better_codes(with_graphs, self.x, self.a, 2000)
        self.assertLess(side_a(with_graphs, self.x, better).residual, 1e-6)
        cert = certificate(with_graphs, self.x, self.a, {"not-converged": "pass-limit"}, 1e-6)
        self.choice.x_term = self.choice.a_term = Term("zero")
        self.assertNotEqual(self.complaints(y, cert), [])

    def test_points_that_are_not_stationary(self):
        self.choice.x_term = Term("nonneg")
        y = self.x @ self.a
        problem = Problem(y, None, self.choice.x_term, self.choice.a_term)
        self.assertEqual(self.complaints(y, certificate(problem, self.x, self.a, "stationary", 1e-6)), [])
        loose = certificate(problem, self.x, self.a, "stationary", 1e-3)
        self.assertIn("tolerance", self.complaints(y, loose)[0])
        zeros = 0 * self.x, 0 * self.a
        cert = certificate(problem, self.x, self.a, "stationary", 1e-6)
        cert["at_point"] = {"objective": problem.objective(*zeros)}
        found = " ".join(self.complaints(y, cert, *zeros, begin=0.0))
        self.assertIn("dead atom", found)
        cert = certificate(problem, self.x, self.a, "stationary", 1e-6)
        self.assertIn("outside", " ".join(self.complaints(y, cert, -self.x, -self.a)))

    def test_a_stopped_prox_is_right_up_to_its_error(self):
        y = self.x @ self.a + 0.1 * self.rng.random((12, 15))
        problem = Problem(y, None, self.choice.x_term, self.choice.a_term)
        for error, is_right in ((0.02, True), (0.0, False)):
            cert = certificate(problem, self.x, self.a, {"not-converged": "pass-limit"}, 1e-6)
            cert["at_point"]["pair"]["residual_x"] -= 0.01 * cert["at_point"]["pair"]["scale_x"]
            cert["at_point"]["prox_error"] = error
            self.assertEqual(self.complaints(y, cert) == [], is_right)

    def test_stationary_with_dead_atoms_needs_a_word(self):
        self.choice.x_term = Term("nonneg")
        x, a = np.c_[self.x[:, :2], np.zeros(12)], np.r_[self.a[:2], np.zeros((1, 15))]
        y = x @ a
        problem = Problem(y, None, self.choice.x_term, self.choice.a_term)
        cert = certificate(problem, x, a, "stationary", 1e-6)
        self.assertIn("no word", " ".join(self.complaints(y, cert, x, a)))

    def test_what_single_precision_cannot_hold_is_no_excess(self):
        simplex, nothing = Term("simplex:3e-60"), np.zeros((4, 2))
        self.assertLessEqual(*simplex.excess(nothing, 2.0**-23, 2.0**-149))
        self.assertGreater(*simplex.excess(nothing, 2.0**-52, 5e-324))

    def test_exit_codes(self):
        y = self.x @ self.a + 0.1
        problem = Problem(y, None, self.choice.x_term, self.choice.a_term)
        cert = certificate(problem, self.x, self.a, {"diverged": {"pass": 3}}, 1e-6)
        self.assertEqual(self.complaints(y, cert, code=4), [])
        self.assertNotEqual(self.complaints(y, cert, code=0), [])


if __name__ == "__main__":
    unittest.main()

"""The judges of paths and of ranks accept true tables and object to false ones; terms with weights and intercepts are what they say."""

import copy
import unittest

import numpy as np

from fuzz.judge import path_judge, rank_judge
from fuzz.judge.linear import Linear
from fuzz.judge.problems import Data
from fuzz.judge.program import Outcome
from fuzz.judge.proxes import Term
from fuzz.judge.solve_problems import Case
from fuzz.judge.weighted import ButLast, Weighted


class Paths(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(3)
        d = rng.normal(size=(20, 5))
        self.model = Linear(d, d @ rng.normal(size=5) + rng.normal(size=20), "least-squares", Term("l1:2"))
        self.case = Case(self.model, [], np.zeros(5), 1e-6, 0, False)

    def table(self):
        first = float(np.abs(self.model.smooth(np.zeros(5))[1]).max()) / 2
        rows, points = [], []
        for factor in first * 0.1 ** (np.arange(3) / 2):
            term = path_judge.scaled(self.model.term, factor)
            model = Linear(self.model.d, self.model.b, "least-squares", term)
            x = model.lower(np.zeros(5), 20000)
            residual = model.residual(x, 1 / model.curvature())
            rows.append({
                "factor": factor, "term": term.text, "nonzeros": int(np.count_nonzero(x)), "objective": model.objective(x), "gap": 1e-6,
                "residual": residual, "tolerance": residual + 1e-9, "verdict": "stationary", "converged": True,
            })  # fmt: skip
            points.append(x)
        return {"path": rows, "converged": True}, np.array(points)

    def complaints(self, record, points, code=0):
        return path_judge.judge(self.case, Outcome([], code, "", "", None, record), points, (3, 0.1))

    def test_a_true_table_passes_and_false_numbers_are_found(self):
        record, points = self.table()
        self.assertEqual(self.complaints(record, points), [])
        false = {"factor": 1.0, "nonzeros": 7, "objective": 0.0, "gap": -1.0, "verdict": "diverged", "converged": False, "tolerance": 1e9}
        for name, value in false.items():
            changed = copy.deepcopy(record)
            changed["path"][1][name] = value
            self.assertNotEqual(self.complaints(changed, points), [], name)
        self.assertNotEqual(self.complaints(record, points + 0.01), [])
        self.assertNotEqual(self.complaints(record, points, code=4), [])

    def test_the_first_weight_is_the_least_that_gives_zero(self):
        for factor in (0.5, 2.0):
            record, points = self.table()
            for row in record["path"]:
                row["factor"] *= factor
                row["term"] = path_judge.scaled(self.model.term, row["factor"]).text
            self.assertIn("0 is", " ".join(self.complaints(record, points)))


class Ranks(unittest.TestCase):
    def setUp(self):
        y = np.random.default_rng(0).random((6, 8))
        self.data = Data(None, y, None, [], "")
        self.bounds = {k: 0.5 * float((np.linalg.svd(y, compute_uv=False)[k:] ** 2).sum()) for k in (1, 3, 4)}

    def record(self):
        errors = {1: [0.9, 1.0, 1.1], 3: [0.5, 0.52, 0.49], 4: [0.6, 0.63, 0.61]}
        rows = [{
            "rank": rank, "error": float(np.mean(of)), "standard_error": float(np.std(of, ddof=1) / np.sqrt(3)), "errors": of, "cosine": None,
            "objective": 1.1 * self.bounds[rank], "bound": self.bounds[rank], "cophenetic": None, "converged": 4, "fits": 4,
        } for rank, of in errors.items()]  # fmt: skip
        words = "rank 3: the lowest held-out error; every smaller rank that was tried is worse"
        return {"rank": 3, "least": 3, "turned": True, "words": words, "notes": [], "table": rows}

    def complaints(self, record):
        return rank_judge.judge(self.data, record, ([1, 3, 4], 3, 1, 0.0))

    def test_answers_follow_from_the_table(self):
        self.assertEqual(self.complaints(self.record()), [])
        wrong = [{"rank": 4}, {"least": 1}, {"turned": False}, {"words": "rank 3: every smaller rank is worse"}]
        for changes in [*wrong, {"notes": ["1 of 12 fits hit the pass limit before their tolerance"]}]:
            self.assertNotEqual(self.complaints(self.record() | changes), [], changes)
        false = {"error": 0.1, "standard_error": 1.0, "converged": 5, "bound": 99.0, "objective": 1e-3, "cosine": 1.5, "errors": [0.5, -0.1, 0.2]}
        for name, value in false.items():
            record = self.record()
            record["table"][1][name] = value
            self.assertNotEqual(self.complaints(record), [], name)


class Intercepts(unittest.TestCase):
    def test_weights_and_the_free_entry(self):
        rng = np.random.default_rng(5)
        d, b, weights = np.c_[rng.normal(size=(12, 3)), np.ones(12)], rng.normal(size=12), rng.choice([0.0, 1.0, 3.0], size=12)
        model = Weighted(d, b, "least-squares", ButLast(Term("l1:0.2")), weights=weights)
        x, h = rng.normal(size=4), 1e-6
        slopes = [(model.smooth(x + h * e)[0] - model.smooth(x - h * e)[0]) / (2 * h) for e in np.eye(4)]
        np.testing.assert_allclose(model.smooth(x)[1], slopes, atol=1e-7)
        best = model.lower(x, 20000)
        self.assertLess(model.residual(best, 1 / model.curvature()), 1e-9)
        self.assertLess(abs(model.smooth(best)[1][-1]), 1e-9)
        # The same rows as often as they weigh.
        times = weights.astype(int)
        repeated = Linear(np.repeat(d, times, 0), np.repeat(b, times), "least-squares", model.term, mean=True)
        self.assertAlmostEqual(model.objective(x), repeated.objective(x))


if __name__ == "__main__":
    unittest.main()

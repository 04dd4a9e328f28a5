"""The judge of `solve` accepts true statements about a point and objects to false ones."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

from fuzz.judge import claims, solve_judge
from fuzz.judge.linear import Linear
from fuzz.judge.program import Outcome
from fuzz.judge.proxes import Term
from fuzz.judge.solve_problems import LOSSES, Case

SCRATCH = tempfile.TemporaryDirectory()  # removed when the tests end


def state(model, x, tol=1e-6, verdict="stationary", **changes):
    """A record that is true of x, with some numbers changed."""
    step = 1 / model.curvature()
    residual = model.residual(x, step) if model.term.convex else solve_judge.distance(model, x, model.smooth(x)[1], 0.0)
    scale = float(np.linalg.norm(model.smooth(0 * x)[1]))
    excess = model.objective(x) - model.objective(model.lower(x, 5000))
    point = {
        "objective": model.objective(x), "residual": residual, "reference_step": step, "prox_error": 0.0, "scale": scale,
        "gap": excess + 1e-9 if model.convex else None, "lower_bound": 0.0, "feasible": True,
    }  # fmt: skip
    start = changes.pop("start_objective", model.objective(0 * x))
    point |= changes
    cert = {"verdict": verdict, "words": "", "stationarity": point["residual"], "tolerance": tol * scale, "at_point": point}
    cert |= {"start_objective": start}
    folder = Path(tempfile.mkdtemp(dir=SCRATCH.name))
    np.save(folder / "x.npy", x)
    record = {"objective": point["objective"], "converged": verdict == "stationary", "reason": "", "certificate": cert}
    return Case(model, [], 0 * x, tol, 1000, False), Outcome([], 0, "", "", folder, record)


class SolveJudge(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(1)
        self.d, self.x = rng.normal(size=(30, 8)), rng.normal(size=8)
        self.b = self.d @ self.x + 0.3 * rng.normal(size=30)

    def model(self, loss, term):
        signs = loss in ("logistic", "sigmoid")
        return Linear(self.d, np.sign(self.b) if signs else self.b, loss, Term(term))

    def test_losses_have_their_slopes(self):
        for loss in LOSSES:
            model, h = self.model(loss, "zero"), 1e-6
            differences = [(model.objective(self.x + h * e) - model.objective(self.x - h * e)) / (2 * h) for e in np.eye(8)]
            np.testing.assert_allclose(model.smooth(self.x)[1], differences, rtol=1e-5, atol=1e-6)

    def test_true_statements_pass(self):
        for loss in ("least-squares", "huber:1", "logistic"):
            for term in ("l1:1", "nonneg", "l1:0.5+box:-1,1", "l2-ball:1"):
                model = self.model(loss, term)
                x = model.lower(np.zeros(8), 20000)
                self.assertEqual(solve_judge.judge(*state(model, x)), [], (loss, term))

    def test_two_ways_down_end_at_one_value(self):
        for term in ("l1:1", "nonneg", "elastic:0.5,2+box:-0.3,0.6", "zero"):
            model = self.model("least-squares", term)
            values = [model.objective(x) for x in (model.lower(np.zeros(8), 20000), model.quasi_newton(np.zeros(8)))]
            self.assertAlmostEqual(values[0], values[1], delta=1e-9 * values[0], msg=term)

    def test_false_statements_are_found(self):
        model = self.model("least-squares", "l1:1")
        x = model.lower(np.zeros(8), 20000)
        for changes in ({"objective": 0.0}, {"residual": 1e-3}, {"lower_bound": 1e9}, {"start_objective": 3.0}, {"feasible": False},
                        {"prox_error": None}, {"scale": 1e9}, {"reference_step": 1.0}):  # fmt: skip
            self.assertNotEqual(solve_judge.judge(*state(model, x, **changes)), [], changes)
        far = model.lower(np.zeros(8), 5)
        self.assertIn("gap", " ".join(solve_judge.judge(*state(model, far, gap=1e-12))))
        self.assertIn("residual", " ".join(solve_judge.judge(*state(model, far, verdict={"not-converged": "pass-limit"}, residual=0.0))))
        self.assertIn("tolerance", " ".join(solve_judge.judge(*state(model, far))))

    def test_optimal_needs_the_gap_that_was_asked_for(self):
        model = self.model("least-squares", "l1:1")
        x = model.lower(np.zeros(8), 20000)
        for asked_gap, gap, is_true in ((1e-6, 1e-9, True), (1e-6, 1e-2, False), (None, 1e-9, False), (1e-6, None, False)):
            asked, outcome = state(model, x, verdict="optimal", gap=gap)
            asked.gap, outcome.record["converged"] = asked_gap, True
            self.assertEqual(solve_judge.judge(asked, outcome) == [], is_true, (asked_gap, gap))

    def test_a_nonconvex_term_is_judged_by_its_subdifferential(self):
        for term in ("scad:1,3.7", "mcp:1,3", "l0:1", "capped-l1:1,0.5", "sphere:1", "sparse-ball:3"):
            model = self.model("least-squares", term)
            x = model.term.prox(np.zeros(8) + 0.1, 1.0)
            for _ in range(3000):
                x = model.term.prox(x - 0.9 / model.curvature() * model.smooth(x)[1], 0.9 / model.curvature())
            self.assertEqual(solve_judge.judge(*state(model, x)), [], term)
            moved = model.term.prox(x + 0.01 * (x != 0), 1e-9)
            self.assertIn("dist", " ".join(solve_judge.judge(*state(model, moved, residual=1e-6))), term)


class Claims(unittest.TestCase):
    def test_words_and_numbers(self):
        self.assertNotEqual(claims.words({"words": "stationary to tolerance: residual 1.46e3 ≤ 1.46e-3"}, "stationary"), [])
        self.assertEqual(claims.words({"words": "stationary to tolerance: residual 1.4e-4 ≤ 1.46e-3"}, "stationary"), [])
        self.assertNotEqual(claims.words({"words": "not converged: residual 1e-9 above 1e-3"}, "not-converged"), [])
        self.assertNotEqual(claims.words({"words": "stationary"}, "diverged"), [])

    def test_floors_need_a_constant_and_a_level(self):
        cert = {"stationarity": 2.0, "error_level": 1.0, "of_method": {"constant": 3.0}}
        self.assertEqual(claims.floor(cert), [])
        self.assertNotEqual(claims.floor(cert | {"error_level": 0.5}), [])
        self.assertNotEqual(claims.floor(cert | {"of_method": {"constant": None}}), [])

    def test_guarantees_need_their_assumptions(self):
        method = {"guarantee": "stationary", "assumptions": [{"name": "step", "standing": "proved", "text": ""}], "errors": []}
        self.assertEqual(claims.guarantee({"of_method": method}), [])
        violated = method | {"assumptions": [{"name": "step", "standing": "violated", "text": ""}]}
        self.assertNotEqual(claims.guarantee({"of_method": violated}), [])
        rests = method | {"assumptions": [{"name": "step", "standing": "estimated", "text": ""}]}
        for text, is_true in (("limit points are stationary", False), ("if the estimates below hold: limit points are stationary", True)):
            self.assertEqual(claims.condition({"guarantee": text, "of_method": rests}) == [], is_true)
            self.assertEqual(claims.condition({"guarantee": text, "of_method": method}), [])
        stays = method | {"errors": [{"source": "sampling", "level": {"measured": 0.1}}]}
        self.assertNotEqual(claims.guarantee({"of_method": stays}), [])
        self.assertEqual(claims.guarantee({"of_method": stays | {"guarantee": {"neighbourhood": {}}}}), [])


if __name__ == "__main__":
    unittest.main()

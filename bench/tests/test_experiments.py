"""Statistics, the store that a run resumes from, the search for a step, and the check of pages against rows."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

from experiments import design, verify
from experiments.__main__ import folder, results
from experiments.statistics import at, reached, spread
from experiments.store import Store


class Statistics(unittest.TestCase):
    def test_intervals_are_those_of_the_sign_test(self):
        # n = 10: the second and the ninth value cover the median with 97.9 %, the third and the eighth with 89 %.
        one = spread([float(v) for v in range(1, 11)])
        self.assertEqual((one.middle, one.low, one.high), (5.5, 2.0, 9.0))
        # n = 6: the extremes cover it with 96.9 %; with fewer values the extremes are all there is.
        self.assertEqual(spread([3.0, 1.0, 2.0, 5.0, 4.0, 6.0]).low, 1.0)
        self.assertEqual((spread([2.0, 1.0]).low, spread([2.0, 1.0]).high), (1.0, 2.0))

    def test_intervals_cover_the_median_as_often_as_they_say(self):
        random = np.random.default_rng(0)
        draws = [spread(list(random.exponential(size=10))) for _ in range(2000)]
        covered = np.mean([one.low <= np.log(2) <= one.high for one in draws])
        self.assertGreater(covered, 0.95)

    def test_times_are_read_between_points(self):
        points = [(1.0, 100.0), (4.0, 1.0)]
        self.assertAlmostEqual(reached(points, 10.0), 2.0)
        self.assertEqual(reached(points, 100.0), 1.0)
        self.assertEqual(reached(points, 0.5), np.inf)
        self.assertAlmostEqual(at([(10.0, 0.0), (5.0, 1.0)], 7.5), 0.5)
        self.assertTrue(np.isnan(at([(10.0, 0.0), (5.0, 1.0)], 4.0)))


class Resuming(unittest.TestCase):
    def test_rows_survive_and_a_torn_line_is_dropped(self):
        with tempfile.TemporaryDirectory() as place:
            store = Store(Path(place))
            store.add("runs", [{"arm": "a", "seed": 0, "value": 1.5}])
            store.add("runs", [{"arm": "a, b", "seed": 1, "value": np.inf}])
            with store.path("runs").open("a") as file:
                file.write("torn,2")
            again = Store(Path(place))
            self.assertTrue(again.has("runs", arm="a, b", seed=1))
            self.assertFalse(again.has("runs", arm="torn"))
            again.add("runs", [{"arm": "c", "seed": 2, "value": 0.25}])
            self.assertEqual([row["value"] for row in Store(Path(place)).rows("runs")], ["1.5", "inf", "0.25"])

    def test_the_search_leaves_the_border_and_then_refines(self):
        def search(best: float, budget: int) -> dict[float, float]:
            seen = {power: abs(power - best) for power in (-2.0, 0.0, 2.0)}
            while len(seen) < budget:
                power = design.following(seen)
                seen[power] = abs(power - best)
            return seen

        far = search(7.3, 7)
        self.assertFalse(design.is_border(far))
        self.assertLess(min(far.values()), 1.3)
        near = search(0.4, 7)
        self.assertEqual(len(near), 7)
        self.assertLess(min(near.values()), 0.3)
        self.assertTrue(design.is_border(search(40.0, 7)))


class Pages(unittest.TestCase):
    """On the pages of the last quick run, if there was one."""

    def test_a_changed_number_is_found(self):
        if not (results(True) / "figure2.csv").exists():
            self.skipTest("no quick run yet")
        store = Store(results(True))
        self.assertEqual(verify.differences(store, folder(True), True), [])
        # A single seed may not move a median, but all of an arm do.
        for row in store.rows("figure2", role="score", arm=design.ARMS[0].name):
            row["objective"] = str(float(row["objective"]) * 1.5)
        self.assertNotEqual(verify.differences(store, folder(True), True), [])


if __name__ == "__main__":
    unittest.main()

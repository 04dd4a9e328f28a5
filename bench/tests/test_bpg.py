"""BPG-NMF lowers the objective with every step, and its cubic is solved."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

from bench.case import Case
from bench.clock import Clock
from bench.evaluate import score
from bench.peers import Job, numpy_bpg


class Bpg(unittest.TestCase):
    def test_the_cubic_is_solved(self):
        for cubic, linear in [(1e-9, 2.0), (3.0, 1.0), (1e12, 1e-3)]:
            r = numpy_bpg.root(cubic, linear)
            self.assertAlmostEqual(cubic * r**3 + linear * r, 1.0, places=9)

    def test_the_objective_falls(self):
        case = Case("test", "test", 3, 0.2)
        case.__dict__["stored"] = np.random.default_rng(0).random((30, 20))
        with tempfile.TemporaryDirectory() as folder:
            clock = Clock(0.2, Path(folder))
            numpy_bpg.run(Job(case, 1, 1, {}, True), clock)
            values = [score(case, np.load(Path(folder) / point["x"])).objective for point in clock.points]
        self.assertLess(values[-1], 0.9 * values[0])
        self.assertTrue(all(b <= a * (1 + 1e-9) for a, b in zip(values, values[1:], strict=False)))


if __name__ == "__main__":
    unittest.main()

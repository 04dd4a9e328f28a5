"""Random runs of `factorize` try every option and every value of those that have few, on every kind of data."""

import tempfile
import unittest
from collections import Counter
from pathlib import Path

import numpy as np

from fuzz.judge.options import choose
from fuzz.judge.problems import KINDS, make

WITH_VALUES = {
    "--method": {"auto", "batch", "incremental", "aggregated", "sggd"},
    "--dtype": {"f32", "f64"},
    "--metric": {"scalar", "gram"},
    "--rescale": {"yes", "no"},
    "--inner": {"identity"},
    "--init": {"auto", "random", "nndsvd", "nndsvda", "nndsvdar"},
    "--missing": {"nan", "unstored"},
    "--samples": {"rows"},
}
OTHERS = {
    "--batch", "--step", "--codes-tol", "--fixed-x", "--x-graph", "--a-graph", "--restarts", "--consensus", "--weights", "--row-weights",
    "--column-weights", "--scale", "--x-penalty", "--a-penalty", "--sparse-out", "--strict",
}  # fmt: skip


class Options(unittest.TestCase):
    def test_nothing_is_left_out(self):
        names, values, losses, kinds = Counter(), {name: set() for name in WITH_VALUES}, set(), set()
        with tempfile.TemporaryDirectory() as folder:
            for number in range(600):
                rng = np.random.default_rng([7, number])
                data = make(rng, Path(folder))
                choice = choose(rng, data)
                words = [*map(str, data.options), *map(str, choice.arguments)]
                names.update(word for word in words if word.startswith("--"))
                for name, seen in values.items():
                    if name in words:
                        seen.add(words[words.index(name) + 1])
                losses.add("huber" if choice.bound < np.inf else choice.loss)
                kinds.add(data.kind.split()[0].split("·")[0])
        self.assertEqual(values, WITH_VALUES)
        self.assertEqual(OTHERS - set(names), set())
        self.assertEqual(losses, {"squared", "kl", "huber"})
        self.assertEqual(kinds, set(KINDS))


if __name__ == "__main__":
    unittest.main()

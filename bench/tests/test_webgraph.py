"""The generated graph has the size that was asked for, no empty row or column, and a heavy tail."""

import unittest

import numpy as np

from experiments import webgraph


class WebGraph(unittest.TestCase):
    def test_size_and_tail(self):
        graph = webgraph.make((700, 900), 4000)
        self.assertEqual((graph.shape, graph.nnz), ((700, 900), 4000))
        self.assertEqual(set(graph.data), {1.0})
        rows, cols = (np.asarray(graph.sum(axis=axis)).ravel() for axis in (1, 0))
        self.assertGreaterEqual(min(rows.min(), cols.min()), 1)
        self.assertGreater(rows.max(), 5 * rows.mean())


if __name__ == "__main__":
    unittest.main()

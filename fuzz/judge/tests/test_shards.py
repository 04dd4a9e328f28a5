"""Random runs over shards whose every number is computed again from the data and the factors that they return."""

import json
import unittest

import numpy as np
import scipy.sparse
from proxsplit import _proxsplit, _shards

from .. import factor_judge
from ..factor_math import Problem
from ..options import Choice, term
from ..program import Outcome

METHODS = ("batch", "aggregated", "incremental")


class Sharded(Outcome):
    """A run over shards in this process."""

    def array(self, name):
        return self.factors[name].astype(float)


def random_case(rng, method):
    """(Y, the choice of a run over it)"""
    rank = int(rng.integers(1, 5))
    shape = rank, *map(int, rng.integers(6, 30, 2))
    y = rng.random((shape[1], rank)) @ rng.random((rank, shape[2])) + 0.1 * rng.random(shape[1:])
    if rng.random() < 0.4:
        y = scipy.sparse.csc_matrix(np.where(rng.random(y.shape) < 0.3, y, 0.0))
    dtype = str(rng.choice(["f32", "f64"], p=[0.3, 0.7]))
    (x_penalty, x_set, x_term), (a_penalty, a_set, a_term) = (term(rng, 1.0, length) for length in (shape[1], rank))
    texts = ["+".join(t for t in pair if t) for pair in ((x_penalty, x_set), (a_penalty, a_set))]
    passes = float(rng.choice([3, 40, 400]))
    return y, Choice(texts, rank, x_term, a_term, dtype, 1e-3 if dtype == "f32" else 1e-5, passes, False, method)


def sharded(rng, y, choice):
    """The outcome of a run over a random number of shards of random sizes."""
    samples = y.shape[1]
    cuts = np.sort(rng.choice(np.arange(1, samples), int(rng.integers(0, min(5, samples - 1))), replace=False))
    how = {"rank": choice.rank, "atoms": choice.arguments[0], "codes": choice.arguments[1], "single": choice.dtype == "f32"}
    rows = y.T.tocsr() if scipy.sparse.issparse(y) else np.ascontiguousarray(y.T)
    ends = [0, *map(int, cuts), samples]
    shards = [
        _shards.shard(rows[a:b], i, f"shard {i}", expected=rows.dtype, signed=True, threads=1, **how)
        for i, (a, b) in enumerate(zip(ends[:-1], ends[1:], strict=True))
    ]
    settings = {
        **how, "init": str(rng.choice(["auto", "random"])), "tol": choice.tol, "passes": choice.passes, "time": None, "seed": int(rng.integers(99)),
        "method": choice.method, "batch_size": None, "threads": 1,
    }  # fmt: skip
    answer = _proxsplit.factorize_shards(_shards.local(shards), settings)
    record = json.loads(answer["record"])
    trace = record.pop("trace")
    record["sparsity"] = dict(zip(("x", "a"), answer["zeros"], strict=True))
    outcome = Sharded(["shards", *cuts, json.dumps(settings)], 0, "", "", record=record, trace=trace)
    outcome.factors = {"X": answer["H"].T, "A": np.concatenate([shard.codes() for shard in shards]).T}
    return outcome


def complaints(y, choice, outcome):
    """What is not true of the outcome, by plain sums over all data."""
    dense = y.toarray() if scipy.sparse.issparse(y) else y
    problem = Problem(dense, None, choice.x_term, choice.a_term, scipy.sparse.issparse(y))
    x, a = outcome.array("X"), outcome.array("A")
    truth = problem.objective(x, a)
    found = factor_judge.feasible(choice, x, a)
    found += factor_judge.objective(problem, choice, outcome, x, a, truth)
    found += factor_judge.pair(problem, choice, outcome, x, a)
    return found + factor_judge.bounds(problem, choice, outcome, x, a, truth)


class Shards(unittest.TestCase):
    """Certificates of runs over shards."""

    def test_random_runs(self):
        verdicts = set()
        for seed in range(36):
            rng = np.random.default_rng(seed)
            y, choice = random_case(rng, METHODS[seed % 3])
            with self.subTest(seed=seed), np.errstate(all="ignore"):
                outcome = sharded(rng, y, choice)
                verdicts.add(outcome.verdict)
                self.assertEqual(complaints(y, choice, outcome), [], outcome.command)
        self.assertIn("stationary", verdicts)

    def test_the_judge_sees_lies(self):
        rng = np.random.default_rng(1)
        y, choice = random_case(rng, "batch")
        outcome = sharded(rng, y, choice)
        self.assertEqual(complaints(y, choice, outcome), [])
        for name in ("residual_x", "residual_a"):
            pair = outcome.certificate["at_point"]["pair"]
            honest, pair[name] = pair[name], 2 * pair[name] + 1.0
            self.assertTrue(complaints(y, choice, outcome), name)
            pair[name] = honest
        outcome.record["objective"] *= 1.01
        self.assertTrue(complaints(y, choice, outcome))


if __name__ == "__main__":
    unittest.main()

"""Every prox against its definition: no point, near or far, has a lower value of g + ‖x − y‖²/2η."""

import unittest

import numpy as np

from fuzz.judge.proxes import Term

TERMS = """zero l1:0.3 l2:0.7 linf:0.6 sql2:2 elastic:0.3,0.5 group-l2:0.4,3 group-linf:0.4,3 sparse-group:0.2,0.3,2 tv1d:0.4
fused:0.1,0.3 tv2d:0.3,3x4 tv2d-aniso:0.3,3x4 oscar:0.1,0.05 huber:0.5,0.4 entropy:0.3 nuclear:0.4,3x4 l0:0.3 lp:0.4,1/2 lp:0.4,2/3
scad:0.4,3 mcp:0.5,1.5 log-sum:0.4,0.3 capped-l1:0.5,0.6 rank:0.4,3x4 nonneg box:-0.5,0.8 binary simplex:1.5 l1-ball:1 l2-ball:0.8
linf-ball:0.5 sphere:1.2 sum:0.5 box-sum:-0.5,1,1 monotone soc sparse-ball:3 rank-ball:2,3x4
l1:0.3+nonneg l1:0.2+box:-0.4,0.6 l1:0.2+simplex:1 l1:0.2+l1-ball:1 l1:0.2+l2-ball:0.7 l1:0.2+monotone l1:0.2+sparse-ball:3 nonneg+l2-ball:1
nonneg+l1-ball:1 nonneg+monotone nonneg+sparse-ball:2 nonneg+sphere:1 group-l2:0.3,3+nonneg l2:0.4+nonneg linf:0.4+nonneg l2:0.4+l2-ball:0.5
elastic:0.2,0.4+simplex:2 sql2:0.5+monotone scad:0.3,3+box:0,1 mcp:0.4,2+nonneg l0:0.2+nonneg huber:0.5,0.3+nonneg lp:0.3,1/2+nonneg
elastic:0.1,0.3+nonneg sparse-group:0.1,0.2,3+nonneg capped-l1:0.3,0.5+nonneg log-sum:0.3,0.5+box:0,2 l1:0.2+binary""".split()


def rivals(term, x, rng):
    """Feasible points near x and far from it."""
    for size in (1e-3, 1e-2, 0.1, 1.0):
        for _ in range(40):
            mask = rng.random(x.shape) < rng.choice([0.1, 0.5, 1.0])
            z = x + size * mask * rng.normal(size=x.shape)
            z = np.where(rng.random(x.shape) < 0.1, 0.0, z)
            for _ in range(30 if len(term.sets) > 1 else 1):
                for name, args in term.sets:
                    z = Term(_text(name, args)).prox(z, 1.0)
            if "entropy" in term.names:
                z = np.maximum(z, 0)
            if term.excess(z, 1e-16)[0] <= 1e-9:
                yield z


def _text(name, args):
    forms = [f"{a[0]}x{a[1]}" if isinstance(a, tuple) else repr(a) for a in args]
    return name + (":" + ",".join(forms) if forms else "")


class Prox(unittest.TestCase):
    def test_nothing_is_better(self):
        for text in TERMS:
            term, rng = Term(text), np.random.default_rng(3)
            for eta in (0.3, 1.0, 2.5):
                y = 1.2 * rng.normal(size=12)
                with self.subTest(text=text, eta=eta):
                    x = term.prox(y, eta)
                    amount, allowed = term.excess(x, 2**-52)
                    self.assertLessEqual(amount, allowed + 1e-15)
                    cost = term.value(x) + ((x - y) ** 2).sum() / (2 * eta)
                    for z in rivals(term, x, rng):
                        rival = term.value(z) + ((z - y) ** 2).sum() / (2 * eta)
                        self.assertLessEqual(cost, rival + 1e-9 * (1 + abs(rival)))

    def test_columns_are_points_of_their_own(self):
        rng = np.random.default_rng(4)
        y = rng.normal(size=(12, 5))
        for text in TERMS:
            term = Term(text)
            with self.subTest(text=text):
                whole, one = term.prox(y, 0.7), np.column_stack([term.prox(c, 0.7) for c in y.T])
                np.testing.assert_allclose(whole, one, atol=1e-12)

    def test_the_prox_of_a_separable_term_is_stationary_by_its_slopes(self):
        rng = np.random.default_rng(5)
        for text in TERMS:
            term = Term(text)
            if term.separable:
                with self.subTest(text=text):
                    y = 1.5 * rng.normal(size=12)
                    x = term.prox(y, 0.6)
                    self.assertLessEqual(term.dist_slopes(x, (y - x) / 0.6), 1e-9)


if __name__ == "__main__":
    unittest.main()

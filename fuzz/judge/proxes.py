"""Terms in text form (`l1:0.1+nonneg`): value, prox, excess and slopes, written from their definitions.

All functions take a matrix whose columns are points of their own. Rules that join two terms have their reason beside them; where there is
none, a term is `None` in `rule` and the caller leaves the combination out.
"""

import re

import numpy as np

from . import projections, scalar, variation

SCALAR = {"l1", "sql2", "huber", "entropy", "l0", "lp", "scad", "mcp", "log-sum", "capped-l1"}
INTERVAL = {"nonneg", "box", "linf-ball"}
SETS = INTERVAL | {"binary", "simplex", "l1-ball", "l2-ball", "sphere", "sum", "box-sum", "monotone", "soc", "psd", "sparse-ball"}
SETS |= {"rank-ball"}
NONCONVEX = {"l0", "lp", "scad", "mcp", "log-sum", "capped-l1", "rank", "binary", "sphere", "sparse-ball", "rank-ball"}


def _argument(text):
    if "x" in text and text[0].isdigit():
        return tuple(int(n) for n in text.split("x"))
    if "/" in text:
        top, bottom = text.split("/")
        return float(top) / float(bottom)
    return float(text)


def _atoms(text):
    """(name, args) of each summand; `elastic` is l1 + sql2, `zero` and weights of 0 disappear."""
    atoms = []
    for part in re.split(r"(?<![eE])\+", text.replace(" ", "")):
        name, _, rest = part.partition(":")
        args = [_argument(a) for a in rest.split(",")] if rest else []
        if name == "elastic":
            atoms += [("l1", args[:1]), ("sql2", args[1:])]
        elif name != "zero":
            atoms.append((name, args))
    return atoms


class Term:
    """g in text form."""

    def __init__(self, *texts):
        self.text = "+".join(t for t in texts if t) or "zero"
        self.atoms = _atoms(self.text)
        self.names = {name for name, _ in self.atoms}
        self.convex = not self.names & NONCONVEX
        self.sets = [(n, a) for n, a in self.atoms if n in SETS]
        self.penalties = [(n, a) for n, a in self.atoms if n not in SETS]
        self.separable = all(n in SCALAR | INTERVAL | {"binary"} for n in self.names)

    def value(self, x):
        """The penalties' sum over all columns (sets: see `excess`)."""
        x = _columns(x)
        return float(sum(_value(name, args, x) for name, args in self.penalties))

    def excess(self, x, unit, tiny=0.0):
        """(amount outside, what rounding of relative size `unit`, and to multiples of `tiny`, explains), the worst set."""
        x, worst = _columns(x), (0.0, 0.0)
        for name, args in self.sets:
            size = max([abs(v) for v in args if isinstance(v, float) and np.isfinite(v)], default=1.0)
            allowed = 0.0 if name in projections.EXACT else 16 * len(x) * unit + len(x) * tiny / max(size, 1e-300)
            amount = projections.excess(name, args, x)
            if amount - allowed > worst[0] - worst[1]:
                worst = (amount, allowed)
        return worst

    def step_limit(self):
        """1/m for an m that makes g + (m/2)‖x‖² convex, ∞ where no step is too long."""
        moduli = {"mcp": lambda a: 1 / a[1], "scad": lambda a: 1 / (a[1] - 1), "log-sum": lambda a: a[0] / a[1] ** 2}
        return 1 / max([moduli[n](a) for n, a in self.penalties if n in moduli], default=1e-300)

    def prox(self, y, eta):
        """argmin g(x) + ‖x − y‖²/2η for each column."""
        flat = np.ndim(y) == 1
        x = self._prox(_columns(y).astype(float), float(eta))
        return x[:, 0] if flat else x

    def _prox(self, y, eta):
        # g + (W/2)‖x‖²: complete the square, for any g.
        for _, (weight,) in [a for a in self.atoms if a[0] == "sql2"]:
            y, eta = y / (1 + eta * weight), eta / (1 + eta * weight)
        atoms = [a for a in self.atoms if a[0] != "sql2"]
        if all(n in SCALAR | INTERVAL for n, _ in atoms):
            return _elementwise(atoms, y, eta)
        if "simplex" in self.names:  # ‖x‖₁ is constant there, and as a shift it would take digits away
            atoms = [a for a in atoms if a[0] != "l1"]
        if self.nonnegative():  # ‖x‖₁ is Σx there: a shift
            for _, (weight,) in [a for a in atoms if a[0] == "l1"]:
                y = y - eta * weight
            atoms = [a for a in atoms if a[0] != "l1"]
        if len(atoms) == 1:
            return _single(*atoms[0], y, eta)
        return _joined(atoms, y, eta)

    def nonnegative(self):
        """Whether a set keeps x ≥ 0."""
        return any(n in ("nonneg", "simplex", "binary") or (n in ("box", "box-sum") and a[0] >= 0) for n, a in self.sets)

    def dist_slopes(self, x, v, unit=0.0):
        """dist(v, ∂g(x)) in the Euclidean norm, for separable terms; bounds are met up to their own rounding, relative `unit`."""
        pieces = [(np.zeros_like(x), np.zeros_like(x))]
        for name, args in self.atoms:
            if name == "binary":  # every point of the set is alone: the normal cone is the whole line
                return 0.0
            if name in INTERVAL:
                low, high = projections.bounds(name, args)
                at_low, at_high = (x <= low + unit * abs(low), x >= high - unit * abs(high))
                more = [(np.where(at_low, -np.inf, 0.0), np.where(at_high, np.inf, 0.0))]
            else:
                more = scalar.slopes(name, args, x)
            pieces = [(a + c, b + d) for a, b in pieces for c, d in more]
        gaps = [np.maximum(np.maximum(low - v, v - high), 0.0) for low, high in pieces]
        return float(np.linalg.norm(np.min(gaps, axis=0)))


def _columns(x):
    return x[:, None] if np.ndim(x) == 1 else x


def _value(name, args, x):
    if name in SCALAR:
        return scalar.value(name, args, x).sum()
    if name == "l2":
        return args[0] * np.linalg.norm(x, axis=0).sum()
    if name == "linf":
        return args[0] * np.abs(x).max(axis=0).sum()
    if name in ("group-l2", "group-linf", "sparse-group"):
        order = np.inf if name == "group-linf" else 2
        norms = sum(np.linalg.norm(g, order, axis=0).sum() for g in _groups(x, args[-1]))
        return args[-2] * norms + (args[0] * np.abs(x).sum() if name == "sparse-group" else 0.0)
    return variation.value(name, args, x)


def _groups(x, size):
    return [x[i : i + int(size)] for i in range(0, len(x), int(size))]


def _elementwise(atoms, y, eta):
    low, high, penalties = -np.inf, np.inf, []
    for name, args in atoms:
        if name in INTERVAL:
            a, b = projections.bounds(name, args)
            low, high = max(low, a), min(high, b)
        else:
            penalties.append((name, args))
    if not penalties:
        return np.clip(y, low, high)
    if len(penalties) > 1:
        raise NotImplementedError("two elementwise penalties")
    return scalar.prox(*penalties[0], y, eta, low, high)


def _single(name, args, y, eta):
    if name in SETS:
        return projections.project(name, args, y)
    if name in SCALAR:
        return scalar.prox(name, args, y, eta)
    if name == "l2":
        return _shrink(y, eta * args[0])
    if name == "linf":  # Moreau: the rest is the nearest point of an l1-ball
        return y - projections.project("l1-ball", [eta * args[0]], y)
    if name == "group-l2":
        return np.vstack([_shrink(g, eta * args[0]) for g in _groups(y, args[1])])
    if name == "group-linf":
        return np.vstack([_single("linf", args[:1], g, eta) for g in _groups(y, args[1])])
    if name == "sparse-group":  # the ball of l2 is invariant to signs and order: first l1, then the groups
        soft = scalar.prox("l1", args[:1], y, eta)
        return _single("group-l2", args[1:], soft, eta)
    return variation.prox(name, args, y, eta)


def _shrink(y, amount):
    norms = np.linalg.norm(y, axis=0)
    return y * np.maximum(1 - amount / np.where(norms > 0, norms, 1.0), 0)


def _joined(atoms, y, eta):
    """Two or more terms, each pair by a rule that is exact."""
    by_name = dict(atoms)
    names = set(by_name)

    def step(name, z):
        return _single(name, by_name[name], z, eta)

    if names == {"monotone", "nonneg"} or names == {"monotone", "l1"}:
        other = (names - {"monotone"}).pop()  # h(x_i) the same for all i: h's prox after isotonic regression
        return step(other, step("monotone", y))
    for first in ("nonneg", "l1"):
        rest = names - {first}
        # The multiplier of a norm (of its ball) only scales or shrinks what is left: signs and zeros come first.
        scaled = {"l2", "l2-ball", "l1-ball", "linf", "group-l2", "group-linf", "sparse-group", "sparse-ball", "sphere"}
        if first in names and len(rest) == 1 and rest <= scaled - ({"linf", "group-linf", "sphere"} if first == "l1" else set()):
            z = step(first, y)
            if rest == {"sphere"}:
                z[np.argmax(y, 0)[~z.any(0)], np.flatnonzero(~z.any(0))] = 1.0
            return step(rest.pop(), z)
    if names == {"l2", "l2-ball"}:
        return step("l2-ball", step("l2", y))
    raise NotImplementedError(" + ".join(sorted(names)))

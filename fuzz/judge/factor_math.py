"""Σ w·ρ(y − z) + Σ gx(x_k) + Σ ga(a_t), Z = XA, by plain sums: objective, residuals of both factors, better codes, escapes, descent.

ρ is r²/2, or Huber's. The first atoms may be fixed: gx does not act on them, and no residual counts them. Graphs, as Laplacians L with the
term ½tr(FᵀLF), tie rows of X and columns of A together.
"""

from dataclasses import dataclass

import numpy as np

from .proxes import Term


@dataclass
class Problem:
    """Data, weights (None: all 1; 0 where missing), the terms of both factors, Huber's bound and the number of fixed atoms."""

    y: np.ndarray
    weights: np.ndarray | None
    x_term: Term
    a_term: Term
    sparse: bool = False
    bound: float = np.inf
    fixed: int = 0
    x_graph: np.ndarray | None = None
    a_graph: np.ndarray | None = None

    @property
    def largest(self):
        """The largest weight, which bounds the curvature."""
        return 1.0 if self.weights is None else max(float(self.weights.max(initial=0.0)), 1e-300)

    def pull(self, x, a):
        """W∘ρ′(Y − XA), the slope of the misfit in −Z."""
        r = np.clip(self.y - x @ a, -self.bound, self.bound)
        return r if self.weights is None else self.weights * r

    def misfit(self, x, a):
        """Σ w·ρ(y − z)"""
        r = self.y - x @ a
        value = 0.5 * r * r
        if self.bound < np.inf:
            value = np.where(np.abs(r) <= self.bound, value, self.bound * (np.abs(r) - 0.5 * self.bound))
        return float((value if self.weights is None else self.weights * value).sum())

    def data(self, x, a):
        """W∘ρ′(Y), the slope of the misfit where XA = 0: what cancels in the slopes at a solution."""
        pull = np.clip(self.y, -self.bound, self.bound)
        return pull if self.weights is None else self.weights * pull

    def terms(self, x, a):
        """The penalties; those of X over its free atoms."""
        free = x[:, self.fixed :]
        return self.x_term.value(free) + self.a_term.value(a) + energy(self.x_graph, free) + energy(self.a_graph, a.T)

    def objective(self, x, a):
        return self.misfit(x, a) + self.terms(x, a)

    def prox_x(self, x, eta):
        """The prox of the free atoms."""
        return np.hstack([x[:, : self.fixed], self.x_term.prox(x[:, self.fixed :], eta)]) if self.fixed < x.shape[1] else x

    def curvatures(self, x, a):
        """The L of X for this A: of the entries that count, and of all."""
        curvature = largest(a @ a.T) * self.largest
        least = curvature
        if self.weights is not None:
            least = max(largest((a * w) @ a.T) for w in self.weights)
        if self.bound < np.inf:
            least = 0.0  # where all entries are beyond the bound there is no curvature
        return max(least, stiffness(self.x_graph)), curvature + stiffness(self.x_graph)

    def slope_size(self, x, a):
        """The size of the terms of the slope of X, for its rounding, and the typical size of what cancels in it."""
        size, data = float(np.linalg.norm(x)), float(np.linalg.norm(self.y))
        rounds = (size * np.linalg.norm(a) ** 2 + data * np.linalg.norm(a)) * self.largest
        # A factor whose square underflows is no smaller than what two factors of one size would leave.
        return rounds, data**2 / size if size > 0 else data**1.5

    def largest_exchange(self, x, a):
        """What exchanging one atom for two, a change of rank 3, can gain at most."""
        fit = 0.5 * float((np.linalg.svd(self.pull(x, a), compute_uv=False)[:3] ** 2).sum())
        if self.weights is not None or self.bound < np.inf:
            fit = self.misfit(x, a)
        return fit + self.terms(x, a)

    def rounding(self, x, a, unit):
        """What sums of rounding errors may add to the objective: the misfit's entries are off by about u·(|X||A| + |Y|)."""
        size = np.linalg.norm(np.abs(x) @ np.abs(a)) + np.linalg.norm(self.y)
        error = (8 + x.shape[1]) * unit * size
        r = np.linalg.norm(self.pull(x, a))
        error *= np.sqrt(self.largest)
        terms = self.terms(x, a)
        # Sparse data too large for a dense misfit may be summed as ‖Y‖² − 2⟨Y, XA⟩ + ‖XA‖² in double precision.
        expanded = 32 * 2.0**-53 * size**2 * self.largest if self.sparse else 0.0
        return r * error * np.sqrt(self.largest) + error**2 + 64 * unit * (self.misfit(x, a) + abs(terms)) + expanded

    def turned(self):
        """The same problem for (Aᵀ, Xᵀ), as far as the misfit goes."""
        weights = None if self.weights is None else self.weights.T
        return Problem(self.y.T, weights, self.a_term, self.x_term, self.sparse, self.bound, x_graph=self.a_graph, a_graph=self.x_graph)


@dataclass
class Side:
    """R, scale and L of one factor with the other fixed."""

    residual: float
    scale: float
    least_curvature: float
    curvature: float
    rounding: float
    typical: float


def energy(graph, rows):
    """½tr(FᵀLF) for the rows of F, as ½Σ s_ij‖f_i − f_j‖² over all edges."""
    if graph is None:
        return 0.0
    i, j = np.nonzero(np.triu(-graph, 1))
    return 0.5 * float((-graph[i, j] * ((rows[i] - rows[j]) ** 2).sum(axis=1)).sum())


def stiffness(graph):
    """‖L‖, 0 without a graph."""
    return 0.0 if graph is None else largest(graph)


def pulled(pull, graph, rows):
    """The negative slope of the misfit, and that of the graph."""
    return pull if graph is None else pull - graph @ rows


def largest(gram):
    return float(np.linalg.eigvalsh(gram)[-1]) if gram.size and np.isfinite(gram).all() else np.inf


def side_x(problem, x, a, step=None, unit=2.0**-53):
    """R_X = ‖X − P_η(X − η∇F)‖/η at η = `step` (1/L if absent), with scale ‖YAᵀ‖."""
    return _side(problem, x, a, problem.prox_x, problem.x_term, step, unit)


def side_a(problem, x, a, step=None, unit=2.0**-53):
    """R_A in the same way: the roles are exchanged, the prox still acts on the columns of A."""
    turned = problem.turned()
    return _side(turned, a.T, x.T, lambda z, eta: problem.a_term.prox(z.T, eta).T, problem.a_term, step, unit, transpose=True)


def _side(problem, x, a, prox, term, step, unit, transpose=False):
    least, curvature = problem.curvatures(x, a)
    eta = step or (1 / curvature if curvature > 0 else 1.0)
    gradient = -pulled(problem.pull(x, a) @ a.T, problem.x_graph, x)
    gradient[:, : problem.fixed] = 0
    size, typical = problem.slope_size(x, a)
    size += stiffness(problem.x_graph) * np.linalg.norm(x)
    # A prox subtracts what a penalty weighs from every entry, and a set such as a simplex may add it again.
    weighed = sum(args[0] for name, args in term.penalties if name in ("l1", "elastic")) * np.sqrt(x.size)
    rounding = (16 + np.sqrt(a.shape[1])) * unit * (size + np.linalg.norm(x) / eta + weighed)
    point = x - eta * gradient
    nearest = prox(point, eta)
    if not term.convex:
        for other in (prox(point * (1 + 16 * unit * (x != 0)), eta), x):
            nearest = _settle_ties(term, other, nearest, point, eta, transpose)
    scale = np.linalg.norm(problem.data(x, a) @ a.T)
    if problem.x_graph is not None:
        scale = max(scale, np.linalg.norm(np.diag(problem.x_graph)[:, None] * x[:, problem.fixed :]))
    return Side(float(np.linalg.norm(x - nearest) / eta), float(scale), least, curvature, float(rounding), typical)


def _settle_ties(term, other, nearest, point, eta, transpose):
    """A nonconvex prox has several values at a tie: where `other` is one of them, up to rounding, it counts as the nearest."""
    if transpose:
        other, nearest, point = other.T, nearest.T, point.T
    settled = nearest.copy()
    for k in range(point.shape[1]):
        there, best = (term.value(z[:, k]) * eta + 0.5 * ((z[:, k] - point[:, k]) ** 2).sum() for z in (other, nearest))
        if there <= best + 1e-12 * (abs(best) + float(point[:, k] @ point[:, k])):
            settled[:, k] = other[:, k]
    return settled.T if transpose else settled


def better_codes(problem, x, a, rounds=400):
    """A with F(X, A) as low as accelerated proximal gradients with restarts get it: the difference is a gap that is really there."""
    if hasattr(problem, "better_codes"):
        return problem.better_codes(x, a, rounds)
    curvature = largest(x.T @ x) * problem.largest + stiffness(problem.a_graph)
    if not 0 < curvature < np.inf:
        return a
    eta, z, t, current = 1 / curvature, a, 1.0, a
    best, least = a, problem.objective(x, a)
    for i in range(rounds):
        new = problem.a_term.prox(z + eta * pulled(problem.pull(x, z).T @ x, problem.a_graph, z.T).T, eta)
        t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
        if ((z - new) * (new - current)).sum() > 0 or not problem.a_term.convex:
            t, t_next = 1.0, 1.0
        z, current, t = new + (t - 1) / t_next * (new - current), new, t_next
        if i % 10 == 9:
            value = problem.objective(x, current)
            if value < least:
                best, least = current, value
    return best


def dead_atoms(x, a, fixed=0):
    return [k for k in range(fixed, x.shape[1]) if not (x[:, k].any() and a[k].any())]


def escape(problem, x, a, k):
    """What the best atom that a few alternations find gains in place of the dead atom k, everything else fixed.

    Only for the squared misfit where each code may change alone (separable terms of A, no graphs): elsewhere 0, which accuses nobody.
    """
    if problem.x_graph is not None or problem.a_graph is not None:
        return 0.0
    if type(problem) is not Problem or not problem.a_term.separable or not (x.size and np.isfinite(x).all()):
        return 0.0
    rest_x, rest_a = np.delete(x, k, 1), np.delete(a, k, 0)
    before = problem.objective(x, a)
    r = problem.pull(rest_x, rest_a) / problem.largest
    if not np.isfinite(r).all() or not r.any():
        return 0.0
    u, _s, _v = np.linalg.svd(r, full_matrices=False)
    starts = [u[:, [0]], -u[:, [0]], r[:, [int(np.argmax((np.maximum(r, 0) ** 2).sum(0)))]]]
    best = 0.0
    for d in starts:
        for _ in range(30):
            d = problem.x_term.prox(d, 1e-12) if not problem.x_term.penalties else d
            square = float((d * d).sum())
            if not square > 0:
                break
            code = _row(problem.a_term, r.T @ d / square, 1 / square / problem.largest)
            square = float((code * code).sum())
            if not square > 0:  # no codes, or such as underflow in squares
                break
            d = problem.x_term.prox(r @ code / square, 1 / square / problem.largest)
            new_x, new_a = np.insert(rest_x, k, d[:, 0], 1), np.insert(rest_a, k, code[:, 0], 0)
            best = max(best, before - problem.objective(new_x, new_a))
    return float(best)


def _row(term, y, eta):
    """Codes of one atom: a separable term does not care whether entries stand in a row or a column."""
    return term.prox(y, eta)


def descend(problem, x, a, rounds=60, inner=3):
    """Alternating proximal gradient steps at 1/L: an objective that is reachable, hence an upper bound of every lower bound."""
    best = problem.objective(x, a)
    for _ in range(rounds):
        for _ in range(inner):
            curvature = largest(a @ a.T) * problem.largest + stiffness(problem.x_graph)
            if 0 < curvature < np.inf:
                slope = pulled(problem.pull(x, a) @ a.T, problem.x_graph, x)
                slope[:, : problem.fixed] = 0
                x = problem.prox_x(x + slope / curvature, 1 / curvature)
        for _ in range(inner):
            curvature = largest(x.T @ x) * problem.largest + stiffness(problem.a_graph)
            if 0 < curvature < np.inf:
                slope = pulled(problem.pull(x, a).T @ x, problem.a_graph, a.T).T
                a = problem.a_term.prox(a + slope / curvature, 1 / curvature)
        value = problem.objective(x, a)
        if np.isfinite(value):
            best = min(best, value)
    return best


def singular_bound(problem, rank):
    """½Σ_{i>K} σ_i², a lower bound of every objective of this rank where all entries count alike."""
    if problem.weights is not None or problem.bound < np.inf or type(problem) is not Problem:
        return 0.0
    s = np.linalg.svd(problem.y, compute_uv=False)
    return 0.5 * float((s[rank:] ** 2).sum())

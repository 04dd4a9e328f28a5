"""Judges `solve --path`: the list of weights, and every number of every row again from D, b and path.npy."""

import numpy as np

from . import claims, solve_judge, solve_problems
from .linear import Linear
from .program import Outcome
from .proxes import Term
from .solve_problems import Case

DROPPED = ("--step", "--start", "--gap", "--passes", "--batch", "--inner", "--method")


def case(rng, program):
    """Make a problem, follow its path, judge it; returns (verdict, outcome, complaints)."""
    asked = solve_problems.make(rng, program.folder)
    count, end = int(rng.integers(1, 9)), 10 ** rng.uniform(-3, -0.1)
    arguments = solve_judge.without(asked.arguments, *DROPPED)
    outcome = program.run([*arguments, "--path", count, "--path-end", f"{end:.4g}"])
    if outcome.crashed:
        return "crashed", outcome, [outcome.err.strip()[-300:] or f"exit code {outcome.code}"]
    if outcome.refused:
        return "refused", outcome, []
    points = np.load(outcome.folder / "path.npy")
    with np.errstate(all="ignore"):
        complaints = judge(asked, outcome, points, (count, float(f"{end:.4g}")))
    return "path", outcome, complaints


def judge(asked, outcome, points, wanted):
    rows = outcome.record["path"]
    complaints = ends(asked, outcome, rows)
    if len(rows) != wanted[0] or points.shape != (wanted[0], len(asked.start)):
        return [*complaints, f"{len(rows)} rows and {points.shape} points for a path of {wanted[0]}"]
    complaints += weights(asked.model, rows, wanted[1])
    for row, x in zip(rows, points, strict=True):
        complaints += [f"row {row['term']}: {text}" for text in of_row(asked, row, x)]
    return complaints


def ends(asked, outcome, rows):
    """The exit code and the summary follow from the rows."""
    all_well = all(row["verdict"] in claims.SUCCESS for row in rows)
    expected = 4 if any(row["verdict"] == "diverged" for row in rows) else 3 if asked.strict and not all_well else 0
    complaints = [f"exit code {outcome.code}, not {expected}"] if outcome.code != expected else []
    if outcome.record["converged"] != all_well or any(row["converged"] != (row["verdict"] in claims.SUCCESS) for row in rows):
        complaints.append("“converged” does not follow from the verdicts")
    return complaints


def weights(model, rows, end):
    """Factors fall from the least one with which 0 is stationary to `end` of it, evenly in their logarithm."""
    factors = np.array([row["factor"] for row in rows])
    expected = factors[0] * end ** (np.arange(len(rows)) / max(len(rows) - 1, 1))
    complaints = [] if np.allclose(factors, expected, rtol=1e-9) else [f"factors {factors}, not {expected}"]
    zero = np.zeros(model.d.shape[1])
    gradient = model.smooth(zero)[1]
    terms = [Term(rows[0]["term"]), scaled(model.term, 0.99 * factors[0]), scaled(model.term, 1e-6 * factors[0])]
    if not (model.term.convex and np.isfinite(gradient).all() and gradient.any()):
        return complaints
    step = 1e-3 / np.abs(gradient).max()
    moves = [np.abs(term.prox(-step * gradient, step)).max() / (step * np.abs(gradient).max()) for term in terms]
    if moves[0] > 1e-6:
        complaints.append(f"0 is no solution with the first weight: it moves by {moves[0]:.2g}")
    # Beside the move with next to no weight: a set may stop nearly all of the gradient.
    if moves[1] < 1e-9 * moves[2]:
        complaints.append("0 is a solution with less than the first weight")
    return complaints


def scaled(term, factor):
    """The same term with all weights of its penalties times a factor; the penalties are those that a path can begin with."""
    weighted = {"sparse-group": 2, "elastic": 2, "fused": 2, "oscar": 2}

    def of(name, args):
        times = weighted.get(name, 1) if (name, args) in term.penalties else 0
        numbers = [a * factor if i < times else a for i, a in enumerate(args)]
        return name + (":" + ",".join(_text(v) for v in numbers) if numbers else "")

    return Term("+".join(of(name, args) for name, args in term.atoms))


def _text(value):
    return "x".join(map(str, value)) if isinstance(value, tuple) else repr(float(value)).replace("e+", "e")


def of_row(asked, row, x):
    """What a row of the table says of its point."""
    if not np.isfinite(x).all():
        return ["a number in x is not finite"]
    model = asked.model
    model = Linear(model.d, model.b, model.loss, Term(row["term"]), model.mean)
    here = {"objective": row["objective"], "gap": row["gap"], "lower_bound": None, "feasible": True, "prox_error": 0.0}
    cert = {"verdict": row["verdict"], "tolerance": row["tolerance"], "stationarity": row["residual"], "at_point": here}
    outcome = Outcome([], 0, "", "", None, {"objective": row["objective"], "certificate": cert})
    complaints = solve_judge.at_point(Case(model, [], 0 * x, asked.tol, 0, False), outcome, x)
    if row["nonzeros"] != np.count_nonzero(x):
        complaints.append(f"nonzeros {row['nonzeros']}, counted {np.count_nonzero(x)}")
    if row["verdict"] == "stationary" and row["residual"] > row["tolerance"] * (1 + 1e-9):
        complaints.append(f"stationary, but {row['residual']:.3g} > {row['tolerance']:.3g}")
    return complaints + residual(asked, model, row, x)


def residual(asked, model, row, x):
    """The residual at 1/L is at most 8 times the stated one: the step of a row is at most 8/L, as `solve_judge.stationary` says."""
    if row["residual"] is None:
        return [f"{row['verdict']} without a residual"] if row["converged"] else []
    if not (model.term.convex and model.name == "least-squares"):
        return []
    curvature, size = model.curvature(), model.smooth(x)[2]
    if not (0 < curvature < np.inf and 1e-130 < size < 1e130):
        return []
    true, room = model.residual(x, 1 / curvature), 64 * asked.unit * (size + np.linalg.norm(x) * curvature)
    return [f"residual {row['residual']:.4g}, at 1/L {true:.4g}"] if true > 8 * row["residual"] + room else []

"""Judges one run of `solve`: objective, residual, distance to the subdifferential, gap and bounds again from D, b and x.npy."""

import numpy as np

from . import claims
from .beside import without
from .factor_judge import point
from .solve_problems import make


def case(rng, program):
    """Make a problem, run it, judge it; returns (verdict, outcome, complaints)."""
    asked = make(rng, program.folder)
    outcome = program.run(asked.arguments)
    if outcome.crashed:
        return "crashed", outcome, [outcome.err.strip()[-300:] or f"exit code {outcome.code}"]
    if outcome.refused:
        return "refused", outcome, []
    with np.errstate(all="ignore"):
        complaints = judge(asked, outcome)
        if outcome.verdict == "at-error-floor" and not complaints:
            complaints = continued(program, asked, outcome)
    return outcome.verdict or "none", outcome, complaints


def judge(asked, outcome):
    complaints = [*claims.agree(outcome.record), *claims.exit_code(outcome, asked.strict), *claims.certificate(outcome.certificate)]
    x = outcome.array("x")
    return complaints + (at_point(asked, outcome, x) if np.isfinite(x).all() else ["a number in x is not finite"])


def at_point(asked, outcome, x):
    """Complaints about what is stated of x."""
    model, complaints = asked.model, []
    amount, allowed = model.term.excess(x, 4 * asked.unit)
    if amount > allowed:
        complaints.append(f"x is outside {model.term.text} by {amount:.3g} (rounding: {allowed:.1g})")
    truth, gradient, size = model.smooth(x)
    truth += model.term.value(x)
    if not (np.isfinite(truth) and 1e-130 < size < 1e130):
        return complaints
    room = (16 + 2 * np.sqrt(model.terms)) * asked.unit * size  # of a gradient that is a sum of so many products
    complaints += objective(asked, outcome, x, truth)
    complaints += stationary(asked, outcome, x, gradient, room)
    complaints += began(asked, outcome, truth)
    complaints += optimal(asked, outcome, truth)
    return complaints + bounds(asked, outcome, x, truth)


def objective(asked, outcome, x, truth):
    model = asked.model
    value = abs(model.smooth(x)[0]) + abs(model.term.value(x))
    allowed = 1e-9 * abs(truth) + (1e-12 + 8 * asked.unit) * value + model.value_rounding(x, asked.unit)
    stated = {"record": outcome.record.get("objective"), "at_point": point(outcome).get("objective")}
    return [f"objective {v!r} in the {n}, by plain sums {truth!r}" for n, v in stated.items() if v is not None and not abs(v - truth) <= allowed]


def distance(model, x, gradient, unit):
    """dist(0, ∂Φ(x)) where the judge knows the subdifferential, else None."""
    term = model.term
    if term.separable:
        return term.dist_slopes(x, -gradient, unit)
    if term.names == {"sphere"}:
        unit = x / np.linalg.norm(x)
        return float(np.linalg.norm(gradient - (gradient @ unit) * unit))
    if term.names == {"sparse-ball"}:  # normals vanish on the support, and on enough more coordinates to make K of them
        free = int(term.sets[0][1][0]) - np.count_nonzero(x)
        others = np.sort(np.abs(gradient[x == 0]))[: max(free, 0)]
        return float(np.sqrt((gradient[x != 0] ** 2).sum() + (others**2).sum()))
    return None


def stationary(asked, outcome, x, gradient, room):
    """The stated residual, and what “stationary” rests on."""
    model, cert, here = asked.model, outcome.certificate, point(outcome)
    complaints = []
    step, stated = here.get("reference_step"), here.get("residual")
    error = here.get("prox_error")
    if stated is not None and step:
        # An L that nobody declared is the largest curvature that the run has met, and the step rests on it, which may be less than the
        # largest there is. The residual at 8/L is at least an eighth of that at 1/L. Beyond, ∇f must change little from x to the end x⁺ of
        # the step: then 0 is within 2R of ∂Φ(x⁺), whatever L is. Only “stationary” rests on that.
        if outcome.verdict == "stationary" and asked.knows_curvature and model.name == "least-squares" and step > 8 / max(model.curvature(), 1e-300):
            beyond = model.smooth(model.term.prox(x - step * gradient, step))[1]
            bend = np.linalg.norm(beyond - gradient)
            if bend > 1.01 * stated + 100 * (room + asked.unit * np.linalg.norm(gradient)):
                complaints.append(f"reference_step {step:.4g} is beyond 1/L = {1 / model.curvature():.4g}, and ∇f changes by {bend:.3g} along it")
        if model.term.convex:
            true = model.residual(x, step)
            slack = 1e-4 * true + room + 8 * asked.unit * np.linalg.norm(x) / step + (error or 0.0)
            if error is not None and abs(true - stated) > slack:
                complaints.append(f"residual {stated:.6g} at step {step:.3g}, recomputed {true:.6g}")
        else:
            true = distance(model, x, gradient, asked.unit)
            # (x⁺ − y)/η is a difference of numbers of the size of x.
            slack = 1e-6 * stated + room + 8 * asked.unit * np.linalg.norm(x) / step + (error or 0.0)
            if true is not None and true > stated + slack:
                complaints.append(f"residual {stated:.6g}, but dist(0, ∂Φ) = {true:.6g}")
    if outcome.verdict == "stationary":
        complaints += tolerance(asked, cert, here, x, room)
    return complaints


def optimal(asked, outcome, truth):
    """“Optimal” needs a gap of at most what was asked for, as a part of the least value that it allows."""
    if outcome.verdict != "optimal":
        return []
    gap, least = point(outcome).get("gap"), abs(truth) - (point(outcome).get("gap") or 0.0)
    # The minimum may be 0, and then no part of it is: a gap of rounding of the start's objective will do.
    start = abs(outcome.certificate.get("start_objective") or 0.0)
    if asked.gap is None:
        return ["optimal, but no gap was asked for"]
    if gap is None or gap > asked.gap * max(least, 0.0) * (1 + 1e-6) + 4e-16 * start:
        return [f"optimal with a gap of {gap} at {truth:.6g}, asked for {asked.gap:g}"]
    return []


def tolerance(asked, cert, here, x, room):
    """The tolerance is tol times the size of what cancels at a solution, and not below rounding."""
    model, zero = asked.model, np.zeros(len(asked.start))
    # At a solution ∇f cancels a subgradient of g of the same size, which may exceed the gradients at 0 and at the start.
    sizes = [np.linalg.norm(model.smooth(z)[1]) for z in (zero, asked.start, x)]
    # An x that is rounded has a residual of its own; at a step that has collapsed that would explain anything.
    longest = min(1 / max(model.curvature(), 1e-300), model.term.step_limit())
    room = room + asked.unit * np.linalg.norm(x) / max(here.get("reference_step") or 0.0, 0.99e-3 * longest)
    # A start outside the domain is moved to a nearest point of it, up to a prox of a tiny step: the gradient there is near these.
    inside = model.term.prox(asked.start, 1e-12) if model.term.sets or "entropy" in model.term.names else asked.start
    scale = 3 * max(*sizes, np.linalg.norm(model.smooth(inside)[1]))
    room += asked.unit * scale  # what cancels at a solution is that large, whatever cancels at x
    complaints = []
    if "at_point" in cert and cert["tolerance"] > asked.tol * scale * 1.001 + asked.absolute + 100 * room:
        complaints.append(f"tolerance {cert['tolerance']:.4g} for --tol {asked.tol:g}, scale {scale:.4g}, rounding {room:.1g}")
    if here.get("scale") is not None and here["scale"] > scale * 1.001 + 100 * room:
        complaints.append(f"scale {here['scale']:.4g}, but the gradients at 0, at the start and at x have {scale:.4g}")
    return complaints


def began(asked, outcome, truth):
    """The start, if it is feasible; otherwise the first point may be its nearest one in the set."""
    model = asked.model
    amount, allowed = model.term.excess(asked.start, asked.unit)
    if amount > allowed or "entropy" in model.term.names:
        return []
    first = model.objective(asked.start)
    stated = outcome.certificate.get("start_objective")
    # Two values that agree to rounding are not told apart by the program, either.
    if truth > first + (1e-8 + 4 * asked.unit) * abs(first) + 1e-12 * abs(truth) and claims.silent(outcome):
        return [f"{outcome.verdict} at {truth:.9g}, above its start at {first:.9g}, and no word about it"]
    if stated is not None and abs(stated - first) > 1e-6 * abs(first) + 1e-300:
        return [f"start_objective {stated!r}, the start has {first!r}"]
    return []


def bounds(asked, outcome, x, truth):
    """No stated bound is beaten by a point that the judge finds."""
    model, here = asked.model, point(outcome)
    gap, lower = here.get("gap"), here.get("lower_bound")
    complaints = guarantee(model, outcome)
    if gap is None and lower is None:
        return complaints
    costly = {"tv1d", "fused", "tv2d", "tv2d-aniso", "nuclear", "oscar", "monotone"} & model.term.names
    reached = truth
    if model.term.convex:
        points = [model.lower(x, 60 if costly else 600), model.quasi_newton(x)]
        reached = min(v for v in (truth, *map(model.objective, points)) if np.isfinite(v))
    room = 1e-9 * abs(reached) + (1e-11 + 8 * asked.unit) * abs(model.smooth(x)[0]) + model.value_rounding(x, asked.unit)
    if gap is not None and not model.convex:
        complaints.append(f"gap {gap!r} of a nonconvex problem")
    if gap is not None and truth - reached > gap * (1 + 1e-6) + room:
        complaints.append(f"gap {gap!r}, but the judge's point is lower by {truth - reached!r}")
    if lower is not None and lower > reached + room:
        complaints.append(f"lower_bound {lower!r}, but the judge reaches {reached!r}")
    return complaints


def guarantee(model, outcome):
    cert = outcome.certificate
    stated = (cert.get("of_method") or cert).get("guarantee")
    kind = next(iter(stated)) if isinstance(stated, dict) and stated else stated
    return ["“minimizers” for a nonconvex problem"] if kind in ("minimizer", "minimizers") and not model.convex else []


def continued(program, asked, outcome):
    """Four and five times the passes with no tolerance: at a true floor neither falls by 2 %, and they do not both have a residual 10 times
    lower, as one of them may have by chance.

    Of a residual that is smaller than what a stopped prox may hide, the run knows no more than that error.
    """
    longer = []
    for times in (4, 5):
        passes = times * max(outcome.record["passes"], 1)
        other = program.run([*without(asked.arguments, "--tol", "--passes", "--strict"), "--tol", 0, "--passes", f"{passes:g}"])
        if not other.record:
            return [f"the run with --tol 0 fails: {other.message}"]
        longer.append(other.array("x"))
    model, step = asked.model, 1 / max(asked.model.curvature(), 1e-300)
    before, after = model.objective(outcome.array("x")), max(map(model.objective, longer))
    first, last = model.residual(outcome.array("x"), step), max(model.residual(x, step) for x in longer)
    hidden = (outcome.certificate.get("at_point") or {}).get("prox_error") or 0.0
    if before - after > 0.02 * abs(before) or (last < 0.1 * first and first > hidden):
        return [f"false floor: with {passes:g} passes the objective is {after:.6g} (was {before:.6g}), the residual {last:.2g} (was {first:.2g})"]
    return []

"""Judges one run of `factorize`: every number of its record again from Y, X.npy and A.npy."""

import numpy as np

from . import beside, claims
from .counts_math import Counts
from .factor_math import Problem, better_codes, dead_atoms, descend, escape, side_a, side_x, singular_bound
from .options import choose
from .problems import make


def case(rng, program, large=False):
    """Make a problem, run it, judge it; returns (verdict, outcome, complaints)."""
    data = make(rng, program.folder, large)
    choice = choose(rng, data)
    arguments = ["factorize", data.path, *data.options, *choice.arguments]
    outcome = program.run(arguments)
    if outcome.crashed:
        return "crashed", outcome, [outcome.err.strip()[-300:] or f"exit code {outcome.code}"]
    if outcome.refused:
        return "refused", outcome, []
    kind = Counts if choice.loss == "kl" else Problem
    graphs = (choice.x_graph, choice.a_graph)
    problem = kind(data.y, data.weights, choice.x_term, choice.a_term, data.sparse, choice.bound, choice.fixed, *graphs)
    one = beside.alone(arguments, outcome)
    if one is None:
        return outcome.verdict or "none", outcome, ["the notes do not say which of the runs is kept"]
    start = program.run([*beside.without(one, "--passes", "--strict"), "--passes", 0])
    with np.errstate(all="ignore"):
        complaints = judge(problem, choice, outcome, start)
        if one is not arguments:
            complaints += beside.same(program, outcome, one)
            arguments = one
        if not complaints:
            complaints = beside.more(program, rng, data, choice, outcome, arguments, problem)
    return outcome.verdict or "none", outcome, complaints


def judge(problem, choice, outcome, start):
    """Complaints about the record and the files."""
    complaints = [*claims.agree(outcome.record), *claims.exit_code(outcome, choice.strict)]
    x, a = outcome.array("X"), outcome.array("A")
    if not (np.isfinite(x).all() and np.isfinite(a).all()):
        return [*complaints, "a number in X or A is not finite"]
    complaints += claims.certificate(outcome.certificate) + feasible(choice, x, a) + kept(choice, x) + rises(choice, outcome)
    if not beside.RANGE[0] < np.linalg.norm(problem.y) + (not problem.y.any()) < beside.RANGE[1]:
        return complaints
    truth = problem.objective(x, a)
    if not np.isfinite(truth):
        return complaints + (["stationary at an infinite objective"] if outcome.verdict == "stationary" else [])
    complaints += objective(problem, choice, outcome, x, a, truth)
    complaints += began(problem, choice, outcome, start, truth)
    complaints += pair(problem, choice, outcome, x, a)
    complaints += dead(problem, choice, outcome, x, a, truth)
    return complaints + bounds(problem, choice, outcome, x, a, truth)


def kept(choice, x):
    """Fixed atoms are those of the file, in the precision of the factors."""
    if not choice.fixed:
        return []
    given = np.load(choice.arguments[choice.arguments.index("--fixed-x") + 1])
    given = given.astype(np.float32 if choice.dtype == "f32" else np.float64).astype(float)
    return [] if np.array_equal(x[:, : choice.fixed], given) else ["a fixed atom was changed"]


def feasible(choice, x, a):
    complaints = []
    for name, term, factor in (("X", choice.x_term, x[:, choice.fixed :]), ("A", choice.a_term, a)):
        if not factor.size:
            continue
        amount, allowed = term.excess(factor, 2 * choice.unit, choice.tiny)
        if amount > allowed:
            complaints.append(f"{name} is outside {term.text} by {amount:.3g} (rounding: {allowed:.1g})")
    return complaints


def slack(problem, choice, x, a, truth):
    """How far a stated objective may be from the true one."""
    return (1e-4 if choice.dtype == "f32" else 1e-9) * abs(truth) + problem.rounding(x, a, choice.unit)


def objective(problem, choice, outcome, x, a, truth):
    complaints, allowed = [], slack(problem, choice, x, a, truth)
    for name, stated in (("record", outcome.record.get("objective")), ("at_point", point(outcome).get("objective"))):
        if stated is not None and not abs(stated - truth) <= allowed:
            complaints.append(f"objective {stated!r} in the {name}, by plain sums {truth!r}")
    bound = singular_bound(problem, choice.rank)
    room = (1e-4 if choice.dtype == "f32" else 1e-9) * bound + problem.rounding(x, a, choice.unit)
    for row in outcome.trace:
        value = row.get("objective")
        # Between looks `incremental` and `sggd` see Σ_t f_t(x^{k,t}) at the moving points of eq.32, which no pair of factors has.
        if choice.method in ("incremental", "sggd") and row.get("residual") is None:
            continue
        if value is not None and value < bound - room:
            complaints.append(f"trace: objective {value:.6g} in pass {row.get('pass')}, but no factors are below {bound:.6g}")
            break
    sparsity = outcome.record.get("sparsity") or {}
    for name, factor in (("x", x), ("a", a)):
        if name in sparsity and abs(sparsity[name] - np.mean(factor == 0)) > 1e-9:
            complaints.append(f"sparsity of {name} {sparsity[name]}, counted {np.mean(factor == 0)}")
    return complaints


def began(problem, choice, outcome, start, truth):
    """The end is at or below the start, or the run says that it is not."""
    if not start.record:
        return [f"no start: --passes 0 ends with {start.code}: {start.message}"]
    x, a = start.array("X"), start.array("A")
    first = problem.objective(x, a)
    if not np.isfinite(first):
        return []
    stated, complaints = outcome.certificate.get("start_objective"), []
    allowed = 10 * slack(problem, choice, x, a, first) + 1e-6 * first
    if stated is not None and abs(stated - first) > allowed:
        complaints.append(f"start_objective {stated!r}, but the run with --passes 0 is at {first!r}")
    if truth > first * (1 + 1e-9) + allowed and claims.silent(outcome):
        complaints.append(f"{outcome.verdict} at {truth:.9g}, above its start at {first:.9g}, and no word about it")
    return complaints


def rises(choice, outcome):
    """Passes without momentum lower one block after the other: that one raised the objective is false, or the method is wrong.

    Newton steps on single entries of Kullback–Leibler may overshoot, and no theorem is claimed there. Where squares of slopes underflow, the
    problem of a factor is left unsolved, and a rise is real.
    """
    pair = point(outcome).get("pair") or {}
    underflows = any(0 < (pair.get(f"scale_{name}") or 1.0) < 1e-150 for name in "xa")
    if choice.loss == "kl" or underflows:
        return []
    assumptions = (outcome.certificate.get("of_method") or {}).get("assumptions") or []
    raised = [a["name"] for a in assumptions if a.get("standing") == "violated" and "raised" in a["name"]]
    return [f"“{name}” in a method that cannot" for name in raised]


def point(outcome):
    return outcome.certificate.get("at_point") or {}


def pair(problem, choice, outcome, x, a):
    """R_X and R_A at their stated steps, their scales, the relative residual and the gap of the codes."""
    here, stated = point(outcome), point(outcome).get("pair")
    if not stated:
        return []
    complaints, ratios = [], []
    stopped = here.get("prox_error") or 0.0  # relative: a stopped prox is stated with its error, and R is right up to that
    for name, side in (("x", side_x), ("a", side_a)):
        step = stated.get(f"step_{name}")
        mine = side(problem, x, a, step, choice.unit)
        # Below that the inverse overflows: any finite step will do.
        least = max(1e-300, 1 / float(np.finfo(np.float32).max) if choice.dtype == "f32" else 0.0)
        if step and least < mine.curvature < np.inf and not 0.2 / mine.curvature <= step <= 1.0001 / max(mine.least_curvature, least):
            complaints.append(f"step_{name} = {step:.4g}, but 1/L = {1 / mine.curvature:.4g}")
        # A factor whose numbers are below the least of its type is off by that much.
        vanishing = choice.tiny * np.sqrt((x if name == "x" else a).size) / (step or 1.0)
        for what, value, allowed in (
            ("residual", mine.residual, mine.rounding + vanishing + stopped * mine.scale),
            ("scale", mine.scale, mine.rounding),
        ):
            number = stated.get(f"{what}_{name}")
            # A nonconvex prox has several values at a tie: a larger residual than needed is no false statement. Where the other
            # factor has vanished, the scale is a trace of its typical size.
            term = problem.x_term if name == "x" else problem.a_term
            above = what == "scale" or not term.convex
            if number is not None and max(abs(number), value) < 1e-130:
                continue
            if number is not None and above and value <= number and (what == "residual" or number <= 1e-7 * mine.typical):
                continue
            if number is not None and abs(number - value) > 1e-4 * value + allowed:
                complaints.append(f"{what}_{name} = {number:.6g}, recomputed {value:.6g}")
        # Where the slope vanishes with the other factor, what the certificate sets beside it stands.
        scale = mine.scale or stated.get(f"scale_{name}") or 0.0
        ratios.append((mine.residual, scale, mine.rounding + vanishing))
    least = max(max(r - e, 0) / s if s > 0 else 0.0 for r, s, e in ratios)
    if here.get("residual") is not None and here["residual"] + stopped < least * (1 - 1e-4) - 1e-12:
        complaints.append(f"relative residual {here['residual']:.4g}, recomputed at least {least:.4g}")
    floor = max(100 * e / s if s > 0 else 0.0 for _, s, e in ratios)
    tolerance = outcome.certificate.get("tolerance")
    if outcome.verdict == "stationary" and tolerance is not None and tolerance > choice.tol * 1.001 + floor:
        complaints.append(f"tolerance {tolerance:.3g} for --tol {choice.tol:g} (rounding {floor:.1g})")
    return complaints + codes_gap(problem, choice, stated, x, a)


def codes_gap(problem, choice, stated, x, a):
    gap = stated.get("codes_gap")
    if gap is None:
        return []
    better = better_codes(problem, x, a, 200)
    real = problem.objective(x, a) - problem.objective(x, better)
    if gap < real * (1 - 1e-6) - problem.rounding(x, a, choice.unit):
        return [f"codes_gap {gap:.6g}, but other codes are lower by {real:.6g}"]
    return []


def dead(problem, choice, outcome, x, a, truth):
    """Dead atoms are listed, an escape is possible as stated, and a stationary point has none worth taking."""
    complaints, empty, stated = [], dead_atoms(x, a, choice.fixed), point(outcome).get("pair") or {}
    if "dead_atoms" in stated:
        sizes = np.linalg.norm(x, axis=0) * np.linalg.norm(a, axis=1)
        tiny = {k for k in range(choice.fixed, len(sizes)) if sizes[k] <= 1e-9 * max(sizes.max(), 1e-300)} | set(empty)
        # Squares of codes below the least normal number of their type are no use.
        squares = np.minimum((x**2).sum(axis=0), (a**2).sum(axis=1))
        tiny |= {k for k in range(choice.fixed, len(sizes)) if squares[k] < choice.tiny / choice.unit}
        if problem.weights is not None:  # an atom that only samples or features without weight use is as good as dead
            rows, columns = problem.weights.any(axis=1), problem.weights.any(axis=0)
            tiny |= set(dead_atoms(x[rows], a[:, columns], choice.fixed))
        if not len(empty) <= stated["dead_atoms"] <= len(tiny):
            complaints.append(f"dead_atoms {stated['dead_atoms']}, but X or A is empty at {empty}")
    said = dict(outcome.certificate.get("details", [])).get("dead atoms", "")
    if outcome.verdict == "stationary" and empty and not any(words in said for words in ("one may exist", "not searched", "would lower the objective")):
        complaints.append(f"stationary with dead atoms {empty}, and no word that better ones are not excluded")
    claimed = stated.get("escape")
    room = problem.rounding(x, a, choice.unit)
    if claimed:
        top = problem.largest_exchange(x, a)
        if claimed > top * (1 + 1e-6) + room:
            complaints.append(f"escape {claimed:.4g}, but no such exchange gains more than {top:.4g}")
    if outcome.verdict == "stationary" and empty and 1e-130 < truth < 1e130:
        gain = escape(problem, x, a, empty[0])
        allowed = 10 * choice.tol * (truth + choice.tol * 0.5 * float((problem.y**2).sum())) * (1 + 1e-6) + 10 * room
        if gain > allowed:
            complaints.append(f"stationary with a dead atom that gains {gain:.4g} of {truth:.4g} (allowed {allowed:.2g})")
    return complaints


def bounds(problem, choice, outcome, x, a, truth):
    """No stated bound is beaten by factors that the judge finds."""
    here, complaints = point(outcome), []
    lower, gap = here.get("lower_bound"), here.get("gap")
    if lower is None and gap is None:
        return []
    reached = min(truth, descend(problem, x, a))
    room = slack(problem, choice, x, a, reached)
    if lower is not None and lower > reached + room:
        complaints.append(f"lower_bound {lower!r}, but the judge reaches {reached!r}")
    if gap is not None and truth - reached > gap * (1 + 1e-6) + room:
        complaints.append(f"gap {gap!r}, but the judge reaches {truth - reached!r} lower")
    return complaints

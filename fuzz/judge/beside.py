"""Runs beside a run of `factorize`: the program's own audit, a warm start, other threads, and a floor that is continued."""

import re

import numpy as np

from .factor_math import side_x

RANGE = (1e-130, 1e130)  # sizes of the data whose squares and products of squares the judge's doubles hold


def more(program, rng, data, choice, outcome, arguments, problem):
    """Runs beside the run: `check`, a warm start, another number of threads, or a floor that is continued."""
    if outcome.verdict == "at-error-floor":
        return continued(program, outcome, arguments, problem)
    draw = rng.random()
    if draw < 0.4:
        return checked(program, data, choice, outcome, problem)
    if draw < 0.6 and choice.passes <= 300:
        other = program.run([*without(arguments, "--threads"), "--threads", int(rng.integers(1, 4))])
        same = all(np.array_equal(outcome.array(f), other.array(f)) for f in "XA") if other.record else False
        return [] if same else ["the result depends on --threads"]
    if draw < 0.85 and outcome.verdict == "stationary":
        return warm(program, choice, outcome, arguments)
    return []


def alone(arguments, outcome):
    """The run of several that was kept, by itself: all but the first start at random, each with the next seed."""
    if "--restarts" not in arguments:
        return arguments
    told = re.search(r"the best of (\d+) runs, with seed (\d+)", " ".join(outcome.record.get("notes", [])))
    if told is None or told[1] != str(arguments[arguments.index("--restarts") + 1]):
        return None
    first, kept = str(arguments[arguments.index("--seed") + 1]), told[2]
    one = [*without(arguments, "--restarts", "--consensus", "--seed"), "--seed", kept]
    if kept == first or "nndsvdar" in arguments:
        return one
    return [*without(one, "--init"), "--init", "random"]


def same(program, outcome, one):
    """That run ends with the same factors."""
    other = program.run(one)
    is_same = bool(other.record) and all(np.array_equal(outcome.array(f), other.array(f)) for f in "XA")
    return [] if is_same else ["the best run of several is not what the same run alone returns"]


def checked(program, data, choice, outcome, problem):
    """The program's own audit accepts its own files and prints true numbers."""
    files = [next(outcome.folder.glob(f"{f}.np[yz]")) for f in "XA"]
    options = [v for v in data.options]
    for name in ("--x-set", "--a-set", "--x-penalty", "--a-penalty", "--loss", "--fixed-x", "--x-graph", "--x-graph-weight", "--a-graph", "--a-graph-weight"):
        if name in choice.arguments:
            options += [name, choice.arguments[choice.arguments.index(name) + 1]]
    code, audit, message = program.json(["check", data.path, *files, *options])
    if audit is None:
        return [f"check refuses the result (exit code {code}): {message}"]
    x, a = outcome.array("X"), outcome.array("A")
    truth, room = problem.objective(x, a), problem.rounding(x, a, 2.0**-53)
    if not (np.isfinite(truth) and RANGE[0] < np.linalg.norm(problem.y) < RANGE[1]):
        return []
    complaints = [f"check: {name} is not a number" for name in ("objective", "misfit") if audit.get(name) is None]
    if complaints:
        return complaints
    # Vectors that a file has rounded out of their set are judged as if they were inside.
    fine = 1e-6 if choice.dtype == "f32" else 1e-9
    if not abs(audit["objective"] - truth) <= fine * truth + room:
        complaints.append(f"check: objective {audit['objective']!r}, by plain sums {truth!r}")
    misfit = problem.misfit(x, a)
    if not abs(audit["misfit"] - misfit) <= 1e-9 * misfit + room:
        complaints.append(f"check: misfit {audit['misfit']!r}, by plain sums {misfit!r}")
    best = audit.get("best_objective")
    if best is not None and best > truth + fine * truth + room:
        complaints.append(f"check: best objective {best!r} above the objective {truth!r}")
    return complaints


def rounding_of_codes(choice, outcome):
    """By how much of its scale R_A moves if the codes move by a unit of rounding: L_A·u‖A‖, much where X is huge and little of it counts."""
    pair = outcome.certificate["at_point"].get("pair") or {}
    if not (pair.get("step_a") and pair.get("scale_a")):
        return 0.0
    return choice.unit * float(np.linalg.norm(outcome.array("A"))) / pair["step_a"] / pair["scale_a"]


def warm(program, choice, outcome, arguments):
    """A start at a stationary result is recognized at once, if its residual has the room of a factor 2.

    Codes that are solved anew differ by rounding. The second run is allowed twice the tolerance; where that is below the level of rounding,
    which is not doubled, the first residual must be in the lower half of that level.
    """
    cert = outcome.certificate
    # Without a tolerance only a residual of 0 will do, which no rounding of the start's scales leaves.
    rests_on_rounding = cert["tolerance"] > 1.001 * choice.tol and cert["stationarity"] > 0.5 * cert["tolerance"]
    if cert["tolerance"] == 0 or rests_on_rounding or rounding_of_codes(choice, outcome) > choice.tol:
        return []
    again = program.run([*without(arguments, "--init", "--tol"), "--init", outcome.folder, "--tol", f"{2 * choice.tol:g}"])
    if not again.record:
        return [f"--init refuses the result: {again.message}"]
    if again.verdict != "stationary" or again.record["passes"] > 3:
        return [f"a start at a stationary result: {again.certificate.get('words')} after {again.record['passes']:g} passes"]
    return []


def stands(outcome, passes):
    """Whether the objectives that the method saw on its way from this pass to twice as many are within 2 %, the first ones included."""
    rows = [row for row in outcome.trace if passes <= row["pass"] <= 2 * passes and row.get("residual") is None]
    seen = [row["objective"] for row in rows]
    return len(seen) > 5 and min(seen) > 0.98 * seen[0]


def continued(program, outcome, arguments, problem):
    """Four times the passes with no tolerance: at a true floor the residual does not become 10 times lower, and the objective does not
    fall by 2 % unless it has stood still for as many passes again: errors that stay may drive a run from one valley to the next.
    """
    passes = 4 * max(outcome.record["passes"], 1)
    other = program.run([*without(arguments, "--tol", "--passes", "--strict"), "--tol", 0, "--passes", f"{passes:g}"], timeout=1200)
    if not other.record:
        return [f"the run with --tol 0 fails: {other.message}"]
    before, after = (problem.objective(o.array("X"), o.array("A")) for o in (outcome, other))
    sizes = [side_x(problem, o.array("X"), o.array("A")) for o in (outcome, other)]
    first, last = (s.residual / s.scale if s.scale else 0.0 for s in sizes)
    if (after < 0.98 * before and not stands(other, passes / 4)) or last < 0.1 * first:
        return [f"false floor: with {passes:g} passes the objective is {after:.5g} (was {before:.5g}), R_X {last:.2g} (was {first:.2g})"]
    return []


def without(arguments, *names):
    """The arguments without some options (`--strict` and `--consensus` have no value, the others have one)."""
    kept, skip = [], False
    for part in arguments:
        if skip:
            skip = False
        elif part in names:
            skip = part not in ("--strict", "--consensus")
        else:
            kept.append(part)
    return kept

"""Judges `rank`: the answer, its words and its notes follow from the table, and no number of the table contradicts the data."""

import numpy as np

from .options import term
from .problems import make

NOTHING = 1e-6  # shares of the data below this count as nothing, as the documentation says


def case(rng, program):
    """Make data, search for its rank, judge the answer; returns (verdict, outcome, complaints)."""
    data = make(rng, program.folder)
    size = max(float(np.sqrt(np.abs(data.y).max(initial=0.0))), 1e-60)
    ranks = sorted(int(v) for v in set(rng.integers(1, min(9, *data.y.shape) + 1, size=int(rng.integers(1, 5)))))
    folds, repeats, restarts = int(rng.integers(2, 5)), int(rng.integers(1, 3)), int(rng.integers(0, 3))
    arguments = ["rank", data.path, *data.options, "--ranks", ",".join(map(str, ranks)), "--folds", folds, "--repeats", repeats]
    arguments += ["--restarts", restarts, "--patience", int(rng.integers(0, 4)), "--passes", int(rng.choice([3, 30, 200])), "-q"]
    penalized, of_atom = rng.random() < 0.3, 0.0
    if penalized:
        penalty, where, x_term = term(rng, size, data.y.shape[0])
        # A set that does not contain 0 makes every atom cost something.
        of_atom = x_term.value(x_term.prox(np.zeros((data.y.shape[0], 1)), 1.0))
        arguments += ["--x-set", where] + (["--x-penalty", penalty] if penalty else [])
    outcome = program.run(arguments)
    if outcome.crashed:
        return "crashed", outcome, [outcome.err.strip()[-300:] or f"exit code {outcome.code}"]
    if outcome.refused:
        return "refused", outcome, []
    if not outcome.record:
        return "none", outcome, [f"exit code {outcome.code} without a record: {outcome.err[-200:]}"]
    with np.errstate(all="ignore"):
        complaints = judge(data, outcome.record, (ranks, folds * repeats, restarts, of_atom))
    return "rank", outcome, complaints


def judge(data, record, plan):
    rows, complaints = record["table"], []
    tried = [row["rank"] for row in rows]
    if tried != plan[0][: len(tried)]:
        complaints.append(f"tried {tried} of {plan[0]}")
    for row in rows:
        complaints += [f"rank {row['rank']}: {text}" for text in of_row(data, row, plan)]
    return complaints + answer(record, rows)


def mean(values):
    """The mean and its standard error."""
    largest = max(map(abs, values)) or 1.0  # whose square may overflow
    values = np.array(values) / largest
    return largest * values.mean(), largest * values.std(ddof=1) / np.sqrt(len(values))


def of_row(data, row, plan):
    complaints, (error, standard) = [], mean(row["errors"])
    if len(row["errors"]) != plan[1] or row["fits"] < plan[1] + plan[2] or not 0 <= row["converged"] <= row["fits"]:
        complaints.append(f"{row['converged']} of {row['fits']} fits, {len(row['errors'])} errors for {plan[1]} folds and {plan[2]} restarts")
    if not (np.isclose(row["error"], error, rtol=1e-9) and np.isclose(row["standard_error"], standard, rtol=1e-6, atol=1e-14 * error)):
        complaints.append(f"error {row['error']} ± {row['standard_error']}, of its folds {error} ± {standard}")
    if min(row["errors"]) < 0:
        complaints.append("a sum of squares below 0")
    for name in ("cosine", "cophenetic"):
        if row[name] is not None and not -1 - 1e-9 <= row[name] <= 1 + 1e-9:
            complaints.append(f"{name} {row[name]}")
    if (row["objective"] is not None) != (plan[2] > 0):
        complaints.append(f"objective {row['objective']} of {plan[2]} fits")
    return complaints + bound(data, row, plan[3])


def bound(data, row, of_atom):
    """Below no factorization of this rank, whose atoms cost at least `of_atom` each; with weights or missing entries there is no bound."""
    if row["bound"] is None:
        return []
    if data.weights is not None and (data.weights != 1).any():
        return ["a bound by singular values although entries have weights or are missing"]
    size = float((data.y**2).sum())
    if not 1e-250 < size < 1e250:
        return []
    least = 0.5 * float((np.linalg.svd(data.y, compute_uv=False)[row["rank"] :] ** 2).sum()) + row["rank"] * of_atom
    room = 1e-6 * least + 1e-12 * size
    complaints = [f"bound {row['bound']}, but a factorization has {least}"] if row["bound"] > least + room else []
    if row["objective"] is not None and row["objective"] < least - room:
        complaints.append(f"objective {row['objective']}, but none is below {least}")
    return complaints


def answer(record, rows):
    """The one-standard-error rule, in numbers and in words."""
    errors = {row["rank"]: np.array(row["errors"]) for row in rows}
    if not all(np.isfinite(v).all() for v in errors.values()):
        return ["an error is not finite"]
    least = min(rows, key=lambda row: row["error"])["rank"]

    def is_worse(rank):
        excess, standard = mean(errors[rank] - errors[least])
        return excess > max(standard, NOTHING)

    chosen = next(rank for rank in errors if not is_worse(rank))
    complaints = []
    if (record["rank"], record["least"], record["turned"]) != (chosen, least, any(rank > least for rank in errors)):
        complaints.append(f"rank {record['rank']}, least {record['least']}, turned {record['turned']}; by the table {chosen}, {least}")
    if not record["words"].startswith(f"rank {chosen}:"):
        complaints.append(f"words “{record['words']}” for rank {chosen}")
    untried = set(range(1, chosen)) - set(errors)
    if "every smaller rank is worse" in record["words"] and untried:
        complaints.append(f"“every smaller rank is worse”, but {sorted(untried)} were not tried")
    last = max(errors)
    if (least == last) != any("the largest that was tried" in note for note in record["notes"]):
        complaints.append(f"least error at {least} of {sorted(errors)}, notes {record['notes']}")
    converged, fits = (sum(row[name] for row in rows) for name in ("converged", "fits"))
    if (converged < fits) != any("before their tolerance" in note for note in record["notes"]):
        complaints.append(f"{converged} of {fits} converged, notes {record['notes']}")
    return complaints

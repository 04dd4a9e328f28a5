"""What any certificate must satisfy by itself, whatever the problem: numbers, words, verdict, exit code and guarantee agree.

A certificate has two halves, `at_point` and `of_method`. A field that is absent is not judged; one that is present must be true.
"""

import math
import re

from .program import verdict_kind

NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|NaN|inf)"
STRONG = {"stationary", "plain-stationary", "minimizer", "minimizers"}
KINDS = {"stationary", "optimal", "at-error-floor", "not-converged", "diverged"}
SUCCESS = {"stationary", "optimal"}


def certificate(cert, start=None):
    """Complaints about a certificate alone; `start` is the objective of the start as the judge knows it."""
    point, kind = cert.get("at_point") or {}, verdict_kind(cert)
    complaints = [*numbers(cert, kind), *words(cert, kind), *guarantee(cert), *condition(cert)]
    if kind == "stationary":
        complaints += stationary(cert, point, start)
    if kind == "optimal":
        complaints += optimal(point)
    if kind == "at-error-floor":
        complaints += floor(cert)
    return complaints


def numbers(cert, kind):
    """A verdict that says something of a point needs its numbers."""
    if kind in ("diverged", None):
        return [] if kind else ["no verdict"]
    point = cert.get("at_point") or {}
    missing = [n for n in ("stationarity", "tolerance") if n in cert and not _finite(cert[n])]
    if kind == "not-converged" and "prox_error" in point and point["prox_error"] is None:
        missing = [n for n in missing if n != "stationarity"]  # a stopped prox may hide any amount
    missing += [f"at_point.{n}" for n in ("objective", "residual", "scale", "reference_step") if n in point and not _finite(point[n])]
    negative = [n for n in ("residual", "prox_error", "rounding", "gap", "scale") if _finite(point.get(n)) and point[n] < 0]
    return [f"{n} is not a finite number" for n in missing] + [f"at_point.{n} < 0" for n in negative]


def words(cert, kind):
    text, complaints = cert.get("words", ""), []
    for pair in re.finditer(NUMBER + r"\s*≤\s*" + NUMBER, text):
        low, high = (float(v) for v in pair.groups())
        if not low <= high * 1.01:
            complaints.append(f"words contradict themselves: “{text}”")
    for pair in re.finditer(NUMBER + r"\s+above\s+" + NUMBER, text):
        high, low = (float(v) for v in pair.groups())
        if high < low * 0.99:
            complaints.append(f"words contradict themselves: “{text}”")
    everything = [text, *(line for _, line in cert.get("details", []))]
    complaints += [f"said twice: “{line}”" for line in everything if re.search(r"(\(\w+\)) \1", line)]
    leads = {"not converged": "not-converged", "at the error floor": "at-error-floor"}
    leads |= {name: name for name in ("stationary", "optimal", "diverged")}
    for lead, meant in leads.items():
        if text.startswith(lead) and kind in KINDS and meant != kind:
            complaints.append(f"words say “{lead}”, the verdict is {kind}")
    return complaints


def stationary(cert, point, start):
    complaints = []
    if _finite(cert.get("stationarity")) and _finite(cert.get("tolerance")) and cert["stationarity"] > cert["tolerance"] * (1 + 1e-9):
        complaints.append(f"stationary, but {cert['stationarity']:.3g} > tolerance {cert['tolerance']:.3g}")
    if "prox_error" in point:
        if point["prox_error"] is None:
            complaints.append("stationary, but the error of the prox is unknown")
        elif _finite(point.get("residual")) and _finite(cert.get("tolerance")):
            if point["residual"] + point["prox_error"] > cert["tolerance"] * (1 + 1e-9):
                complaints.append("stationary, but residual + prox_error > tolerance")
    if point.get("feasible") is False:
        complaints.append("stationary, but not feasible")
    for name, value in (("stated", cert.get("start_objective")), ("true", start)):
        if _finite(value) and _finite(point.get("objective")) and point["objective"] > value + 1e-9 * abs(value) + 1e-300:
            complaints.append(f"stationary at {point['objective']:.9g}, above the {name} start at {value:.9g}")
    return complaints


def optimal(point):
    """Proved to be near the minimum: a gap is stated, at a point that may be returned."""
    if not _finite(point.get("gap")):
        return ["optimal without a gap"]
    return ["optimal, but not feasible"] if point.get("feasible") is False else []


def floor(cert):
    """At the error floor: the residual is below K·ē, and both are stated."""
    method = cert.get("of_method")
    if method is None:
        return []
    constant, level, residual = method.get("constant"), cert.get("error_level"), cert.get("stationarity")
    if not (_finite(constant) and _finite(level)):
        return ["at the error floor without a constant K and a level"]
    if residual > constant * level * (1 + 1e-9):
        return [f"at the error floor, but {residual:.3g} > K·ē = {constant:.3g}·{level:.3g}"]
    return []


def guarantee(cert):
    """Limit points that are stationary or minimizers need every assumption, and errors that vanish."""
    method = cert.get("of_method")
    if not method or _name(method.get("guarantee")) not in STRONG:
        return []
    assumptions = method.get("assumptions") or []
    bad = [a["name"] for a in assumptions if a.get("standing") in ("violated", "unknown")]
    complaints = [f"guarantee “{_name(method['guarantee'])}” with {', '.join(bad)} violated or unknown"] if bad else []
    vanish = any("vanish" in f"{a.get('name')} {a.get('text')}" and a.get("standing") in ("proved", "measured") for a in assumptions)
    for error in method.get("errors") or []:
        kind, level = _level(error.get("level"))
        if error.get("source") == "rounding" or kind == "vanishing" or error.get("vanishes") or vanish:
            continue
        if kind == "unknown" or (level is not None and level > 0):
            complaints.append(f"guarantee “{_name(method['guarantee'])}” with an error by {error.get('source')} that stays ({kind} {level})")
    return complaints


def condition(cert):
    """A theorem that rests on an estimate says “if”."""
    text, method = cert.get("guarantee"), cert.get("of_method") or {}
    rests = [a["name"] for a in method.get("assumptions") or [] if a.get("standing") == "estimated"]
    if not isinstance(text, str) or not rests or text.startswith(("if ", "no theorem")):
        return []
    return [f"“{text}” without a condition, although {', '.join(rests)} is only estimated"]


def exit_code(outcome, strict):
    """0 done, 3 not converged (with --strict), 4 diverged, 130 interrupted."""
    kind, reason = outcome.verdict, str(outcome.record.get("reason"))
    if "interrupt" in reason:
        expected = {130}
    elif kind == "diverged" or "diverged" in reason:
        expected = {4}
    else:
        expected = {0} if kind in SUCCESS or not strict else {3}
    return [] if outcome.code in expected else [f"exit code {outcome.code} for {kind} ({reason}), not {expected}"]


def silent(outcome):
    """Whether a run that ends above its start does not say so: it is not called diverged, and no sentence names the start."""
    cert = outcome.certificate
    said = " ".join([cert.get("words", ""), *(text for _, text in cert.get("details", [])), *outcome.record.get("notes", [])])
    return outcome.verdict == "stationary" or (outcome.verdict != "diverged" and "start" not in said)


def agree(record):
    """The record's summary says the same as its certificate."""
    complaints, cert = [], record.get("certificate", {})
    if "converged" in record and record["converged"] != (verdict_kind(cert) in SUCCESS):
        complaints.append(f"converged = {record['converged']}, but the verdict is {verdict_kind(cert)}")
    stated = (cert.get("at_point") or {}).get("objective")
    if _finite(stated) and _finite(record.get("objective")) and stated != record["objective"]:
        complaints.append(f"objective {record['objective']!r} in the record, {stated!r} in the certificate")
    return complaints


def _finite(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _name(value):
    return next(iter(value)) if isinstance(value, dict) and value else value


def _level(level):
    if isinstance(level, dict) and level:
        kind, amount = next(iter(level.items()))
        return kind, amount if _finite(amount) else None
    return ("unknown", None) if level in (None, "unknown") else ("stated", level if _finite(level) else None)

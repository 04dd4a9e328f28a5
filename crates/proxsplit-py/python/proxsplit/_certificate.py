"""What a run has reached, in numbers and in words."""

from __future__ import annotations

import html
import re
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypedDict

Verdict = Literal["stationary", "optimal", "at-error-floor", "not-converged", "diverged"]


class OfPair(TypedDict):
    """What is true of the two factors of an estimator, each with the other one fixed; see :class:`AtPoint`."""

    residual_W: float
    residual_H: float
    scale_W: float
    scale_H: float
    codes_gap: float | None
    dead_atoms: int
    escape: float | None


class AtPoint(TypedDict):
    """What is true at the returned point, whatever method found it.

    ``residual`` is ‖x − P(x − η∇f(x))‖/η at the step η = ``reference_step``, which does not depend on the solver's own; a stopped prox
    may hide ``prox_error`` from it, and an inexact gradient ``gradient_error`` (None: unknown). ``scale`` is the size of the terms that cancel
    in it at a solution; below ``rounding`` it is noise. Such a step lowers the objective by at least ``fall``; where x is the end of such a
    step, ``before`` is the objective at its beginning. ``gap`` bounds the distance to the minimum from above, ``lower_bound`` the minimum from below, where anything
    is known. ``pair`` has the residuals of W and H for a factorization, the most that better codes could gain (``codes_gap``), the number
    of atoms that no sample uses, and the least by which replacing one of them would lower the objective (``escape``: 0 if a search found no
    replacement, although one may exist; None if there was no search).
    """

    objective: float
    residual: float
    reference_step: float
    prox_error: float | None
    gradient_error: float | None
    scale: float
    rounding: float
    fall: float | None
    before: float | None
    gap: float | None
    lower_bound: float | None
    feasible: bool
    pair: OfPair | None


class Assumption(TypedDict):
    """One assumption of a theorem: its name, how firmly it is known to hold, and what it says."""

    name: str
    standing: Literal["proved", "measured", "estimated", "violated", "unknown"]
    text: str


class OfMethod(TypedDict):
    """What is known about the method, whatever the point.

    ``guarantee`` is what the theorem promises if its ``assumptions`` hold. Where the gradient's errors do not vanish, the residual of some
    limit point is at most ``constant`` times their level. ``rate`` is the shortest move that the theorem allows for so many
    steps, ``steps`` the least and the greatest step, and ``errors`` what is known of the errors: ``{source: (kind, level)}``, where
    kind is "measured", "bounded", "estimated" or "unknown".
    """

    guarantee: str
    assumptions: list[Assumption]
    constant: float | None
    rate: float | None
    errors: dict[str, tuple[str, float | None]]
    steps: tuple[float, float] | None


@dataclass(frozen=True, repr=False)
class Certificate:
    """The outcome of a run in two halves: what is true at the returned point, and what is known of the method.

    Attributes
    ----------
    verdict : str
        ``"stationary"`` (the residual is within the tolerance), ``"optimal"`` (the objective is proved to be within the requested
        gap), ``"at-error-floor"`` (the residual is as small as the gradient's errors allow), ``"not-converged"`` or
        ``"diverged"``. It follows from the point alone.
    words : str
        The verdict in a sentence.
    tolerance : float
        The residual up to which the point would have been called stationary.
    start_objective : float
        The objective at the first look: at the start or, where g is not convex, one exact step from it.
    passes : float
        Passes over the data until the returned point was reached.
    at_point : dict
        What is true at the point; see :class:`AtPoint`.
    of_method : dict
        What is known of the method; see :class:`OfMethod`.
    details : list of (str, str)
        The facts behind the verdict, line by line.
    """

    verdict: Verdict
    words: str
    tolerance: float
    start_objective: float
    passes: float
    at_point: AtPoint
    of_method: OfMethod
    details: list[tuple[str, str]]

    @property
    def converged(self) -> bool:
        """Whether the point is as requested: stationary, or within the gap."""
        return self.verdict in ("stationary", "optimal")

    @property
    def objective(self) -> float:
        """The value of the objective."""
        return self.at_point["objective"]

    @property
    def residual(self) -> float:
        """How far the point is from stationary; the number that is compared with the tolerance."""
        return self.at_point["residual"]

    @property
    def gap(self) -> float | None:
        """The objective is at most this far above its minimum; None if nothing is proved."""
        return self.at_point["gap"]

    @property
    def lower_bound(self) -> float | None:
        """The minimum of the objective is at least this; None if nothing is known."""
        return self.at_point["lower_bound"]

    @property
    def guarantee(self) -> str:
        """What the theorem that covers the run promises."""
        return self.of_method["guarantee"]

    @property
    def errors(self) -> dict[str, tuple[str, float | None]]:
        """What is known of the errors of the gradient, ``{source: (kind, level)}``."""
        return self.of_method["errors"]

    @classmethod
    def of_factors(cls, fields: dict[str, Any]) -> Certificate:
        """The certificate of an estimator, whose factors are H and W; the native module calls them X, which is the data here, and A."""
        letters = {"X": "H", "A": "W"}
        details = [(name, re.sub(r"\b[XA]\b", lambda found: letters[found[0]], text)) for name, text in fields["details"]]
        return cls(**{**fields, "details": details})

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a dictionary that json can write."""
        return asdict(self)

    def __repr__(self) -> str:
        return "\n".join([self.words, *(f"  {name:<11} {text}" for name, text in self.details)])

    def _repr_html_(self) -> str:
        color = "#2a7d2a" if self.converged else "#946200" if self.verdict == "at-error-floor" else "#a32020"
        cells = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for name, text in self.details
        )
        return f"<div><b style='color:{color}'>{html.escape(self.words)}</b><table>{cells}</table></div>"

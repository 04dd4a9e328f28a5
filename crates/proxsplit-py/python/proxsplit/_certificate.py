"""What a run has reached, in numbers and in words."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Certificate:
    """What is true at the returned point, which theorem covers the run, and a verdict.

    Attributes
    ----------
    objective : float
        The value of the objective.
    residual : float
        ‖x − P(x − ∇f(x))‖ with the unit step, by the exact gradient: 0 exactly at stationary points.
    scaled_residual : float
        The same with the step of the solver, divided by that step.
    stationarity : float
        The number that is compared with the tolerance.
    tolerance : float
        The tolerance that was asked for.
    step : float
        The last step.
    step_range : str
        Whether the step keeps to the range that the theorem asks for.
    passes : float
        Passes over the data.
    errors : dict
        What is known of the errors of the gradient: ``{source: (kind, level)}``, where kind is ``"measured"``, ``"bounded"``,
        ``"estimated"`` or ``"unknown"``.
    guarantee : str
        The theorem that covers the run.
    verdict : str
        ``"stationary"``, ``"at the error floor"``, ``"not converged"`` or ``"diverged"``.
    words : str
        The verdict in a sentence, with what to do about it.
    """

    objective: float
    residual: float
    scaled_residual: float
    stationarity: float
    tolerance: float
    step: float
    step_range: str
    passes: float
    errors: Mapping[str, tuple[str, float | None]]
    guarantee: str
    verdict: str
    words: str

    @property
    def converged(self) -> bool:
        """Whether the point is stationary to the tolerance."""
        return self.verdict == "stationary"

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a dictionary that json can write."""
        return asdict(self)

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("objective", f"{self.objective:.10e}"),
            ("residual", f"{self.residual:.3e} at step 1, {self.scaled_residual:.3e} at step {self.step:.2e}"),
            ("step", self.step_range),
        ]
        for source, (kind, level) in self.errors.items():
            rows.append(("error", f"{source}: {'unknown' if level is None else f'{level:.2e} ({kind})'}"))
        rows.append(("guarantee", self.guarantee))
        return rows

    def __repr__(self) -> str:
        return "\n".join([self.words, *(f"  {name:<11} {text}" for name, text in self._rows())])

    def _repr_html_(self) -> str:
        color = {"stationary": "#2a7d2a", "at the error floor": "#946200"}.get(self.verdict, "#a32020")
        cells = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for name, text in self._rows()
        )
        return f"<div><b style='color:{color}'>{html.escape(self.words)}</b><table>{cells}</table></div>"

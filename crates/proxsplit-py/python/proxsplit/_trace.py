"""The looks of a run: a dictionary of arrays that a notebook draws."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT, MARGIN = 300, 150, 34


class Trace(dict[str, NDArray[Any]]):
    """One array for each quantity, with an entry for every check of the run.

    ``passes``, ``seconds``, ``objective``, ``residual``, and whatever else the run has measured.
    """

    def excess(self) -> NDArray[np.float64]:
        """How far every objective is above the lowest; the lowest itself has no place on a logarithmic axis, and is NaN."""
        objective = np.asarray(self["objective"], dtype=float)
        above = objective - np.nanmin(objective, initial=np.inf)
        return np.where(np.isfinite(above) & (above > 0), above, np.nan)

    def _repr_html_(self) -> str:
        charts = _chart(self["passes"], self.excess(), "objective above the lowest") + _chart(
            self["passes"], np.asarray(self["residual"], dtype=float), "residual"
        )
        looks = len(self["passes"])
        return f"<div>{charts}<div>{looks} checks in {self['passes'][-1]:g} passes, {self['seconds'][-1]:.3g} s</div></div>"


def _chart(x: NDArray[Any], y: NDArray[Any], title: str) -> str:
    """A curve over the passes on a logarithmic axis, as SVG in the page's own colour."""
    x = np.asarray(x, dtype=float)
    shown = np.isfinite(y) & (y > 0)
    x, heights = x[shown], np.log10(y[shown])
    head = f"<text x='{MARGIN}' y='12' font-size='11' fill='currentColor'>{html.escape(title)}</text>"
    if len(x) < 2:
        body = f"<text x='{MARGIN}' y='{HEIGHT // 2}' font-size='11' fill='currentColor'>nothing to draw</text>"
        return _svg(head + body)
    low, high = np.floor(heights.min()), np.ceil(heights.max())
    high = max(high, low + 1)
    across = MARGIN + (WIDTH - MARGIN - 6) * (x - x[0]) / max(x[-1] - x[0], 1e-300)
    down = HEIGHT - 20 - (HEIGHT - 40) * (heights - low) / (high - low)
    points = " ".join(f"{a:.1f},{d:.1f}" for a, d in zip(across, down, strict=True))
    curve = f"<polyline points='{points}' fill='none' stroke='#2a78d6' stroke-width='1.5'/>"
    labels = "".join(
        f"<text x='{MARGIN - 4}' y='{place}' font-size='9' text-anchor='end' fill='currentColor'>1e{int(power)}</text>"
        for power, place in ((high, 24), (low, HEIGHT - 17))
    )
    ends = "".join(
        f"<text x='{place}' y='{HEIGHT - 5}' font-size='9' text-anchor='{anchor}' fill='currentColor'>{value:g}</text>"
        for value, place, anchor in ((x[0], MARGIN, "start"), (x[-1], WIDTH - 6, "end"))
    )
    axis = f"<path d='M{MARGIN} 20V{HEIGHT - 20}H{WIDTH - 6}' fill='none' stroke='currentColor' stroke-opacity='0.4'/>"
    return _svg(head + axis + curve + labels + ends)


def _svg(body: str) -> str:
    return f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{HEIGHT}' viewBox='0 0 {WIDTH} {HEIGHT}'>{body}</svg>"

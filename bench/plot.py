"""One figure a case: how far above the best objective each program is, against time."""

from __future__ import annotations

from pathlib import Path

from . import style, table
from .case import Case
from .race import Run


def excess(runs: list[Run], case: Case, path: Path) -> None:
    """Curves of the first seed of every program, log axes, relative to the least objective that anyone reached."""
    least = min(objective for run in runs if run.case == case for _, objective in run.points)
    figure, axes = style.plt.subplots(figsize=(6.4, 4.2))
    order = sorted(table.names(runs, case), key=lambda name: (not name.startswith("proxsplit"), name))
    for index, name in enumerate(order):
        points = [(s, o / least - 1) for s, o in table.of(runs, case, name)[0].points if o / least - 1 < 0.3 and s > 0]
        if points:
            every = max(1, len(points) // 12)
            axes.plot(*zip(*points, strict=True), label=name, markevery=every, **style.look(index))
    axes.set(xscale="log", yscale="log", xlabel="seconds", ylabel="objective / least objective − 1", title=case.title)
    axes.set_ylim(bottom=1e-6)
    style.seconds(axes.xaxis)
    style.legend(axes)
    style.save(figure, path)

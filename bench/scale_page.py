"""Writes the tables and the figure of docs/src/scale.md from the stored measurements."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from . import style
from .case import ROOT
from .table import markdown

PAGE = ROOT / "docs" / "src" / "scale.md"
FIGURE = ROOT / "docs" / "src" / "bench" / "scale.svg"
MARK = "<!-- measured -->\n"
# Features, samples and rank of the problems in the figure and the last table.
PROBLEMS = ((10_000, 10_000_000, 32), (32_256, 1_000_000, 32), (200_000, 100_000, 100))
WORKERS = (1, 2, 10, 30, 100, 300, 1000)


def parts(m: float, T: float, K: float, W: float, s: float) -> list[float]:
    """The parts of a pass: flops of a worker, numbers through the center, flops of the center, and messages."""
    return [4 * m * K * T / W, m * K * (W + s), m * K * K, W]


def fitted(rows: list[dict]) -> tuple[np.ndarray, float]:
    """The cost of each part, by nonnegative least squares on relative errors, and the largest relative error."""
    table = np.array([parts(**{name: row[name] for name in "mTKWs"}) for row in rows])
    seconds = np.array([row["seconds"] for row in rows])
    sizes = np.abs(table).max(axis=0)
    costs, _ = nnls(table / sizes / seconds[:, None], np.ones(len(rows)))
    costs = costs / sizes
    return costs, float(np.abs(table @ costs / seconds - 1).max())


def told(measured: dict) -> str:
    """When and where a row was measured."""
    machine = measured["machine"]
    return f"{machine['date']}, {machine['processor']}, {machine['cores']} cores, proxsplit at {machine['proxsplit']}"


def of_passes(measured: dict) -> str:
    lines = []
    for name, row in measured.items():
        one, mpi, dask = (row["seconds"][way] for way in ("one process", "MPI", "Dask"))
        lines.append([name, f"{one:.3f} s", f"{mpi:.3f} s", f"**{one / mpi:.2f}**", f"{dask:.3f} s", f"**{one / dask:.2f}**", told(row)])
    head = ["data", "1 process × 2 threads", "MPI, 2 × 1", "efficiency", "Dask, 2 × 1", "efficiency", "measured"]
    return markdown(head, lines)


def of_larger(measured: dict) -> str:
    sentences = [
        f"{row['gigabytes']:.1f} GB in an {name} file, on two MPI ranks, each limited by the kernel to {row['limit'] / 1e9:.1f} GB of memory that is not backed by a file: "
        f"{row['passes']:g} passes at rank 10 took {row['seconds']:.0f} s, and no MPI rank used more than {row['largest worker'] / 1e6:.0f} MB of such memory ({told(row)}).\n"
        for name, row in measured.items()
    ]
    return "".join(sentences)


def of_model(by_engine: dict) -> str:
    measured = by_engine["MPI"]
    costs, error = fitted(measured["rows"])
    names = ("flops of a worker", "numbers through the center", "flops of the center", "messages")
    rates = [[name, f"{1 / cost:.2g} a second" if cost > 0 else "too cheap to be seen"] for name, cost in zip(names, costs, strict=True)]
    lines = []
    for m, T, K in PROBLEMS:
        seconds = [float(np.dot(parts(m, T, K, W, W), costs)) for W in WORKERS]
        every = np.arange(1, 1001)
        best = int(every[np.argmin([np.dot(parts(m, T, K, W, W), costs) for W in every])])
        lines.append([f"{m:,} × {T:,}, K = {K}", *(f"{s:.2g} s" for s in seconds), "1000 or more" if best == 1000 else str(best)])
    drawn(costs)
    head = ["features × samples", *(f"W = {W}" for W in WORKERS), "fastest W"]
    count = len(measured["rows"])
    text = f"The rates are fitted to {count} measurements with one and two MPI ranks ({told(measured)}); the largest relative error is {100 * error:.0f} %.\n\n"
    words = (
        "\nThe figure and the table show the time of a pass by the model, with one shard per worker. They extrapolate far beyond the measurements, which were made on one machine with messages through its memory.\n\n"
        "![Seconds of a pass against the number of workers, by the model](bench/scale.svg)\n\n"
    )
    return text + markdown(["part", "rate"], rates) + words + markdown(head, lines)


def drawn(costs: np.ndarray) -> None:
    """Plot the seconds of a pass against the number of workers."""
    figure, axes = style.plt.subplots(figsize=(6.4, 4.2))
    every = np.unique(np.round(np.logspace(0, 3, 60)))
    for index, (m, T, K) in enumerate(PROBLEMS):
        seconds = [float(np.dot(parts(m, T, K, W, W), costs)) for W in every]
        axes.plot(every, seconds, label=f"{m:,} × {T:,}, K = {K}", markevery=8, **style.look(index))
    axes.set(xscale="log", yscale="log", xlabel="workers", ylabel="seconds of a pass, by the model")
    style.legend(axes)
    style.save(figure, FIGURE)


def write(measured: dict) -> None:
    """Put the measurements between the marks of the page, in order."""
    pieces = PAGE.read_text().split(MARK)
    for place, part, text in ((1, "passes", of_passes), (3, "larger", of_larger), (5, "model", of_model)):
        pieces[place] = text(measured[part]) if part in measured else "Not measured yet.\n"
    PAGE.write_text(MARK.join(pieces))

"""How figures look: no background, grey that can be read on white and on black, colours that differ in hue and marker."""

from __future__ import annotations

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib import ticker  # noqa: E402

GREY = "#767676"
COLOURS = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#8A63D2", "#A0683C", "#7F7F7F", "#E0457B"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "*"]

plt.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "proxsplit",
        "font.family": "sans-serif",
        "font.size": 10,
        "text.color": GREY,
        "axes.labelcolor": GREY,
        "axes.edgecolor": GREY,
        "xtick.color": GREY,
        "ytick.color": GREY,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": GREY,
        "grid.alpha": 0.25,
        "legend.frameon": False,
        "savefig.transparent": True,
        "lines.markersize": 4,
    }
)


def look(index: int) -> dict:
    """Colour, marker and line of the index-th curve; when the colours are used up, lines are dashed."""
    again, place = divmod(index, len(COLOURS))
    return {"color": COLOURS[place], "marker": MARKERS[place - again], "linestyle": "--" if again else "-"}


def legend(axes) -> None:
    """The legend beside the plot, never over curves."""
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9)


def plain_numbers(axis) -> None:
    """Whole numbers on a logarithmic axis that spans much less than a decade."""
    axis.set_major_locator(ticker.MaxNLocator(5))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:.6g}"))
    axis.set_minor_locator(ticker.NullLocator())


def seconds(axis) -> None:
    """A logarithmic axis with 1, 2 and 5 of every decade, as plain numbers."""
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(ticker.NullLocator())


def save(figure, path) -> None:
    """Writes an SVG that is the same for the same numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def label_ends(axes, labels: list[tuple[float, float, str, str]]) -> None:
    """Names curves at their right ends, in their colours and apart from each other: (x, y, text, colour) each."""
    axes.figure.canvas.draw()
    place = axes.transData
    ends = sorted((place.transform((x, y))[1], x, text, colour) for x, y, text, colour in labels)
    least = 1.25 * plt.rcParams["font.size"] * 0.85 * axes.figure.dpi / 72
    heights: list[float] = []
    for height, *_ in ends:
        heights.append(max(height, heights[-1] + least) if heights else height)
    # What was pushed upwards is centred again.
    shift = sum(height - end[0] for height, end in zip(heights, ends, strict=True)) / max(len(ends), 1)
    right = axes.get_window_extent().x1
    for height, (_, _, text, colour) in zip(heights, ends, strict=True):
        spot = axes.transAxes.inverted().transform((right, height - shift))
        axes.annotate(text, (1.02, spot[1]), xycoords="axes fraction", color=colour, fontsize="small", va="center", annotation_clip=False)

"""Where the pictures of the examples go: the book's folder, or the folder in PROXSPLIT_GALLERY."""

import os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams.update({"figure.dpi": 80, "font.size": 9, "svg.hashsalt": "proxsplit", "axes.spines.top": False,
                            "axes.spines.right": False})  # fmt: skip
FOLDER = Path(os.environ.get("PROXSPLIT_GALLERY", Path(__file__).parents[3] / "docs/src/gallery"))


def save(figure, name):
    """Write a figure; curves as svg, images as png."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure.savefig(FOLDER / name, bbox_inches="tight", metadata={"Date": None} if name.endswith("svg") else None)


def show_images(axes, images, titles, **style):
    """Draw images side by side."""
    for axis, image, title in zip(axes, images, titles, strict=True):
        axis.imshow(image, cmap="gray", **style)
        axis.set_title(title)
        axis.axis("off")

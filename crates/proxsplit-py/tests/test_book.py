"""The Python code of the README and of the book runs."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]
PAGES = ["README.md", "docs/src/index.md", "docs/src/python.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks():
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for number, found in enumerate(BLOCK.finditer(text)):
            yield pytest.param(found[1], id=f"{page}-{number}")


def names():
    """What the pages take for granted."""
    rng = np.random.default_rng(0)
    X = rng.random((60, 4)) @ rng.random((4, 50))
    y = X[:, 0] - X[:, 1]
    return {
        "X": X,
        "faces": X,
        "y": y,
        "labels": np.where(y > np.median(y), 1, -1),
        "w": np.ones(60),
        "A": X,
        "b": y,
        "x0": np.zeros(50),
        "x": rng.standard_normal(50),
        "lower": -np.ones(50),
        "upper": np.ones(50),
        "weights": np.ones(50),
    }


@pytest.mark.parametrize("code", list(blocks()))
def test_code_of_a_page(code):
    from sklearn.model_selection import GridSearchCV

    if "matplotlib" in code:
        matplotlib = pytest.importorskip("matplotlib")
        matplotlib.use("Agg")
    space = names() | {"GridSearchCV": GridSearchCV}
    with warnings.catch_warnings():
        # The data are made up: whether a run converges is not what is tested here.
        warnings.simplefilter("ignore")
        exec(compile(code, "<book>", "exec"), space)

"""What a notebook shows: traces as curves, pictures of a fitted model."""

import re
import xml.dom.minidom

import numpy as np
import pytest

from proxsplit import NMF, minimize

X = np.random.default_rng(0).random((24, 12))


@pytest.fixture(scope="module")
def model():
    return NMF(4, random_state=0, max_iter=500).fit(X)


def test_a_trace_is_a_dictionary_that_draws_itself(model):
    page = model.trace_._repr_html_()
    xml.dom.minidom.parseString(page)  # well-formed
    curves = re.findall(r"<polyline points='([^']*)'", page)
    assert len(curves) == 2
    assert len(curves[1].split()) == np.isfinite(model.trace_["residual"]).sum()
    assert f"{len(model.trace_['passes'])} checks" in page
    excess = model.trace_.excess()
    lowest = np.nanargmin(model.trace_["objective"])
    assert np.isnan(excess[lowest]) and np.nanmin(excess) > 0


def test_a_trace_of_one_look_has_nothing_to_draw():
    result = minimize(lambda x: (0.5 * float(x @ x), x), np.zeros(2), jac=True)
    assert "nothing to draw" in result.trace._repr_html_()


def test_pictures(model):
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    figure = model.plot()
    drawn = figure.axes[0].lines[1].get_ydata()
    assert np.array_equal(drawn, model.trace_["residual"], equal_nan=True)
    assert len(model.plot("atoms", shape=(3, 4)).axes) == 4
    assert model.plot("atoms").axes[0].images[0].get_array().shape == (4, 12)
    _, ax = plt.subplots()
    assert model.plot("codes", codes=model.transform(X), ax=ax) is ax.figure
    plt.close("all")


@pytest.mark.parametrize(
    ("call", "words"),
    [({"kind": "atom"}, "one of"), ({"kind": "codes"}, "transform"), ({"kind": "atoms", "shape": (5, 5)}, "25 pixels")],
)
def test_what_cannot_be_drawn_is_refused(model, call, words):
    pytest.importorskip("matplotlib").use("Agg")
    with pytest.raises(ValueError, match=words):
        model.plot(**call)

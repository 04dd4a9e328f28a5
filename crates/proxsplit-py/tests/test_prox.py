"""The operator catalogue: text forms, values, proxes, shapes, types."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from proxsplit import prox
from proxsplit.prox import L0, L1, MCP, PSD, Box, L2Ball, Lp, NonNeg, Nuclear, Simplex, parse

CATALOGUE = [
    prox.Zero(), L1(0.5), prox.L2(0.5), prox.Linf(0.5), prox.SqL2(0.5), prox.ElasticNet(0.5, 0.25), prox.GroupL2(0.5, 4),
    prox.GroupLinf(0.5, 4), prox.SparseGroup(0.25, 0.5, 4), Nuclear(0.5, (3, 4)), prox.TV1D(0.5), prox.Fused(0.25, 0.5),
    prox.TV2D(0.5, (3, 4)), prox.AnisotropicTV2D(0.5, (3, 4)), prox.Oscar(0.25, 0.125), prox.Huber(0.5, 1.5),
    prox.Entropy(0.5), L0(0.5), Lp(0.5, "1/2"), Lp(0.5, 2 / 3), prox.SCAD(0.5, 3.7), MCP(0.5, 3), prox.LogSum(0.5, 1.5),
    prox.CappedL1(0.5, 1.5), prox.Rank(0.5, (3, 4)), NonNeg(), Box(-1, 0.5), prox.Binary(), Simplex(1), prox.L1Ball(1.5),
    L2Ball(1.5), prox.LinfBall(0.5), prox.Sphere(1.5), prox.SumTo(1.5), prox.BoxSum(0, 1, 1.5), prox.Monotone(),
    prox.SecondOrderCone(), prox.SparseBall(3), prox.RankBall(2, (3, 4)), L1(0.25) + NonNeg(),
    prox.SCAD(0.5, 3.7) + Box(-1, 1),
]  # fmt: skip
vectors = arrays(np.float64, 12, elements=st.floats(-5, 5, width=32))


def by_name(operator):
    return str(operator)


@pytest.mark.parametrize("g", CATALOGUE, ids=by_name)
def test_text_repr_and_pickle_give_the_same_operator_back(g):
    assert parse(str(g)) == g
    assert pickle.loads(pickle.dumps(g)) == g
    assert eval(repr(g), vars(prox)) == g
    assert hash(parse(str(g))) == hash(g)


@pytest.mark.parametrize("g", CATALOGUE, ids=by_name)
@settings(max_examples=15, deadline=None)
@given(x=vectors, others=arrays(np.float64, (5, 12), elements=st.floats(-3, 3, width=32)), step=st.floats(0.125, 4))
def test_the_prox_is_no_worse_than_other_points(g, x, others, step):
    step = min(step, 0.9 / g.modulus) if np.isfinite(g.modulus) and g.modulus > 0 else step
    z = g.prox(x, step)

    def cost(point):
        return g(point) + ((point - x) ** 2).sum() / (2 * step)

    best = cost(z)
    assert np.isfinite(best)
    for other in [*others, *(z + 1e-3 * others), x, np.zeros(12), g.prox(others[0], step)]:
        assert best <= cost(other) + 1e-6 * (1 + abs(best))


@pytest.mark.parametrize("g", CATALOGUE, ids=by_name)
def test_the_type_and_shape_of_x_are_kept(g, x=np.linspace(-2, 2.2, 12)):
    for kind in (np.float32, np.float64):
        z = g.prox(x.astype(kind).reshape(3, 4), 0.125)
        assert (z.dtype, z.shape) == (kind, (3, 4))
    single, double = g.prox(x.astype(np.float32), 0.125), g.prox(x, 0.125)
    np.testing.assert_allclose(single, double, atol=1e-5)
    np.testing.assert_array_equal(x, np.linspace(-2, 2.2, 12))


def test_matrices_are_read_column_by_column():
    x = np.arange(12.0).reshape(3, 4)
    values = np.linalg.svd(x, compute_uv=False)
    assert Nuclear(0.5, (3, 4))(x) == pytest.approx(0.5 * values.sum())
    u, s, v = np.linalg.svd(x, full_matrices=False)
    np.testing.assert_allclose(Nuclear(0.5, (3, 4)).prox(x, 2.0), (u * np.maximum(s - 1, 0)) @ v, atol=1e-10)
    with pytest.raises(ValueError, match=r"shape \(4, 3\)"):
        Nuclear(0.5, (3, 4))(x.T)


@settings(max_examples=30, deadline=None)
@given(x=vectors, step=st.floats(0.1, 10))
def test_conjugates_satisfy_moreau(x, step):
    for g in (L1(0.5), prox.SqL2(0.5), NonNeg(), prox.TV1D(0.5), prox.L2(0.5)):
        dual = g.conjugate().prox(x / step, 1 / step)
        np.testing.assert_allclose(g.prox(x, step) + step * dual, x, atol=1e-8)
        assert g.conjugate().conjugate() == g
        assert pickle.loads(pickle.dumps(g.conjugate())) == g.conjugate()


def test_known_numbers():
    np.testing.assert_array_equal(L1(1).prox([3.0, -0.5, -2.0]), [2.0, 0.0, -1.0])
    np.testing.assert_allclose(Simplex(1).prox([0.5, 0.5, 2.0]), [0, 0, 1])
    assert NonNeg()([-1.0]) == np.inf
    assert L2Ball(1).conjugate()([3.0, 4.0]) == pytest.approx(5.0, rel=1e-6)


@pytest.mark.parametrize(
    "text", ["l1", "l1:-1", "l1:a", "nope:1", "", "l1:1+", "scad:1,2", "nuclear:1,3y4", "l1:0.1 nonneg", "l1:nan"]
)
def test_bad_text_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse(text)


def test_other_bad_input():
    with pytest.raises(ValueError, match="weight"):
        L1(-0.1)
    with pytest.raises(ValueError, match="step"):
        L1(0.1).prox([1.0], 0.0)
    with pytest.raises(ValueError, match="non-finite"):
        L1(0.1).prox([np.nan])
    with pytest.raises(ValueError):
        PSD(3).prox(np.zeros(8))
    with pytest.raises(ValueError, match="dtype"):
        L1(0.1)(["a"])
    with pytest.raises(ValueError, match="convex"):
        L0(0.1).conjugate()
    with pytest.raises(TypeError):
        L1(0.1) + 1
    with pytest.raises(AttributeError, match="immutable"):
        L1(0.1).weight = 3
    with pytest.raises(TypeError):
        parse(3)


def test_infinite_bounds_have_a_repr_that_evaluates():
    for g in (Box(-np.inf, 1), Box(0, np.inf), L1(1) + Box(-np.inf, 2)):
        assert eval(repr(g), vars(prox)) == g


NO_TEXT = [
    L1([1.0, 0.0, 3.0]), Box([0, -np.inf, 1], [1, np.inf, 1]), L1([[1.0], [2.0], [0.5]]) + NonNeg(), L1([1.0, 2.0, 0.0]).conjugate(),
    Box([0, 1, 2], 2.5) + prox.SqL2(0.5), (L1(0.1) + NonNeg()).conjugate(), prox.TV2D(0.5, (3, 1), tolerance=1e-3),
    prox.AnisotropicTV2D(0.5, (3, 1), tolerance=1e-9),
]  # fmt: skip


@pytest.mark.parametrize("g", NO_TEXT, ids=repr)
def test_operators_without_a_text_form_evaluate_and_pickle(g):
    for copy in (eval(repr(g), vars(prox)), pickle.loads(pickle.dumps(g))):
        assert copy == g and hash(copy) == hash(g)


@settings(max_examples=60)
@given(
    x=arrays(np.float64, (3, 4), elements=st.floats(-5, 5)),
    weights=arrays(np.float64, (3, 4), elements=st.floats(0, 3)),
    bounds=arrays(np.float64, (2, 3, 4), elements=st.floats(-4, 4)),
    step=st.floats(0.1, 4),
)
def test_every_entry_has_its_own_weight_and_bounds(x, weights, bounds, step):
    low, high = bounds.min(0), bounds.max(0)
    soft = np.sign(x) * np.maximum(np.abs(x) - step * weights, 0)
    np.testing.assert_allclose(L1(weights).prox(x, step), soft, atol=1e-12)
    np.testing.assert_allclose((L1(weights) + Box(low, high)).prox(x, step), np.clip(soft, low, high), atol=1e-12)
    assert L1(weights)(x) == pytest.approx((weights * np.abs(x)).sum())
    assert (L1(weights) + Box(low, high))(np.clip(x, low, high)) < np.inf


def test_weights_of_entries_are_checked():
    with pytest.raises(ValueError, match="weight = -1"):
        L1([1.0, -1.0])
    with pytest.raises(ValueError, match=r"x has shape \(3,\), but L1 was made for shape \(2,\)"):
        L1([1.0, 2.0]).prox(np.ones(3))
    with pytest.raises(ValueError, match="tolerance"):
        prox.TV2D(1.0, (2, 2), tolerance=0)


@pytest.mark.parametrize("kind", [prox.TV2D, prox.AnisotropicTV2D])
def test_total_variation_is_as_exact_as_its_tolerance(kind):
    x = np.random.default_rng(0).normal(size=(20, 30)).cumsum(0)
    size = np.linalg.norm(x - x.mean())
    exact, error = kind(1.0, (20, 30), tolerance=1e-7).prox_with_error(x)
    assert error <= 1e-7 * size
    rough, bound = kind(1.0, (20, 30), tolerance=1e-2).prox_with_error(x)
    assert 1e-7 * size < bound <= 1e-2 * size
    assert np.linalg.norm(rough - exact) <= bound + error


SUMS = [
    "entropy:0.5+l1-ball:1.2", "l1-ball:1+sum:0.5", "monotone+soc", "tv1d:0.5+simplex:1", "nuclear:0.5,3x4+nonneg", "monotone+simplex:1",
    "l1-ball:1+linf-ball:0.3", "entropy:1+soc", "l2-ball:1+sum:2.5",
]  # fmt: skip


@pytest.mark.parametrize("text", SUMS)
@settings(max_examples=40)
@given(x=arrays(np.float64, 12, elements=st.floats(-1, 1)), size=st.integers(-3, 3), step=st.integers(-2, 2))
def test_sums_return_points_of_finite_value(text, x, size, step):
    g = parse(text)
    for kind in (np.float64, np.float32):
        point, error = g.prox_with_error((10.0**size * x).astype(kind), 10.0**step)
        assert np.isfinite(g(point)) and (error is None or error >= 0)


EXTREMES = [0.0, 5e-324, -5e-324, 1e-300, -1e-160, 1e-30, 1.0, -1.0, 1e30, -1e160, 1e300, -1e300]


@pytest.mark.parametrize("g", CATALOGUE, ids=by_name)
@pytest.mark.parametrize("step", [1e-12, 1.0, 1e12])
def test_extremes_give_numbers(g, step):
    if np.isfinite(g.modulus) and g.modulus > 0:
        step = min(step, 0.9 / g.modulus)
    random = np.random.default_rng(0)
    for x in (random.permutation(EXTREMES), np.full(12, 1e300), np.full(12, 5e-324), np.array([1e300] + [5e-324] * 11)):
        assert np.isfinite(g.prox(x, step)).all(), x


def test_a_stopped_prox_says_how_far_it_may_be_off():
    x = np.linspace(-2, 2.2, 12)
    for g in CATALOGUE:
        point, error = g.prox_with_error(x, 0.125)
        np.testing.assert_array_equal(point, g.prox(x, 0.125))
        assert error is None or 0 <= error < 1e-3
    assert L1(0.5).prox_with_error(x)[1] == 0
    assert prox.TV2D(0.5, (3, 4)).prox_with_error(x)[1] != 0

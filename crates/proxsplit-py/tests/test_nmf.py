"""NMF against scikit-learn, on every kind of data, and with wrong input."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import decomposition
from sklearn.base import clone
from sklearn.decomposition._nmf import _initialize_nmf
from sklearn.exceptions import ConvergenceWarning

from proxsplit import NMF, MiniBatchNMF
from proxsplit._factorization import SMALL

RNG = np.random.default_rng(0)
X = RNG.random((60, 3)) @ RNG.random((3, 40)) + 0.05 * RNG.random((60, 40))


def objective(X, W, H, alpha_W=0.0, alpha_H=0.0, l1_ratio=0.0):
    """scikit-learn's objective, written down from its documentation."""

    def penalty(F):
        return l1_ratio * np.abs(F).sum() + (1 - l1_ratio) / 2 * (F**2).sum()

    fit = 0.5 * np.linalg.norm(X - W @ H) ** 2
    return fit + alpha_W * X.shape[1] * penalty(W) + alpha_H * X.shape[0] * penalty(H)


@pytest.mark.parametrize(
    "penalties", [{}, {"alpha_W": 1e-3}, {"alpha_W": 1e-3, "l1_ratio": 1.0}, {"alpha_W": 1e-3, "alpha_H": 2e-3, "l1_ratio": 0.5}]
)
def test_objectives_are_as_low_as_those_of_sklearn(penalties):
    """The best of three starts each: the problem has several local minima."""
    weights = {"alpha_H": penalties.get("alpha_W", 0.0)} | penalties
    mine, best = [], []
    for seed in range(3):
        ours = NMF(3, max_iter=10000, tol=1e-6, init="random", random_state=seed, **penalties)
        mine.append(objective(X, ours.fit_transform(X), ours.components_, **weights))
        assert ours.certificate_.converged
        assert ours.certificate_.objective == pytest.approx(mine[-1], rel=1e-6)
        theirs = decomposition.NMF(3, max_iter=3000, tol=1e-7, init="random", random_state=seed, **penalties)
        best.append(objective(X, theirs.fit_transform(X), theirs.components_, **weights))
    assert min(mine) <= min(best) * (1 + 1e-4)


@pytest.mark.filterwarnings("ignore")
def test_sparse_penalties_do_not_kill_atoms_that_the_data_have():
    """Exactly sparse data of rank 8, from scikit-learn's own start: minima differ, but ours is not above by more than a rare accident."""
    excess = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, m = [(200, 100), (60, 80), (100, 300)][seed % 3]
        W, H = ((rng.random(shape) * (rng.random(shape) < 0.3)) for shape in ((n, 8), (8, m)))
        start = _initialize_nmf(W @ H, 8, init="nndsvda", random_state=0)
        for alpha in (0.003, 0.006, 0.01, 0.015, 0.02, 0.03):
            found = []
            for kind in (decomposition.NMF, NMF):
                model = kind(8, init="custom", alpha_W=alpha, l1_ratio=1.0, random_state=0)
                codes = model.fit_transform(W @ H, W=start[0].copy(), H=start[1].copy())
                misfit = 0.5 * ((W @ H - codes @ model.components_) ** 2).sum()
                found.append(misfit + alpha * (m * codes.sum() + n * model.components_.sum()))
            excess.append(found[1] / found[0] - 1)
    assert sum(e > 5e-4 for e in excess) <= 2 and max(excess) < 5e-3


def test_the_error_is_the_frobenius_norm():
    model = NMF(3, random_state=0)
    W = model.fit_transform(X)
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(X - W @ model.components_), rel=1e-6)
    np.testing.assert_allclose(model.inverse_transform(W), W @ model.components_)


@pytest.mark.parametrize("alpha", [1e-9, 1e-3, 1e3])
def test_the_error_does_not_come_from_a_difference(alpha):
    """With exact data and heavy penalties the objective is nearly all penalty, or the misfit nearly all rounding."""
    exact = RNG.random((30, 2)) @ RNG.random((2, 20))
    model = NMF(2, alpha_W=alpha, random_state=0, max_iter=500, tol=1e-9)
    W = model.fit_transform(exact)
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(exact - W @ model.components_), rel=1e-6, abs=1e-13)


def kinds():
    data = np.round(X * 20)
    yield "C", data
    yield "F", np.asfortranarray(data)
    yield "strided", np.repeat(data, 2, axis=1)[:, ::2]
    yield "uint8", data.astype(np.uint8)
    yield "int16", data.astype(np.int16)
    yield "int32", data.astype(np.int32)
    yield "int64", data.astype(np.int64)
    for name in ("csr_matrix", "csc_matrix", "csr_array", "csc_array"):
        yield name, getattr(sp, name)(data)
    wide = sp.csr_array(data)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    yield "csr int64", wide
    yield "coo", sp.coo_array(data)
    yield "list", data.tolist()


@pytest.mark.parametrize(("name", "data"), list(kinds()), ids=[name for name, _ in kinds()])
def test_every_kind_of_data_gives_the_same_factors(name, data):
    reference = NMF(3, random_state=0, max_iter=20, tol=0, method="batch").fit(np.round(X * 20))
    model = NMF(3, random_state=0, max_iter=20, tol=0, method="batch")
    W = model.fit_transform(data)
    np.testing.assert_allclose(model.components_, reference.components_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.transform(data), reference.transform(np.round(X * 20)), rtol=1e-5, atol=1e-7)
    assert W.dtype == np.float64


def test_memmaps(tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    expected = NMF(3, random_state=0).fit(X).components_
    np.testing.assert_array_equal(NMF(3, random_state=0).fit(mapped).components_, expected)


def test_frames_give_names():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    names = [f"f{i}" for i in range(40)]
    for frame in (pandas.DataFrame(X, columns=names), polars.DataFrame(X, schema=names)):
        model = NMF(3, random_state=0).fit(frame)
        assert list(model.feature_names_in_) == names
        np.testing.assert_allclose(model.components_, NMF(3, random_state=0).fit(X).components_, rtol=1e-9)
    model.set_output(transform="pandas")
    assert list(model.transform(frame).columns) == ["nmf0", "nmf1", "nmf2"] == list(model.get_feature_names_out())


def test_float32_in_float32_out():
    model = NMF(3, random_state=0)
    W = model.fit_transform(X.astype(np.float32))
    assert {W.dtype, model.components_.dtype, model.transform(X.astype(np.float32)).dtype} == {np.dtype(np.float32)}
    double = NMF(3, random_state=0).fit(X)
    assert model.reconstruction_err_ == pytest.approx(double.reconstruction_err_, rel=1e-2)
    assert NMF(3, dtype=np.float32).fit(X).components_.dtype == np.float32


def test_same_seed_same_bits_for_every_number_of_threads():
    data = RNG.random((1000, 500))
    assert data.size * 10 > SMALL, "small data use one thread"

    def components(seed, n_threads):
        return NMF(10, init="random", random_state=seed, n_threads=n_threads, max_iter=8, tol=0).fit(data).components_

    runs = [components(5, n_threads) for n_threads in (1, 2, 2, None)]
    for run in runs[1:]:
        np.testing.assert_array_equal(run, runs[0])
    assert not np.array_equal(components(6, None), runs[0])


def test_auto_starts_as_the_command_line_does():
    def components(init, data):
        return NMF(3, init=init, max_iter=3, tol=0, random_state=0).fit(data).components_

    for data, chosen in ((X, "random"), (sp.csr_array(X), "nndsvd")):
        np.testing.assert_array_equal(components("auto", data), components(chosen, data))


def test_penalties_and_sets_by_text_or_operator():
    from proxsplit.prox import L1, Simplex

    W = NMF(3, random_state=0, W_set=Simplex(1), max_iter=500).fit_transform(X)
    np.testing.assert_allclose(W.sum(axis=1), 1, rtol=1e-6)
    assert (W >= 0).all()
    sparse = NMF(3, random_state=0, W_penalty=L1(0.5), H_set="box:0,1", max_iter=500)
    W = sparse.fit_transform(X)
    assert sparse.components_.max() <= 1 + 1e-9
    assert (W == 0).sum() > 0


def test_signed_data():
    centred = X - X.mean()
    with pytest.raises(ValueError, match="Negative values.*signed=True"):
        NMF(3).fit(centred)
    model = NMF(3, signed=True, random_state=0, max_iter=500).fit(centred)
    assert (model.components_ >= 0).all()
    free = NMF(3, signed=True, W_set=None, H_set="l2-ball:1", random_state=0, max_iter=500, tol=1e-6).fit(centred)
    values = np.linalg.svd(centred, compute_uv=False)
    assert free.reconstruction_err_ == pytest.approx(np.sqrt((values[3:] ** 2).sum()), rel=1e-3)


def test_custom_start_is_used_and_not_changed():
    W, H = RNG.random((60, 3)), RNG.random((3, 40))
    before = W.copy(), H.copy()
    model = NMF(3, init="custom", max_iter=300)
    model.fit_transform(X, W=W, H=H)
    np.testing.assert_array_equal(W, before[0])
    np.testing.assert_array_equal(H, before[1])
    again = NMF("auto", init="custom", max_iter=300).fit(X, W=W, H=H)
    np.testing.assert_array_equal(again.components_, model.components_)


@pytest.mark.parametrize("method", ["batch", "incremental", "aggregated"])
def test_methods_reach_the_same_quality(method):
    model = NMF(3, method=method, random_state=0, max_iter=500, batch_size=20).fit(X)
    best = NMF(3, random_state=0, max_iter=1000).fit(X)
    assert model.method_.startswith(method)
    assert model.reconstruction_err_ <= best.reconstruction_err_ * 1.05


def test_pickle_and_clone():
    model = NMF(3, random_state=0, W_penalty="l1:0.1").fit(X)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.transform(X), model.transform(X))
    assert copy.certificate_ == model.certificate_
    assert clone(model).get_params() == model.get_params()


def test_not_converged_warns_with_what_to_do():
    with pytest.warns(ConvergenceWarning, match="Maximum number of iterations 1 reached"):
        model = NMF(3, init="random", max_iter=1, tol=1e-9, random_state=0).fit(X)
    assert not model.certificate_.converged
    assert "<table>" in model.certificate_._repr_html_()


def test_a_penalty_on_one_factor_alone_warns():
    with pytest.warns(UserWarning, match="Only one factor is penalized.*alpha_H"):
        NMF(3, alpha_W=1e-3, alpha_H=0.0, l1_ratio=1.0, random_state=0, max_iter=20, tol=0).fit(X)


def test_verbose_shows_progress(capsys):
    NMF(3, verbose=1, random_state=0).fit(X)
    out, err = capsys.readouterr()
    assert "NMF" in out + err and "objective" in out + err


def high_water_mark(reset=False):
    """The peak of resident memory in bytes since the last reset."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads the memory of the process from /proc")
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.uint8])
def test_no_copy_of_large_arrays(order, kind):
    big = np.ones((8000, 1000), dtype=kind, order=order)
    model = NMF(2, init="random", max_iter=1, tol=0, random_state=0)
    model.fit(big[:50])
    before = high_water_mark(reset=True)
    model.fit(big)
    # The first passes over float64 are in single precision, over a copy of half the size; nothing else is copied.
    rest = 4e6 if kind is np.float64 else 0
    assert high_water_mark() - before < big.nbytes / 2 + rest
    copied = high_water_mark(reset=True), big.astype(np.float64, copy=True)
    assert high_water_mark() - copied[0] >= big.nbytes / 2, "the measurement does not see copies"


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_partial_fit_learns(container):
    model = MiniBatchNMF(3, random_state=0)
    for _ in range(30):
        for start in range(0, 60, 20):
            model.partial_fit(container(X[start : start + 20]))
    batch, components = X[40:], model.components_
    W = model.transform(X)
    best = NMF(3, random_state=0, max_iter=1000).fit(X).reconstruction_err_
    assert np.linalg.norm(X - W @ components) <= 1.1 * best
    assert model.n_steps_ == 90
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(batch - model.transform(batch) @ components), rel=0.05)


def test_partial_fit_goes_on_after_fit_and_takes_single_samples():
    model = MiniBatchNMF(3, random_state=0, max_iter=500, batch_size=20).fit(X)
    before, steps = model.reconstruction_err_, model.n_steps_
    assert before <= 1.05 * NMF(3, random_state=0, max_iter=1000).fit(X).reconstruction_err_
    model.partial_fit(X)
    assert model.reconstruction_err_ == pytest.approx(before, rel=1e-2) and model.n_steps_ == steps + 1
    model.partial_fit(X[:1])
    assert np.isfinite(model.components_).all()


def test_more_components_than_samples():
    model = NMF(50, random_state=0, max_iter=500).fit(X[:8])
    assert model.components_.shape == (50, 40) and model.reconstruction_err_ <= 1e-3 * np.linalg.norm(X[:8])
    assert NMF(random_state=0).fit(X[:8]).n_components_ == 40
    stream = MiniBatchNMF(5, random_state=0)
    for rows in (X[:2], X[2:5], X):
        stream.partial_fit(rows)
    assert stream.components_.shape == (5, 40) and np.isfinite(stream.components_).all()


@pytest.mark.parametrize(
    ("parameters", "data", "words"),
    [
        ({"n_components": 0}, X, "n_components"),
        ({"n_components": 2.5}, X, "n_components"),
        ({"n_components": 10**15, "init": "random"}, X, "memory"),
        ({"n_components": 41, "init": "nndsvd"}, X, "nndsvd"),
        ({"init": "best"}, X, "init"),
        ({"init": "custom"}, X, "custom"),
        ({"tol": -1}, X, "tol"),
        ({"max_iter": 0}, X, "max_iter"),
        ({"alpha_W": -1}, X, "alpha_W"),
        ({"l1_ratio": 2}, X, "l1_ratio"),
        ({"W_penalty": "nope:1"}, X, "nope"),
        ({"W_penalty": "l1:1", "alpha_W": 1}, X, "either"),
        ({"H_set": "simplex:-1"}, X, "simplex"),
        ({"method": "magic"}, X, "magic"),
        ({"n_threads": 0}, X, "n_threads"),
        ({"batch_size": 0}, X, "batch_size"),
        ({"dtype": np.int32}, X, "float32 or float64"),
        ({}, np.where(X > 0.9, np.nan, X), "NaN"),
        ({}, np.where(X > 0.9, np.inf, X), "infinity"),
        ({}, X[0], "2D array"),
        ({}, X[:0], "0 sample"),
        ({}, -X, "Negative"),
    ],
)
def test_bad_input(parameters, data, words):
    with pytest.raises(ValueError, match=words):
        NMF(**{"n_components": 3} | parameters).fit(data)


def test_custom_factors_of_the_wrong_shape():
    with pytest.raises(ValueError, match=r"wrong first dimension passed to NMF \(input W\). Expected 60, but got 59"):
        NMF(3, init="custom").fit_transform(X, W=np.ones((59, 3)), H=np.ones((3, 40)))
    with pytest.raises(ValueError, match="not finite"):
        NMF(3, init="custom").fit_transform(X, W=np.full((60, 3), np.nan), H=np.ones((3, 40)))
    with pytest.raises(ValueError, match="features"):
        NMF(3, random_state=0).fit(X).transform(X[:, :10])


@pytest.mark.parametrize("method", ["incremental", "sggd"])
def test_a_metric_is_for_the_methods_that_step_in_one(method):
    X = np.random.default_rng(0).random((40, 12))
    errors = [NMF(3, method=method, metric=metric, random_state=0, max_iter=40, tol=0).fit(X).reconstruction_err_ for metric in ("gram", "scalar")]
    assert errors[0] != errors[1]
    with pytest.raises(ValueError, match="only for method='incremental'"):
        NMF(3, metric="scalar").fit(X)
    with pytest.raises(ValueError, match="gram, scalar"):
        NMF(3, method=method, metric="diagonal").fit(X)

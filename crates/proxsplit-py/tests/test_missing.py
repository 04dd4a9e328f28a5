"""Missing entries: NaN, or what a sparse matrix does not store."""

import numpy as np
import pytest
import scipy.sparse as sp

from proxsplit import NMF, DictionaryLearning, MiniBatchNMF, check


@pytest.fixture
def planted():
    """X of rank 3 with gaps, and without; sample 5 was not observed at all."""
    rng = np.random.default_rng(0)
    full = rng.random((60, 3)) @ rng.random((3, 25))
    gaps = rng.random(full.shape) < 0.3
    gaps[5] = True
    return np.where(gaps, np.nan, full), full


def held_out(X, full, WH):
    gaps = np.isnan(X)
    gaps[5] = False
    return np.linalg.norm((WH - full)[gaps]) / np.linalg.norm(full[gaps])


@pytest.mark.parametrize(
    "model",
    [
        NMF(3, missing="nan", random_state=0, max_iter=3000, tol=1e-7),
        MiniBatchNMF(3, missing="nan", random_state=1, max_iter=3000, tol=1e-6, method="incremental", batch_size=30),
        DictionaryLearning(3, alpha=1e-4, missing="nan", random_state=0, max_iter=3000, tol=1e-6, transform_algorithm="lasso_cd"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_gaps_are_predicted(planted, model):
    X, full = planted
    W = model.fit_transform(X)
    assert np.isfinite(W).all() and not W[5].any()
    assert held_out(X, full, W @ model.components_) < 0.02
    rows = model.transform(X[:10])
    assert held_out(X[:10], full[:10], model.inverse_transform(rows)) < 0.02


def test_every_storage_gives_the_same(planted):
    X, full = planted
    gaps = np.isnan(X)
    settings = {"n_components": 3, "random_state": 0, "max_iter": 20, "tol": 0}
    expected = NMF(missing="nan", **settings).fit(X)
    observed = sp.csr_matrix((full[~gaps], np.nonzero(~gaps)), shape=full.shape)
    for stored, missing in [
        (np.asfortranarray(X), "nan"),
        (sp.csr_matrix(X), "nan"),
        (sp.csc_matrix(X), "nan"),
        (observed, "unstored"),
        (observed.tocsc(), "unstored"),
    ]:
        found = NMF(missing=missing, **settings).fit(stored)
        np.testing.assert_allclose(found.components_, expected.components_, atol=1e-7)
    error = np.linalg.norm((expected.transform(X) @ expected.components_ - full)[~gaps])
    assert expected.reconstruction_err_ == pytest.approx(error, rel=1e-6)


def test_without_gaps_nothing_changes(planted):
    _, full = planted
    settings = {"n_components": 3, "init": "random", "random_state": 0, "max_iter": 20, "tol": 0}
    plain, declared = NMF(**settings).fit(full), NMF(missing="nan", **settings).fit(full)
    assert (plain.components_ == declared.components_).all()


def test_audits_look_at_observed_entries_only(planted):
    X, full = planted
    W, H = np.abs(np.random.default_rng(1).normal(size=(60, 3))), np.abs(np.random.default_rng(2).normal(size=(3, 25)))
    found = check(X.T, H.T, W.T, missing="nan")
    assert found.misfit == pytest.approx(0.5 * np.nansum((X - W @ H) ** 2))


def test_what_cannot_be_is_refused(planted):
    X, full = planted
    with pytest.raises(ValueError, match="NaN"):
        NMF(3).fit(X)
    with pytest.raises(ValueError, match="infinity"):
        NMF(3, missing="nan").fit(np.where(np.isnan(X), np.inf, X))
    with pytest.raises(ValueError, match="missing = 'zero'"):
        NMF(3, missing="zero").fit(X)
    with pytest.raises(ValueError, match="dense data store every entry"):
        NMF(3, missing="unstored").fit(full)
    with pytest.raises(ValueError, match="Negative values"):
        NMF(3, missing="nan").fit(-X)
    with pytest.raises(ValueError, match="use batch, incremental or sggd"):
        MiniBatchNMF(3, missing="nan").fit(X)
    with pytest.raises(ValueError, match="partial_fit"):
        MiniBatchNMF(3, missing="nan").partial_fit(X)
    with pytest.raises(ValueError, match="all entries"):
        NMF(3, missing="nan").fit(np.full((4, 4), np.nan))

"""Weights of samples, and components that are kept."""

import numpy as np
import pytest

from proxsplit import NMF, DictionaryLearning


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.random((40, 3)) @ rng.random((3, 12)) + 0.1 * rng.random((40, 12))


def test_whole_weights_are_repeated_samples(X):
    weights = np.random.default_rng(1).integers(0, 4, size=len(X))
    rng = np.random.default_rng(2)
    W, H = rng.random((len(X), 3)), rng.random((3, X.shape[1]))
    many = np.repeat(np.arange(len(X)), weights)
    options = {"n_components": 3, "init": "custom", "method": "batch", "max_iter": 3000, "tol": 1e-8}
    weighted = NMF(**options)
    few = weighted.fit_transform(X, W=W, H=H, sample_weight=weights)
    repeated = NMF(**options)
    all_of_them = repeated.fit_transform(X[many], W=W[many], H=H)
    assert weighted.reconstruction_err_ == pytest.approx(repeated.reconstruction_err_, rel=1e-6)
    # Factors of these data are not unique, their product is.
    np.testing.assert_allclose(few[many] @ weighted.components_, all_of_them @ repeated.components_, atol=1e-6)


def test_the_objective_is_the_weighted_one(X):
    weights = np.random.default_rng(1).random(len(X))
    model = NMF(3, alpha_W=1e-3, l1_ratio=1.0, random_state=0, max_iter=2000, tol=1e-6)
    W = model.fit_transform(X, sample_weight=weights)
    misfit = 0.5 * (weights[:, None] * (X - W @ model.components_) ** 2).sum()
    penalties = 1e-3 * X.shape[1] * W.sum() + 1e-3 * X.shape[0] * model.components_.sum()
    assert model.certificate_.at_point["objective"] == pytest.approx(misfit + penalties, rel=1e-9)
    assert model.reconstruction_err_ == pytest.approx(np.sqrt(2 * misfit), rel=1e-9)


@pytest.mark.parametrize("bad", [np.full(40, -1.0), np.r_[np.nan, np.ones(39)], np.ones(7), np.zeros(40)])
def test_bad_weights_are_refused(X, bad):
    with pytest.raises(ValueError, match="weight"):
        NMF(3).fit_transform(X, sample_weight=bad)


@pytest.mark.parametrize("method", ["auto", "batch", "incremental", "aggregated", "sggd"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fixed_atoms_are_kept_to_the_bit(X, method, dtype):
    fixed = np.random.default_rng(3).random((2, X.shape[1])).astype(dtype)
    model = NMF(4, fixed_atoms=fixed, method=method, dtype=dtype, random_state=0, max_iter=30, tol=0).fit(X)
    assert model.components_[:2].tobytes() == fixed.tobytes()


def test_fixed_atoms_of_a_dictionary(X):
    fixed = -np.ones((1, X.shape[1]))
    model = DictionaryLearning(4, alpha=0.1, fixed_atoms=fixed, random_state=0).fit(X)
    assert (model.components_[0] == -1).all()
    assert (np.linalg.norm(model.components_[1:], axis=1) <= 1 + 1e-9).all()


@pytest.mark.parametrize("bad", [np.ones((5, 12)), np.ones((1, 11)), np.full((1, 12), np.nan), np.ones(12)])
def test_fixed_atoms_that_do_not_fit_are_refused(X, bad):
    with pytest.raises(ValueError, match="fixed_atoms"):
        NMF(4, fixed_atoms=bad).fit(X)

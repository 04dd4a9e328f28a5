"""Kullback–Leibler against scikit-learn: objective, codes, audits, and what is refused."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import decomposition
from sklearn.decomposition._nmf import _beta_divergence

from proxsplit import NMF, MiniBatchNMF, check

RNG = np.random.default_rng(0)
X = RNG.poisson(4 * RNG.random((50, 4)) @ RNG.random((4, 30))).astype(float)
LOSS = "kullback-leibler"


def divergence(X, W, H):
    return _beta_divergence(X, W, H, 1)


@pytest.mark.parametrize("solver", ["cd", "mu"])
@pytest.mark.filterwarnings("ignore:solver='mu'")
def test_the_objective_is_scikit_learns_and_at_least_as_low(solver):
    W, H = RNG.random((50, 4)) + 0.1, RNG.random((4, 30)) + 0.1
    theirs = decomposition.NMF(4, init="custom", solver="mu", beta_loss=LOSS, max_iter=5000, tol=1e-10)
    best = divergence(X, theirs.fit_transform(X, W=W.copy(), H=H.copy()), theirs.components_)
    ours = NMF(4, init="custom", solver=solver, beta_loss=LOSS, max_iter=5000, tol=1e-6)
    codes = ours.fit_transform(X, W=W, H=H)
    found = divergence(X, codes, ours.components_)
    assert ours.certificate_.converged
    assert ours.certificate_.objective == pytest.approx(found, rel=1e-9)
    assert ours.reconstruction_err_ == pytest.approx(np.sqrt(2 * found), rel=1e-9)
    assert found <= best * 1.02


def test_codes_are_the_minimizers_for_the_components():
    model = NMF(4, init="random", random_state=0, beta_loss=LOSS, max_iter=500).fit(X)
    W = RNG.random((50, 4))
    for _ in range(20000):
        W *= (X / (W @ model.components_)) @ model.components_.T / model.components_.sum(axis=1)
    assert divergence(X, model.transform(X), model.components_) <= divergence(X, W, model.components_) * (1 + 1e-9)


def test_sparse_data_single_precision_and_audits():
    model = NMF(3, init="random", random_state=1, beta_loss=1, max_iter=300)
    dense, sparse = model.fit_transform(X), model.fit_transform(sp.csr_matrix(X))
    np.testing.assert_allclose(dense, sparse, rtol=1e-6, atol=1e-9)
    audit = check(X.T, model.components_.T, sparse.T, loss="kl")
    assert audit.misfit == pytest.approx(divergence(X, sparse, model.components_), rel=1e-9)
    single = NMF(3, init="random", random_state=1, beta_loss=1, max_iter=300).fit(X.astype(np.float32))
    assert single.components_.dtype == np.float32


def test_missing_counts_do_not_matter():
    gappy = X.copy()
    gappy[RNG.random(X.shape) < 0.2] = np.nan
    model = NMF(3, init="random", random_state=0, beta_loss=LOSS, missing="nan", max_iter=500)
    W = model.fit_transform(gappy)
    seen, Z = ~np.isnan(gappy), W @ model.components_
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(gappy > 0, gappy * np.log(gappy / Z), 0.0)
    assert model.certificate_.objective == pytest.approx((logs - gappy + Z)[seen].sum(), rel=1e-8)


def test_mini_batches_lower_the_divergence():
    model = MiniBatchNMF(3, init="random", random_state=0, beta_loss=LOSS, batch_size=10, max_iter=100, tol=0)
    found = divergence(X, model.fit_transform(X), model.components_)
    constant = divergence(X, np.ones((50, 1)), X.mean(axis=0, keepdims=True))
    assert found < constant and model.method_.startswith("incremental")


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix])
def test_a_stream_of_counts_is_learned(container):
    """With nothing forgotten, repeated passes come to where a fit does; more samples of the same kind are fitted as well."""
    stream = MiniBatchNMF(4, random_state=0, beta_loss=LOSS, forget_factor=0.9)
    for _ in range(60):
        for first in range(0, 50, 10):
            stream.partial_fit(container(X[first : first + 10]))
    fitted = NMF(4, init="random", random_state=0, beta_loss=LOSS, max_iter=500).fit(X)
    best = divergence(X, fitted.transform(X), fitted.components_)
    assert divergence(X, stream.transform(X), stream.components_) <= 1.05 * best
    last = X[40:]
    assert stream.reconstruction_err_ == pytest.approx(np.sqrt(2 * divergence(last, stream.transform(last), stream.components_)), rel=0.05)
    assert stream.n_steps_ == 300


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_components_of_a_stream_are_minimizers(l1_ratio):
    """One batch, all forgotten: H minimizes the majorizer, so that the penalized divergence falls."""
    from proxsplit._stream import counts_components, counts_shares

    W, H, l1, l2 = RNG.random((50, 3)), RNG.random((3, 30)), 2 * l1_ratio, 2 * (1 - l1_ratio)
    shares = counts_shares(X, W, H)
    new = counts_components(shares, H, l1, l2)
    slope = -shares[1] / new + shares[0][:, None] + l1 + l2 * new
    assert np.abs(slope[new > 1e-12]).max() < 1e-9

    def objective(H):
        return divergence(X, W, H) + l1 * H.sum() + l2 / 2 * (H**2).sum()

    assert objective(new) < objective(H)


def test_a_stream_of_counts_takes_no_other_set():
    with pytest.raises(ValueError, match="use fit"):
        MiniBatchNMF(3, beta_loss=LOSS, H_set="box:0,1").partial_fit(X)


def test_what_it_cannot_take_is_refused():
    with pytest.raises(ValueError, match="simplex is supported for A only"):
        NMF(3, beta_loss=LOSS, H_set="simplex:1").fit(X)
    with pytest.raises(ValueError, match="nonneg"):
        NMF(3, beta_loss=LOSS, W_set="l2-ball:1").fit(X)
    with pytest.raises(ValueError, match="[Nn]egative"):
        NMF(3, beta_loss=LOSS).fit(X - 1)

"""Graphs of samples and of features."""

import numpy as np
import pytest
import scipy.sparse as sp

from proxsplit import NMF, check


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.random((40, 3)) @ rng.random((3, 12)) + 0.1 * rng.random((40, 12))


def chain(nodes):
    """Every node is similar to the next one; stored once."""
    return sp.diags_array(np.ones(nodes - 1), offsets=1, format="csr")


def energy(rows, graph):
    """½Σ_ij s_ij‖r_i − r_j‖², from the definition."""
    graph = sp.coo_array(graph)
    return 0.5 * (graph.data * ((rows[graph.row] - rows[graph.col]) ** 2).sum(axis=1)).sum()


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_objective_has_both_graphs(X, dense, dtype):
    graph, feature_graph = 0.3 * chain(40), 0.1 * chain(12)
    given = {"graph": graph.toarray(), "feature_graph": feature_graph.toarray()} if dense else {"graph": graph, "feature_graph": feature_graph}
    model = NMF(3, random_state=0, max_iter=3000, tol=1e-4, dtype=dtype, **given)
    W = model.fit_transform(X).astype(float)
    H = model.components_.astype(float)
    misfit = 0.5 * ((X - W @ H) ** 2).sum()
    objective = misfit + energy(W, graph) + energy(H.T, feature_graph)
    rel = 1e-4 if dtype == np.float32 else 1e-9
    assert model.certificate_.at_point["objective"] == pytest.approx(objective, rel=rel)
    assert model.reconstruction_err_ == pytest.approx(np.sqrt(2 * misfit), rel=rel)
    assert model.certificate_.converged
    audit = check(X.T, H.T, W.T, A_graph=graph, X_graph=feature_graph)
    assert audit.objective == pytest.approx(objective, rel=1e-9)
    assert audit.residual_A <= 2e-4 * audit.scale_A


def test_similar_samples_get_similar_codes(X):
    plain = NMF(3, H_set="nonneg+l2-ball:1", random_state=0, max_iter=500).fit_transform(X)
    smooth = NMF(3, H_set="nonneg+l2-ball:1", graph=10 * chain(40), random_state=0, max_iter=500).fit_transform(X)
    assert energy(smooth, chain(40)) < 0.1 * energy(plain, chain(40))


def test_new_samples_are_solved_without_the_graph(X):
    model = NMF(3, H_set="nonneg+l2-ball:1", graph=chain(40), random_state=0, max_iter=200).fit(X)
    same = NMF(3, H_set="nonneg+l2-ball:1", init="custom", random_state=0, max_iter=200)
    same.fit_transform(X, W=np.ones((40, 3)), H=np.full((3, 12), 0.1))
    same.components_ = model.components_
    np.testing.assert_allclose(model.transform(X[:7]), same.transform(X[:7]), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("bad", "words"),
    [(chain(39), "graph has shape"), (-chain(40), "at least 0"), (np.full((40, 40), np.nan), "at least 0")],
)
def test_graphs_that_do_not_fit_are_refused(X, bad, words):
    with pytest.raises(ValueError, match=words):
        NMF(3, graph=bad).fit(X)


@pytest.mark.parametrize("options", [{"method": "incremental"}, {"beta_loss": "kullback-leibler"}])
def test_what_takes_no_graph_says_so(X, options):
    with pytest.raises(ValueError, match="graph"):
        NMF(3, graph=chain(40), **options).fit(X)

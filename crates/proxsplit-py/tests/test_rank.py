"""The search for the rank, and the consensus of several runs."""

import numpy as np
import pytest
import scipy.sparse as sp

from proxsplit import NMF, Consensus, select_rank


@pytest.fixture(scope="module")
def planted():
    """Rank 3 with noise whose mean is 0, or it would be one rank more."""
    rng = np.random.default_rng(0)
    parts = rng.random((70, 3)) * (rng.random((70, 3)) < 0.6)
    return parts @ (rng.random((3, 40)) * (rng.random((3, 40)) < 0.6)) * (1 + 0.2 * rng.uniform(-1, 1, (70, 40)))


def test_the_planted_rank_is_found(planted):
    found = select_rank(planted, range(1, 7), restarts=2)
    assert found.rank == 3
    assert found.turned and found.table["rank"][0] == 1
    assert found.errors.shape == (len(found.table["rank"]), 10)
    np.testing.assert_allclose(found.errors.mean(axis=1), found.table["error"], rtol=1e-12)
    deviation = found.errors.std(axis=1, ddof=1) / np.sqrt(10)
    np.testing.assert_allclose(deviation, found.table["standard_error"], rtol=1e-9)
    assert (found.table["bound"] <= found.table["objective"] * (1 + 1e-9)).all()
    assert "rank 3" in repr(found) and "\n*    3" in repr(found)


def test_storage_and_threads_do_not_change_the_answer(planted):
    settings = {"ranks": [1, 2, 3], "folds": 5, "restarts": 0, "patience": 0}
    first = select_rank(planted, **settings, n_threads=1)
    np.testing.assert_array_equal(first.errors, select_rank(planted, **settings, n_threads=2).errors)
    other = select_rank(np.asfortranarray(planted), **settings)
    np.testing.assert_allclose(other.errors, first.errors, rtol=1e-2)
    assert np.isnan(first.table["objective"]).all()


def test_sparse_data_and_data_with_gaps(planted):
    counts = np.random.default_rng(1).poisson(2 * planted)
    counts[counts < 2] = 0
    assert select_rank(sp.csr_matrix(counts), [1, 2, 3], folds=4, restarts=0).table["error"].min() < 1
    gaps = np.where(np.random.default_rng(2).random(planted.shape) < 0.2, np.nan, planted)
    assert select_rank(gaps, range(1, 6), missing="nan", restarts=0).rank == 3


def test_what_cannot_be_is_refused(planted):
    for ranks, words in [([], "no ranks"), ([41], "rank 41 is not possible"), ([0], "at least 1"), ([1.5], "integer")]:
        with pytest.raises(ValueError, match=words):
            select_rank(planted, ranks)
    with pytest.raises(ValueError, match="folds"):
        select_rank(planted, [1], folds=1)
    with pytest.raises(ValueError, match="4 folds are not possible"):
        select_rank(planted[:2, :2], [1], folds=4)
    with pytest.raises(ValueError, match="NaN"):
        select_rank(np.full((5, 5), np.nan), [1])


def test_several_runs_agree_on_planted_components(planted):
    model = NMF(3, n_init=4, init="random", random_state=0, max_iter=500).fit(planted)
    found = model.consensus_
    assert len(found.objectives) == 4 and found.best == np.argmin(found.objectives)
    assert model.certificate_.objective == found.objectives.min()
    assert (found.runs == 4).all() and found.cosine > 0.95
    np.testing.assert_allclose(np.linalg.norm(found.medoids, axis=1), 1)
    assert "4 runs: 3 of 3 components" in repr(found)
    assert NMF(3, random_state=0).fit(planted).consensus_ is None
    with pytest.raises(ValueError, match="n_init"):
        NMF(3, n_init=0).fit(planted)
    with pytest.raises(ValueError, match="at least 2"):
        Consensus.of([(np.ones((2, 1)), np.ones((1, 2)))], [1.0])

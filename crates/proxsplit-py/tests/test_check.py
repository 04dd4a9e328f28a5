"""The audit of factors against the definition."""

import numpy as np
import pytest
import scipy.sparse as sp

from proxsplit import NMF, check

RNG = np.random.default_rng(0)
X, A = RNG.random((8, 3)), RNG.random((3, 12))
Y = X @ A + 0.1 * RNG.random((8, 12))


def test_numbers_are_those_of_the_definition():
    found = check(Y, X, A, X_penalty="l1:0.5", A_penalty="l1:0.25")
    misfit = 0.5 * np.linalg.norm(Y - X @ A) ** 2
    assert found.misfit == pytest.approx(misfit)
    assert found.objective == pytest.approx(misfit + 0.5 * X.sum() + 0.25 * A.sum())
    assert found.relative_error == pytest.approx(np.linalg.norm(Y - X @ A) / np.linalg.norm(Y))
    eta = 1 / np.linalg.norm(X.T @ X, 2)
    step = np.maximum(A - eta * (X.T @ (X @ A - Y) + 0.25), 0)
    assert found.residual_A == pytest.approx(np.linalg.norm(A - step) / eta, rel=1e-6)
    eta = 1 / np.linalg.norm(A @ A.T, 2)
    step = np.maximum(X - eta * ((X @ A - Y) @ A.T + 0.5), 0)
    assert found.residual_X == pytest.approx(np.linalg.norm(X - step) / eta, rel=1e-6)
    assert found.scale_A == pytest.approx(np.linalg.norm(X.T @ Y)) and found.scale_X == pytest.approx(np.linalg.norm(Y @ A.T))
    assert found.best_objective <= found.objective
    assert (found.sparsity_X, found.sparsity_A, found.dead_atoms) == (0.0, 0.0, [])
    assert found.balance_gain > 0 and not found.scale_is_degenerate


def test_one_penalty_alone_is_degenerate():
    assert check(Y, X, A, A_penalty="l1:1").scale_is_degenerate
    assert not check(Y, X, A, A_penalty="l1:1", X_set="l2-ball:10+nonneg").scale_is_degenerate


def test_dead_atoms_and_zeros_are_seen():
    dead = A.copy()
    dead[1] = 0
    found = check(Y, X, dead)
    assert found.dead_atoms == [1] and found.sparsity_A == pytest.approx(1 / 3)
    outside = check(Y, -X, A)
    assert outside.objective == np.inf and "column 0 of X" in outside.outside


def test_fitted_estimators_pass():
    model = NMF(3, random_state=0, tol=1e-8, max_iter=2000)
    W = model.fit_transform(Y.T)
    for data in (Y, sp.csc_array(Y), np.asfortranarray(Y)):
        found = check(data, model.components_.T, W.T)
        assert found.objective == pytest.approx(model.certificate_.objective, rel=1e-6)
        assert found.residual_A < 1e-4
    assert "objective" in repr(found) and "<table>" in found._repr_html_() and found.to_dict()["dead_atoms"] == []


@pytest.mark.parametrize("factors", [(X.T, A), (X, A.T), (X[:, :2], A), (X[0], A)])
def test_wrong_shapes(factors):
    with pytest.raises(ValueError, match="shape"):
        check(Y, *factors)


def test_not_finite():
    with pytest.raises(ValueError, match="not finite"):
        check(Y, X * np.nan, A)
    with pytest.raises(ValueError, match="NaN"):
        check(Y * np.nan, X, A)

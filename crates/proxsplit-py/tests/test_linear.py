"""Sparse linear models: against scikit-learn, and by scikit-learn's own checks."""

import numpy as np
import pytest
import scipy.sparse as sp
from proxsplit import SparseClassifier, SparseRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks


# Fits are compared to seven digits, which the default tolerance does not ask for.
EXACT = {"tol": 1e-11, "max_iter": 10_000}


@parametrize_with_checks(
    [
        SparseRegressor(alpha=0.01, **EXACT),
        SparseClassifier(**EXACT),
        SparseRegressor("huber:1", penalty="mcp:1,3", alpha=0.01, **EXACT),
    ]
)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 30))
    return X, X[:, :5] @ np.arange(1, 6) + 2 + 0.1 * rng.normal(size=60)


@pytest.mark.parametrize("storage", [np.ascontiguousarray, np.asfortranarray, sp.csr_matrix, sp.csc_matrix])
def test_the_lasso_is_that_of_scikit_learn(data, storage):
    X, y = data
    theirs = Lasso(alpha=0.1, tol=1e-12).fit(X, y)
    ours = SparseRegressor(alpha=0.1, tol=1e-9).fit(storage(X), y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-6) and abs(ours.intercept_ - theirs.intercept_) < 1e-6
    assert ours.certificate_.converged and np.allclose(ours.predict(storage(X)), theirs.predict(X), atol=1e-5)


def test_weights_count_rows(data):
    X, y = data
    w = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    rows = np.repeat(np.arange(len(y)), w.astype(int))
    for model in (SparseRegressor(alpha=0.1, tol=1e-9), SparseRegressor("huber:0.5", penalty="elastic:0.5,0.5", alpha=0.1, tol=1e-9)):
        weighted, repeated = model.fit(X, y, sample_weight=w).coef_, None
        repeated = model.fit(X[rows], y[rows]).coef_
        assert np.allclose(weighted, repeated, atol=1e-6)
    theirs = ElasticNet(alpha=0.2, l1_ratio=0.3, tol=1e-12).fit(X, y, sample_weight=w)
    ours = SparseRegressor(penalty="elastic:0.3,0.7", alpha=0.2, tol=1e-9).fit(X, y, sample_weight=w)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-6)


def test_the_classifier_is_that_of_scikit_learn(data):
    X, y = data
    labels = np.where(y > np.median(y), "high", "low")
    n = len(y)
    theirs = LogisticRegression(C=1 / (0.02 * n), l1_ratio=1.0, solver="saga", tol=1e-10, max_iter=100_000).fit(X, labels)
    ours = SparseClassifier(alpha=0.02, tol=1e-9).fit(X, labels)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-3) and (ours.predict(X) == theirs.predict(X)).all()
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)


def test_three_classes_and_a_set(data):
    X, y = data
    labels = np.digitize(y, np.quantile(y, [1 / 3, 2 / 3]))
    model = SparseClassifier(alpha=0.01, set="nonneg").fit(X, labels)
    assert model.coef_.shape == (3, 30) and (model.coef_ >= 0).all() and np.allclose(model.predict_proba(X).sum(1), 1)


def test_a_path_begins_at_zero_and_ends_where_fit_does(data):
    X, y = data
    model = SparseRegressor(tol=1e-9)
    alphas, coefs, intercepts, certificates = model.path(X, y, n_alphas=20)
    assert (coefs[0] == 0).all() and np.count_nonzero(coefs[1]) > 0 and all(one.converged for one in certificates)
    last = model.set_params(alpha=alphas[-1]).fit(X, y)
    assert np.allclose(last.coef_, coefs[-1], atol=1e-6) and abs(last.intercept_ - intercepts[-1]) < 1e-6


@pytest.mark.parametrize("loss", ["least-squares", "huber:0.5", "logistic"])
@pytest.mark.parametrize("intercept", [False, True])
def test_a_path_begins_at_the_least_alpha_with_which_nothing_is_left(data, loss, intercept):
    X, y = data
    weights = np.random.default_rng(0).choice([0.0, 1.0, 3.0], size=len(y))
    estimator, y = (SparseClassifier, y > np.quantile(y, 0.9)) if loss == "logistic" else (SparseRegressor, y)
    model = estimator(loss, tol=1e-10, fit_intercept=intercept)
    first = model.path(X, y, n_alphas=2, sample_weight=weights)[0][0]
    for factor, is_zero in ((1 + 1e-6, True), (0.99, False)):
        fitted = model.set_params(alpha=factor * first).fit(X, y, weights)
        assert (fitted.coef_ == 0).all() == is_zero


def test_cross_validation_is_that_of_scikit_learn(data):
    X, y = data
    search = GridSearchCV(SparseRegressor(), {"alpha": [0.001, 0.1, 10.0]}, cv=3).fit(X, y)
    assert search.best_params_["alpha"] < 10


def test_bad_input_is_refused_and_slow_runs_are_told(data):
    X, y = data
    for wrong in ({"alpha": -1}, {"penalty": "l3:1"}, {"max_iter": 0}, {"gap": 0.0}, {"loss": "hinge"}):
        with pytest.raises(ValueError):
            SparseRegressor(**wrong).fit(X, y)
    with pytest.raises(ValueError, match="logistic"):
        SparseClassifier("least-squares").fit(X, y > 0)
    with pytest.raises(ValueError, match="all zero|non-zero"):
        SparseRegressor().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.warns(ConvergenceWarning):
        SparseRegressor(alpha=1e-3, max_iter=1, tol=1e-14).fit(X, y)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("stored", [np.asarray, sp.csr_matrix])
def test_data_that_are_not_finite_are_refused_in_the_words_of_scikit_learn(bad, stored):
    X, y = np.eye(6, 4), np.arange(6.0)
    X[3, 2] = bad
    words = "Input X contains NaN" if np.isnan(bad) else "Input X contains infinity"
    for call in (SparseRegressor().fit, SparseRegressor().path):
        with pytest.raises(ValueError, match=words):
            call(stored(X), y)
    with pytest.raises(ValueError, match=words):
        SparseClassifier().fit(stored(X), y > 2)

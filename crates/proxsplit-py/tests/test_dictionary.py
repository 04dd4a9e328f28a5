"""Dictionary learning against scikit-learn."""

import numpy as np
import pytest
from sklearn import decomposition, linear_model
from sklearn.datasets import load_digits

from proxsplit import DictionaryLearning

RNG = np.random.default_rng(0)
X = (RNG.laplace(size=(150, 6)) * (RNG.random((150, 6)) < 0.4)) @ RNG.normal(size=(6, 15)) + 0.05 * RNG.normal(size=(150, 15))
ALPHA = 0.3


def objective(W, H):
    return 0.5 * np.linalg.norm(X - W @ H) ** 2 + ALPHA * np.abs(W).sum()


def test_objective_is_as_low_as_that_of_sklearn():
    theirs = decomposition.DictionaryLearning(6, alpha=ALPHA, max_iter=500, tol=1e-8, random_state=0, fit_algorithm="cd")
    best = objective(theirs.fit(X).transform(X), theirs.components_)
    codes = decomposition.sparse_encode(X, theirs.components_, alpha=ALPHA, algorithm="lasso_cd")
    best = min(best, objective(codes, theirs.components_))
    runs = [DictionaryLearning(6, alpha=ALPHA, random_state=seed, max_iter=1000) for seed in range(3)]
    mine = min(objective(model.fit_transform(X), model.components_) for model in runs)
    assert mine <= best * 1.01


def test_codes_are_those_of_the_lasso():
    model = DictionaryLearning(6, alpha=ALPHA, random_state=0, transform_algorithm="lasso_cd").fit(X)
    codes = model.transform(X)
    for row, code in zip(X[:10], codes[:10], strict=True):
        lasso = linear_model.Lasso(alpha=ALPHA / 15, fit_intercept=False, tol=1e-10, max_iter=100000)
        np.testing.assert_allclose(code, lasso.fit(model.components_.T, row).coef_, atol=1e-5)


def test_atoms_lie_in_the_ball_and_signs_are_kept():
    model = DictionaryLearning(
        6, alpha=ALPHA, random_state=0, positive_code=True, positive_dict=True, transform_algorithm="lasso_lars"
    ).fit(np.abs(X))
    assert (model.components_ >= 0).all() and (model.transform(np.abs(X)) >= 0).all()
    assert (np.linalg.norm(model.components_, axis=1) <= 1 + 1e-9).all()


def test_split_sign_and_inverse():
    model = DictionaryLearning(6, alpha=ALPHA, random_state=0, split_sign=True).fit(X)
    codes = model.transform(X)
    assert codes.shape == (150, 12) and (codes >= 0).all()
    assert len(model.get_feature_names_out()) == 12
    plain = DictionaryLearning(6, alpha=ALPHA, random_state=0).fit(X)
    np.testing.assert_allclose(model.inverse_transform(codes), plain.inverse_transform(plain.transform(X)), atol=1e-9)


def test_a_given_dictionary_is_the_start():
    start = RNG.normal(size=(6, 15))
    start /= np.linalg.norm(start, axis=1, keepdims=True)
    model = DictionaryLearning(alpha=ALPHA, dict_init=start, max_iter=500).fit(X)
    assert model.n_components_ == 6
    with pytest.raises(ValueError, match="H has shape"):
        DictionaryLearning(5, dict_init=start).fit(X)


def test_bad_input():
    with pytest.raises(ValueError, match="alpha"):
        DictionaryLearning(3, alpha=-1).fit(X)
    with pytest.raises(ValueError, match="n_components"):
        DictionaryLearning(0).fit(X)


@pytest.mark.parametrize("algorithm", ["omp", "lars", "lasso_lars", "lasso_cd", "threshold"])
def test_transform_algorithms_are_those_of_sklearn(algorithm):
    model = DictionaryLearning(6, alpha=ALPHA, random_state=0, transform_algorithm=algorithm, transform_n_nonzero_coefs=2).fit(X)
    expected = decomposition.sparse_encode(X, model.components_, algorithm=algorithm, n_nonzero_coefs=2, alpha=ALPHA, max_iter=10000)
    np.testing.assert_allclose(model.transform(X), expected, atol=2e-3)
    with pytest.raises(ValueError, match="transform_algorithm"):
        model.set_params(transform_algorithm="best").transform(X)


def test_split_codes_can_be_frames():
    pytest.importorskip("pandas")
    model = DictionaryLearning(6, alpha=ALPHA, random_state=0, split_sign=True).set_output(transform="pandas").fit(X)
    for frame in (model.transform(X), model.fit_transform(X)):
        assert frame.shape == (150, 12) and list(frame.columns) == list(model.get_feature_names_out())
        np.testing.assert_allclose(model.inverse_transform(frame), model.inverse_transform(frame.to_numpy()))


def test_the_callback_sees_the_run_and_can_end_it():
    seen = []

    def callback(at):
        seen.append(at["objective"])
        return len(seen) == 2

    model = DictionaryLearning(6, alpha=ALPHA, random_state=0, callback=callback, tol=1e-12)
    codes = model.fit_transform(X)
    assert len(seen) == 2 and model.certificate_.verdict == "not-converged"
    assert objective(codes, model.components_) == pytest.approx(min(seen), rel=1e-6)


def test_codes_and_atoms_to_start_from():
    found = DictionaryLearning(6, alpha=ALPHA, random_state=0, max_iter=500)
    codes = found.fit_transform(X)
    again = DictionaryLearning(6, alpha=ALPHA, code_init=codes, dict_init=found.components_, max_iter=500).fit(X)
    assert again.n_iter_ == 1 and again.certificate_.converged
    with pytest.warns(RuntimeWarning, match="dict_init"):
        DictionaryLearning(6, alpha=ALPHA, code_init=codes, random_state=0).fit(X)


def test_more_atoms_than_samples():
    model = DictionaryLearning(25, alpha=ALPHA, random_state=0).fit(X[:12])
    codes = model.fit_transform(X[:12])
    assert model.components_.shape == (25, 15) and codes.shape == (12, 25)
    fit = 0.5 * np.linalg.norm(X[:12] - codes @ model.components_) ** 2 + ALPHA * np.abs(codes).sum()
    assert fit == pytest.approx(model.certificate_.at_point["objective"], rel=1e-9)
    assert fit < 0.5 * np.linalg.norm(X[:12]) ** 2
    assert DictionaryLearning(random_state=0).fit(X[:12]).n_components_ == 15


def test_a_strong_penalty_leaves_a_dictionary_as_good_as_that_of_sklearn():
    """From a random start at once with the whole penalty, codes were all zero, or the objective half a percent above."""
    digits = load_digits().data[:300]
    digits = digits - digits.mean(axis=0)
    theirs = decomposition.DictionaryLearning(30, alpha=20, max_iter=100, random_state=0).fit(digits)
    codes = decomposition.sparse_encode(digits, theirs.components_, algorithm="lasso_cd", alpha=20, max_iter=10000)

    def objective(W, H):
        return 0.5 * ((digits - W @ H) ** 2).sum() + 20 * np.abs(W).sum()

    for seed in range(4):
        model = DictionaryLearning(30, alpha=20, random_state=seed)
        W = model.fit_transform(digits)
        assert np.abs(W).max() > 0 and model.certificate_.converged
        assert objective(W, model.components_) <= 1.0005 * objective(codes, theirs.components_)

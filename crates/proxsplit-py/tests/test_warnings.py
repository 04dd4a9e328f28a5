"""What the estimators warn of: the one thing to do, in names that exist."""

import inspect
import re
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from proxsplit import NMF, DictionaryLearning, MiniBatchNMF

RNG = np.random.default_rng(0)
X = RNG.random((30, 20))


def caught(model, X=X, **factors):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.fit(X, **factors)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_a_run_that_blows_up_is_never_silent(seed):
    data = np.abs(np.random.default_rng(seed).normal(size=(10, 10)))
    model = MiniBatchNMF(5, init="random", alpha_W=1, alpha_H=1, tol=0, random_state=seed)
    found = caught(model, data)
    W = model.transform(data)
    assert np.isfinite(model.components_).all() and np.abs(model.components_).max() < 1e6
    assert model.reconstruction_err_ > 0 or np.allclose(data, W @ model.components_)
    diverged = model.certificate_.verdict == "diverged"
    assert diverged == any(w.category is ConvergenceWarning for w in found)


def test_divergence_warns_even_without_a_tolerance():
    from proxsplit._advice import _message

    certificate = NMF(3, max_iter=2, tol=0, random_state=0).fit(X).certificate_
    object.__setattr__(certificate, "verdict", "diverged")
    assert "method='batch'" in _message(NMF(3, tol=0, method="incremental"), certificate, "diverged")


def test_factors_that_are_not_used_are_named():
    W, H = RNG.random((30, 3)), RNG.random((3, 20))
    for model in (NMF(3, max_iter=2, tol=0, random_state=0), MiniBatchNMF(3, max_iter=2, tol=0, random_state=0)):
        found = [w for w in caught(model, W=W, H=H) if w.category is RuntimeWarning]
        assert len(found) == 1 and "init='custom'" in str(found[0].message)
    assert not [w for w in caught(NMF(3, init="custom", max_iter=2, tol=0), W=W, H=H) if w.category is RuntimeWarning]


@pytest.mark.parametrize("estimator", [NMF, MiniBatchNMF, DictionaryLearning])
def test_advice_names_parameters_that_exist(estimator):
    model = estimator(3, max_iter=1, tol=1e-12, random_state=0)
    (warning,) = [w for w in caught(model) if issubclass(w.category, ConvergenceWarning)]
    text = str(warning.message)
    assert "Maximum number of iterations 1 reached" in text and "eq." not in text
    parameters = inspect.signature(estimator).parameters
    assert all(name in parameters for name in re.findall(r"(\w+)=", text))
    assert warning.filename == __file__


def test_a_solver_that_is_ours_says_so_once(monkeypatch):
    monkeypatch.setattr("proxsplit._compat._told", set())
    runs = [caught(NMF(2, solver="mu", random_state=0)) for _ in range(2)]
    assert [sum("solver='mu'" in str(w.message) for w in found) for found in runs] == [1, 0]


@pytest.mark.parametrize("loss", ["itakura-saito", 0.5])
def test_other_losses_are_refused(loss):
    for model in (NMF(2, beta_loss=loss), NMF(2, solver="mu", beta_loss=loss), MiniBatchNMF(2, beta_loss=loss)):
        with pytest.raises(ValueError, match="kullback-leibler"):
            model.fit(X)
    NMF(2, beta_loss=2, random_state=0).fit(X)


def test_components_that_nothing_uses_are_told():
    data = np.outer(np.linspace(0.1, 1, 30), np.linspace(1, 0.2, 20))
    for model, advice in (
        (NMF(3, alpha_W=0.02, l1_ratio=1.0, random_state=0), "Lower alpha_W."),
        (NMF(3, alpha_W=100.0, l1_ratio=1.0, random_state=0), "Lower alpha_W."),
        (NMF(3, H_penalty="l1:9", W_penalty="l1:9", random_state=0), "Lower W_penalty."),
        (DictionaryLearning(3, alpha=100.0, random_state=0), "Lower alpha."),
        (NMF(3, init="nndsvd"), "Set n_components=1."),
    ):
        found = caught(model, data)
        dead = model.certificate_.at_point["pair"]["dead_atoms"]
        (warning,) = [w for w in found if "used" in str(w.message)]
        assert dead > 0 and warning.category is ConvergenceWarning
        assert str(warning.message).endswith(advice)
        assert str(warning.message).startswith("No component" if dead == 3 else f"{dead} of 3")


def test_certificates_speak_of_the_factors_by_their_names_here():
    details = dict(NMF(2, random_state=0).fit(X).certificate_.details)
    assert details["residual"].startswith("H ") and ", W " in details["residual"]
    assert "eq." not in repr(NMF(2, method="incremental", random_state=0).fit(X).certificate_)

"""`minimize` with gradients whose errors vanish, and with gradients whose error is stated."""

import json

import numpy as np
import pytest

from proxsplit import minimize

RNG = np.random.default_rng(0)
A = RNG.normal(size=(60, 20))
B = A @ np.r_[np.ones(3), np.zeros(17)] + 0.1 * RNG.normal(size=60)
L = float(np.linalg.norm(A, 2) ** 2)


def least_squares(x):
    r = A @ x - B
    return 0.5 * r @ r, A.T @ r


def some_terms(x, batch):
    r = A[batch] @ x - B[batch]
    return 0.5 * r @ r, A[batch].T @ r


def true_residual(x, weight, step):
    y = x - step * least_squares(x)[1]
    p = np.sign(y) * np.maximum(np.abs(y) - step * weight, 0)
    return np.linalg.norm(x - p) / step


@pytest.mark.parametrize("method", ["page", "saga"])
@pytest.mark.parametrize("options", [{}, {"batch_size": 7}, {"order": "cyclic", "lipschitz": L, "convex": True}])
def test_errors_that_vanish_end_stationary(method, options):
    best = minimize(least_squares, np.zeros(20), prox="l1:0.5", tol=1e-10)
    result = minimize(None, np.zeros(20), terms=(60, some_terms), prox="l1:0.5", method=method, options=options)
    assert result.success, result.certificate
    assert result.certificate.verdict == "stationary"
    np.testing.assert_allclose(result.x, best.x, atol=1e-4)
    at = result.certificate.at_point
    assert true_residual(result.x, 0.5, at["reference_step"]) == pytest.approx(at["residual"], rel=1e-6, abs=1e-9)
    assert "limit points are" in result.certificate.guarantee
    assert "stale gradients" in result.certificate.errors


def test_a_nonconvex_sum_ends_stationary_too():
    def cauchy(x, batch):
        r = A[batch] @ x - B[batch]
        return 0.5 * np.log1p(r**2).sum(), A[batch].T @ (r / (1 + r**2))

    for method in ("page", "saga"):
        result = minimize(None, np.ones(20), terms=(60, cauchy), prox="mcp:0.5,3", method=method)
        assert result.success and "stationary" in result.certificate.guarantee, result.certificate


def test_a_seed_gives_the_same_bits_and_random_draws_are_refused_by_saga():
    for method in ("page", "saga"):
        runs = [minimize(None, np.zeros(20), terms=(60, some_terms), method=method, options={"seed": 3, "maxiter": 10}).x for _ in range(2)]
        np.testing.assert_array_equal(*runs)
    with pytest.raises(ValueError, match="random"):
        minimize(None, np.zeros(20), terms=(60, some_terms), method="saga", options={"order": "random"})
    with pytest.raises(ValueError, match="needs terms"):
        minimize(least_squares, np.zeros(20), method="page")
    with pytest.raises(ValueError, match="in advance"):
        minimize(None, np.zeros(20), terms=(60, some_terms), method="saga", step="bb")


def off_by(error):
    def f(x):
        value, gradient = least_squares(x)
        return value, gradient + error / np.sqrt(20), error

    return f


def test_a_stated_error_is_the_floor_and_k_times_it_is_printed():
    for error in (1.0, 1e-2):
        result = minimize(off_by(error), np.zeros(20), prox="l1:0.5", options={"lipschitz": L})
        certificate = result.certificate
        assert result.reason == "error-floor" and not result.success, certificate
        assert certificate.errors["inexact user gradient"] == ("bounded", error)
        assert certificate.of_method["constant"] == pytest.approx(3.0)
        assert f"{3 * error:.2e} = 3.00·ē" in certificate.guarantee
        assert certificate.at_point["gradient_error"] == error and certificate.gap is None
        assert certificate.residual <= 3 * error
        assert json.loads(json.dumps(certificate.to_dict()))["at_point"]["gradient_error"] == error


def test_a_function_that_is_told_what_the_run_can_afford_has_no_floor():
    told = []

    def f(x, accuracy):
        told.append(accuracy)
        return off_by(min(accuracy, 10.0))(x)

    result = minimize(f, np.zeros(20), prox="l1:0.5", options={"lipschitz": L, "convex": True})
    assert result.success, result.certificate
    assert told[0] == np.inf and told[-1] < 1e-3 * told[1] and result.nfev == len(told)
    at = result.certificate.at_point
    assert at["residual"] + at["gradient_error"] <= result.certificate.tolerance
    assert true_residual(result.x, 0.5, 1 / L) <= result.certificate.tolerance


def test_bounds_of_zero_and_of_nothing_known():
    exact = minimize(off_by(0.0), np.zeros(20), prox="l1:0.5", options={"lipschitz": L})
    assert exact.success
    unknown = minimize(lambda x: (*least_squares(x), np.inf), np.zeros(20), prox="l1:0.5", options={"lipschitz": L})
    assert not unknown.success and unknown.certificate.at_point["gradient_error"] is None


@pytest.mark.parametrize("bound", [-1.0, np.nan])
def test_bounds_that_are_none_are_refused(bound):
    with pytest.raises(ValueError, match="at least 0"):
        minimize(lambda x: (*least_squares(x), bound), np.zeros(20), options={"lipschitz": L})


def test_steps_cannot_be_learned_from_gradients_that_are_off():
    for step in (None, "bb", "adaptive"):
        options = {} if step is None else {"lipschitz": L}
        with pytest.raises(ValueError, match="lipschitz"):
            minimize(off_by(1e-3), np.zeros(20), step=step, options=options)
    assert minimize(off_by(1e-7), np.zeros(20), step=1 / L, prox="l1:0.5", tol=1e-5).success


def test_a_gradient_that_becomes_nan_and_a_prox_without_finite_values():
    def nan_later(x):
        value, gradient = least_squares(x)
        return value, gradient if np.linalg.norm(x) < 0.1 else np.full(20, np.nan)

    result = minimize(nan_later, np.zeros(20), prox="l1:0.5")
    assert not result.success and np.isfinite(result.x).all()

    class Nowhere:
        convex = True

        def value(self, x):
            return np.inf

        def prox(self, x, step):
            return x

    result = minimize(least_squares, np.zeros(20), prox=Nowhere())
    assert not result.success and np.isfinite(result.x).all()

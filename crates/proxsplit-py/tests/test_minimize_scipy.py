"""`minimize` as a user of scipy calls it: bounds, args, tol; starts that are wrong; what is left after Ctrl-C."""

import os
import signal
import threading

import numpy as np
import pytest
from scipy import optimize

from proxsplit import minimize
from proxsplit.prox import Box

RNG = np.random.default_rng(3)
A, B = RNG.normal(size=(30, 12)), RNG.normal(size=30)


def least_squares(x, scale=1.0):
    r = A @ x.ravel() - B
    return 0.5 * scale * r @ r, (scale * A.T @ r).reshape(x.shape)


LOWER = np.where(np.arange(12) % 3 == 0, -np.inf, -0.05)
UPPER = np.where(np.arange(12) % 4 == 0, np.inf, 0.02 * np.arange(12))
PAIRS = [(None if np.isinf(low) else low, None if np.isinf(high) else high) for low, high in zip(LOWER, UPPER, strict=True)]


@pytest.mark.parametrize("bounds", [PAIRS, optimize.Bounds(LOWER, UPPER)], ids=["pairs", "Bounds"])
def test_bounds_of_every_entry_give_the_minimum_of_scipy(bounds):
    theirs = optimize.minimize(least_squares, np.zeros(12), jac=True, bounds=bounds, tol=1e-12)
    ours = minimize(least_squares, np.zeros(12), bounds=bounds, tol=1e-9)
    assert ours.success and ours.fun == pytest.approx(theirs.fun, rel=1e-8)
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-5)


def test_bounds_join_a_prox_and_follow_the_shape_of_x0():
    cvxpy = pytest.importorskip("cvxpy")
    x = cvxpy.Variable(12)
    problem = cvxpy.Problem(
        cvxpy.Minimize(0.5 * cvxpy.sum_squares(A @ x - B) + 0.5 * cvxpy.norm1(x)), [x >= np.maximum(LOWER, -9), x <= np.minimum(UPPER, 9)]
    )
    best = problem.solve()
    for shape in ((12,), (3, 4)):
        result = minimize(least_squares, np.zeros(shape), prox="l1:0.5", bounds=PAIRS, tol=1e-9)
        assert result.x.shape == shape and result.fun == pytest.approx(best, rel=1e-6)
        np.testing.assert_allclose(result.x.ravel(), x.value, atol=1e-4)


@pytest.mark.parametrize(
    ("bounds", "prox", "words"),
    [([(0, 1)] * 3, None, "12 pairs"), ([(1, 0)] * 12, None, "lower bound"), (PAIRS, object(), "prox of your own")],
)
def test_bounds_that_do_not_fit_are_refused(bounds, prox, words):
    with pytest.raises(ValueError, match=words):
        minimize(least_squares, np.zeros(12), bounds=bounds, prox=prox)


def test_args_reach_every_function():
    expected = minimize(lambda x: least_squares(x, 3.0), np.zeros(12), prox="l1:0.5").x
    np.testing.assert_array_equal(minimize(least_squares, np.zeros(12), (3.0,), prox="l1:0.5").x, expected)
    np.testing.assert_array_equal(minimize(least_squares, np.zeros(12), args=3.0, prox="l1:0.5").x, expected)
    apart = minimize(
        lambda x, s: least_squares(x, s)[0], np.zeros(12), (3.0,), jac=lambda x, s: least_squares(x, s)[1], prox="l1:0.5"
    )
    np.testing.assert_array_equal(apart.x, expected)


def test_no_tolerance_is_the_default_one():
    default = minimize(least_squares, np.zeros(12), prox="l1:0.5")
    assert default.nfev == minimize(least_squares, np.zeros(12), prox="l1:0.5", tol=None).nfev
    assert default.success and default.certificate.tolerance > 0


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_start_that_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match=f"fun is {'NaN' if np.isnan(value) else value} at the start x0"):
        minimize(lambda x: (value, x), np.ones(3))
    gradient = np.array([0.0, value, 1.0])
    with pytest.raises(ValueError, match="entry 1 of the gradient"):
        minimize(lambda x: (1.0, gradient), np.ones(3))


def test_values_that_are_not_finite_later_on_are_no_error():
    # −log has no value beyond its barrier, where a line search may look.
    def barrier(x):
        with np.errstate(invalid="ignore", divide="ignore"):
            return float(x.sum() - 1e-3 * np.log(x).sum()), 1 - 1e-3 / x

    result = minimize(barrier, np.ones(4), step="backtracking", tol=1e-8)
    np.testing.assert_allclose(result.x, 1e-3, rtol=1e-3)


def test_ctrl_c_carries_the_best_point():
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt) as raised:
        minimize(least_squares, np.ones(12), step=1e-6, tol=0, options={"maxiter": 1e9, "atol": 0})
    result = raised.value.result
    assert result.reason == "interrupted" and result.status == 5 and not result.success
    assert result.certificate.verdict == "not-converged"
    assert result.fun < least_squares(np.ones(12))[0]
    assert result.fun == pytest.approx(least_squares(result.x)[0])


@pytest.mark.parametrize("call", [5, 40, 41, 42, 43, 44])
def test_an_interrupt_inside_the_function_is_no_divergence(call):
    calls = 0

    def interrupted(x):
        nonlocal calls
        calls += 1
        if calls == call:
            raise KeyboardInterrupt
        return least_squares(x)

    with pytest.raises(KeyboardInterrupt) as raised:
        minimize(interrupted, np.ones(12), step=1e-6, tol=0, options={"maxiter": 1e9, "atol": 0})
    assert raised.value.result.reason == "interrupted"
    assert np.isfinite(raised.value.result.fun)


@pytest.mark.parametrize("seed", range(5))
def test_success_on_a_sphere_is_an_eigenvector(seed):
    random = np.random.default_rng(seed)
    M = random.normal(size=(40, 40))
    M = M @ M.T
    result = minimize(lambda x: (-0.5 * x @ M @ x, -M @ x), random.normal(size=40), prox="sphere:1", tol=1e-8, options={"maxiter": 5000})
    x = result.x
    assert result.success
    assert np.linalg.norm(M @ x - (x @ M @ x) * x) <= 1e-6 * np.linalg.norm(M, 2)


def test_short_batches_weigh_no_more_than_others():
    targets = np.array([0.0, 0.0, 3.0])

    def term(x, batch):
        r = x - targets[batch]
        return 0.5 * (r**2).sum(), np.array([r.sum()])

    options = {"batch_size": 2, "order": "cyclic", "maxiter": 20000}
    result = minimize(None, [5.0], terms=(3, term), method="mini-batch", step="diminishing:0.3,1", tol=0, options=options)
    assert result.x[0] == pytest.approx(1.0, abs=0.02)


def test_an_array_box_is_an_operator_like_others():
    import pickle

    box = Box([0, 1], [2, np.inf])
    np.testing.assert_array_equal(box.prox([-1.0, 5.0]), [0, 5])
    assert box.value([0.0, 0.0]) == np.inf
    same = eval(repr(box), {"Box": Box, "float": float})
    assert same == box == pickle.loads(pickle.dumps(box)) and hash(same) == hash(box)
    assert Box([0, 1], [2, 3]) != box
    with pytest.raises(ValueError, match="shape"):
        box.prox(np.zeros(3))


def test_a_linear_function_does_not_stall():
    c = RNG.normal(size=12)
    result = minimize(lambda x: (1e-3 * c @ x, 1e-3 * c), np.zeros(12), prox="box:-1,1", tol=1e-8)
    np.testing.assert_allclose(result.x, -np.sign(c))
    assert result.success and result.nfev < 60


def test_the_gap_ends_a_convex_run_and_is_true():
    best = minimize(least_squares, np.zeros(12), prox="l1:0.5", tol=1e-12).fun
    options = {"convex": True, "atol": 0}
    result = minimize(least_squares, np.zeros(12), prox="l1:0.5+box:-9,9", tol=0, gap=1e-4, options=options)
    assert result.success and result.certificate.verdict == "optimal"
    assert 0 <= result.fun - best <= result.gap <= 1e-4 * best * (1 + 1e-9)
    assert result.certificate.lower_bound == pytest.approx(result.fun - result.gap)


@pytest.mark.parametrize("gap", [0, -1.0, np.nan])
def test_a_gap_must_be_positive(gap):
    with pytest.raises(ValueError, match="gap"):
        minimize(least_squares, np.zeros(12), gap=gap)


def test_certificates_have_two_halves_that_json_can_write():
    import json

    certificate = minimize(least_squares, np.zeros(12), prox="l1:0.5", step=0.01).certificate
    at, of = certificate.at_point, certificate.of_method
    r = A.T @ (A @ np.zeros(12) - B)
    assert certificate.verdict == "stationary" and certificate.converged
    assert certificate.residual == at["residual"] <= certificate.tolerance < 1e-3 * np.linalg.norm(r)
    assert at["feasible"] and at["pair"] is None and at["prox_error"] == 0
    assert {"step", "errors"} <= {assumption["name"] for assumption in of["assumptions"]}
    assert all(assumption["standing"] in ("proved", "measured", "estimated") for assumption in of["assumptions"])
    assert of["steps"] == (0.01, 0.01) and "eq." not in repr(certificate)
    assert json.loads(json.dumps(certificate.to_dict()))["verdict"] == "stationary"


def test_a_callback_that_stops_returns_the_best_point_it_has_seen():
    seen = []

    def callback(intermediate_result):
        seen.append(intermediate_result.fun)
        if len(seen) == 5:
            raise StopIteration

    result = minimize(least_squares, np.zeros(12), prox="l1:0.5", tol=0, callback=callback, options={"atol": 0})
    assert (result.reason, result.status, result.certificate.verdict) == ("interrupted", 5, "not-converged")
    assert result.fun == min(seen) == pytest.approx(least_squares(result.x)[0] + 0.5 * np.abs(result.x).sum())

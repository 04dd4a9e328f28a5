"""`minimize` against scipy and cvxpy, and what happens with wrong functions."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from scipy import optimize

from proxsplit import minimize
from proxsplit.prox import L1, NonNeg, parse

RNG = np.random.default_rng(0)
A = RNG.normal(size=(30, 20))
B = A @ np.r_[np.ones(3), np.zeros(17)] + 0.1 * RNG.normal(size=30)
NAMES = ("numpy", "scipy")


def least_squares(x):
    r = A @ x - B
    return 0.5 * r @ r, A.T @ r


def some_terms(x, batch):
    r = A[batch] @ x - B[batch]
    return 0.5 * r @ r, A[batch].T @ r


def test_lasso_agrees_with_cvxpy():
    cvxpy = pytest.importorskip("cvxpy")
    x = cvxpy.Variable(20)
    problem = cvxpy.Problem(cvxpy.Minimize(0.5 * cvxpy.sum_squares(A @ x - B) + 0.5 * cvxpy.norm1(x)))
    best = problem.solve()
    result = minimize(least_squares, np.zeros(20), prox=L1(0.5), tol=1e-9)
    assert result.success and result.status == 0
    assert result.fun == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(result.x, x.value, atol=1e-4)


def test_bounds_agree_with_scipy():
    ours = minimize(optimize.rosen, np.zeros(4), jac=optimize.rosen_der, prox="box:-1,0.5", tol=1e-9)
    theirs = optimize.minimize(optimize.rosen, np.zeros(4), jac=optimize.rosen_der, bounds=[(-1, 0.5)] * 4)
    assert ours.success
    assert ours.fun <= theirs.fun + 1e-8
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-4)


def test_nonnegative_least_squares_agrees_with_scipy():
    result = minimize(least_squares, np.ones(20), prox=NonNeg(), tol=1e-10)
    np.testing.assert_allclose(result.x, optimize.nnls(A, B)[0], atol=1e-6)


@pytest.mark.parametrize("step", [None, "bb", "backtracking", "adaptive", 0.005, [0.01, 0.005]])
def test_every_step_rule_reaches_the_same_point(step):
    best = minimize(least_squares, np.zeros(20), prox="l1:0.5", tol=1e-10).fun
    result = minimize(least_squares, np.zeros(20), prox="l1:0.5", step=step)
    assert result.success
    assert result.fun == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("method", ["incremental", "mini-batch"])
def test_terms_come_close_and_the_certificate_says_how_close(method):
    best = minimize(least_squares, np.zeros(20), prox="l1:0.5", tol=1e-10).fun
    options = {"batch_size": 5, "maxiter": 300}
    result = minimize(None, np.zeros(20), terms=(30, some_terms), prox="l1:0.5", method=method, step=0.003, options=options)
    assert result.fun <= best * 1.05
    assert not result.success
    assert result.certificate.errors
    assert result.message == result.certificate.words


def test_a_prox_between_the_terms_never_claims_what_it_does_not_reach():
    options = {"batch_size": 5, "inner": "prox"}
    result = minimize(None, np.zeros(20), terms=(30, some_terms), prox="l1:0.5", step=0.003, options=options)
    assert not result.success and result.certificate.residual > 0.01


def test_one_batch_of_all_terms_is_the_batch_method():
    options = {"batch_size": 30, "maxiter": 20}
    batch = minimize(least_squares, np.zeros(20), prox="l1:0.5", step=0.005, options=options)
    terms = minimize(None, np.zeros(20), terms=(30, some_terms), prox="l1:0.5", step=0.005, options=options | {"order": "cyclic"})
    np.testing.assert_allclose(terms.x, batch.x, rtol=1e-12)


def test_same_seed_same_bits():
    runs = [
        minimize(None, np.zeros(20), terms=(30, some_terms), step=1e-3, options={"seed": 3, "maxiter": 10}).x for _ in range(2)
    ]
    np.testing.assert_array_equal(*runs)


def test_float32_stays_float32_everywhere():
    seen = set()

    def f(x):
        seen.add(x.dtype)
        return least_squares(x)

    result = minimize(f, np.zeros(20, np.float32), prox="l1:0.5", tol=1e-4)
    assert result.success and result.x.dtype == np.float32 and seen == {np.dtype(np.float32)}


def test_shapes_are_kept_and_matrices_are_columns():
    target = RNG.normal(size=(4, 3))

    def f(x):
        assert x.shape == (4, 3)
        return 0.5 * ((x - target) ** 2).sum(), x - target

    result = minimize(f, np.zeros((4, 3)), prox="group-l2:0.5,4", tol=1e-10)
    norms = np.linalg.norm(target, axis=0)
    np.testing.assert_allclose(result.x, target * np.maximum(1 - 0.5 / norms, 0), atol=1e-8)


class Half:
    """0.5‖x‖₁ written by a user."""

    convex = True

    def value(self, x):
        return 0.5 * np.abs(x).sum()

    def prox(self, x, step):
        return np.sign(x) * np.maximum(np.abs(x) - 0.5 * step, 0)


def test_a_prox_of_the_user_gives_the_numbers_of_the_catalogue():
    ours = minimize(least_squares, np.zeros(20), prox="l1:0.5", step="bb", options={"maxiter": 30})
    user = minimize(least_squares, np.zeros(20), prox=Half(), step="bb", options={"maxiter": 30})
    np.testing.assert_allclose(user.x, ours.x, rtol=1e-9, atol=1e-12)
    assert user.certificate.guarantee == ours.certificate.guarantee
    # The default steps use what is known of an operator of the catalogue, but the end is the same.
    ours = minimize(least_squares, np.zeros(20), prox="l1:0.5", tol=1e-10)
    user = minimize(least_squares, np.zeros(20), prox=Half(), tol=1e-10)
    np.testing.assert_allclose(user.x, ours.x, atol=1e-6)
    assert user.success and ours.success


def test_a_theorem_that_rests_on_an_estimate_says_so():
    def f(x):
        return 0.5 * x @ x, x

    for options, condition in (({}, True), ({"lipschitz": 1.0}, False)):
        certificate = minimize(f, np.ones(2), step=0.5, options={"convex": True, **options}).certificate
        assert certificate.guarantee.startswith("if ") == condition and certificate.guarantee.endswith("limit points are minimizers")


def test_the_callback_sees_points_and_can_stop():
    seen = []

    def callback(intermediate_result):
        seen.append(intermediate_result.fun)
        if len(seen) == 3:
            raise StopIteration

    result = minimize(least_squares, np.zeros(20), prox="l1:0.5", tol=0, callback=callback)
    assert (result.status, result.success, len(seen)) == (5, False, 3)
    assert seen == list(result.trace["objective"][1:])
    points = []
    minimize(least_squares, np.zeros(20), callback=points.append, options={"maxiter": 5})
    assert all(point.shape == (20,) for point in points) and len(points) > 1


@pytest.mark.parametrize("g", ["l1:0.5", "sphere:1", "scad:0.5,3.7", "sparse-ball:3", "l0:0.2"])
def test_the_callback_sees_the_point_that_the_trace_is_about(g):
    seen = []

    def callback(intermediate_result):
        value = least_squares(intermediate_result.x)[0] + parse(g)(intermediate_result.x)
        seen.append((value, intermediate_result.fun))

    minimize(least_squares, np.full(20, 0.3), prox=g, callback=callback, options={"maxiter": 50})
    values, stated = np.transpose(seen)
    np.testing.assert_allclose(values, stated, rtol=1e-12)


class Mine(Exception):
    """An exception of the user."""


@pytest.mark.parametrize("place", ["fun", "jac", "callback", "prox", "value", "terms"])
@pytest.mark.parametrize("calls", [0, 7])
def test_exceptions_come_out_unchanged(place, calls):
    error, count = Mine("mine"), [0]

    def guard(name, function):
        def call(*arguments, **keywords):
            if name == place:
                count[0] += 1
                if count[0] > calls:
                    raise error
            return function(*arguments, **keywords)

        return call

    half = Half()
    half.prox, half.value = guard("prox", half.prox), guard("value", half.value)
    keywords = {"prox": half, "tol": 0, "callback": guard("callback", lambda x: None), "options": {"atol": 0}}
    with pytest.raises(Mine) as raised:
        if place == "terms":
            minimize(None, np.zeros(20), terms=(30, guard("terms", some_terms)), step=1e-3, **keywords)
        else:
            fun = guard("fun", lambda x: least_squares(x)[0])
            minimize(fun, np.zeros(20), jac=guard("jac", lambda x: least_squares(x)[1]), **keywords)
    assert raised.value is error
    assert count[0] == calls + 1


def test_ctrl_c_works_within_a_second():
    def slow_start():
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.2, slow_start)
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        minimize(least_squares, np.zeros(20), step=1e-9, tol=0, options={"maxiter": 1e9, "atol": 0})
    assert time.monotonic() - start < 1.2


def test_diverging_runs_say_so():
    result = minimize(least_squares, np.ones(20), step=10.0)
    assert not result.success and result.status == 4 and "diverged" in result.message


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"fun": lambda x: (1.0, np.zeros(5))}, ValueError, r"shape \(5,\).*\(20,\)"),
        ({"fun": lambda x: 1.0}, ValueError, "jac"),
        ({"fun": lambda x: (x, x)}, ValueError, "must be a number"),
        ({"fun": None}, TypeError, "terms"),
        ({"x0": np.full(20, np.nan)}, ValueError, "non-finite"),
        ({"x0": np.zeros(20, complex)}, ValueError, "real numbers"),
        ({"prox": "nope:1"}, ValueError, "nope"),
        ({"prox": "nuclear:1,3x4"}, ValueError, "3x4"),
        ({"prox": 3}, TypeError, "text form"),
        ({"step": -1.0}, ValueError, "step"),
        ({"step": "fast"}, ValueError, "fast"),
        ({"method": "newton"}, ValueError, "newton"),
        ({"method": "incremental"}, ValueError, "terms"),
        ({"terms": (0, some_terms)}, ValueError, "at least 1"),
        ({"terms": (30, some_terms), "step": "bb"}, ValueError, "in advance"),
        ({"options": {"maxiter": 0}}, ValueError, "maxiter"),
        ({"options": {"order": "up"}}, ValueError, "up"),
    ],
)
def test_bad_input(change, error, words):
    arguments = {"fun": least_squares, "x0": np.zeros(20)} | change
    with pytest.raises(error, match=words):
        minimize(arguments.pop("fun"), arguments.pop("x0"), **arguments)


def test_unknown_options_warn():
    with pytest.warns(optimize.OptimizeWarning, match="gtol"):
        minimize(least_squares, np.zeros(20), options={"gtol": 1, "maxiter": 2})


def test_inputs_are_not_changed():
    x0 = np.ones(20)
    minimize(least_squares, x0, prox="l1:0.5", options={"maxiter": 5})
    np.testing.assert_array_equal(x0, np.ones(20))


def test_the_certificate_reads_well():
    certificate = minimize(least_squares, np.zeros(20), prox="l1:0.5").certificate
    assert "stationary to tolerance" in repr(certificate) and "guarantee" in repr(certificate)
    assert "<table>" in certificate._repr_html_()
    assert certificate.to_dict()["verdict"] == "stationary"

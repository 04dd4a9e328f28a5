"""The recipes that need the Python package."""

import os
import signal
import threading

import numpy as np

from .recipes import recipe
from .variation import picture_prox


def strong(result):
    """Whether a theorem about limit points is printed without a condition."""
    method = getattr(result.certificate, "of_method", None) or {}
    stated = method.get("guarantee", getattr(result.certificate, "guarantee", "")) if isinstance(method, dict) else ""
    text = str(stated)
    return ("minimizer" in text or "stationary" in text) and "if " not in text and "up to" not in text


@recipe
def leading_eigenvector(program):
    """On a sphere, success means a tangent gradient within the tolerance, at the scale of the problem."""
    from proxsplit import minimize

    complaints = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        b = rng.normal(size=(20, 20))
        q = b @ b.T
        x0 = rng.normal(size=20)
        result = minimize(lambda x: (-0.5 * x @ q @ x, -q @ x), x0, prox="sphere:1")
        tangent = np.linalg.norm(q @ result.x - (result.x @ q @ result.x) * result.x)
        scale = np.linalg.norm(q, 2) * max(1.0, np.linalg.norm(x0))
        if result.success and tangent > 1e-5 * scale:
            complaints.append(f"seed {seed}: success, but the tangent gradient is {tangent / scale:.2g} of ‖Q‖")
        if not result.success:
            complaints.append(f"seed {seed}: {result.message}")
    return complaints


@recipe
def short_last_batch(program):
    """T = 3, batches of 2, cyclic, diminishing steps: the minimizer is 1, not 1.5."""
    from proxsplit import minimize

    c = np.array([0.0, 0.0, 3.0])

    def terms(x, batch):
        return 0.5 * ((x - c[batch]) ** 2).sum(), np.array([(x - c[batch]).sum()])

    options = {"batch_size": 2, "order": "cyclic", "maxiter": 3000}
    result = minimize(None, np.zeros(1), terms=(3, terms), method="mini-batch", step="diminishing:0.3,0.7", options=options)
    return [] if abs(result.x[0] - 1) < 0.05 else [f"x = {result.x[0]:.6g}: {result.message}"]


@recipe
def draws_with_replacement(program):
    """T draws with replacement are sampling: no level, and no theorem without expectations."""
    from proxsplit import minimize

    c = np.array([0.0, 1.0, 3.0])

    def terms(x, batch):
        return 0.5 * ((x - c[batch]) ** 2).sum(), np.array([(x - c[batch]).sum()])

    options = {"batch_size": 3, "order": "random", "maxiter": 300, "convex": True, "lipschitz": 3.0}
    result = minimize(None, np.zeros(1), terms=(3, terms), method="mini-batch", step=0.1, options=options)
    errors = str(getattr(result.certificate, "errors", None) or getattr(result.certificate, "of_method", ""))
    complaints = ["limit points of sampling are called stationary"] if strong(result) else []
    if "('bounded', 0.0)" in errors or "'bounded': 0.0" in errors:
        complaints.append(f"the error of sampling is called 0: {errors}")
    return complaints


@recipe
def estimated_curvature(program):
    """√(x² + 1e-4) from 10.3: an estimate of L that is 1e9 times too small makes no unconditional theorem."""
    from proxsplit import minimize

    def f(x):
        root = np.sqrt(x**2 + 1e-4)
        return float(root.sum()), x / root

    result = minimize(f, np.array([10.3]), options={"convex": True})
    # A line search needs no L: what it needs was seen in every step.
    steps = [a for a in result.certificate.of_method["assumptions"] if a["name"] == "step"]
    searched = all(a["standing"] == "measured" for a in steps)
    return [f"“{result.certificate.guarantee}” by an estimated L"] if strong(result) and not searched else []


@recipe
def rounding_level(program):
    """In single precision the level of rounding is of the size of what cancels, not of the gradient that is left."""
    from proxsplit import minimize

    rng = np.random.default_rng(0)
    d = rng.normal(size=(30, 20)).astype(np.float32)
    b = d @ rng.normal(size=20).astype(np.float32)

    def f(x):
        r = d @ x - b
        return 0.5 * float(r @ r), d.T @ r

    result = minimize(f, np.zeros(20, np.float32), tol=0, options={"atol": 0, "maxiter": 2000})
    point = getattr(result.certificate, "at_point", None)
    level = point["rounding"] if point else result.certificate.errors["rounding"][1]
    least = 1e-2 * 2.0**-24 * np.linalg.norm(d.T @ b)
    return [] if level >= least else [f"level {level:.2g}, but d.T @ b alone rounds by {100 * least:.2g}: {result.message}"]


@recipe
def stopped_prox(program):
    """tv2d of a 64×64 picture: the residual with the stated error of the prox is not below the true one."""
    from proxsplit import minimize

    y = 10 * np.random.default_rng(0).normal(size=4096) + np.repeat(np.arange(64) // 16, 64)
    result = minimize(lambda x: (0.5 * ((x - y) ** 2).sum(), x - y), np.zeros(4096), prox="tv2d:1,64x64", tol=1e-9)
    best, error = picture_prox(64, 64, y, 1.0, 5000)  # the minimizer of this problem is one prox
    true = np.linalg.norm(result.x - best) - error  # the residual at step 1, and no smaller at shorter steps
    point = getattr(result.certificate, "at_point", None)
    unknown = point is not None and point["prox_error"] is None
    stated = point["residual"] + (point["prox_error"] or 0.0) if point else result.certificate.residual
    complaints = [] if unknown or stated >= true * (1 - 1e-6) else [f"stated {stated:.3g}, truly at least {true:.3g}: {result.message}"]
    if result.success and (unknown or true > 2 * result.certificate.tolerance):
        complaints.append(f"success with a residual of {true:.3g}, tolerance {result.certificate.tolerance:.3g}")
    return complaints


@recipe
def interrupted_python(program):
    """Ctrl-C in Python is never booked as diverged, and the point survives."""
    from proxsplit import NMF

    # A program that a shell has sent to the background ignores the signal, and this one would run for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    y = np.random.default_rng(0).random((3000, 2000))
    model = NMF(30, tol=0, max_iter=10**7)
    timer = threading.Timer(2.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        model.fit(y)
    except KeyboardInterrupt:
        pass
    finally:
        timer.cancel()
    if not hasattr(model, "components_"):
        return ["the point is lost"]
    return [str(model.certificate_.words)] if "diverged" in model.certificate_.words else []

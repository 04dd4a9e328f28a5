"""`minimize`: a smooth function of your own plus a term with a proximity operator."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds, OptimizeResult, OptimizeWarning

from . import _proxsplit
from ._arguments import as_float
from ._calls import Calls
from ._certificate import Certificate
from ._progress import Progress
from ._operator import Operator, parse
from ._penalties import Zero
from ._sets import Box
from ._trace import Trace

_DEFAULTS: dict[str, Any] = {
    "maxiter": 1000, "maxtime": None, "atol": 1e-9, "check_every": None, "batch_size": None, "order": "reshuffled",
    "inner": "identity", "seed": 0, "lipschitz": None, "convex": False, "disp": False,
}  # fmt: skip
_METHODS = ("batch", "incremental", "mini-batch", "page", "saga")
_STATUS = {"converged": 0, "pass-limit": 1, "time-limit": 2, "error-floor": 3, "diverged": 4, "interrupted": 5}


def minimize(
    fun: Callable[..., Any] | None,
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    *,
    prox: Any = None,
    bounds: Any = None,
    jac: Callable[..., Any] | bool | None = None,
    terms: tuple[int, Callable[..., Any]] | None = None,
    step: float | str | Sequence[float] | None = None,
    method: str | None = None,
    tol: float | None = None,
    gap: float | None = None,
    callback: Callable[..., Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResult:
    """Minimize f(x) + g(x): f is differentiable and may be nonconvex, g has a proximity operator.

    The iteration is x ← P(x − step·∇f(x)), where P is the proximity operator of step·g. Gradients may be inexact, and
    the result says how far the run converged.

    Parameters
    ----------
    fun : callable or None
        ``fun(x, *args)`` returns f(x), or the pair (f(x), ∇f(x)). `x` has the shape and the type of `x0`. The gradient may be anything
        that `numpy.asarray` reads, such as a tensor of torch or jax. None if `terms` is given.
        If the gradient is inexact, for example because an inner solve was stopped early, return a bound on the norm of its error as well,
        ``(value, gradient, bound)``: the certificate then accounts for the errors, and the point is called stationary only if the
        residual and the bound together are within the tolerance. If `fun` has a parameter ``accuracy``, it receives the error that the
        run can afford at `x` (infinite at the start), so inner solves need not be more exact than that.
    x0 : array_like
        The starting point, which is not modified; float32 stays float32, everything else becomes float64. `fun` must be finite there.
    args : tuple, optional
        Further arguments of `fun`, `jac` and the function of `terms`.
    prox : str, proxsplit.prox.Operator or object, optional
        g: a text form such as ``"l1:0.1+nonneg"``, an operator, or an object with ``prox(x, step)`` and ``value(x)``; the
        attribute ``convex = True`` lets the certificate use its convexity. None is g = 0.
    bounds : sequence of (min, max) or scipy.optimize.Bounds, optional
        Bounds for every entry of x, as in scipy; None or an infinity means no bound. They can be combined with a `prox` that is an operator.
    jac : callable or bool, optional
        ``jac(x, *args)`` returns ∇f(x). True (or None) if `fun` returns both.
    terms : (int, callable), optional
        f = Σ f_t: the number of terms, and ``function(x, batch, *args)``, which returns the sum of f_t(x) over the indices in
        `batch`, and its gradient.
    step : float, str or sequence of float, optional
        A constant step; a sequence of steps; or a rule: ``"diminishing:FIRST,POWER"``, ``"backtracking"``,
        ``"bb"`` (Barzilai and Borwein) or ``"adaptive"``. Methods with `terms` need numbers or ``"diminishing"``. By default full
        gradients make quasi-Newton steps, incremental passes begin with min(1, 1/L) and then follow the objective, mini-batches
        keep min(1, 1/L), and page and saga, with an estimated L, undo and halve steps after which the objective has not
        decreased enough. An inexact `fun` needs a number or ``options["lipschitz"]``.
    method : {"batch", "incremental", "mini-batch", "page", "saga"}, optional
        ``"batch"`` uses full gradients, ``"incremental"`` a pass over the terms that moves the point in between,
        ``"mini-batch"`` one batch per step, ``"page"`` occasional full gradients and differences over a batch in between,
        ``"saga"`` one batch per step and the last gradient of every other batch. The errors of the last two vanish, so constant
        steps reach stationary points. The default is incremental if there are `terms`.
    tol : float, optional
        Stop when the residual is below `tol` times the size of the terms that cancel in it at a solution (the gradient at the start, or
        at x if that is larger), plus ``options["atol"]``. None is 1e-6.
    gap : float, optional
        Stop when the objective is proved to be within `gap` times the minimum of it. It needs an f that is convex
        (``options["convex"]``) and an operator of the catalogue whose conjugate is known.
    callback : callable, optional
        Called at every check of the run, as ``callback(intermediate_result=OptimizeResult)`` if it has a parameter of that name,
        else as ``callback(x)``. Raise StopIteration to end the run, which then returns the best point that was checked.
    options : dict, optional
        ``maxiter`` passes over the data (1000), ``maxtime`` in seconds, ``atol`` (1e-9), ``check_every`` so many passes (at growing
        intervals where a check costs a pass),
        ``batch_size`` (1; for page and saga the square root of the number of terms), ``order`` of the terms ("cyclic", "reshuffled", "random"), ``inner`` operator of a pass
        ("identity", "prox"), ``seed`` (0), ``lipschitz`` constant of ∇f if it is known,
        ``convex`` if f is, and ``disp`` to show progress.

    Returns
    -------
    scipy.optimize.OptimizeResult
        With ``x``, ``fun`` = f(x) + g(x), ``success``, ``status``, ``reason``, ``message``, ``nit``, ``nfev`` (calls of the user's
        functions), ``gap`` (the most that ``fun`` can be above the minimum, or None), ``certificate`` (a :class:`Certificate`) and
        ``trace`` (a dictionary of arrays). ``x`` is the best point that was checked.

    Notes
    -----
    Status 0 is success: the true residual is within the tolerance, or the gap is. Otherwise ``status`` and ``reason`` tell why the run ended:
    1 "pass-limit", 2 "time-limit", 3 "error-floor" (the residual is as small as the gradient's errors allow), 4 "diverged",
    5 "interrupted" (by the callback). Exceptions raised by your functions are passed on unchanged. A KeyboardInterrupt has the attribute
    ``result``: what this function would have returned.

    Examples
    --------
    The lasso, ½‖Ax − b‖² + 0.1‖x‖₁:

    >>> import numpy as np
    >>> from proxsplit import minimize
    >>> A, b = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([4.0, 0.05])
    >>> def f(x):
    ...     r = A @ x - b
    ...     return 0.5 * r @ r, A.T @ r
    >>> result = minimize(f, np.zeros(2), prox="l1:0.1")
    >>> result.success, result.x.round(6)
    (True, array([1.975, 0.   ]))
    """
    start = as_float(x0, "x0")
    chosen = _options(options)
    calls = Calls(start.shape, start.dtype, args if isinstance(args, tuple) else (args,))
    if method not in (None, *_METHODS):
        raise ValueError(f"method = {method!r}, but it must be one of {', '.join(_METHODS)}")
    method = method or ("batch" if terms is None else "incremental")
    settings = chosen | {"step": _step(step), "method": method, "tol": 1e-6 if tol is None else float(tol), "gap": gap}
    function = {
        "whole": calls.whole(fun, jac, terms),
        "terms": calls.terms(terms, method),
        "lipschitz": chosen["lipschitz"],
        "convex": bool(chosen["convex"]),
    }
    if gap is not None and not gap > 0:
        raise ValueError(f"gap = {gap!r}, but it must be greater than 0 or None")
    nonsmooth = calls.nonsmooth(_with_bounds(prox, bounds, start.shape))
    with Progress(chosen["disp"], chosen["maxiter"], "minimize") as progress:
        observe = calls.observer(callback, progress) if callback or chosen["disp"] else None
        flat = np.ascontiguousarray(start.ravel(order="F"))
        answer = _proxsplit.minimize(flat, function, nonsmooth, settings, observe)
    result = _result(answer, calls)
    if answer["interrupt"] is not None:
        answer["interrupt"].result = result
        raise answer["interrupt"]
    return result


def _result(answer: dict[str, Any], calls: Calls) -> OptimizeResult:
    certificate = Certificate(**answer["certificate"])
    status = 0 if certificate.converged else _STATUS[answer["reason"]]
    return OptimizeResult(
        x=calls.shaped(answer["x"]),
        fun=certificate.objective,
        success=status == 0,
        status=status,
        reason=answer["reason"],
        message=certificate.words,
        nit=int(answer["trace"]["iteration"][-1]),
        nfev=calls.count,
        gap=certificate.gap,
        certificate=certificate,
        trace=Trace(answer["trace"]),
    )


def _options(options: Mapping[str, Any] | None) -> dict[str, Any]:
    given = dict(options or {})
    unknown = [name for name in given if name not in _DEFAULTS]
    if unknown:
        warnings.warn(f"Unknown solver options: {', '.join(unknown)}; known are {', '.join(_DEFAULTS)}", OptimizeWarning, 3)
    chosen = {name: given.get(name, default) for name, default in _DEFAULTS.items()}
    for name in ("maxiter", "check_every", "batch_size"):
        if chosen[name] is not None and not chosen[name] > 0:
            raise ValueError(f"options[{name!r}] = {chosen[name]}, but it must be greater than 0")
    chosen["passes"], chosen["seconds"] = float(chosen["maxiter"]), chosen["maxtime"]
    return chosen


def _with_bounds(prox: Any, bounds: Any, shape: tuple[int, ...]) -> Any:
    """g together with the bounds of every entry."""
    if bounds is None:
        return prox
    if isinstance(bounds, Bounds):
        lower, upper = (np.broadcast_to(np.asarray(bound, float), shape) for bound in (bounds.lb, bounds.ub))
    else:
        pairs, size = list(bounds), math.prod(shape)
        if len(pairs) != size or any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"bounds must be {size} pairs (min, max), one for every entry of x0, or a scipy.optimize.Bounds")
        lower = np.array([-np.inf if low is None else low for low, _ in pairs], float).reshape(shape)
        upper = np.array([np.inf if high is None else high for _, high in pairs], float).reshape(shape)
    box = Box(lower, upper)
    operator = parse(prox) if isinstance(prox, str) else prox
    if operator is None or isinstance(operator, Zero):
        return box
    if not isinstance(operator, Operator):
        raise ValueError("bounds cannot be combined with a prox of your own: project onto the bounds in your prox")
    return operator + box


def _step(step: Any) -> str | list[float]:
    """The text form of a rule, or the steps one after the other."""
    if step is None or isinstance(step, str):
        return step or "auto"
    if np.ndim(step) == 0:
        return repr(float(step))
    return [float(value) for value in step]

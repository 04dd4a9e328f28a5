"""`minimize`: a smooth function of your own plus a term with a proximity operator."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import OptimizeResult, OptimizeWarning

from . import _proxsplit
from ._certificate import Certificate
from ._progress import Progress
from ._operator import Operator, as_float, parse
from ._penalties import Zero

_DEFAULTS: dict[str, Any] = {
    "maxiter": 1000, "maxtime": None, "atol": 1e-9, "check_every": 1, "batch_size": 1, "order": "reshuffled",
    "inner": "identity", "seed": 0, "lipschitz": None, "convex": False, "disp": False,
}  # fmt: skip
_METHODS = ("batch", "incremental", "mini-batch")
_STATUS = {
    "converged": 0,
    "hit the pass limit": 1,
    "hit the time limit": 2,
    "stopped at the error floor": 3,
    "diverged": 4,
    "interrupted": 5,
}


def minimize(
    fun: Callable[..., Any] | None,
    x0: ArrayLike,
    *,
    prox: Any = None,
    jac: Callable[..., Any] | bool | None = None,
    terms: tuple[int, Callable[..., Any]] | None = None,
    step: float | str | Sequence[float] | None = None,
    method: str | None = None,
    tol: float = 1e-6,
    callback: Callable[..., Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResult:
    """Minimize f(x) + g(x): f is differentiable and may be nonconvex, g has a proximity operator.

    The iteration is x ← P(x − step·∇f(x)), where P is the proximity operator of step·g. Gradients may be inexact, and
    the result says what was reached.

    Parameters
    ----------
    fun : callable or None
        ``fun(x)`` returns f(x), or the pair (f(x), ∇f(x)). `x` has the shape and the type of `x0`. The gradient may be anything
        that `numpy.asarray` reads, such as a tensor of torch or jax. None if `terms` is given.
    x0 : array_like
        The start; float32 stays float32, everything else becomes float64. It is not changed.
    prox : str, proxsplit.prox.Operator or object, optional
        g: a text form such as ``"l1:0.1+nonneg"``, an operator, or an object with ``prox(x, step)`` and ``value(x)``; the
        attribute ``convex = True`` lets the certificate use its convexity. None is g = 0.
    jac : callable or bool, optional
        ``jac(x)`` returns ∇f(x). True (or None) if `fun` returns both.
    terms : (int, callable), optional
        f = Σ f_t: the number of terms, and ``function(x, batch)``, which returns the sum of f_t(x) over the indices in
        `batch`, and its gradient.
    step : float, str or sequence of float, optional
        A constant step; steps one after the other; or a rule: ``"diminishing:FIRST,POWER"``, ``"backtracking"``,
        ``"bb"`` (Barzilai and Borwein, the default of `method` ``"batch"``) or ``"adaptive"``. Incremental methods need
        numbers or ``"diminishing"``; their default is a constant step of min(1, 1/L), with an estimated L.
    method : {"batch", "incremental", "mini-batch"}, optional
        ``"batch"`` uses whole gradients, ``"incremental"`` a pass over the terms that moves the point in between,
        ``"mini-batch"`` one batch a step. The default is incremental if there are `terms`.
    tol : float, default=1e-6
        Stop when the residual is below `tol` times the residual at the start, plus ``options["atol"]``.
    callback : callable, optional
        Called at every look at the run, ``callback(intermediate_result=OptimizeResult)`` if it has a parameter of that name,
        else ``callback(x)``. A StopIteration ends the run.
    options : dict, optional
        ``maxiter`` passes over the data (1000), ``maxtime`` in seconds, ``atol`` (1e-9), ``check_every`` passes (1),
        ``batch_size`` (1), ``order`` of the terms ("cyclic", "reshuffled", "random"), ``inner`` operator of a pass
        ("identity", "prox"), ``seed`` (0), ``lipschitz`` constant of ∇f if it is known,
        ``convex`` if f is, and ``disp`` to show progress.

    Returns
    -------
    scipy.optimize.OptimizeResult
        With ``x``, ``fun`` = f(x) + g(x), ``success``, ``status``, ``message``, ``nit``, ``nfev`` (calls of the user's functions),
        ``certificate`` (a :class:`Certificate`) and ``trace`` (a dictionary of arrays).

    Notes
    -----
    Status 0 is success: the true residual is within the tolerance. 1: pass limit, 2: time limit, 3: the residual is as small as
    the gradient's errors allow, 4: diverged, 5: stopped by the callback. Exceptions of your functions come out unchanged.

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
    calls = _Calls(start.shape, start.dtype)
    if method not in (None, *_METHODS):
        raise ValueError(f"method = {method!r}, but it must be one of {', '.join(_METHODS)}")
    method = method or ("batch" if terms is None else "incremental")
    settings = chosen | {"step": _step(step), "method": method, "tol": float(tol)}
    function = {
        "whole": calls.whole(fun, jac, terms),
        "terms": calls.terms(terms, method),
        "lipschitz": chosen["lipschitz"],
        "convex": bool(chosen["convex"]),
    }
    with Progress(chosen["disp"], chosen["maxiter"], "minimize") as progress:
        observe = calls.observer(callback, progress) if callback or chosen["disp"] else None
        flat = np.ascontiguousarray(start.ravel(order="F"))
        answer = _proxsplit.minimize(flat, function, calls.nonsmooth(prox), settings, observe)
    return _result(answer, calls)


def _result(answer: dict[str, Any], calls: _Calls) -> OptimizeResult:
    certificate = Certificate(**answer["certificate"])
    status = _STATUS[answer["reason"]]
    return OptimizeResult(
        x=calls.shaped(answer["x"]),
        fun=certificate.objective,
        success=status == 0,
        status=status,
        message=certificate.words,
        nit=int(answer["trace"]["iteration"][-1]),
        nfev=calls.count,
        certificate=certificate,
        trace=answer["trace"],
    )


def _options(options: Mapping[str, Any] | None) -> dict[str, Any]:
    given = dict(options or {})
    unknown = [name for name in given if name not in _DEFAULTS]
    if unknown:
        warnings.warn(f"Unknown solver options: {', '.join(unknown)}; known are {', '.join(_DEFAULTS)}", OptimizeWarning, 3)
    chosen = {name: given.get(name, default) for name, default in _DEFAULTS.items()}
    for name in ("maxiter", "check_every", "batch_size"):
        if not chosen[name] > 0:
            raise ValueError(f"options[{name!r}] = {chosen[name]}, but it must be greater than 0")
    chosen["passes"], chosen["seconds"] = float(chosen["maxiter"]), chosen["maxtime"]
    return chosen


def _step(step: Any) -> str | list[float]:
    """The text form of a rule, or the steps one after the other."""
    if step is None or isinstance(step, str):
        return step or "auto"
    if np.ndim(step) == 0:
        return repr(float(step))
    return [float(value) for value in step]


class _Calls:
    """The user's functions, as the native module calls them: flat arrays in and out, shapes checked."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype, self.count = shape, dtype, 0

    def shaped(self, flat: NDArray[Any]) -> NDArray[Any]:
        return flat.reshape(self.shape, order="F")

    def flat(self, result: Any, name: str) -> NDArray[Any]:
        array = np.asarray(result)
        if array.shape != self.shape:
            raise ValueError(f"{name} has shape {array.shape}, but it must have the shape of x0, {self.shape}")
        return np.ascontiguousarray(array.ravel(order="F"), dtype=self.dtype)

    def pair(self, result: Any, name: str) -> tuple[float, NDArray[Any]]:
        if not (isinstance(result, (tuple, list)) and len(result) == 2):
            raise ValueError(f"{name} must return the pair (value, gradient); to return the value alone, give jac=")
        return _number(result[0], name), self.flat(result[1], f"the gradient of {name}")

    def whole(self, fun: Any, jac: Any, terms: Any) -> Callable[[NDArray[Any]], tuple[float, NDArray[Any]]]:
        """x ↦ (f(x), ∇f(x))"""
        if fun is None and terms is None:
            raise TypeError("fun is None: give a function, or terms=(count, function)")
        if jac not in (None, True, False) and not callable(jac):
            raise TypeError(f"jac must be a function or True, not {jac!r}")

        def call(x: NDArray[Any]) -> tuple[float, NDArray[Any]]:
            self.count += 1
            if fun is None:
                return self.pair(terms[1](self.shaped(x), np.arange(terms[0])), "the function of terms")
            if callable(jac):
                value = _number(fun(self.shaped(x)), "fun")
                return value, self.flat(jac(self.shaped(x)), "the gradient")
            return self.pair(fun(self.shaped(x)), "fun")

        return call

    def terms(self, terms: Any, method: str) -> tuple[int, Callable[..., tuple[float, NDArray[Any]]]] | None:
        """The number of terms, and (x, batch) ↦ (Σ f_t(x), Σ ∇f_t(x))"""
        if terms is None:
            if method != "batch":
                raise ValueError(f"method = {method!r} needs terms=(count, function)")
            return None
        count, function = terms
        if int(count) != count or count < 1:
            raise ValueError(f"the number of terms is {count}, but it must be an integer of at least 1")

        def call(x: NDArray[Any], batch: NDArray[Any]) -> tuple[float, NDArray[Any]]:
            self.count += 1
            return self.pair(function(self.shaped(x), batch.astype(np.intp)), "the function of terms")

        return int(count), call

    def nonsmooth(self, prox: Any) -> Any:
        """g for the native module."""
        if prox is None or isinstance(prox, str):
            prox = Zero() if prox is None else parse(prox)
        if isinstance(prox, Operator):
            prox._flat(np.broadcast_to(np.zeros((), self.dtype), self.shape))
            return prox._term
        value = getattr(prox, "value", prox)
        if not callable(getattr(prox, "prox", None)) or not callable(value):
            raise TypeError("prox must be a text form, an operator, or an object with prox(x, step) and value(x)")
        modulus = 0.0 if getattr(prox, "convex", False) else float(getattr(prox, "modulus", np.inf))
        return (
            lambda x: _number(value(self.shaped(x)), "prox.value"),
            lambda x, step: self.flat(prox.prox(self.shaped(x), step), "the result of prox.prox"),
            modulus,
        )

    def observer(self, callback: Callable[..., Any] | None, progress: Progress) -> Callable[..., bool]:
        """The callback as the native module calls it: true ends the run."""
        whole = callback is not None and _takes_result(callback)

        def observe(row: tuple[float, ...], x: NDArray[Any]) -> bool:
            iteration, passes, step, objective, residual, scaled_residual, seconds = row
            progress.show(passes, objective, residual)
            if callback is None or iteration == 0:
                return False
            point = self.shaped(x)
            result = OptimizeResult(
                x=point, fun=objective, nit=iteration, passes=passes, step=step,
                residual=residual, scaled_residual=scaled_residual, seconds=seconds,
            )  # fmt: skip
            try:
                if whole:
                    callback(intermediate_result=result)
                else:
                    callback(point)
            except StopIteration:
                return True
            return False

        return observe


def _takes_result(callback: Callable[..., Any]) -> bool:
    try:
        return "intermediate_result" in inspect.signature(callback).parameters
    except (TypeError, ValueError):
        return False


def _number(value: Any, name: str) -> float:
    array = np.asarray(value)
    if array.size != 1:
        raise ValueError(f"the value of {name} must be a number, but it has shape {array.shape}")
    return float(array.reshape(()))

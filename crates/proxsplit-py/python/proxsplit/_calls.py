"""The user's functions, as the native module calls them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult

from ._operator import Operator, parse
from ._penalties import Zero
from ._progress import Progress


class Calls:
    """The user's functions, as the native module calls them: flat arrays in and out, shapes checked."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], args: tuple[Any, ...]) -> None:
        self.shape, self.dtype, self.args, self.count = shape, dtype, args, 0

    def shaped(self, flat: NDArray[Any]) -> NDArray[Any]:
        return flat.reshape(self.shape, order="F")

    def flat(self, result: Any, name: str) -> NDArray[Any]:
        array = np.asarray(result)
        if array.shape != self.shape:
            raise ValueError(f"{name} has shape {array.shape}, but it must have the shape of x0, {self.shape}")
        return np.ascontiguousarray(array.ravel(order="F"), dtype=self.dtype)

    def pair(self, result: Any, name: str) -> tuple[float, NDArray[Any]]:
        if not (isinstance(result, (tuple, list)) and len(result) == 2):
            raise ValueError(f"{name} must return the pair (value, gradient); to return the value alone, pass the gradient as jac=")
        return _number(result[0], name), self.flat(result[1], f"the gradient of {name}")

    def with_bound(self, result: Any) -> tuple[float, NDArray[Any], float | None]:
        """(value, gradient) or (value, gradient, bound on the error of the gradient)"""
        if not (isinstance(result, (tuple, list)) and len(result) == 3):
            return (*self.pair(result, "fun"), None)
        bound = _number(result[2], "the bound of fun")
        if not bound >= 0:
            raise ValueError(f"fun returned the error bound {bound}, but it must be at least 0: a bound on the norm of gradient − ∇f(x)")
        return (*self.pair(result[:2], "fun"), bound)

    def whole(self, fun: Any, jac: Any, terms: Any) -> Callable[[NDArray[Any], float], tuple[float, NDArray[Any], float | None]]:
        """(x, accuracy) ↦ (f(x), ∇f(x), the bound on its error if there is one)"""
        if fun is None and terms is None:
            raise TypeError("fun is None: give a function, or terms=(count, function)")
        if jac not in (None, True, False) and not callable(jac):
            raise TypeError(f"jac must be a function or True, not {jac!r}")

        tunable = fun is not None and _takes(fun, "accuracy")

        def call(x: NDArray[Any], accuracy: float) -> tuple[float, NDArray[Any], float | None]:
            self.count += 1
            if fun is None:
                pair = self.pair(terms[1](self.shaped(x), np.arange(terms[0]), *self.args), "the function of terms")
                return (*pair, None)
            if callable(jac):
                value = _number(fun(self.shaped(x), *self.args), "fun")
                return value, self.flat(jac(self.shaped(x), *self.args), "the gradient"), None
            wish = {"accuracy": accuracy} if tunable else {}
            return self.with_bound(fun(self.shaped(x), *self.args, **wish))

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
            return self.pair(function(self.shaped(x), batch.astype(np.intp), *self.args), "the function of terms")

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
        whole = callback is not None and _takes(callback, "intermediate_result")

        def observe(row: tuple[float, ...], x: NDArray[Any]) -> bool:
            iteration, passes, step, objective, residual, gap, seconds = row
            progress.show(passes, objective, residual)
            if callback is None or iteration == 0:
                return False
            point = self.shaped(x)
            result = OptimizeResult(
                x=point, fun=objective, nit=iteration, passes=passes, step=step,
                residual=residual, gap=None if np.isnan(gap) else gap, seconds=seconds,
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


def _takes(function: Callable[..., Any], name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _number(value: Any, name: str) -> float:
    array = np.asarray(value)
    if array.size != 1:
        raise ValueError(f"the value of {name} must be a number, but it has shape {array.shape}")
    return float(array.reshape(()))

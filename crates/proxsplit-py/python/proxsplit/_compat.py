"""Parameters that scikit-learn has and this package reads in its own way."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._advice import warn

# What has been said already: once a process is enough.
_told: set[str] = set()

_LOSSES = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}


def tell_once(text: str) -> None:
    """Warn, but not a second time."""
    if text not in _told:
        _told.add(text)
        warn(text, UserWarning)


def checked_solver(solver: Any, name: str) -> None:
    """Refuse solvers that scikit-learn does not have."""
    if solver not in ("cd", "mu"):
        raise ValueError(f"The 'solver' parameter of {name} must be a str among {{'cd', 'mu'}}. Got {solver!r} instead.")
    if solver == "mu":
        tell_once("solver='mu' runs the method of proxsplit, which minimizes the same objective; see the parameter `method`")


def checked_loss(beta_loss: Any, name: str) -> str:
    """The name that the library has for a loss of scikit-learn; others are refused."""
    loss = _LOSSES.get(beta_loss, beta_loss) if isinstance(beta_loss, str) else beta_loss
    if isinstance(loss, (str, bool)) or not isinstance(loss, (int, float, np.number)):
        names = ", ".join(map(repr, _LOSSES))
        raise ValueError(f"The 'beta_loss' parameter of {name} must be one of {names} or a number. Got {beta_loss!r} instead.")
    if loss == 2:
        return "squared"
    if loss == 1:
        return "kl"
    raise ValueError(f"beta_loss = {beta_loss!r} is not available: {name} has 'frobenius' and 'kullback-leibler'")


def checked_start(array: Any, shape: tuple[int, int], dtype: np.dtype[Any], whom: str) -> None:
    """Refuse a given factor that does not fit, as scikit-learn words it."""
    given = np.asarray(array)
    if given.ndim != 2:
        raise ValueError(f"Expected a 2D array passed to {whom}, but it has shape {given.shape}")
    for axis, place in ((0, "first"), (1, "second")):
        if given.shape[axis] != shape[axis]:
            raise ValueError(
                f"Array with wrong {place} dimension passed to {whom}. Expected {shape[axis]}, but got {given.shape[axis]}."
            )
    if given.dtype.kind == "f" and given.dtype != dtype:
        raise TypeError(f"H and W should have the same dtype as X. Got {given.dtype} in {whom}, but the factors are {dtype}.")

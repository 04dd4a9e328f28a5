"""The sets of the catalogue."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._operator import Operator, _make
from ._proxsplit import Term


class NonNeg(Operator, name="nonneg"):
    """The set x ≥ 0."""

    def __new__(cls) -> NonNeg:
        return cls._of()


class Box(Operator, name="box"):
    """The set lower ≤ x ≤ upper; infinite bounds are allowed.

    Arrays are bounds for every entry, of the shape of `x`; such a box has no text form.
    """

    # The bounds, if they are arrays.
    _bounds: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def __new__(cls, lower: ArrayLike, upper: ArrayLike) -> Box:
        if np.ndim(lower) == 0 and np.ndim(upper) == 0:
            return cls._of(lower, upper)
        low, high = np.broadcast_arrays(np.asarray(lower, float), np.asarray(upper, float))
        box: Box = _make(cls, Term.bounds(low.ravel(order="F").tolist(), high.ravel(order="F").tolist()))
        object.__setattr__(box, "_bounds", (low.copy(), high.copy()))
        return box

    @property
    def _has_text(self) -> bool:
        return self._bounds is None

    def _key(self) -> Any:
        if self._bounds is None:
            return str(self)
        return self._bounds[0].shape, self._bounds[0].tobytes(), self._bounds[1].tobytes()

    def _flat(self, x: ArrayLike) -> tuple[NDArray[Any], tuple[int, ...]]:
        if self._bounds is not None and np.shape(x) != self._bounds[0].shape:
            raise ValueError(f"x has shape {np.shape(x)}, but the bounds have shape {self._bounds[0].shape}")
        return super()._flat(x)

    def __repr__(self) -> str:
        if self._bounds is None:
            return super().__repr__()
        return f"Box({', '.join(map(_numbers, self._bounds))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return super().__reduce__() if self._bounds is None else (Box, self._bounds)


def _numbers(array: NDArray[np.float64]) -> str:
    """The array as a list that Python reads back."""
    return str(array.tolist()).replace("-inf", "float('-inf')").replace(" inf", " float('inf')").replace("[inf", "[float('inf')")


class Binary(Operator, name="binary"):
    """The set {0, 1}ⁿ. Nonconvex."""

    def __new__(cls) -> Binary:
        return cls._of()


class Simplex(Operator, name="simplex"):
    """The set x ≥ 0, Σx = radius."""

    def __new__(cls, radius: float) -> Simplex:
        return cls._of(radius)


class L1Ball(Operator, name="l1-ball"):
    """The set ‖x‖₁ ≤ radius."""

    def __new__(cls, radius: float) -> L1Ball:
        return cls._of(radius)


class L2Ball(Operator, name="l2-ball"):
    """The set ‖x‖₂ ≤ radius."""

    def __new__(cls, radius: float) -> L2Ball:
        return cls._of(radius)


class LinfBall(Operator, name="linf-ball"):
    """The set ‖x‖_∞ ≤ radius."""

    def __new__(cls, radius: float) -> LinfBall:
        return cls._of(radius)


class Sphere(Operator, name="sphere"):
    """The set ‖x‖₂ = radius. Nonconvex."""

    def __new__(cls, radius: float) -> Sphere:
        return cls._of(radius)


class SumTo(Operator, name="sum"):
    """The set Σx = total."""

    def __new__(cls, total: float) -> SumTo:
        return cls._of(total)


class BoxSum(Operator, name="box-sum"):
    """The set lower ≤ x ≤ upper, Σx = total."""

    def __new__(cls, lower: float, upper: float, total: float) -> BoxSum:
        return cls._of(lower, upper, total)


class Monotone(Operator, name="monotone"):
    """The set x₁ ≤ x₂ ≤ …"""

    def __new__(cls) -> Monotone:
        return cls._of()


class SecondOrderCone(Operator, name="soc"):
    """The set of (t, z) with ‖z‖₂ ≤ t; t comes first."""

    def __new__(cls) -> SecondOrderCone:
        return cls._of()


class PSD(Operator, name="psd"):
    """The set of symmetric positive semidefinite matrices of this order; input is symmetrized."""

    def __new__(cls, order: int) -> PSD:
        return cls._of(order)


class SparseBall(Operator, name="sparse-ball"):
    """The set of vectors with at most `count` nonzeros. Nonconvex."""

    def __new__(cls, count: int) -> SparseBall:
        return cls._of(count)


class RankBall(Operator, name="rank-ball"):
    """The set of matrices of at most this rank. Nonconvex."""

    def __new__(cls, rank: int, shape: tuple[int, int]) -> RankBall:
        return cls._of(rank, shape)

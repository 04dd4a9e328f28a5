"""The sets of the catalogue."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ._operator import Operator
from ._per_entry import PerEntry
from ._proxsplit import Term


class NonNeg(Operator, name="nonneg"):
    """The set x ≥ 0."""

    def __new__(cls) -> NonNeg:
        return cls._of()


class Box(PerEntry, name="box"):
    """The set lower ≤ x ≤ upper; infinite bounds are allowed.

    Arrays are bounds for every entry, of the shape of `x`; such a box has no text form.
    """

    def __new__(cls, lower: ArrayLike, upper: ArrayLike) -> Box:
        return cls._with(lower, upper)

    @staticmethod
    def _entries(*numbers: list[float]) -> Term:
        return Term.bounds(*numbers)


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

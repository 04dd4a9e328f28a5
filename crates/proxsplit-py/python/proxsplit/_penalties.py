"""The penalties of the catalogue."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from ._operator import Operator
from ._per_entry import PerEntry
from ._proxsplit import Term


class Zero(Operator, name="zero"):
    """0"""

    def __new__(cls) -> Zero:
        return cls._of()


class L1(PerEntry, name="l1"):
    """W‖x‖₁, W = `weight`.

    An array has a weight for every entry, Σ W_i|x_i|, and the shape of `x`; it has no text form.
    """

    def __new__(cls, weight: ArrayLike) -> L1:
        return cls._with(weight)

    @staticmethod
    def _entries(*numbers: list[float]) -> Term:
        return Term.weighted_l1(*numbers)


class L2(Operator, name="l2"):
    """W‖x‖₂, the norm and not its square."""

    def __new__(cls, weight: float) -> L2:
        return cls._of(weight)


class Linf(Operator, name="linf"):
    """W‖x‖_∞"""

    def __new__(cls, weight: float) -> Linf:
        return cls._of(weight)


class SqL2(Operator, name="sql2"):
    """(W/2)‖x‖₂²"""

    def __new__(cls, weight: float) -> SqL2:
        return cls._of(weight)


class ElasticNet(Operator, name="elastic"):
    """W1‖x‖₁ + (W2/2)‖x‖₂²"""

    def __new__(cls, l1: float, l2: float) -> ElasticNet:
        return cls._of(l1, l2)


class GroupL2(Operator, name="group-l2"):
    """W Σ_G ‖x_G‖₂ over consecutive groups of `size` entries; the last may be shorter."""

    def __new__(cls, weight: float, size: int) -> GroupL2:
        return cls._of(weight, size)


class GroupLinf(Operator, name="group-linf"):
    """W Σ_G ‖x_G‖_∞ over consecutive groups of `size` entries."""

    def __new__(cls, weight: float, size: int) -> GroupLinf:
        return cls._of(weight, size)


class SparseGroup(Operator, name="sparse-group"):
    """W1‖x‖₁ + W2 Σ_G ‖x_G‖₂ over consecutive groups of `size` entries."""

    def __new__(cls, l1: float, group: float, size: int) -> SparseGroup:
        return cls._of(l1, group, size)


class Nuclear(Operator, name="nuclear"):
    """W × the sum of the singular values of a matrix."""

    def __new__(cls, weight: float, shape: tuple[int, int]) -> Nuclear:
        return cls._of(weight, shape)


class TV1D(Operator, name="tv1d"):
    """W Σ|x_{i+1} − x_i|"""

    def __new__(cls, weight: float) -> TV1D:
        return cls._of(weight)


class Fused(Operator, name="fused"):
    """W1‖x‖₁ + W2 Σ|x_{i+1} − x_i|"""

    def __new__(cls, l1: float, tv: float) -> Fused:
        return cls._of(l1, tv)


class TV2D(Operator, name="tv2d"):
    """W Σ √(d₁² + d₂²), the isotropic total variation of an image; forward differences.

    The prox is an iteration. It ends when it is proved to be within `tolerance`·‖x − mean(x)‖ of the exact one (1e-5 unless it is
    given), or after 5000 rounds; :meth:`prox_with_error` reports the error.
    """

    def __new__(cls, weight: float, shape: tuple[int, int], tolerance: float | None = None) -> TV2D:
        return _variation(cls, weight, shape, tolerance)


class AnisotropicTV2D(Operator, name="tv2d-aniso"):
    """W Σ |d₁| + |d₂|, the anisotropic total variation of an image.

    The prox is an iteration like that of :class:`TV2D`, with 1e-7 and 1000 rounds unless `tolerance` is given.
    """

    def __new__(cls, weight: float, shape: tuple[int, int], tolerance: float | None = None) -> AnisotropicTV2D:
        return _variation(cls, weight, shape, tolerance)


def _variation(cls: Any, weight: float, shape: tuple[int, int], tolerance: float | None) -> Any:
    if tolerance is None:
        return cls._of(weight, shape)
    arguments = float(weight), (int(shape[0]), int(shape[1])), float(tolerance)
    return cls._without_text(Term.variation(cls._name, *arguments), *arguments)


class Oscar(Operator, name="oscar"):
    """Σ_i (A + B(n − i))·|x|_(i), a sorted ℓ1 norm."""

    def __new__(cls, l1: float, spread: float) -> Oscar:
        return cls._of(l1, spread)


class Huber(Operator, name="huber"):
    """W Σ h(x_i), h(t) = t²/2 if |t| ≤ D, else D|t| − D²/2."""

    def __new__(cls, weight: float, delta: float) -> Huber:
        return cls._of(weight, delta)


class Entropy(Operator, name="entropy"):
    """W Σ x_i log x_i over x ≥ 0."""

    def __new__(cls, weight: float) -> Entropy:
        return cls._of(weight)


class L0(Operator, name="l0"):
    """W × the number of nonzeros. Nonconvex."""

    def __new__(cls, weight: float) -> L0:
        return cls._of(weight)


class Lp(Operator, name="lp"):
    """W Σ|x_i|^p for p = 1/2 or p = 2/3. Nonconvex."""

    def __new__(cls, weight: float, p: float | str | Fraction) -> Lp:
        power = Fraction(p).limit_denominator(1000)
        return cls._of(weight, str(power))


class SCAD(Operator, name="scad"):
    """The smoothly clipped absolute deviation, a > 2. Weakly convex."""

    def __new__(cls, weight: float, a: float) -> SCAD:
        return cls._of(weight, a)


class MCP(Operator, name="mcp"):
    """The minimax concave penalty, γ > 0. Weakly convex."""

    def __new__(cls, weight: float, gamma: float) -> MCP:
        return cls._of(weight, gamma)


class LogSum(Operator, name="log-sum"):
    """W Σ log(1 + |x_i|/ε), ε > 0. Weakly convex."""

    def __new__(cls, weight: float, epsilon: float) -> LogSum:
        return cls._of(weight, epsilon)


class CappedL1(Operator, name="capped-l1"):
    """W Σ min(|x_i|, T), T > 0. Nonconvex."""

    def __new__(cls, weight: float, threshold: float) -> CappedL1:
        return cls._of(weight, threshold)


class Rank(Operator, name="rank"):
    """W × the rank of a matrix. Nonconvex."""

    def __new__(cls, weight: float, shape: tuple[int, int]) -> Rank:
        return cls._of(weight, shape)

"""Proximity operators: every term of the catalogue as an immutable object.

A term g has a value ``g(x)`` and a proximity operator ``g.prox(x, step)``, the minimizer of g(z) + ‖z − x‖²/(2·step) over z.
Operators are made by class (``L1(0.1)``) or from their text form (``parse("l1:0.1+nonneg")``), joined with sets by ``+``,
and printed back by ``str``. Arrays keep their shape and their type, float32 or float64. Arrays of more than one dimension
are read column by column, as the text forms say: a group or a column of the catalogue is a column of the array.

Examples
--------
>>> import numpy as np
>>> from proxsplit.prox import L1, NonNeg, parse
>>> g = L1(0.5) + NonNeg()
>>> g.prox(np.array([2.0, -3.0, 0.25]), step=1.0)
array([1.5, 0. , 0. ])
>>> str(g), g == parse("l1:0.5 + nonneg")
('l1:0.5+nonneg', True)
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._proxsplit import Term

__all__ = [
    "Operator", "Sum", "Conjugate", "parse", "Zero", "L1", "L2", "Linf", "SqL2", "ElasticNet", "GroupL2", "GroupLinf",
    "SparseGroup", "Nuclear", "TV1D", "Fused", "TV2D", "AnisotropicTV2D", "Oscar", "Huber", "Entropy", "L0", "Lp", "SCAD",
    "MCP", "LogSum", "CappedL1", "Rank", "NonNeg", "Box", "Binary", "Simplex", "L1Ball", "L2Ball", "LinfBall", "Sphere",
    "SumTo", "BoxSum", "Monotone", "SecondOrderCone", "PSD", "SparseBall", "RankBall",
]  # fmt: skip


class Operator:
    """A term with a proximity operator.

    Made by the classes of this module or by :func:`parse`; immutable, hashable, comparable, picklable.
    """

    __slots__ = ("_term",)
    _term: Term

    def __new__(cls, text: str) -> Any:
        return _make(cls, Term(text))

    def value(self, x: ArrayLike) -> float:
        """Return g(x); infinity outside the domain.

        Parameters
        ----------
        x : array_like
            The point. A shape that does not fit is a ValueError.

        Returns
        -------
        float
        """
        return self._term.value(self._flat(x)[0])

    def __call__(self, x: ArrayLike) -> float:
        """Return g(x), see :meth:`value`."""
        return self.value(x)

    def prox(self, x: ArrayLike, step: float = 1.0) -> NDArray[Any]:
        """Return the minimizer of g(z) + ‖z − x‖²/(2·step) over z; one of them where there are several.

        Parameters
        ----------
        x : array_like
            The point, of any shape. It is not changed.
        step : float, default=1.0
            The step, greater than 0.

        Returns
        -------
        ndarray
            An array of the shape of `x`; float32 if `x` is, else float64.
        """
        flat, shape = self._flat(x)
        return self._term.prox(flat, float(step)).reshape(shape, order="F")

    def conjugate(self) -> Operator:
        """Return the convex conjugate g*(x) = sup ⟨x, z⟩ − g(z).

        Raises ValueError if g is not convex.
        """
        return _make(Conjugate, self._term.conjugate())

    @property
    def modulus(self) -> float:
        """The modulus of weak convexity: 0 if g is convex, infinity if nothing is known."""
        return self._term.modulus

    @property
    def convex(self) -> bool:
        """Whether g is convex."""
        return self.modulus == 0.0

    def _flat(self, x: ArrayLike) -> tuple[NDArray[Any], tuple[int, ...]]:
        """The array as a vector of float32 or float64, and its shape."""
        array = as_float(x, "x")
        wanted = _matrix_shape(self._term.text)
        if array.ndim == 2 and wanted is not None and array.shape != wanted:
            raise ValueError(f"x has shape {array.shape}, but {self} needs {wanted}")
        return np.ascontiguousarray(array.ravel(order="F")), array.shape

    def __add__(self, other: object) -> Operator:
        if not isinstance(other, Operator):
            return NotImplemented
        if isinstance(self, Conjugate) or isinstance(other, Conjugate):
            raise ValueError("a conjugate cannot be joined with other terms")
        return parse(f"{self}+{other}")

    def __str__(self) -> str:
        return self._term.text

    def __repr__(self) -> str:
        name, _, arguments = str(self).partition(":")
        del name
        return f"{type(self).__name__}({', '.join(map(_python, filter(None, arguments.split(','))))})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash((type(self), str(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return parse, (str(self),)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"operators are immutable; make a new one instead of changing {name}")


class Sum(Operator):
    """A term joined with sets, as made by ``+`` or by a text form with ``+``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return " + ".join(repr(parse(part)) for part in str(self).split("+"))


class Conjugate(Operator):
    """The convex conjugate of a term, as made by :meth:`Operator.conjugate`. It has no text form."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"conjugate({self._term.text})"

    def __repr__(self) -> str:
        return f"{parse(self._term.text)!r}.conjugate()"

    def conjugate(self) -> Operator:
        """Return the term itself: a closed convex term is the conjugate of its conjugate."""
        return parse(self._term.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return _conjugate_of, (self._term.text,)


def parse(text: str) -> Operator:
    """Read a text form, such as ``"l1:0.1+nonneg"``.

    Parameters
    ----------
    text : str
        ``name:number,number``, joined with sets by ``+``. Spaces are ignored.

    Returns
    -------
    Operator
        An object of the class of that name, or a :class:`Sum`.

    Raises
    ------
    ValueError
        If the text names no operator, or a number is out of range.

    Examples
    --------
    >>> parse("scad:1,3.7")
    SCAD(1, 3.7)
    >>> parse("l1:0.1 + box:-1,1")
    L1(0.1) + Box(-1, 1)
    """
    if not isinstance(text, str):
        raise TypeError(f"a text form is a str, not {type(text).__name__}")
    term = Term(text)
    kind = Sum if "+" in term.text else _CLASSES.get(term.text.partition(":")[0], Operator)
    return _make(kind, term)


def as_operator(prox: Any, name: str) -> Operator | None:
    """An operator from an operator, a text form or None."""
    if prox is None or isinstance(prox, Operator):
        return prox
    if isinstance(prox, str):
        return parse(prox)
    raise TypeError(f"{name} must be an operator of proxsplit.prox, a text form such as 'l1:0.1', or None; got {prox!r}")


def as_float(x: Any, name: str) -> NDArray[Any]:
    """The array as float32 or float64, without a copy if it is already one of them."""
    array = np.asarray(x)
    if array.dtype in (np.float32, np.float64):
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if array.dtype.kind not in "buif":
        raise ValueError(f"{name} must be an array of real numbers, but its dtype is {array.dtype}")
    return array.astype(np.float64)


def _make(cls: type, term: Term) -> Any:
    operator: Any = object.__new__(cls)
    object.__setattr__(operator, "_term", term)
    return operator


def _conjugate_of(text: str) -> Operator:
    return parse(text).conjugate()


def _matrix_shape(text: str) -> tuple[int, int] | None:
    """The shape RxC or N×N in a text form."""
    if found := re.search(r"(\d+)x(\d+)", text):
        return int(found[1]), int(found[2])
    if found := re.search(r"psd:(\d+)", text):
        return int(found[1]), int(found[1])
    return None


def _python(argument: str) -> str:
    """An argument of a text form as a Python expression."""
    if found := re.fullmatch(r"(\d+)x(\d+)", argument):
        return f"({found[1]}, {found[2]})"
    return repr(argument) if "/" in argument else argument


def _text(name: str, *arguments: Any) -> str:
    """The text form of an operator."""

    def one(argument: Any) -> str:
        if isinstance(argument, tuple):
            rows, columns = argument
            return f"{int(rows)}x{int(columns)}"
        if isinstance(argument, (str, int)) and not isinstance(argument, bool):
            return str(argument)
        return repr(float(argument))

    return f"{name}:{','.join(map(one, arguments))}" if arguments else name


class Zero(Operator):
    """0"""

    __slots__ = ()

    def __new__(cls) -> Zero:
        return super().__new__(cls, "zero")


class L1(Operator):
    """W‖x‖₁, W = `weight`."""

    __slots__ = ()

    def __new__(cls, weight: float) -> L1:
        return super().__new__(cls, _text("l1", weight))


class L2(Operator):
    """W‖x‖₂, the norm and not its square."""

    __slots__ = ()

    def __new__(cls, weight: float) -> L2:
        return super().__new__(cls, _text("l2", weight))


class Linf(Operator):
    """W‖x‖_∞"""

    __slots__ = ()

    def __new__(cls, weight: float) -> Linf:
        return super().__new__(cls, _text("linf", weight))


class SqL2(Operator):
    """(W/2)‖x‖₂²"""

    __slots__ = ()

    def __new__(cls, weight: float) -> SqL2:
        return super().__new__(cls, _text("sql2", weight))


class ElasticNet(Operator):
    """W1‖x‖₁ + (W2/2)‖x‖₂²"""

    __slots__ = ()

    def __new__(cls, l1: float, l2: float) -> ElasticNet:
        return super().__new__(cls, _text("elastic", l1, l2))


class GroupL2(Operator):
    """W Σ_G ‖x_G‖₂ over consecutive groups of `size` entries; the last may be shorter."""

    __slots__ = ()

    def __new__(cls, weight: float, size: int) -> GroupL2:
        return super().__new__(cls, _text("group-l2", weight, size))


class GroupLinf(Operator):
    """W Σ_G ‖x_G‖_∞ over consecutive groups of `size` entries."""

    __slots__ = ()

    def __new__(cls, weight: float, size: int) -> GroupLinf:
        return super().__new__(cls, _text("group-linf", weight, size))


class SparseGroup(Operator):
    """W1‖x‖₁ + W2 Σ_G ‖x_G‖₂ over consecutive groups of `size` entries."""

    __slots__ = ()

    def __new__(cls, l1: float, group: float, size: int) -> SparseGroup:
        return super().__new__(cls, _text("sparse-group", l1, group, size))


class Nuclear(Operator):
    """W × the sum of the singular values of a matrix."""

    __slots__ = ()

    def __new__(cls, weight: float, shape: tuple[int, int]) -> Nuclear:
        return super().__new__(cls, _text("nuclear", weight, tuple(shape)))


class TV1D(Operator):
    """W Σ|x_{i+1} − x_i|"""

    __slots__ = ()

    def __new__(cls, weight: float) -> TV1D:
        return super().__new__(cls, _text("tv1d", weight))


class Fused(Operator):
    """W1‖x‖₁ + W2 Σ|x_{i+1} − x_i|"""

    __slots__ = ()

    def __new__(cls, l1: float, tv: float) -> Fused:
        return super().__new__(cls, _text("fused", l1, tv))


class TV2D(Operator):
    """W Σ √(d₁² + d₂²), the isotropic total variation of an image; forward differences."""

    __slots__ = ()

    def __new__(cls, weight: float, shape: tuple[int, int]) -> TV2D:
        return super().__new__(cls, _text("tv2d", weight, tuple(shape)))


class AnisotropicTV2D(Operator):
    """W Σ |d₁| + |d₂|, the anisotropic total variation of an image."""

    __slots__ = ()

    def __new__(cls, weight: float, shape: tuple[int, int]) -> AnisotropicTV2D:
        return super().__new__(cls, _text("tv2d-aniso", weight, tuple(shape)))


class Oscar(Operator):
    """Σ_i (A + B(n − i))·|x|_(i), a sorted ℓ1 norm."""

    __slots__ = ()

    def __new__(cls, l1: float, spread: float) -> Oscar:
        return super().__new__(cls, _text("oscar", l1, spread))


class Huber(Operator):
    """W Σ h(x_i), h(t) = t²/2 if |t| ≤ D, else D|t| − D²/2."""

    __slots__ = ()

    def __new__(cls, weight: float, delta: float) -> Huber:
        return super().__new__(cls, _text("huber", weight, delta))


class Entropy(Operator):
    """W Σ x_i log x_i over x ≥ 0."""

    __slots__ = ()

    def __new__(cls, weight: float) -> Entropy:
        return super().__new__(cls, _text("entropy", weight))


class L0(Operator):
    """W × the number of nonzeros. Nonconvex."""

    __slots__ = ()

    def __new__(cls, weight: float) -> L0:
        return super().__new__(cls, _text("l0", weight))


class Lp(Operator):
    """W Σ|x_i|^p for p = 1/2 or p = 2/3. Nonconvex."""

    __slots__ = ()

    def __new__(cls, weight: float, p: float | str | Fraction) -> Lp:
        power = Fraction(p).limit_denominator(1000)
        return super().__new__(cls, _text("lp", weight, str(power)))


class SCAD(Operator):
    """The smoothly clipped absolute deviation, a > 2. Weakly convex."""

    __slots__ = ()

    def __new__(cls, weight: float, a: float) -> SCAD:
        return super().__new__(cls, _text("scad", weight, a))


class MCP(Operator):
    """The minimax concave penalty, γ > 0. Weakly convex."""

    __slots__ = ()

    def __new__(cls, weight: float, gamma: float) -> MCP:
        return super().__new__(cls, _text("mcp", weight, gamma))


class LogSum(Operator):
    """W Σ log(1 + |x_i|/ε), ε > 0. Weakly convex."""

    __slots__ = ()

    def __new__(cls, weight: float, epsilon: float) -> LogSum:
        return super().__new__(cls, _text("log-sum", weight, epsilon))


class CappedL1(Operator):
    """W Σ min(|x_i|, T), T > 0. Nonconvex."""

    __slots__ = ()

    def __new__(cls, weight: float, threshold: float) -> CappedL1:
        return super().__new__(cls, _text("capped-l1", weight, threshold))


class Rank(Operator):
    """W × the rank of a matrix. Nonconvex."""

    __slots__ = ()

    def __new__(cls, weight: float, shape: tuple[int, int]) -> Rank:
        return super().__new__(cls, _text("rank", weight, tuple(shape)))


class NonNeg(Operator):
    """The set x ≥ 0."""

    __slots__ = ()

    def __new__(cls) -> NonNeg:
        return super().__new__(cls, "nonneg")


class Box(Operator):
    """The set lower ≤ x ≤ upper; infinite bounds are allowed."""

    __slots__ = ()

    def __new__(cls, lower: float, upper: float) -> Box:
        return super().__new__(cls, _text("box", lower, upper))


class Binary(Operator):
    """The set {0, 1}ⁿ. Nonconvex."""

    __slots__ = ()

    def __new__(cls) -> Binary:
        return super().__new__(cls, "binary")


class Simplex(Operator):
    """The set x ≥ 0, Σx = radius."""

    __slots__ = ()

    def __new__(cls, radius: float) -> Simplex:
        return super().__new__(cls, _text("simplex", radius))


class L1Ball(Operator):
    """The set ‖x‖₁ ≤ radius."""

    __slots__ = ()

    def __new__(cls, radius: float) -> L1Ball:
        return super().__new__(cls, _text("l1-ball", radius))


class L2Ball(Operator):
    """The set ‖x‖₂ ≤ radius."""

    __slots__ = ()

    def __new__(cls, radius: float) -> L2Ball:
        return super().__new__(cls, _text("l2-ball", radius))


class LinfBall(Operator):
    """The set ‖x‖_∞ ≤ radius."""

    __slots__ = ()

    def __new__(cls, radius: float) -> LinfBall:
        return super().__new__(cls, _text("linf-ball", radius))


class Sphere(Operator):
    """The set ‖x‖₂ = radius. Nonconvex."""

    __slots__ = ()

    def __new__(cls, radius: float) -> Sphere:
        return super().__new__(cls, _text("sphere", radius))


class SumTo(Operator):
    """The set Σx = total."""

    __slots__ = ()

    def __new__(cls, total: float) -> SumTo:
        return super().__new__(cls, _text("sum", total))


class BoxSum(Operator):
    """The set lower ≤ x ≤ upper, Σx = total."""

    __slots__ = ()

    def __new__(cls, lower: float, upper: float, total: float) -> BoxSum:
        return super().__new__(cls, _text("box-sum", lower, upper, total))


class Monotone(Operator):
    """The set x₁ ≤ x₂ ≤ …"""

    __slots__ = ()

    def __new__(cls) -> Monotone:
        return super().__new__(cls, "monotone")


class SecondOrderCone(Operator):
    """The set of (t, z) with ‖z‖₂ ≤ t; t comes first."""

    __slots__ = ()

    def __new__(cls) -> SecondOrderCone:
        return super().__new__(cls, "soc")


class PSD(Operator):
    """The set of symmetric positive semidefinite matrices of this order; input is symmetrized."""

    __slots__ = ()

    def __new__(cls, order: int) -> PSD:
        return super().__new__(cls, _text("psd", order))


class SparseBall(Operator):
    """The set of vectors with at most `count` nonzeros. Nonconvex."""

    __slots__ = ()

    def __new__(cls, count: int) -> SparseBall:
        return super().__new__(cls, _text("sparse-ball", count))


class RankBall(Operator):
    """The set of matrices of at most this rank. Nonconvex."""

    __slots__ = ()

    def __new__(cls, rank: int, shape: tuple[int, int]) -> RankBall:
        return super().__new__(cls, _text("rank-ball", rank, tuple(shape)))


_CLASSES: dict[str, type[Operator]] = {
    "zero": Zero,
    "l1": L1,
    "l2": L2,
    "linf": Linf,
    "sql2": SqL2,
    "elastic": ElasticNet,
    "group-l2": GroupL2,
    "group-linf": GroupLinf,
    "sparse-group": SparseGroup,
    "nuclear": Nuclear,
    "tv1d": TV1D,
    "fused": Fused,
    "tv2d": TV2D,
    "tv2d-aniso": AnisotropicTV2D,
    "oscar": Oscar,
    "huber": Huber,
    "entropy": Entropy,
    "l0": L0,
    "lp": Lp,
    "scad": SCAD,
    "mcp": MCP,
    "log-sum": LogSum,
    "capped-l1": CappedL1,
    "rank": Rank,
    "nonneg": NonNeg,
    "box": Box,
    "binary": Binary,
    "simplex": Simplex,
    "l1-ball": L1Ball,
    "l2-ball": L2Ball,
    "linf-ball": LinfBall,
    "sphere": Sphere,
    "sum": SumTo,
    "box-sum": BoxSum,
    "monotone": Monotone,
    "soc": SecondOrderCone,
    "psd": PSD,
    "sparse-ball": SparseBall,
    "rank-ball": RankBall,
}

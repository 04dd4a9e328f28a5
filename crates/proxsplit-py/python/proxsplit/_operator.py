"""What all operators share: values, proxes, text forms."""

from __future__ import annotations

import re
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arguments import as_float, as_literal, as_python, as_text, matrix_shape
from ._proxsplit import Term

# Every class of the catalogue by its name in text forms.
CLASSES: dict[str, type[Operator]] = {}


class Operator:
    """A term with a proximity operator.

    Made by the classes of :mod:`proxsplit.prox` or by :func:`parse`; immutable, hashable, comparable, picklable.
    """

    _term: Term
    _name: ClassVar[str]
    # The arguments, if no text form has them all.
    _arguments: tuple[Any, ...] | None = None

    def __init_subclass__(cls, name: str | None = None) -> None:
        if name is not None:
            cls._name = name
            CLASSES[name] = cls

    def __new__(cls, text: str) -> Any:
        return parse(text)

    @classmethod
    def _of(cls, *arguments: Any) -> Any:
        """The operator of this class with these arguments."""
        numbers = ",".join(map(as_text, arguments))
        return _make(cls, Term(f"{cls._name}:{numbers}" if numbers else cls._name))

    @classmethod
    def _without_text(cls, term: Term, *arguments: Any) -> Any:
        """The operator of this class that `term` is, made from arguments that have no text form."""
        operator = _make(cls, term)
        object.__setattr__(operator, "_arguments", arguments)
        return operator

    def value(self, x: ArrayLike) -> float:
        """Return g(x); infinity outside the domain.

        Parameters
        ----------
        x : array_like
            The point; ValueError if its shape does not fit.

        Returns
        -------
        float
        """
        return self._term.value(self._flat(x)[0])

    def __call__(self, x: ArrayLike) -> float:
        """Return g(x), see :meth:`value`."""
        return self.value(x)

    def prox(self, x: ArrayLike, step: float = 1.0) -> NDArray[Any]:
        """Return the minimizer of g(z) + ‖z − x‖²/(2·step) over z, or one of them if there are several.

        Parameters
        ----------
        x : array_like
            The point, of any shape. It is not modified.
        step : float, default=1.0
            The step, greater than 0.

        Returns
        -------
        ndarray
            An array of the shape of `x`; float32 if `x` is, else float64.
        """
        return self.prox_with_error(x, step)[0]

    def prox_with_error(self, x: ArrayLike, step: float = 1.0) -> tuple[NDArray[Any], float | None]:
        """Return the prox, and a bound on its distance to the exact minimizer.

        Parameters
        ----------
        x : array_like
            The point, of any shape. It is not modified.
        step : float, default=1.0
            The step, greater than 0.

        Returns
        -------
        point : ndarray
            As of :meth:`prox`.
        error : float or None
            0, up to rounding, for closed forms and other direct methods; larger where an iteration was stopped, as for sums without
            a closed form. None if it is unknown.
        """
        flat, shape = self._flat(x)
        point, error = self._term.prox(flat, float(step))
        return point.reshape(shape, order="F"), error

    def conjugate(self) -> Operator:
        """Return the convex conjugate g*(x) = sup ⟨x, z⟩ − g(z).

        Raises ValueError if g is not convex.
        """
        return _conjugate_of(self)

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
        wanted = matrix_shape(self._term.text)
        if array.ndim == 2 and wanted is not None and array.shape != wanted:
            raise ValueError(f"x has shape {array.shape}, but {self} needs {wanted}")
        return np.ascontiguousarray(array.ravel(order="F")), array.shape

    def __add__(self, other: object) -> Operator:
        if not isinstance(other, Operator):
            return NotImplemented
        if isinstance(self, Conjugate) or isinstance(other, Conjugate):
            raise ValueError("a conjugate cannot be combined with other terms")
        return _sum(self._parts() + other._parts())

    def _parts(self) -> tuple[Operator, ...]:
        """The operators that this is a sum of."""
        return (self,)

    @property
    def _has_text(self) -> bool:
        """Whether the text form says it all."""
        return self._arguments is None

    def _key(self) -> Any:
        """What makes two operators of a class equal."""
        if self._arguments is None:
            return str(self)
        return tuple((a.shape, a.tobytes()) if isinstance(a, np.ndarray) else a for a in self._arguments)

    def __str__(self) -> str:
        return self._term.text

    def __repr__(self) -> str:
        if self._arguments is None:
            arguments = [as_python(argument) for argument in str(self).partition(":")[2].split(",") if argument]
        else:
            arguments = [as_literal(argument) for argument in self._arguments]
        return f"{type(self).__name__}({', '.join(arguments)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operator) and type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (parse, (str(self),)) if self._arguments is None else (type(self), self._arguments)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"operators are immutable; create a new one instead of changing {name}")


class Sum(Operator):
    """A term joined with sets, as made by ``+`` or by a text form with ``+``."""

    # The parts, if some of them have no text form.
    _joined: tuple[Operator, ...] | None = None

    def _parts(self) -> tuple[Operator, ...]:
        return self._joined or tuple(parse(part) for part in re.split(r"\+(?=[a-z])", str(self)))

    @property
    def _has_text(self) -> bool:
        return self._joined is None

    def _key(self) -> Any:
        return str(self) if self._joined is None else tuple(part._key() for part in self._joined)

    def __repr__(self) -> str:
        return " + ".join(map(repr, self._parts()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (parse, (str(self),)) if self._joined is None else (_sum, (self._joined,))


class Conjugate(Operator):
    """The convex conjugate of a term, as made by :meth:`Operator.conjugate`. It has no text form."""

    _original: Operator

    def _key(self) -> Any:
        return type(self._original), self._original._key()

    def _flat(self, x: ArrayLike) -> tuple[NDArray[Any], tuple[int, ...]]:
        return self._original._flat(x)

    def __str__(self) -> str:
        return f"conjugate({self._original})"

    def __repr__(self) -> str:
        term = f"({self._original!r})" if isinstance(self._original, Sum) else repr(self._original)
        return f"{term}.conjugate()"

    def conjugate(self) -> Operator:
        """Return the term itself: a closed convex term is the conjugate of its conjugate."""
        return self._original

    def __reduce__(self) -> tuple[Any, ...]:
        return _conjugate_of, (self._original,)


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
    kind = Sum if "+" in term.text else CLASSES.get(term.text.partition(":")[0], Operator)
    return _make(kind, term)


def _sum(parts: tuple[Operator, ...]) -> Operator:
    """The sum of operators. Those that have a text form are joined by the rules for texts, the others follow one by one."""
    texts = [str(part) for part in parts if part._has_text]
    others = [part for part in parts if not part._has_text]
    first = parse("+".join(texts)) if texts else others.pop(0)
    if not others:
        return first
    term = first._term
    for part in others:
        term = term.joined(part._term)
    joined = _make(Sum, term)
    object.__setattr__(joined, "_joined", parts)
    return joined


def as_operator(prox: Any, name: str) -> Operator | None:
    """An operator from an operator, a text form or None."""
    if prox is None or isinstance(prox, Operator):
        return prox
    if isinstance(prox, str):
        return parse(prox)
    raise TypeError(f"{name} must be an operator of proxsplit.prox, a text form such as 'l1:0.1', or None; got {prox!r}")


def _make(cls: type, term: Term) -> Any:
    operator: Any = object.__new__(cls)
    object.__setattr__(operator, "_term", term)
    return operator


def _conjugate_of(original: Operator) -> Operator:
    conjugate: Conjugate = _make(Conjugate, original._term.conjugate())
    object.__setattr__(conjugate, "_original", original)
    return conjugate

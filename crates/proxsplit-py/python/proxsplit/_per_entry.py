"""Operators that may have a number for every entry."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._operator import Operator, _make
from ._proxsplit import Term


class PerEntry(Operator):
    """An operator whose arguments may be arrays, all of the shape of `x`. It then has no text form."""

    # The arguments, if one of them is an array.
    _arrays: tuple[NDArray[np.float64], ...] | None = None

    @classmethod
    def _with(cls, *arguments: ArrayLike) -> Any:
        """The operator of this class with these numbers or arrays; scalars beside arrays count for every entry."""
        if all(np.ndim(argument) == 0 for argument in arguments):
            return cls._of(*arguments)
        arrays = tuple(array.copy() for array in np.broadcast_arrays(*(np.asarray(a, np.float64) for a in arguments)))
        operator = _make(cls, cls._entries(*(array.ravel(order="F").tolist() for array in arrays)))
        object.__setattr__(operator, "_arrays", arrays)
        return operator

    @staticmethod
    def _entries(*numbers: list[float]) -> Term:
        """The native operator with these numbers, a list of all entries for each argument."""
        raise NotImplementedError

    @property
    def _has_text(self) -> bool:
        return self._arrays is None

    def _key(self) -> Any:
        if self._arrays is None:
            return super()._key()
        return self._arrays[0].shape, *(array.tobytes() for array in self._arrays)

    def _flat(self, x: ArrayLike) -> tuple[NDArray[Any], tuple[int, ...]]:
        if self._arrays is not None and np.shape(x) != self._arrays[0].shape:
            raise ValueError(f"x has shape {np.shape(x)}, but {type(self).__name__} was made for shape {self._arrays[0].shape}")
        return super()._flat(x)

    def __repr__(self) -> str:
        if self._arrays is None:
            return super().__repr__()
        # Python has no literal for infinity.
        lists = (re.sub(r"-?inf", lambda found: f"float('{found[0]}')", str(array.tolist())) for array in self._arrays)
        return f"{type(self).__name__}({', '.join(lists)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return super().__reduce__() if self._arrays is None else (type(self), self._arrays)

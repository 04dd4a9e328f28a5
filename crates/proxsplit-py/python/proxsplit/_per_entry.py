"""Operators that may have a number for every entry."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._operator import Operator
from ._proxsplit import Term


class PerEntry(Operator):
    """An operator whose arguments may be arrays, all of the shape of `x`. It then has no text form."""

    @classmethod
    def _with(cls, *arguments: ArrayLike) -> Any:
        """The operator of this class with these numbers or arrays; scalars beside arrays count for every entry."""
        if all(np.ndim(argument) == 0 for argument in arguments):
            return cls._of(*arguments)
        arrays = [array.copy() for array in np.broadcast_arrays(*(np.asarray(a, np.float64) for a in arguments))]
        return cls._without_text(cls._entries(*(array.ravel(order="F").tolist() for array in arrays)), *arrays)

    @staticmethod
    def _entries(*numbers: list[float]) -> Term:
        """The native operator with these numbers, a list of all entries for each argument."""
        raise NotImplementedError

    def _flat(self, x: ArrayLike) -> tuple[NDArray[Any], tuple[int, ...]]:
        if self._arguments is not None and np.shape(x) != self._arguments[0].shape:
            raise ValueError(f"x has shape {np.shape(x)}, but {type(self).__name__} was made for shape {self._arguments[0].shape}")
        return super()._flat(x)

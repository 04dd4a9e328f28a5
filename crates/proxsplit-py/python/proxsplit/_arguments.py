"""Arguments of operators: arrays, and their text forms."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray


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


def matrix_shape(text: str) -> tuple[int, int] | None:
    """The shape RxC or N×N in a text form."""
    if found := re.search(r"(\d+)x(\d+)", text):
        return int(found[1]), int(found[2])
    if found := re.search(r"psd:(\d+)", text):
        return int(found[1]), int(found[1])
    return None


def as_python(argument: str) -> str:
    """An argument of a text form as a Python expression."""
    if found := re.fullmatch(r"(\d+)x(\d+)", argument):
        return f"({found[1]}, {found[2]})"
    if "inf" in argument:
        return f"float({argument!r})"
    return repr(argument) if "/" in argument else argument


def as_literal(argument: Any) -> str:
    """A number, a tuple of them or an array as a Python expression."""
    plain = argument.tolist() if isinstance(argument, np.ndarray) else argument
    # Python has no literal for infinity.
    return re.sub(r"-?inf", lambda found: f"float('{found[0]}')", repr(plain))


def as_text(argument: Any) -> str:
    """An argument as it stands in a text form."""
    if isinstance(argument, (tuple, list)):
        rows, columns = argument
        return f"{int(rows)}x{int(columns)}"
    if isinstance(argument, (str, int)) and not isinstance(argument, bool):
        return str(argument)
    return repr(float(argument))

"""The penalties and sets of both factors as text forms."""

from __future__ import annotations

from typing import Any

from ._operator import Conjugate, as_operator


def elastic(weight: float, l1_ratio: float) -> str | None:
    """weight·(l1_ratio·‖·‖₁ + (1 − l1_ratio)/2·‖·‖²), as scikit-learn writes it."""
    l1, l2 = weight * l1_ratio, weight * (1 - l1_ratio)
    if l1 == 0 and l2 == 0:
        return None
    if l2 == 0:
        return f"l1:{l1!r}"
    return f"sql2:{l2!r}" if l1 == 0 else f"elastic:{l1!r},{l2!r}"


def joined(scaled: str | None, penalty: Any, set_: Any, names: tuple[str, str, str]) -> str:
    """The penalty and the set of a factor in one text form; checks that it can be read."""
    alpha, penalty_name, set_name = names
    operator = as_operator(penalty, penalty_name)
    if operator is not None and scaled is not None:
        raise ValueError(f"give either {alpha} or {penalty_name}, not both")
    constraint = as_operator(set_, set_name)
    if isinstance(operator, Conjugate) or isinstance(constraint, Conjugate):
        raise ValueError("a conjugate has no text form, so it cannot act on a factor; use an operator of the catalogue")
    if any(part is not None and not part._has_text for part in (operator, constraint)):
        raise ValueError("an operator with array arguments has no text form, so it cannot act on a factor; use scalar arguments")
    parts = [scaled, operator and str(operator), constraint and str(constraint)]
    return str(as_operator("+".join(part for part in parts if part and part != "zero") or "zero", penalty_name))



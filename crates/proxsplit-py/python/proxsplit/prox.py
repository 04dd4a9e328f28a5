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

from ._operator import Conjugate, Operator, Sum, parse
from ._penalties import (
    AnisotropicTV2D, CappedL1, ElasticNet, Entropy, Fused, GroupL2, GroupLinf, Huber, L0, L1, L2, Linf, LogSum, Lp, MCP,
    Nuclear, Oscar, Rank, SCAD, SparseGroup, SqL2, TV1D, TV2D, Zero,
)
from ._sets import (
    Binary, Box, BoxSum, L1Ball, L2Ball, LinfBall, Monotone, NonNeg, PSD, RankBall, SecondOrderCone, Simplex,
    SparseBall, Sphere, SumTo,
)

__all__ = [
    "Operator", "Sum", "Conjugate", "parse", "Zero", "L1", "L2", "Linf", "SqL2", "ElasticNet", "GroupL2", "GroupLinf",
    "SparseGroup", "Nuclear", "TV1D", "Fused", "TV2D", "AnisotropicTV2D", "Oscar", "Huber", "Entropy", "L0", "Lp", "SCAD",
    "MCP", "LogSum", "CappedL1", "Rank", "NonNeg", "Box", "Binary", "Simplex", "L1Ball", "L2Ball", "LinfBall", "Sphere",
    "SumTo", "BoxSum", "Monotone", "SecondOrderCone", "PSD", "SparseBall", "RankBall",
]  # fmt: skip

"""Proximal splitting and sparse matrix factorization that always tells you whether it converged."""

from importlib.metadata import PackageNotFoundError, version

from . import prox
from ._certificate import Certificate
from ._minimize import minimize

try:
    __version__ = version("proxsplit")
except PackageNotFoundError:  # pragma: no cover - run from a source tree
    __version__ = "0"

__all__ = ["Certificate", "minimize", "prox"]

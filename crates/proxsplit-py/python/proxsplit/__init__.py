"""Proximal splitting and sparse matrix factorization that always tells you whether it converged."""

from importlib.metadata import PackageNotFoundError, version

from . import prox
from ._certificate import Certificate
from ._check import Audit, check
from ._dictionary import DictionaryLearning
from ._linear import SparseClassifier, SparseRegressor
from ._minibatch import MiniBatchNMF
from ._minimize import minimize
from ._nmf import NMF

try:
    __version__ = version("proxsplit")
except PackageNotFoundError:  # pragma: no cover - run from a source tree
    __version__ = "0"

__all__ = [
    "NMF", "Audit", "Certificate", "DictionaryLearning", "MiniBatchNMF", "SparseClassifier", "SparseRegressor", "check", "minimize", "prox",
]  # fmt: skip

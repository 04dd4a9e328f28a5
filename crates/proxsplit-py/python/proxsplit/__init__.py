"""Proximal splitting and sparse matrix factorization that always tells you whether it converged."""

from importlib.metadata import PackageNotFoundError, version

from . import prox
from ._anndata import factorize_anndata
from ._certificate import Certificate
from ._check import Audit, check
from ._classifier import SparseClassifier
from ._consensus import Consensus
from ._dictionary import DictionaryLearning
from ._minibatch import MiniBatchNMF
from ._minimize import minimize
from ._nmf import NMF
from ._rank import RankSelection, select_rank
from ._regressor import SparseRegressor

try:
    __version__ = version("proxsplit")
except PackageNotFoundError:  # pragma: no cover - run from a source tree
    __version__ = "0"

__all__ = [
    "NMF",
    "Audit",
    "Certificate",
    "Consensus",
    "DictionaryLearning",
    "MiniBatchNMF",
    "RankSelection",
    "SparseClassifier",
    "SparseRegressor",
    "check",
    "factorize_anndata",
    "minimize",
    "prox",
    "select_rank",
]

"""The estimators for data on the workers of a Dask cluster: ``pip install proxsplit[dask]``.

Every block of rows of a dask array is a shard, and stays where it is. In a pass the components travel to every worker, and a contribution of
the size of the components comes back from every block. Contributions are added in the order of the blocks, so the result has the same bits for
any number of workers.

>>> from dask.distributed import Client           # doctest: +SKIP
>>> from proxsplit.dask import NMF                # doctest: +SKIP
>>> client = Client()                             # doctest: +SKIP
>>> model = NMF(20, random_state=0).fit(X)        # doctest: +SKIP
>>> print(model.certificate_)                     # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

try:
    import dask.array as da
    import distributed
except ImportError as error:  # pragma: no cover - told to whoever has no dask
    raise ImportError("proxsplit.dask needs dask and distributed: pip install proxsplit[dask]") from error

from . import _proxsplit
from ._advice import advise
from ._checkpoint import Checkpoint
from ._data import aligned, factor, factor_dtype
from ._dictionary import DictionaryLearning as LocalDictionaryLearning
from ._factorization import Factorization, threads
from ._nmf import NMF as LocalNMF
from ._progress import Progress
from ._wire import Wire

__all__ = ["NMF", "DictionaryLearning"]


class _OverDask(Factorization):
    """What the estimators of this module do in place of those for one machine."""

    # The estimator for one machine.
    _local: Any

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any = None,
        *,
        H: Any = None,
        client: Any = None,
        checkpoint: str | None = None,
        checkpoint_every: float = 60.0,
        resume: bool = False,
        patience: float = 30.0,
    ) -> Any:
        """Learn the components of X.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features)
            Blocks of rows with all features each: numpy arrays or scipy.sparse matrices.
        y : Ignored
            Not used, present for API consistency by convention.
        H : array-like of shape (n_components, n_features), default=None
            The components to start from, for ``init="custom"``; the codes are computed from them.
        client : distributed.Client, default=None
            The cluster; None is the current client.
        checkpoint : str, default=None
            A file to save the state of the run to: the components and the state of the method, but not the codes.
        checkpoint_every : float, default=60.0
            Seconds between checkpoints.
        resume : bool, default=False
            Continue from the checkpoint, if the file exists. The codes are recomputed from the components.
        patience : float, default=30.0
            Seconds that a worker may take beyond twice its usual time before a pass continues with the previous contributions of its blocks.

        Returns
        -------
        self : object
            The fitted estimator. After Ctrl-C it holds the best components that were checked.
        """
        name = type(self).__name__
        if not isinstance(X, da.Array):
            raise TypeError(f"proxsplit.dask.{name} takes dask arrays, not {type(X).__name__}; use proxsplit.{name} for other data")
        self._refuse_unsupported()
        _checked_chunks(X)
        rank, init, H, dtype = self._begin(X, H)
        codes, atoms = self._terms(*X.shape)
        how = {"rank": rank, "codes": codes, "atoms": atoms, "single": dtype == np.float32, "threads": None if self.n_threads is None else threads(self.n_threads)}
        settings = {
            "rank": rank, "codes": codes, "atoms": atoms, "init": init, "tol": float(self.tol), "passes": float(self.max_iter), "time": None,
            "seed": int(check_random_state(self.random_state).randint(2**31 - 1)), "method": self._method(), "batch_size": self.batch_size,
            "threads": 0, "single": dtype == np.float32,
        }  # fmt: skip
        keeper = Checkpoint(checkpoint, checkpoint_every)
        saved = keeper.load() if resume else None
        with Wire(distributed.get_client() if client is None else client, X, how, self._is_signed(), patience, keeper) as wire:
            self.faults_ = wire.faults
            with Progress(self.verbose, self.max_iter, name) as progress:
                answer = _proxsplit.factorize_shards(
                    wire.ask, settings, H, observe=self._observer(progress), moved=keeper.moved, save=keeper.save, resume=saved
                )
        self.n_features_in_ = X.shape[1]
        self._keep(answer, X)
        if answer["interrupt"] is not None:
            raise answer["interrupt"]
        advise(self, self.certificate_, answer["reason"], answer["degenerate"])
        return self

    def _begin(self, X: Any, H: Any) -> tuple[int, str, Any, np.dtype[Any]]:
        dtype = factor_dtype(X, self.dtype)
        # Codes are never given here; the checks of a start want some of the right shape.
        W = None if H is None else np.broadcast_to(np.ones((), dtype), (X.shape[0], len(H)))
        init, rank, _, H = self._start(_Shape(X), W, H)
        if init == "custom":
            return rank, "random", factor(H, (rank, X.shape[1]), dtype, "H"), dtype
        return rank, init, None, dtype

    def _refuse_unsupported(self) -> None:
        name = type(self).__name__
        asked = {
            "missing": self.missing is not None,
            "fixed_atoms": self.fixed_atoms is not None,
            "graph": getattr(self, "graph", None) is not None,
            "feature_graph": getattr(self, "feature_graph", None) is not None,
            "metric": getattr(self, "metric", None) is not None,
            "n_init": getattr(self, "n_init", 1) != 1,
            "beta_loss": self._loss() != "squared",
        }
        for parameter, is_asked in asked.items():
            if is_asked:
                raise ValueError(f"proxsplit.dask.{name} does not support {parameter} yet; use proxsplit.{name} on one machine")

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:  # type: ignore[override]
        """Learn the components of X and return its codes as a dask array; see :meth:`fit` and :meth:`transform`."""
        return self.fit(X, y, **params).transform(X)

    def transform(self, X: Any) -> Any:
        """Return the codes of X for the fitted components, each row solved to high accuracy on its own.

        Parameters
        ----------
        X : dask array or array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        W : dask array of shape (n_samples, n_components), or ndarray if X is not a dask array
            The codes; those of a dask array are computed lazily.
        """
        if not isinstance(X, da.Array):
            return super().transform(X)
        check_is_fitted(self)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_ or len(X.chunks[1]) != 1:
            raise ValueError(f"X has shape {X.shape} in chunks {X.chunks}, but every chunk must have all {self.n_features_in_} features")
        own = self._on_one_machine()
        width = own._n_features_out
        shape: dict[str, Any] = {"chunks": (X.chunks[0], (width,)), "dtype": own.components_.dtype, "meta": own.components_[:0, :0]}
        return X.map_blocks(_encode, own, width, **shape)  # type: ignore[arg-type]

    def _on_one_machine(self) -> Any:
        """The same estimator with the same components, for blocks."""
        own = self._local(**{**self.get_params(), "n_threads": self.n_threads or 1, "verbose": 0})
        for name in ("components_", "n_components_", "n_features_in_", "_codes_term"):
            setattr(own, name, getattr(self, name))
        return own


class NMF(_OverDask, LocalNMF):
    """:class:`proxsplit.NMF` for a dask array. Its parameters are the same; `fit` takes the cluster."""

    __doc__ = (__doc__ or "") + "\n\n" + (LocalNMF.__doc__ or "").split("\n", 1)[1]
    _local = LocalNMF


class DictionaryLearning(_OverDask, LocalDictionaryLearning):  # type: ignore[misc]
    """:class:`proxsplit.DictionaryLearning` for a dask array. Its parameters are the same; `fit` takes the cluster."""

    __doc__ = (__doc__ or "") + "\n\n" + (LocalDictionaryLearning.__doc__ or "").split("\n", 1)[1]
    _local = LocalDictionaryLearning


class _Shape:
    """What the checks of a start look at."""

    def __init__(self, X: Any) -> None:
        self.shape, self.dtype = X.shape, X.dtype


def _checked_chunks(X: Any) -> None:
    """Refuse arrays whose blocks are not some samples with all features."""
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions, but it must have 2")
    if any(np.isnan(size) for sizes in X.chunks for size in sizes):
        first = next(i for i, size in enumerate(X.chunks[0]) if np.isnan(size)) if any(map(np.isnan, X.chunks[0])) else 0
        raise ValueError(f"the size of block {first} of X is unknown; call X.compute_chunk_sizes() first")
    if len(X.chunks[1]) != 1:
        raise ValueError(
            f"block (0, 0) of X has {X.chunks[1][0]} of {X.shape[1]} features; a block must have all of them: X.rechunk({{1: -1}})"
        )
    empty = [i for i, size in enumerate(X.chunks[0]) if size == 0]
    if empty:
        raise ValueError(f"block {empty[0]} of X has no samples; rechunk X or leave out that block")


def _encode(block: Any, model: Any, width: int) -> Any:
    if block.shape[0] == 0:
        return np.empty((0, width), model.components_.dtype)
    return model.transform(aligned(block))

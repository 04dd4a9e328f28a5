"""Factors of annotated data, written where its users look for them."""

from __future__ import annotations

from typing import Any

from ._nmf import NMF


def factorize_anndata(adata: Any, model: Any = None, *, layer: str | None = None, key: str = "nmf", **params: Any) -> Any:
    """Factorize an AnnData object and write the factors back into it.

    Cells (obs) are the samples. The codes go to ``adata.obsm["X_" + key]``, the components to ``adata.varm[key]``, and a summary to
    ``adata.uns[key]``, where scanpy's plots and neighbours find them (``use_rep="X_nmf"``).

    Parameters
    ----------
    adata : anndata.AnnData
        The data; only `obsm`, `varm` and `uns` are changed.
    model : estimator, default=None
        An unfitted estimator: :class:`NMF`, :class:`MiniBatchNMF` or :class:`DictionaryLearning`. Without one,
        ``NMF(**params)`` is used.
    layer : str, default=None
        The layer to factorize instead of ``adata.X``.
    key : str, default="nmf"
        The name under which the factors are kept.
    **params : dict
        Parameters of :class:`NMF`, if `model` is not given.

    Returns
    -------
    model : estimator
        The fitted estimator, with its certificate.

    Examples
    --------
    >>> import anndata, numpy as np, proxsplit  # doctest: +SKIP
    >>> adata = anndata.AnnData(np.random.default_rng(0).random((30, 8)))  # doctest: +SKIP
    >>> proxsplit.factorize_anndata(adata, n_components=3)  # doctest: +SKIP
    >>> adata.obsm["X_nmf"].shape, adata.varm["nmf"].shape  # doctest: +SKIP
    ((30, 3), (8, 3))
    """
    if model is not None and params:
        raise ValueError(f"the parameters {', '.join(params)} are for NMF: set them on the given model, or leave out model")
    if layer is not None and layer not in adata.layers:
        known = ", ".join(adata.layers) or "none"
        raise ValueError(f"there is no layer {layer!r}; the layers are: {known}")
    model = NMF(**params) if model is None else model
    codes = model.fit_transform(adata.X if layer is None else adata.layers[layer])
    certificate = model.certificate_
    adata.obsm[f"X_{key}"] = codes
    adata.varm[key] = model.components_.T
    adata.uns[key] = {
        "objective": certificate.objective,
        "verdict": certificate.verdict,
        "words": certificate.words,
        "params": {name: str(value) for name, value in model.get_params().items() if value is not None},
    }
    if layer is not None:
        adata.uns[key]["layer"] = layer
    return model

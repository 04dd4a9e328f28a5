"""Factors of annotated data are written back into it."""

from types import SimpleNamespace

import numpy as np
import pytest
from proxsplit import NMF, factorize_anndata


def planted():
    rng = np.random.default_rng(0)
    return rng.random((30, 3)) @ rng.random((3, 8))


def annotated(X):
    """What of AnnData is used."""
    return SimpleNamespace(X=X, layers={"twice": 2 * X}, obsm={}, varm={}, uns={})


def test_factors_are_written_back():
    # With noise, so that the error is more than rounding.
    X = planted() + 0.01 * np.random.default_rng(1).random((30, 8))
    adata = annotated(X)
    model = factorize_anndata(adata, n_components=3, random_state=0, tol=1e-6)
    error = np.linalg.norm(X - adata.obsm["X_nmf"] @ adata.varm["nmf"].T)
    np.testing.assert_allclose(error, model.reconstruction_err_, rtol=1e-9)
    assert error < 0.02 * np.linalg.norm(X)
    assert adata.uns["nmf"]["objective"] == model.certificate_.objective
    assert adata.uns["nmf"]["words"] == model.certificate_.words
    factorize_anndata(adata, NMF(n_components=2), layer="twice", key="two")
    assert adata.obsm["X_two"].shape == (30, 2)
    assert adata.varm["two"].shape == (8, 2)
    assert adata.uns["two"]["layer"] == "twice"


def test_what_does_not_fit_together_is_refused():
    adata = annotated(planted())
    with pytest.raises(ValueError, match="layers are: twice"):
        factorize_anndata(adata, n_components=3, layer="none")
    with pytest.raises(ValueError, match="n_components"):
        factorize_anndata(adata, NMF(), n_components=3)
    assert not adata.obsm


def test_real_anndata_keeps_the_factors_in_its_file(tmp_path):
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(planted())
    factorize_anndata(adata, n_components=3, random_state=0)
    adata.write_h5ad(tmp_path / "a.h5ad")
    back = anndata.read_h5ad(tmp_path / "a.h5ad")
    np.testing.assert_array_equal(back.obsm["X_nmf"], adata.obsm["X_nmf"])
    assert back.uns["nmf"]["verdict"] == adata.uns["nmf"]["verdict"]

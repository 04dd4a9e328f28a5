"""Files that Dask reads lazily, as the book shows them: zarr, parquet and h5ad, dense and sparse. Each gives the components of the array itself."""

import distributed
import numpy as np
import pytest
import scipy.sparse as sp

import proxsplit
from proxsplit.dask import NMF


@pytest.fixture(scope="module")
def client():
    # Threads of this process are enough: what is tested is how blocks are read.
    with distributed.Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as client:
        yield client


@pytest.fixture
def Y():
    random = np.random.default_rng(0)
    return np.where(random.random((60, 12)) < 0.5, random.random((60, 12)), 0.0)


def fitted(X, client):
    assert X.numblocks == (3, 1)
    return NMF(3, random_state=0, tol=0, max_iter=5).fit(X, client=client)


def assert_same(X, Y, client):
    import dask.array as da

    found, expected = fitted(X, client), fitted(da.from_array(Y, chunks=(20, -1)), client)
    np.testing.assert_allclose(found.components_, expected.components_, rtol=1e-9, atol=1e-12)
    plain = proxsplit.NMF(3, init="custom", max_iter=5, tol=0).fit(Y, W=np.ones((60, 3)), H=found.components_)
    assert plain.reconstruction_err_ <= found.reconstruction_err_ * (1 + 1e-9)


def test_zarr(tmp_path, client, Y):
    pytest.importorskip("zarr", reason="zarr is not installed")
    import dask.array as da

    da.from_array(Y, chunks=(20, 4)).to_zarr(str(tmp_path / "Y.zarr"))
    assert_same(da.from_zarr(str(tmp_path / "Y.zarr")).rechunk({1: -1}), Y, client)


def test_parquet(tmp_path, client, Y):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    frames = pytest.importorskip("dask.dataframe", reason="dask.dataframe is not installed: pip install dask[dataframe]")
    import pandas

    for part in range(3):
        frame = pandas.DataFrame(Y[20 * part : 20 * part + 20], columns=[f"gene{i}" for i in range(12)])
        frame.to_parquet(tmp_path / f"part{part}.parquet")
    assert_same(frames.read_parquet(str(tmp_path)).to_dask_array(lengths=True), Y, client)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_h5ad(tmp_path, client, Y, kind):
    anndata = pytest.importorskip("anndata", reason="anndata is not installed")
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    anndata.AnnData(kind(Y)).write_h5ad(tmp_path / "Y.h5ad")
    with h5py.File(tmp_path / "Y.h5ad") as file:
        assert_same(anndata.experimental.read_elem_lazy(file["X"], chunks=(20, 12)), Y, client)

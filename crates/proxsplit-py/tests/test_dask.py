"""Estimators over a real Dask cluster on this machine: equal bits for every number of workers, truth when workers are killed, kind errors."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import dask.array as da
import distributed
import numpy as np
import pytest
import scipy.sparse as sp
from dask import delayed

import proxsplit
from proxsplit import _proxsplit, _shards
from proxsplit.dask import NMF, DictionaryLearning


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


def low_rank(samples=120, features=30, seed=0):
    random = np.random.default_rng(seed)
    return random.random((samples, 4)) @ random.random((4, features)) + 0.05 * random.random((samples, features))


def fitted(X, client, **params):
    return NMF(4, random_state=0, **{"tol": 1e-3, "max_iter": 200, **params}).fit(X, client=client)


def test_the_certificate_is_true_of_all_data(client):
    Y = low_rank()
    model = fitted(da.from_array(Y, chunks=(50, -1)), client, alpha_W=1e-4)
    W = model.transform(da.from_array(Y, chunks=(50, -1)))
    assert isinstance(W, da.Array) and W.shape == (120, 4)
    W = W.compute()
    penalties = {"X_penalty": f"sql2:{1e-4 * 120}", "A_penalty": f"sql2:{1e-4 * 30}"}
    found = proxsplit.check(Y.T, model.components_.T, W.T, **penalties)
    at = model.certificate_.at_point
    assert model.certificate_.converged
    assert at["objective"] == pytest.approx(found.objective, rel=1e-8)
    assert found.residual_X <= 2e-3 * found.scale_X
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(Y - W @ model.components_), rel=1e-6)


def test_equal_bits_for_every_number_of_workers(client):
    Y = low_rank()
    X = da.from_array(Y, chunks=(25, -1))
    two = fitted(X, client, tol=0, max_iter=12)
    for workers in (1, 3):
        with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as other:
            with distributed.Client(other, set_as_default=False) as own:
                other_model = fitted(X, own, tol=0, max_iter=12)
        np.testing.assert_array_equal(two.components_, other_model.components_)
    # The same shards in this process.
    how = {"rank": 4, "codes": "nonneg", "atoms": "nonneg", "expected": Y.dtype, "signed": False}
    shards = [_shards.shard(Y[at : at + 25], i, "", **how) for i, at in enumerate(range(0, 120, 25))]
    settings = {
        "rank": 4, "codes": "nonneg", "atoms": "nonneg", "init": "nndsvda", "tol": 0.0, "passes": 12.0, "time": None,
        "seed": int(np.random.RandomState(0).randint(2**31 - 1)), "method": "auto", "batch_size": None, "threads": 1, "single": False,
    }  # fmt: skip
    local = _proxsplit.factorize_shards(_shards.local(shards), settings)
    np.testing.assert_array_equal(two.components_, local["H"])


@pytest.mark.parametrize("method", ["batch", "aggregated"])
def test_sparse_blocks(client, method):
    Y = sp.random(90, 40, 0.2, random_state=1, format="csr")
    blocks = [da.from_delayed(delayed(Y[at : at + 30]), (30, 40), Y.dtype, meta=sp.csr_matrix((0, 0))) for at in (0, 30, 60)]
    model = fitted(da.concatenate(blocks), client, method=method)
    plain = proxsplit.NMF(4, random_state=0, tol=1e-3, max_iter=200).fit(Y)
    assert model.certificate_.converged
    assert model.reconstruction_err_ <= 1.05 * plain.reconstruction_err_


def test_dictionary_learning_and_single_precision(client):
    Y = np.random.default_rng(0).standard_normal((80, 12)).astype(np.float32)
    model = DictionaryLearning(5, alpha=0.1, random_state=0, max_iter=20, tol=0).fit(da.from_array(Y, chunks=(40, -1)), client=client)
    assert model.components_.dtype == np.float32
    assert np.linalg.norm(model.components_, axis=1).max() <= 1 + 1e-5


def test_killed_workers_cost_time_and_nothing_else(client):
    Y = low_rank(200, 30)
    X = da.from_array(Y, chunks=(25, -1))
    expected = fitted(X, client).reconstruction_err_
    moments, faults, told = random.Random(1), 0, 0
    for _ in range(3):
        client.wait_for_workers(2, timeout=60)
        begun, after = threading.Event(), [0]

        def kill(begun=begun):
            begun.wait(60)
            time.sleep(moments.uniform(0.0, 0.5))
            os.kill(moments.choice(list(client.run(os.getpid).values())), signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()

        def see(passes, objective, residual, begun=begun, after=after, killer=killer):
            if passes > 0:
                begun.set()
            after[0] += not killer.is_alive()
            return after[0] > 1 and residual <= 1e-3

        # A run that goes on until a worker was killed, and the residual is small.
        model = NMF(4, random_state=0, tol=1e-12, max_iter=10**6)
        model._observer = lambda progress, see=see: see
        model.fit(X, client=client)
        killer.join()
        assert model.reconstruction_err_ <= 1.001 * expected
        objective = 0.5 * np.linalg.norm(Y - model.transform(Y) @ model.components_) ** 2
        assert model.certificate_.at_point["objective"] == pytest.approx(objective, rel=1e-6)
        faults += model.faults_["rebuilt"]
        told += any("a shard was rebuilt" in assumption["text"] for assumption in model.certificate_.of_method["assumptions"])
    assert faults > 0 and told > 0


def test_a_dead_scheduler_is_told_and_the_checkpoint_is_good(tmp_path, client):
    X = da.from_array(low_rank(), chunks=(40, -1))
    path, file = tmp_path / "run.npz", tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen([*dask, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)])
    worker = subprocess.Popen([*dask, "worker", "--scheduler-file", str(file), "--no-nanny", "--no-dashboard", "--nthreads", "1"])

    def kill():
        while not path.exists():
            time.sleep(0.01)
        scheduler.kill()

    try:
        with distributed.Client(scheduler_file=str(file), set_as_default=False) as own:
            threading.Thread(target=kill, daemon=True).start()
            with pytest.raises(RuntimeError, match="scheduler of the cluster is gone.*resume=True"):
                NMF(4, random_state=0, tol=0, max_iter=10**6).fit(X, client=own, checkpoint=str(path), checkpoint_every=0.1)
    finally:
        scheduler.kill()
        worker.kill()
        scheduler.wait()
        worker.wait()
    with pytest.raises(ValueError, match="other settings"):
        NMF(4, random_state=1).fit(X, client=client, checkpoint=str(path), resume=True)
    resumed = NMF(4, random_state=0, tol=1e-3, max_iter=10**6).fit(X, client=client, checkpoint=str(path), resume=True)
    assert resumed.certificate_.converged
    assert resumed.trace_["passes"][0] == 0 and resumed.n_iter_ > 1


def test_bad_input_names_the_block(client):
    Y = low_rank(60, 10)
    whole = da.from_array(Y, chunks=(20, -1))
    bad = Y.copy()
    bad[45, 3] = np.nan
    cases = {
        "block 2 of X .* non-finite": da.from_array(bad, chunks=(20, -1)),
        "block 1 of X has no samples": da.from_array(Y, chunks=((20, 0, 40), 10)),
        "features; a block must have all": da.from_array(Y, chunks=(20, 5)),
        "size of block 0 of X is unknown": whole[whole[:, 0] > 0],
        "block 1 of X .* float32": da.concatenate(
            [whole[:20], da.from_delayed(delayed(Y[20:40].astype(np.float32)), (20, 10), float), whole[40:]]
        ),
        "block 0 of X .* negative": whole - 10,
    }
    for words, X in cases.items():
        with pytest.raises(ValueError, match=words):
            fitted(X, client)
    with pytest.raises(TypeError, match="takes dask arrays"):
        fitted(Y, client)
    with pytest.raises(ValueError, match="missing"):
        NMF(4, missing="nan").fit(whole, client=client)


def test_workers_without_the_package_are_named(client, monkeypatch):
    found = {"tcp://10.0.0.1:1": ModuleNotFoundError("proxsplit")}
    monkeypatch.setattr(client, "run", lambda *_, **__: found)
    with pytest.raises(RuntimeError, match="tcp://10.0.0.1:1 has no proxsplit"):
        fitted(da.from_array(low_rank(), chunks=(40, -1)), client)

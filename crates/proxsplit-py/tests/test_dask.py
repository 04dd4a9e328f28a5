"""Estimators over a real Dask cluster on this machine: equal bits for every number of workers, truth when workers are killed, kind errors."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import dask.array as da
import distributed
import numpy as np
import pytest
import scipy.sparse as sp
from dask import delayed

import proxsplit
from proxsplit import _held, _proxsplit, _shards, _shelf, _wire
from proxsplit.dask import NMF, DictionaryLearning

DASK = [sys.executable, "-m", "dask"]


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster


class Crowd:
    """A scheduler with workers that come when they are called, and are killed."""

    def __init__(self, scheduler, forks):
        self._address, self._forks = scheduler.scheduler_address, forks
        self.client = distributed.Client(scheduler, set_as_default=False)

    def come(self, count):
        self._forks.stdin.write(f"{self._address}\n" * count)
        self._forks.stdin.flush()

    def there(self):
        return set(self.client.scheduler_info()["workers"])

    def wait_for(self, count):
        wait_until(lambda: len(self.there()) == count)

    def holders(self):
        """The processes of the workers that have shards: one that has just come may have none yet."""
        found = self.client.run(lambda: (os.getpid(), bool(getattr(sys.modules.get("proxsplit._held"), "_HELD", None))))
        return {address: process for address, (process, holds) in found.items() if holds}

    def kill(self, choice):
        """Kill −9 one of the workers that have shards; it is gone when the scheduler has seen it."""
        wait_until(self.holders)
        holders = self.holders()
        address = choice(sorted(holders))
        os.kill(holders[address], signal.SIGKILL)
        wait_until(lambda: address not in self.there())


@pytest.fixture(scope="module")
def forks():
    words = [sys.executable, str(Path(__file__).with_name("forked_workers.py"))]
    forks = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    assert forks.stdout.readline() == "ready\n"
    yield forks
    forks.stdin.close()
    forks.wait()


@pytest.fixture
def crowd(forks):
    with distributed.LocalCluster(n_workers=0, processes=True, dashboard_address=":0") as scheduler:
        crowd = Crowd(scheduler, forks)
        with crowd.client:
            yield crowd
            crowd.client.retire_workers(list(crowd.there()))


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=120)
        yield client


def low_rank(samples=120, features=30, seed=0):
    """Four atoms of which each has features of its own, in half of the samples: there is one best factorization."""
    random = np.random.default_rng(seed)
    atoms = np.kron(np.eye(4), np.ones(-(-features // 4)))[:, :features] * random.uniform(0.5, 1, features)
    codes = random.random((samples, 4)) * (random.random((samples, 4)) < 0.5)
    return codes @ atoms + 0.05 * random.random((samples, features))


def chunked(Y, size):
    return da.from_array(Y, chunks=(size, -1))


def fitted(X, client, **params):
    return NMF(4, random_state=0, **{"tol": 1e-6, "max_iter": 300, **params}).fit(X, client=client)


def watched(X, client, see, **params):
    """A run that ends when `see`, called at every look, says so."""
    model = NMF(4, random_state=0, tol=1e-13, max_iter=10**6, **params)
    model._observer = lambda progress: see
    return model.fit(X, client=client)


def test_the_certificate_is_true_of_all_data(client):
    Y = low_rank()
    model = fitted(chunked(Y, 50), client, alpha_W=1e-4)
    W = model.transform(chunked(Y, 50))
    assert isinstance(W, da.Array) and W.shape == (120, 4)
    W = W.compute()
    penalties = {"X_penalty": f"sql2:{1e-4 * 120}", "A_penalty": f"sql2:{1e-4 * 30}"}
    found = proxsplit.check(Y.T, model.components_.T, W.T, **penalties)
    assert model.certificate_.converged
    assert model.certificate_.at_point["objective"] == pytest.approx(found.objective, rel=1e-8)
    assert found.residual_X <= 2e-6 * found.scale_X
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(Y - W @ model.components_), rel=1e-6)


def of_local(Y, size, method):
    """The components of a run over the same shards in this process."""
    how = {"rank": 4, "codes": "nonneg", "atoms": "nonneg", "expected": Y.dtype, "signed": False}
    shards = [_shards.shard(Y[at : at + size], i, "", **how) for i, at in enumerate(range(0, len(Y), size))]
    settings = {
        "rank": 4, "codes": "nonneg", "atoms": "nonneg", "init": "nndsvda", "tol": 0.0, "passes": 5.0, "time": None,
        "seed": int(np.random.RandomState(0).randint(2**31 - 1)), "method": method, "batch_size": None, "threads": 1, "single": False,
    }  # fmt: skip
    return _proxsplit.factorize_shards(_shards.local(shards), settings)["H"]


def test_equal_bits_for_every_number_of_workers(client, crowd):
    Y = low_rank(100)
    for workers in (1, 2, 3):
        if workers != 2:
            crowd.come(workers - len(crowd.there()))
            crowd.wait_for(workers)
        for method in ("batch", "aggregated", "incremental"):
            model = fitted(chunked(Y, 25), client if workers == 2 else crowd.client, tol=0, max_iter=5, method=method)
            np.testing.assert_array_equal(model.components_, of_local(Y, 25, method), err_msg=f"{method} on {workers} workers")


def wait_until(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("method", ["batch", "aggregated", "incremental"])
def test_sparse_blocks(client, method):
    Y = sp.csr_matrix(np.maximum(low_rank(90, 40) - 0.2, 0))
    blocks = [da.from_delayed(delayed(Y[at : at + 30]), (30, 40), Y.dtype, meta=sp.csr_matrix((0, 0))) for at in (0, 30, 60)]
    model = fitted(da.concatenate(blocks), client, method=method, tol=1e-3)
    plain = proxsplit.NMF(4, random_state=0, tol=1e-3, max_iter=300).fit(Y)
    assert model.certificate_.converged
    assert model.reconstruction_err_ <= 1.01 * plain.reconstruction_err_


def test_dictionary_learning_and_single_precision(client):
    Y = np.random.default_rng(0).standard_normal((80, 12)).astype(np.float32)
    model = DictionaryLearning(5, alpha=0.1, random_state=0, max_iter=20, tol=0).fit(chunked(Y, 40), client=client)
    assert model.components_.dtype == np.float32
    assert np.linalg.norm(model.components_, axis=1).max() <= 1 + 1e-5


def test_data_stay_where_they_are_and_large_components_travel_alone(client):
    Y = low_rank(40, 8000).astype(np.float32)
    X = chunked(Y, 10).persist()
    distributed.wait(X)
    model = fitted(X, client, tol=0, max_iter=3)
    plain = fitted(chunked(Y, 10), client, tol=0, max_iter=3)
    np.testing.assert_array_equal(model.components_, plain.components_)
    assert client.run(lambda: len(sys.modules["proxsplit._held"]._HELD)) == dict.fromkeys(client.nthreads(), 0)


@pytest.mark.parametrize("large", ["with the task", "through shared memory"])
def test_ten_killed_workers_cost_time_and_nothing_else(crowd, large, monkeypatch):
    monkeypatch.setattr(_wire, "LARGE", 1 << 17 if large == "with the task" else 1)
    Y = low_rank(200)
    X = chunked(Y, 25)
    crowd.come(2)
    crowd.wait_for(2)
    expected = fitted(X, crowd.client)
    moments, begun, killed = random.Random(1), threading.Event(), []

    def kill():
        begun.wait(300)
        for _ in range(10):
            time.sleep(moments.uniform(0.0, 0.3))
            crowd.kill(moments.choice)
            killed.append(1)
            crowd.come(1)
            crowd.wait_for(2)

    killer, looks = threading.Thread(target=kill), []
    killer.start()

    def see(passes, objective, residual):
        if passes > 0:
            begun.set()
        looks.append(killer.is_alive())
        return not any(looks[-2:]) and residual <= 1e-6

    model = watched(X, crowd.client, see)
    killer.join()
    assert len(killed) == 10 and model.faults_["lost"] >= 8 and model.faults_["rebuilt"] > 0
    objective = 0.5 * np.linalg.norm(Y - model.transform(Y) @ model.components_) ** 2
    assert model.certificate_.at_point["objective"] == pytest.approx(objective, rel=1e-6)
    assert objective <= expected.certificate_.at_point["objective"] * 1.0001
    # The run stopped at a look with this residual. Of all looks the one with the least objective is returned.
    reached = np.nanargmin(model.trace_["residual"])
    assert model.trace_["residual"][reached] <= 1e-6
    assert model.certificate_.at_point["objective"] <= model.trace_["objective"][reached]
    [words] = [assumption["text"] for assumption in model.certificate_.of_method["assumptions"] if "shards were rebuilt" in assumption["text"]]
    outdated = int(re.search(r"although (\d+) passes", words)[1])
    # Looks tell the error of outdated shares, or that it is unknown, if a pass since the last look has used any, and only then.
    told = model.trace_["stale"][~np.isnan(model.trace_["residual"])]
    assert (outdated > 0) == np.any(told != 0)
    assert not list(_shelf.FOLDER.glob("proxsplit-*"))


@pytest.mark.parametrize("here", [True, False])
def test_components_of_any_way_give_the_same_bits(client, here, monkeypatch):
    """Through shared memory, over the network, and with the task."""
    X = chunked(low_rank(), 40)
    expected = fitted(X, client, tol=0, max_iter=4).components_
    monkeypatch.setattr(_wire, "LARGE", 1)
    if not here:
        monkeypatch.setattr(_wire, "put", lambda *_: False)
    np.testing.assert_array_equal(fitted(X, client, tol=0, max_iter=4).components_, expected)


@pytest.mark.parametrize("patience", [1.0, 0.0, 2e-3])
def test_workers_of_this_machine_wait_for_orders(client, patience, monkeypatch):
    """One that does not wait long enough misses orders, which are sent again: no more than that happens."""
    X, tasks, submit = chunked(low_rank(), 40), [], _wire.Wire._task
    expected = fitted(X, client, tol=0, max_iter=30).components_
    monkeypatch.setattr(_wire, "LARGE", 1)
    monkeypatch.setattr(_wire.Wire, "_task", lambda self, *args: tasks.append(args) or submit(self, *args))
    client.run(lambda: setattr(sys.modules["proxsplit._held"], "WAIT", patience))
    model = fitted(X, client, tol=0, max_iter=30)
    client.run(lambda usual: setattr(sys.modules["proxsplit._held"], "WAIT", usual), _held.WAIT)
    np.testing.assert_array_equal(model.components_, expected)
    assert not any(model.faults_.values())
    assert len(tasks) <= 10 or patience < 1.0, tasks
    assert not list(_shelf.FOLDER.glob("proxsplit-*"))


def test_an_adaptive_cluster():
    Y = low_rank()
    with distributed.LocalCluster(n_workers=0, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        cluster.adapt(minimum=1, maximum=2, interval="200ms")
        with distributed.Client(cluster, set_as_default=False) as client:
            model = fitted(chunked(Y, 40), client)
    objective = 0.5 * np.linalg.norm(Y - model.transform(Y) @ model.components_) ** 2
    assert model.certificate_.converged
    assert model.certificate_.at_point["objective"] == pytest.approx(objective, rel=1e-6)


def test_workers_may_come_and_go(crowd):
    """As in an adaptive cluster, where nobody may be there at first and workers are retired when they are not needed."""
    Y = low_rank()
    stages = []

    def see(passes, objective, residual):
        there = crowd.there()
        if passes > 0 and not stages:
            crowd.come(1)
            stages.append("grows")
        elif len(there) == 2 and stages == ["grows"] and model.faults_["moved"]:
            crowd.client.retire_workers([min(there)])
            stages.append("shrinks")
        return len(there) == 1 and len(stages) == 2 and residual <= 1e-6

    threading.Timer(0.5, crowd.come, [1]).start()
    model = NMF(4, random_state=0, tol=1e-13, max_iter=10**6)
    model._observer = lambda progress: see
    model.fit(chunked(Y, 20), client=crowd.client)
    expected = fitted(chunked(Y, 20), crowd.client).certificate_.at_point["objective"]
    assert model.certificate_.at_point["objective"] <= 1.0001 * expected
    assert model.faults_["moved"] > 0 and model.faults_["lost"] > 0


def test_a_dead_scheduler_is_told_and_the_checkpoint_is_good(tmp_path, client):
    X = chunked(low_rank(), 40)
    path, file = tmp_path / "run.npz", tmp_path / "scheduler.json"
    scheduler = subprocess.Popen([*DASK, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)])
    worker = subprocess.Popen([*DASK, "worker", "--scheduler-file", str(file), "--no-nanny", "--no-dashboard", "--nthreads", "1"])

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
    with pytest.raises(ValueError, match="different settings"):
        NMF(4, random_state=1).fit(X, client=client, checkpoint=str(path), resume=True)
    resumed = NMF(4, random_state=0, tol=1e-3, max_iter=10**6).fit(X, client=client, checkpoint=str(path), resume=True)
    assert resumed.certificate_.converged
    assert resumed.trace_["passes"][0] == 0 and resumed.n_iter_ > 1


def bad_blocks():
    Y = low_rank(60, 10)
    whole = chunked(Y, 20)
    bad = Y.copy()
    bad[45, 3] = np.nan
    other = da.from_delayed(delayed(Y[20:40].astype(np.float32)), (20, 10), float)
    short = da.from_delayed(delayed(Y[20:35]), (20, 10), float)
    broken = da.from_delayed(delayed(lambda: 1 // 0)(), (20, 10), float)
    return {
        "block 2 of X .samples 40 to 59.: .*non-finite": chunked(bad, 20),
        "block 1 of X has no samples": da.from_array(Y, chunks=((20, 0, 40), 10)),
        "block .0, 0. of X has 5 of 10 features; a block must have all": da.from_array(Y, chunks=(20, 5)),
        "size of block 0 of X is unknown": whole[whole[:, 0] > 0],
        "block 1 of X .*: its dtype is float32": da.concatenate([whole[:20], other, whole[40:]]),
        "block 1 of X .*: it has 15 samples, but the array says 20": da.concatenate([whole[:20], short, whole[40:]]),
        "block 0 of X .*: it has negative": da.concatenate([whole[:20] - 10, whole[20:]]),
        "block 2 of X .* could not be computed: ZeroDivisionError": da.concatenate([whole[:40], broken]),
    }


@pytest.mark.parametrize("words", bad_blocks())
def test_bad_input_names_the_block(client, words):
    with pytest.raises((ValueError, RuntimeError), match=words):
        fitted(bad_blocks()[words], client)


def test_what_is_not_for_clusters_is_refused(client):
    Y = low_rank(60, 10)
    with pytest.raises(TypeError, match="takes dask arrays"):
        fitted(Y, client)
    with pytest.raises(ValueError, match="missing"):
        NMF(4, missing="nan").fit(chunked(Y, 20), client=client)


def test_workers_without_the_package_are_named(tmp_path, cluster, client):
    hidden = tmp_path / "hidden.py"
    hidden.write_text(
        "import importlib.metadata as metadata, sys\n"
        "sys.modules['proxsplit'] = None\n"
        "version = metadata.version\n"
        "def without(name):\n"
        "    if name == 'proxsplit':\n"
        "        raise metadata.PackageNotFoundError(name)\n"
        "    return version(name)\n"
        "metadata.version = without\n"
    )
    before = set(client.scheduler_info()["workers"])
    worker = subprocess.Popen([*DASK, "worker", cluster.scheduler_address, "--no-nanny", "--no-dashboard", "--nthreads", "1", "--preload", str(hidden)])
    try:
        wait_until(lambda: set(client.scheduler_info()["workers"]) - before)
        (stranger,) = set(client.scheduler_info()["workers"]) - before
        with pytest.raises(RuntimeError, match=f"{stranger} has no proxsplit"):
            fitted(chunked(low_rank(), 40), client)
    finally:
        worker.kill()
        worker.wait()
        wait_until(lambda: set(client.scheduler_info()["workers"]) == before)

"""``python -m proxsplit.mpi`` on real MPI processes: equal bits for every number of ranks, kill and resume, kind errors."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import proxsplit
from proxsplit import _proxsplit, _shards

MPIEXEC = Path(sys.executable).with_name("mpiexec")


def command(ranks, *arguments):
    return [str(MPIEXEC), "-n", str(ranks), sys.executable, "-m", "proxsplit.mpi", "factorize", *map(str, arguments)]


def factorize(ranks, *arguments, code=0):
    done = subprocess.run(command(ranks, *arguments), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode in ((0, 1) if code is None else (code,)), done.stdout + done.stderr
    return done


def processes(folder):
    """All processes whose command names the folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if str(folder).encode() in words:
            found.append(int(path.parent.name))
    return found


@pytest.fixture
def data(tmp_path):
    random = np.random.default_rng(0)
    Y = random.random((30, 4)) @ random.random((4, 100)) + 0.05 * random.random((30, 100))
    np.save(tmp_path / "Y.npy", np.asfortranarray(Y))
    return tmp_path, Y


def of_local(Y, shards, method):
    """X of a run over the same shards in this process."""
    cuts = [Y.shape[1] * s // shards for s in range(shards + 1)]
    how = {"rank": 4, "codes": "nonneg", "atoms": "nonneg", "single": False, "threads": 1}
    parts = [_shards.shard(Y.T[a:b], i, "", expected=Y.dtype, signed=True, **how) for i, (a, b) in enumerate(zip(cuts[:-1], cuts[1:], strict=True))]
    settings = {**how, "init": "auto", "tol": 1e-5, "passes": 200.0, "time": None, "seed": 0, "method": method, "batch_size": None}
    return _proxsplit.factorize_shards(_shards.local(parts), settings)["H"].T


@pytest.mark.parametrize("method", ["batch", "aggregated", "incremental"])
def test_equal_bits_for_every_number_of_ranks(data, method):
    folder, Y = data
    options = ("--rank", 4, "--tol", 1e-5, "--passes", 200, "--shards", 7, "--method", method, "--quiet")
    # One rank is nearly what runs in this process; the methods share the wire.
    counts = (1, 2, 3) if method == "batch" else (3,)
    for ranks in counts:
        factorize(ranks, folder / "Y.npy", *options, "--out", folder / f"out{ranks}", code=None)
    X, A = (np.load(folder / "out3" / f"{name}.npy") for name in "XA")
    np.testing.assert_array_equal(X, of_local(np.asfortranarray(Y), 7, method))
    for ranks in counts:
        np.testing.assert_array_equal(X, np.load(folder / f"out{ranks}" / "X.npy"))
        np.testing.assert_array_equal(A, np.load(folder / f"out{ranks}" / "A.npy"))
    record = json.loads((folder / "out3" / "run.json").read_text())
    found = proxsplit.check(Y, X, A)
    assert record["objective"] == pytest.approx(found.objective, rel=1e-9)
    if record["converged"]:
        assert found.residual_X <= 2e-5 * found.scale_X


def test_sparse_files_by_rows_and_by_columns(data):
    folder, _ = data
    Y = sp.random(40, 60, 0.3, random_state=0, format="csc")
    sp.save_npz(folder / "columns.npz", Y)
    sp.save_npz(folder / "rows.npz", Y.T.tocsr())
    sp.save_npz(folder / "across.npz", Y.tocsr())
    results = []
    for name, samples in (("columns", "columns"), ("rows", "rows"), ("across", "columns")):
        factorize(2, folder / f"{name}.npz", "--rank", 3, "--tol", 1e-4, "--samples", samples, "--out", folder / name, "--quiet")
        results.append(np.load(folder / name / "X.npy"))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@pytest.mark.parametrize(("method", "passes"), [("batch", 400), ("incremental", 100)])
def test_kill_and_resume_give_the_same_bits(data, method, passes):
    folder, _ = data
    options = (folder / "Y.npy", "--rank", 4, "--tol", 0, "--method", method, "--passes", passes, "--quiet", "--checkpoint-every", 0.05)
    factorize(2, *options, "--out", folder / "whole", code=1)
    killed = folder / "killed"
    run = subprocess.Popen(command(2, *options, "--out", killed))
    while not (killed / "checkpoint.json").exists():
        time.sleep(0.005)
        assert run.poll() is None
    # Ranks are in sessions of their own; one that lived on would write into the folder of the run that goes on.
    for process in processes(killed):
        os.kill(process, signal.SIGKILL)
    run.wait()
    assert not (killed / "run.json").exists()
    factorize(2, *options, "--out", killed, "--resume", code=1)
    for name in ("X.npy", "A.npy"):
        np.testing.assert_array_equal(np.load(folder / "whole" / name), np.load(killed / name))


def test_what_is_wrong_is_said_once(data):
    folder, Y = data
    Y[3, 50] = np.nan
    np.save(folder / "nan.npy", np.asfortranarray(Y))
    cases = (
        ((folder / "nan.npy", "--rank", 4), "non-finite entry"),
        ((folder / "gone.npy", "--rank", 4), "does not exist"),
        ((folder / "Y.npy", "--rank", 4, "--shards", 1), "use --shards 2 or more"),
    )
    for arguments, words in cases:
        done = factorize(2, *arguments, code=2)
        assert done.stderr.count(words) == 1, done.stderr

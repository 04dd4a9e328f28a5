"""Long runs: Ctrl-C, the interpreter's lock, exceptions of what is shown."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from proxsplit import NMF

# Large enough for several threads.
X = np.random.default_rng(0).random((1000, 900))


@pytest.mark.parametrize("n_threads", [None, 1])
def test_ctrl_c_ends_a_fit_within_a_second(n_threads):
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.5, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        NMF(10, init="random", tol=0, max_iter=10**7, random_state=0, n_threads=n_threads).fit(X)
    assert time.monotonic() - sent[0] < 1


def test_ctrl_c_leaves_the_best_factors_in_the_estimator():
    threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    model = NMF(5, init="random", tol=0, max_iter=10**7, random_state=0, method="incremental")
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert model.certificate_.verdict == "not-converged" and "interrupted" in model.certificate_.words
    assert model.certificate_.objective <= model.certificate_.start_objective
    error = np.linalg.norm(X - model.transform(X) @ model.components_)
    assert error == pytest.approx(model.reconstruction_err_, rel=1e-3)


LONG = """
import os, signal, threading, time
import numpy as np
from proxsplit import NMF
X = np.random.default_rng(0).random((6000, 4000), dtype=np.float32)
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.4, interrupt).start()
try:
    NMF(300, init="nndsvda", max_iter=3, tol=0, n_threads=1).fit(X)
except KeyboardInterrupt:
    print("waited", time.monotonic() - sent[0], flush=True)
    os._exit(0)
"""


def test_ctrl_c_works_during_a_start_that_takes_long():
    """The singular vectors take several seconds here, and nothing inside asks for signals."""
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, check=True, timeout=120)
    assert float(done.stdout.split()[1]) < 1


def test_other_python_threads_run_during_a_fit():
    fit = threading.Thread(target=NMF(10, init="random", tol=0, max_iter=100, random_state=0).fit, args=(X,))
    fit.start()
    turns = 0
    while fit.is_alive():
        turns += 1
        time.sleep(0.001)
    assert turns > 10


def test_fits_in_several_threads_give_the_numbers_of_one():
    found = {}

    def fit(seed):
        found[seed] = NMF(5, init="random", max_iter=20, tol=0, random_state=seed).fit(X).components_

    threads = [threading.Thread(target=fit, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in range(4):
        alone = NMF(5, init="random", max_iter=20, tol=0, random_state=seed).fit(X).components_
        np.testing.assert_array_equal(found[seed], alone)


def test_an_exception_while_progress_is_shown_comes_out(monkeypatch):
    class Broken(Exception):
        pass

    def show(self, *numbers):
        raise Broken

    monkeypatch.setattr("proxsplit._progress.Progress.show", show)
    with pytest.raises(Broken):
        NMF(3, verbose=1, random_state=0).fit(X)

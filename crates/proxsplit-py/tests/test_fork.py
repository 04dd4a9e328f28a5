"""Calls in a forked child after calls with several threads in the parent, as `multiprocessing` and web servers make them."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

# Runs apart, so that a child that hangs can be ended.
PROGRAM = """
import os, sys, threading, time
import numpy as np
from proxsplit import NMF, DictionaryLearning, MiniBatchNMF, SparseRegressor, check, minimize, select_rank

X = np.random.default_rng(0).random((1000, 900))  # large enough for several threads

def fit(): return NMF(5, max_iter=5, tol=0, random_state=0, n_threads=THREADS).fit(X)
model = fit()
def transform(): return model.transform(X)
def audit(): return check(X.T, model.components_.T, model.transform(X).T)
def partial_fit(): return MiniBatchNMF(5, random_state=0).partial_fit(X)
def smallest(): return minimize(lambda x: (x @ x / 2, x), np.ones(9), prox="l1:0.1")
def dictionary(): return DictionaryLearning(5, max_iter=3, tol=0, random_state=0, n_threads=THREADS).fit(X[:50])
def regression(): return SparseRegressor(alpha=0.01).fit(X[:, 1:50], X[:, 0])
def rank(): return select_rank(X[:30, :20], [1, 2])
work = [fit, transform, audit, partial_fit, smallest, dictionary, regression, rank]
for call in work:
    call()
if BUSY:
    threading.Thread(target=lambda: [fit() for _ in range(20)], daemon=True).start()
    time.sleep(0.05)
child = os.fork()
if child == 0:
    for call in work:
        call()
    same = np.array_equal(fit().components_, model.components_)
    os._exit(0 if same else 3)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("threads", [None, 2])
@pytest.mark.parametrize("busy", [False, True])
def test_a_forked_child_computes_what_its_parent_does(threads, busy):
    program = PROGRAM.replace("THREADS", str(threads)).replace("BUSY", str(busy))
    process = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
    try:
        assert process.wait(timeout=120) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        pytest.fail("the child hangs")

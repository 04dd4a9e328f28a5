"""Python and the command line give the same numbers, bit by bit."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from proxsplit import NMF
from proxsplit.prox import parse

BINARY = Path(os.environ.get("PROXSPLIT_BINARY", Path(__file__).parents[3] / "target/release/proxsplit"))
pytestmark = pytest.mark.skipif(not BINARY.exists(), reason="the command line is not built")
FORMS = ["l1:0.3", "l1:0.3+nonneg", "simplex:1", "tv1d:0.5", "scad:1,3.7", "group-l2:0.5,3", "l0:0.2", "nuclear:0.5,3x4"]


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.sampled_from(FORMS),
    x=arrays(np.float64, 12, elements=st.floats(-9, 9, width=32)),
    step=st.floats(0.125, 0.875, width=32),
)
def test_proxes(tmp_path, text, x, step):
    np.save(tmp_path / "v.npy", x)
    answer = json.loads(run("prox", text, "--step", step, tmp_path / "v.npy", "--json"))
    result = np.array(answer["result"])
    np.testing.assert_array_equal(result, parse(text).prox(x, step))


def test_factorization(tmp_path):
    X = np.random.default_rng(0).random((50, 30))
    np.save(tmp_path / "x.npy", X)
    out = tmp_path / "out"
    seed = np.random.RandomState(0).randint(2**31 - 1)
    run("factorize", tmp_path / "x.npy", "--samples", "rows", "--rank", 4, "--passes", 20, "--tol", 0, "--seed", seed,
        "--init", "random", "--out", out, "--quiet")  # fmt: skip
    model = NMF(4, init="random", tol=0, max_iter=20, random_state=0)
    W = model.fit_transform(X)
    np.testing.assert_allclose(np.load(out / "X.npy").T, model.components_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.load(out / "A.npy").T, W, rtol=1e-9, atol=1e-12)

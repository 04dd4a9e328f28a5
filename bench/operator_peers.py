"""The operators that are timed, and who else computes them.

A peer takes the vector, prepares what its library wants outside the clock, and returns what to time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np

N = 1_000_000
Work = Callable[[], np.ndarray]


def vectors() -> dict[str, np.ndarray]:
    """Noise, and noise on a rising line."""
    normal = np.random.default_rng(1).standard_normal(N)
    return {"noise": normal, "trend": normal + 4 * np.arange(N) / N}


def flat(regularizer: str, weight: float, second: float = 0.0, size: int = 1):
    """A prox of SPAMS. It wants a matrix in Fortran order."""

    def peer(y: np.ndarray) -> Work:
        import spams

        y = np.asfortranarray(y[:, None])
        options = {"lambda1": weight, "lambda2": second, "regul": regularizer, "size_group": size, "numThreads": 1}
        return lambda: spams.proximalFlat(y, False, **options)

    return peer


def project(radius: float, positive: bool):
    """The l1 ball of SPAMS; its positive part has the projection of the simplex where y lies outside."""

    def peer(y: np.ndarray) -> Work:
        import spams

        y = np.asfortranarray(y[:, None])
        return lambda: spams.sparseProject(y, thrs=radius, mode=1, pos=positive, numThreads=1)

    return peer


def in_numpy(function: Callable[[np.ndarray, np.ndarray], np.ndarray]):
    """One ufunc with an output array, as fast as NumPy can."""

    def peer(y: np.ndarray) -> Work:
        out = np.empty_like(y)
        return lambda: function(y, out)

    return peer


def variation(weight: float):
    def peer(y: np.ndarray) -> Work:
        import condat_tv

        return lambda: condat_tv.tv_denoise(y, weight)

    return peer


def isotonic_sklearn(y: np.ndarray) -> Work:
    from sklearn.isotonic import isotonic_regression

    return lambda: isotonic_regression(y)


def isotonic_scipy(y: np.ndarray) -> Work:
    from scipy.optimize import isotonic_regression

    return lambda: isotonic_regression(y).x


def oscar(base: float, slope: float):
    """skglm pools sorted sizes; sorting and unsorting are NumPy's."""

    def peer(y: np.ndarray) -> Work:
        from skglm.utils.prox_funcs import prox_SLOPE

        weights = base + slope * np.arange(N - 1, -1, -1.0)

        def work() -> np.ndarray:
            sizes = np.abs(y)
            order = np.argsort(-sizes)
            x = np.empty_like(y)
            x[order] = prox_SLOPE(sizes[order], weights)
            return np.copysign(x, y)

        return work

    return peer


def scalar(name: str, *arguments: float):
    """A scalar prox of skglm, in a loop that numba compiles."""

    def peer(y: np.ndarray) -> Work:
        import numba
        from skglm.utils import prox_funcs

        function = getattr(prox_funcs, name)

        @numba.njit
        def loop(y, x):
            for i in range(y.size):
                x[i] = function(y[i], *arguments)
            return x

        return lambda: loop(y, np.empty_like(y))

    return peer


def entropy(weight: float):
    """x = W·ω(y/W − log W − 1)"""

    def peer(y: np.ndarray) -> Work:
        from scipy.special import wrightomega

        return lambda: weight * wrightomega(y / weight - np.log(weight) - 1)

    return peer


def box_sum(lower: float, upper: float, total: float):
    def peer(y: np.ndarray) -> Work:
        from pyproximal.projection import HyperPlaneBoxProj

        project = HyperPlaneBoxProj(np.ones(N), total, lower, upper, maxiter=100, xtol=1e-12)
        return lambda: project(y)

    return peer


@dataclass(frozen=True)
class Row:
    """An operator by its text form, and perhaps a peer: its name, its package, its code."""

    form: str
    library: str = ""
    package: str = ""
    peer: Callable[[np.ndarray], Work] | None = None
    data: str = "noise"
    scalar: str = "f64"


def spams(form: str, peer, **more) -> Row:
    return Row(form, "SPAMS", "spams-bin", peer, **more)


def numpy(form: str, function) -> Row:
    return Row(form, "NumPy", "numpy", in_numpy(function))


def skglm(form: str, peer) -> Row:
    return Row(form, "skglm", "skglm", peer)


def condat(form: str, weight: float, **more) -> Row:
    return Row(form, "condat-tv", "condat-tv", variation(weight), **more)


ROWS = [
    numpy("nonneg", lambda y, out: np.maximum(y, 0, out=out)),
    numpy("box:-1,1", lambda y, out: np.clip(y, -1, 1, out=out)),
    numpy("sql2:0.5", lambda y, out: np.multiply(y, 1 / 1.5, out=out)),
    spams("l1:0.5", flat("l1", 0.5)),
    spams("l1:0.5", flat("l1", 0.5), scalar="f32"),
    spams("elastic:0.5,0.5", flat("elastic-net", 0.5, 0.5)),
    Row("huber:0.5,1"),
    spams("l2:10", flat("l2-not-squared", 10.0)),
    spams("linf:100", flat("linf", 100.0)),
    spams("linf:2e5", flat("linf", 2e5)),
    spams("group-l2:0.5,10", flat("group-lasso-l2", 0.5, size=10)),
    spams("group-linf:0.5,10", flat("group-lasso-linf", 0.5, size=10)),
    spams("sparse-group:0.2,0.5,10", flat("sparse-group-lasso-l2", 0.5, 0.2, size=10)),
    Row("entropy:0.5", "SciPy", "scipy", entropy(0.5)),
    spams("l0:0.5", flat("l0", 0.5)),
    skglm("lp:0.5,1/2", scalar("prox_05", 0.5)),
    skglm("lp:0.5,2/3", scalar("prox_2_3", 0.5)),
    skglm("scad:0.5,3.7", scalar("prox_SCAD", 1.0, 0.5, 3.7)),
    skglm("mcp:0.5,2", scalar("prox_MCP", 1.0, 0.5, 2.0)),
    skglm("log-sum:0.2,0.5", scalar("prox_log_sum", 0.2, 0.5)),
    Row("capped-l1:0.5,1"),
    condat("tv1d:0.1", 0.1),
    condat("tv1d:1", 1.0),
    condat("tv1d:100", 100.0),
    condat("tv1d:10", 10.0, data="trend"),
    # The fused lasso of SPAMS does not come to an end on a vector this long.
    Row("fused:0.1,1"),
    skglm("oscar:0,2e-6", oscar(0.0, 2e-6)),
    skglm("oscar:0.1,1e-7", oscar(0.1, 1e-7)),
    spams("simplex:1", project(1.0, True)),
    spams("simplex:1e4", project(1e4, True)),
    spams("simplex:1e4", project(1e4, True), scalar="f32"),
    spams("l1-ball:1", project(1.0, False)),
    spams("l1-ball:1e4", project(1e4, False)),
    Row("l2-ball:1"),
    Row("sum:1"),
    Row("box-sum:0,0.5,1e5", "pyproximal", "pyproximal", box_sum(0.0, 0.5, 1e5)),
    Row("monotone", "scikit-learn", "scikit-learn", isotonic_sklearn),
    Row("monotone", "SciPy", "scipy", isotonic_scipy),
    Row("monotone", "scikit-learn", "scikit-learn", isotonic_sklearn, data="trend"),
    Row("soc"),
    Row("sparse-ball:10000"),
]

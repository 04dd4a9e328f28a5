"""fastTopics, an R package: sequential coordinate descent on Kullback–Leibler with extrapolation, its updates called one by one.

It is not on pip: FASTTOPICS names a clone of its repository, whose C++ is built here by R with Rcpp, RcppArmadillo and RcppParallel (Debian:
r-base-core, r-cran-rcpparmadillo, r-cran-rcppparallel, r-cran-matrix). What its plots need is left out.
"""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import scipy.sparse

from . import Job
from ..case import CACHE
from ..clock import Clock

LIBRARY = CACHE / "fasttopics"
SCRIPT = Path(__file__).with_name("fasttopics.R")
CODE = "RcppExports ccd fit_poisson_nmf init_poisson_nmf likelihood misc mixem pnmfem poismix poisson scd verify_args".split()
DESCRIPTION = """Package: fastTopics
Version: 0.0
Title: The updates of fastTopics
Description: Its C++ and what calls it.
License: BSD_2_clause
Imports: Matrix, methods, Rcpp, RcppParallel, stats, utils
LinkingTo: Rcpp, RcppArmadillo, RcppParallel
"""
NAMESPACE = """useDynLib(fastTopics, .registration = TRUE)
import(Matrix, methods)
importFrom(Rcpp, evalCpp)
importFrom(RcppParallel, RcppParallelLibs, setThreadOptions, defaultNumThreads)
importFrom(stats, runif)
importFrom(utils, modifyList)
"""
# Threads of BLAS, which the updates do not use.
STUBS = """blas_get_num_procs <- function () 1
blas_set_num_threads <- function (n) invisible(n)
"""


def build() -> None:
    """Installs the updates in a library of their own, once."""
    if (LIBRARY / "fastTopics").exists():
        return
    clone = os.environ.get("FASTTOPICS")
    if not clone or not shutil.which("R"):
        raise SystemExit("needs R and FASTTOPICS=FOLDER, a clone of fastTopics")
    source = CACHE / "fasttopics-source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(Path(clone) / "src", source / "src")
    # Debian's RcppParallel brings TBB without linking its allocator, which the package asks for.
    with (source / "src" / "Makevars").open("a") as makevars:
        makevars.write("\nPKG_LIBS += -ltbbmalloc\n")
    (source / "R").mkdir()
    for name in CODE:
        shutil.copy(Path(clone) / "R" / f"{name}.R", source / "R")
    (source / "R" / "stubs.R").write_text(STUBS)
    (source / "DESCRIPTION").write_text(DESCRIPTION)
    (source / "NAMESPACE").write_text(NAMESPACE)
    LIBRARY.mkdir(parents=True, exist_ok=True)
    subprocess.run(["R", "CMD", "INSTALL", "--no-docs", f"--library={LIBRARY}", str(source)], check=True, capture_output=True)


def run(job: Job, clock: Clock) -> None:
    build()
    folder = clock.folder / "r"
    folder.mkdir()
    hand_over(job, folder)
    clock.notes = {"passes": 0}
    subprocess.run(["Rscript", str(SCRIPT), str(LIBRARY), str(folder), str(clock.budget), str(job.threads)], check=True)
    for passes, seconds in (map(float, line.split()) for line in (folder / "points").read_text().splitlines()):
        at = int(passes)
        x, a = (np.fromfile(folder / f"{name}{at}").reshape(job.case.rank, -1) for name in ("x", "a"))
        clock.point(x.T, seconds, a=a)
        clock.notes["passes"] = at
    shutil.rmtree(folder)


def hand_over(job: Job, folder: Path) -> None:
    """Writes data and start as plain arrays, which R reads fastest; matrices by columns."""
    y, (x, a) = job.case.matrix(), job.start()
    if scipy.sparse.issparse(y):
        y = scipy.sparse.csc_matrix(y)
        y.sort_indices()
        y.indices.astype(np.int32).tofile(folder / "indices")
        y.indptr.astype(np.int32).tofile(folder / "starts")
        y.data.astype(float).tofile(folder / "values")
    else:
        np.asarray(y, float).T.tofile(folder / "dense")
    x.T.tofile(folder / "x")
    a.tofile(folder / "a")
    np.array([*y.shape, job.case.rank], np.int32).tofile(folder / "shape")

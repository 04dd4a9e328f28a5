"""The cases: which matrix, which rank, which penalties, how long, and where the matrix comes from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "target" / "bench"
DATA = Path(os.environ.get("PROXSPLIT_DATA", ROOT / ".." / "shared" / "data"))


@dataclass(frozen=True)
class Case:
    """min ½‖Y/scale − XA‖² + x_l1·‖X‖₁ + a_l1·‖A‖₁ over X, A ≥ 0; `seconds` is what every program gets.

    With the loss kl it is Σ y log(y/z) − y + z, Z = XA.
    """

    name: str
    title: str
    rank: int
    seconds: float
    file: str = ""
    shape: tuple[int, int] = (0, 0)
    scale: float = 1.0
    x_l1: float = 0.0
    a_l1: float = 0.0
    seeds: int = 3
    loss: str = "squared"

    @property
    def path(self) -> Path:
        """The file that programs read; a generated matrix is written there first."""
        if self.file:
            return DATA / self.file
        rows, cols = self.shape
        path = CACHE / f"rand_{rows}x{cols}.npy"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, np.random.default_rng(0).random(self.shape))
        return path

    @property
    def sparse(self) -> bool:
        """Whether the file has nonzeros only."""
        return self.path.suffix in (".npz", ".gz")

    @property
    def missing(self) -> bool:
        return not self.path.exists()

    @cached_property
    def stored(self) -> np.ndarray | scipy.sparse.csc_matrix:
        """The matrix as it is stored, not scaled."""
        if self.path.suffix == ".npz":
            return scipy.sparse.csc_matrix(scipy.sparse.load_npz(self.path))
        if self.path.suffixes[-2:] == [".mtx", ".gz"]:
            return scipy.sparse.csc_matrix(scipy.io.mmread(self.path))
        return np.load(self.path, mmap_mode="r")

    def matrix(self) -> np.ndarray | scipy.sparse.csc_matrix:
        """Y as f64, scaled; dense ones column by column."""
        if scipy.sparse.issparse(self.stored):
            return self.stored.astype(np.float64) / self.scale
        return np.asfortranarray(self.stored, dtype=np.float64) / self.scale


FULL = [
    Case("rand", "RAND 4000×4000", 32, 6.0, shape=(4000, 4000)),
    # Every program ends in minima that differ by up to 1.5 %: of a few seeds the median is a matter of luck.
    Case("cbcl", "CBCL 361×2429", 49, 4.0, "cbcl_361x2429_u8.npy", scale=255, seeds=7),
    Case("yale", "YALE 32256×2414", 32, 10.0, "yaleB_cropped_32256x2414_u8.npy", scale=255),
    Case("web", "WEB-SCC 434818×434818", 4, 5.0, "web-Google-largestSCC_434818.npz"),
    Case("text", "TDT2 text 36771×9394", 20, 20.0, "tdt2_36771x9394.npz"),
    Case("visium", "Visium counts 19465×2898", 10, 12.0, "visium_matrix.mtx.gz"),
    Case("rand-sparse", "RAND 4000×4000, λ = 1e−5, γ = 10", 32, 5.0, shape=(4000, 4000), x_l1=1e-5, a_l1=10),
]

QUICK = [
    Case("rand", "RAND 400×300", 8, 1.0, shape=(400, 300), seeds=1),
    Case("rand-sparse", "RAND 400×300, λ = 1e−5, γ = 1", 8, 1.0, shape=(400, 300), x_l1=1e-5, a_l1=1, seeds=1),
]

COUNTS = [
    Case("digits", "digits 64×1797", 16, 6.0, "digits_64x1797.npy", loss="kl"),
    Case("visium", "Visium 19465×2898", 10, 40.0, "visium_matrix.mtx.gz", loss="kl", seeds=1),
    Case("tdt2", "TDT2 36771×9394", 20, 60.0, "tdt2_36771x9394.npz", loss="kl", seeds=1),
]

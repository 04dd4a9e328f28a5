"""The programs: one file each, with `run(job, clock)`; `ALL` names every one with its setting."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .. import start
from ..case import Case


@dataclass(frozen=True)
class Program:
    """A program with its setting, as a row of the table."""

    name: str
    module: str
    setting: dict = field(default_factory=dict)
    package: str = ""
    penalties: bool = False
    sparse: bool = True
    same_start: bool = False

    def fits(self, case: Case) -> bool:
        """Whether it can minimize the case's objective."""
        return (self.penalties or not (case.x_l1 or case.a_l1)) and (self.sparse or not case.sparse)

    @property
    def rival(self) -> bool:
        """A program that anyone can install; the NumPy scheme is only a yardstick."""
        return bool(self.package)


@dataclass(frozen=True)
class Job:
    """One run of one program."""

    case: Case
    seed: int
    threads: int
    setting: dict
    same_start: bool = False

    def start(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The shared X and A, or nothing if the program is to begin in its own way."""
        return start.factors(self.case, self.seed) if self.same_start else None


ALL = [
    Program("proxsplit", "proxsplit_cli", {}, penalties=True),
    Program("proxsplit f32", "proxsplit_cli", {"dtype": "f32"}, penalties=True),
    Program("proxsplit incremental", "proxsplit_cli", {"method": "incremental"}, penalties=True),
    Program("NumPy accelerated HALS", "numpy_hals", penalties=True),
    Program("scikit-learn cd random", "sklearn_nmf", {"init": "random"}, "scikit-learn", penalties=True),
    Program("scikit-learn cd nndsvda", "sklearn_nmf", {"init": "nndsvda"}, "scikit-learn", penalties=True),
    Program("scikit-learn MiniBatchNMF", "sklearn_minibatch", {"batch": 1024}, "scikit-learn", penalties=True),
    Program("SPAMS batch 256", "spams_nmf", {"batch": 256}, "spams-bin", sparse=False),
    Program("SPAMS batch 512", "spams_nmf", {"batch": 512}, "spams-bin", sparse=False),
    Program("SPAMS batch 1024", "spams_nmf", {"batch": 1024}, "spams-bin", sparse=False),
    Program("PLANC hals", "planc", {"algo": "hals"}, "pyplanc"),
    Program("PLANC anls", "planc", {"algo": "anlsbpp"}, "pyplanc"),
    Program("PLANC admm", "planc", {"algo": "admm"}, "pyplanc"),
    Program("pyproximal PALM", "pyproximal_palm", {"method": "PALM", "options": {}}, "pyproximal", sparse=False),
    Program("pyproximal iPALM", "pyproximal_palm", {"method": "iPALM", "options": {"a": (0.4, 0.4)}}, "pyproximal", sparse=False),
]

# For Kullback–Leibler, all from the same start.
COUNTS = [
    Program("proxsplit", "proxsplit_cli", same_start=True),
    Program("proxsplit f32", "proxsplit_cli", {"dtype": "f32"}, same_start=True),
    Program("scikit-learn mu", "sklearn_mu", {}, "scikit-learn", same_start=True),
    Program("nmf-rs brunet", "nmf_rs_kl", {}, "nmf-rs", same_start=True),
    Program("nimfa divergence", "nimfa_kl", {}, "nimfa", same_start=True),
    Program("fastTopics scd", "fasttopics_kl", {}, "fastTopics", same_start=True),
]

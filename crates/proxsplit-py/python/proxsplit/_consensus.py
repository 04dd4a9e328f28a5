"""What several runs from different starts agree on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _proxsplit


@dataclass(frozen=True, repr=False, eq=False)
class Consensus:
    """What several runs of one factorization X ≈ WH agree on.

    Attributes
    ----------
    objectives : ndarray of shape (n_runs,)
        The objective of every run.
    best : int
        The run with the least objective; `runs`, `cosines` and `medoids` follow the order of its components.
    runs : ndarray of shape (n_components,)
        The number of runs that have the component, the best one included: those in which its partner has a cosine of at least 0.9.
    cosines : ndarray of shape (n_components,)
        The mean cosine with its partners in the other runs.
    medoids : ndarray of shape (n_components, n_features)
        Of every component and its partners the one that is nearest to all of them, scaled to norm 1.
    cosine : float
        The mean cosine of matched components over all pairs of runs.
    cophenetic : float
        The cophenetic correlation of the consensus matrix: how well the samples fall into groups that every run finds.
    """

    objectives: NDArray[Any]
    best: int
    runs: NDArray[Any]
    cosines: NDArray[Any]
    medoids: NDArray[Any]
    cosine: float
    cophenetic: float

    @classmethod
    def of(cls, runs: Sequence[tuple[Any, Any]], objectives: Sequence[float]) -> Consensus:
        """Compare at least two runs.

        Parameters
        ----------
        runs : sequence of (W, H)
            The factors of every run, with the codes W (n_samples, n_components) and the components H (n_components, n_features).
        objectives : sequence of float
            The objective of every run.

        Returns
        -------
        Consensus
        """
        wide = [(np.ascontiguousarray(x, dtype=np.float64), np.ascontiguousarray(a, dtype=np.float64)) for x, a in runs]
        text, medoids = _proxsplit.consensus(wide, [float(value) for value in objectives])
        found = json.loads(text)
        return cls(
            objectives=np.array(found["objectives"]),
            best=found["best"],
            runs=np.array([atom["runs"] for atom in found["atoms"]]),
            cosines=np.array([atom["cosine"] for atom in found["atoms"]]),
            medoids=medoids,
            cosine=found["cosine"],
            cophenetic=found["cophenetic"],
        )

    def __repr__(self) -> str:
        count = len(self.objectives)
        always = int((self.runs == count).sum())
        return (
            f"Consensus of {count} runs: {always} of {len(self.runs)} components were found in all of them; "
            f"mean cosine {self.cosine:.3f}, cophenetic correlation {self.cophenetic:.3f}"
        )

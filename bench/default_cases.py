"""The table of `bench.defaults`: 22 shapes and penalties, as a user of scikit-learn would call them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits

Matrix = Any


@dataclass(frozen=True)
class Row:
    """An estimator with its parameters, and data for a seed. Everything that is not named keeps its default in both packages.

    Both start from the same factors: scikit-learn's own, computed beforehand. With `own_start`, each starts as it does by default.
    Times are medians of so many `repeats`.
    """

    name: str
    data: Callable[[np.random.Generator], Matrix]
    rank: int
    estimator: str = "NMF"
    parameters: dict[str, Any] = field(default_factory=dict)
    own_start: bool = False
    repeats: int = 5


def uniform(rows: int, cols: int) -> Callable[[np.random.Generator], Matrix]:
    return lambda rng: rng.random((rows, cols))


def planted(rows: int, cols: int, rank: int, noise: float, density: float = 1.0) -> Callable[[np.random.Generator], Matrix]:
    """WH with factors of this density, plus noise of this part of its standard deviation, cut at 0."""

    def make(rng: np.random.Generator) -> Matrix:
        W, H = ((rng.random(shape) * (rng.random(shape) < density)) for shape in ((rows, rank), (rank, cols)))
        X = W @ H
        return np.maximum(X + noise * X.std() * rng.normal(size=X.shape), 0)

    return make


def images(count: int, side: int, rank: int) -> Callable[[np.random.Generator], Matrix]:
    """Mixtures of `rank` bright spots, a row for each picture."""

    def make(rng: np.random.Generator) -> Matrix:
        y, x = np.mgrid[:side, :side].reshape(2, 1, -1)
        centre, width = rng.random((2, rank, 1)) * side, side * rng.uniform(0.05, 0.2, (rank, 1))
        spots = np.exp(-((y - centre[0]) ** 2 + (x - centre[1]) ** 2) / (2 * width**2))
        return rng.gamma(0.5, size=(count, rank)) @ spots + 0.05 * rng.random((count, side * side))

    return make


def texts(documents: int, words: int, topics: int) -> Callable[[np.random.Generator], Matrix]:
    """tf-idf of documents of about 80 words from a few topics, whose words follow Zipf's law; rows of length 1."""

    def make(rng: np.random.Generator) -> Matrix:
        zipf = 1 / np.arange(1, words + 1)
        often = np.array([rng.permutation(zipf) * (rng.random(words) < 0.3) + 0.1 * zipf for _ in range(topics)])
        mixed = rng.dirichlet(np.full(topics, 0.1), documents) @ (often / often.sum(1, keepdims=True))
        counts = sp.csr_matrix(rng.poisson(80 * mixed).astype(float))
        counts.data = 1 + np.log(counts.data)
        seen = np.maximum(np.asarray((counts > 0).sum(0)).ravel(), 1)
        weighted = sp.csr_matrix(counts.multiply(np.log((1 + documents) / (1 + seen)) + 1))
        lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(1)))
        return sp.csr_matrix(weighted.multiply(1 / np.maximum(lengths, 1e-12)))

    return make


def digits(rng: np.random.Generator) -> Matrix:
    return load_digits().data[rng.permutation(1797)]


def centred_digits(rng: np.random.Generator) -> Matrix:
    """300 of them: of all, scikit-learn's dictionary takes minutes."""
    X = digits(rng)[:300]
    return X - X.mean(0)


def laplace(rng: np.random.Generator) -> Matrix:
    atoms = rng.normal(size=(20, 30))
    codes = rng.laplace(size=(500, 20)) * (rng.random((500, 20)) < 0.3)
    return codes @ (atoms / np.linalg.norm(atoms, axis=1, keepdims=True)) + 0.05 * rng.normal(size=(500, 30))


SPARSE8 = planted(200, 100, 8, 0.0, density=0.3)
TEXT = texts(2000, 6000, 20)
L1 = {"l1_ratio": 1.0}

ROWS = [
    Row("100 × 50, own start", uniform(100, 50), 10, own_start=True, repeats=101),
    Row("NMF() on 100 × 50, own start", uniform(100, 50), 50, own_start=True, repeats=21),
    Row("small, 60 × 40", uniform(60, 40), 4),
    Row("uniform 500 × 300", uniform(500, 300), 10),
    Row("uniform 1200 × 800", uniform(1200, 800), 20),
    Row("tall 5000 × 50", planted(5000, 50, 10, 0.1), 10),
    Row("wide 50 × 5000", planted(50, 5000, 10, 0.1), 10),
    Row("low rank plus noise 1000 × 500", planted(1000, 500, 20, 0.1), 20),
    Row("exact rank 300 × 200", planted(300, 200, 8, 0.0), 8),
    Row("single precision 1000 × 500", lambda rng: planted(1000, 500, 20, 0.1)(rng).astype(np.float32), 20),
    Row("images 400 × 4096", images(400, 64, 30), 30),
    Row("digits 1797 × 64", digits, 16),
    Row("digits, Kullback–Leibler", digits, 10, parameters={"solver": "mu", "beta_loss": "kullback-leibler"}),
    Row("tf-idf 2000 × 6000", TEXT, 20),
    Row("tf-idf, ℓ1 on both", TEXT, 20, parameters={"alpha_W": 1e-5, **L1}),
    Row("sparse rank 8, ℓ1 0.003", SPARSE8, 8, parameters={"alpha_W": 0.003, **L1}),
    Row("sparse rank 8, ℓ1 0.02", SPARSE8, 8, parameters={"alpha_W": 0.02, **L1}),
    Row("low rank 600 × 400, ℓ2 0.01", planted(600, 400, 12, 0.2), 12, parameters={"alpha_W": 0.01}),
    Row("MiniBatchNMF, tf-idf 2000 × 6000", TEXT, 20, "MiniBatchNMF"),
    Row("MiniBatchNMF, 10000 × 200", planted(10000, 200, 10, 0.1), 10, "MiniBatchNMF"),
    Row("DictionaryLearning, 500 × 30", laplace, 20, "DictionaryLearning"),
    Row("DictionaryLearning, 300 digits, α = 20, own start", centred_digits, 30, "DictionaryLearning", {"alpha": 20.0}, own_start=True),
]

"""Random matrices to factorize, as files, with the numbers that the judge uses."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse


@dataclass
class Data:
    """Y (features × samples) as the program must see it, weights (0 where missing), and the options that say so."""

    path: Path
    y: np.ndarray
    weights: np.ndarray | None
    options: list
    kind: str
    sparse: bool = False
    own_weights: bool = False

    @property
    def nonnegative(self):
        return bool((self.y >= 0).all())


def _planted(rng, m, n):
    k = int(rng.integers(1, 7))
    x, a = rng.random((m, k)), rng.random((k, n))
    x, a = x * (rng.random((m, k)) < 0.6), a * (rng.random((k, n)) < 0.6)
    return x @ a


def _noisy(rng, m, n):
    y = _planted(rng, m, n)
    return np.maximum(y + rng.choice([0.01, 0.1, 0.5]) * rng.normal(size=y.shape) * (y.std() + 1e-3), 0)


def _signed(rng, m, n):
    return _planted(rng, m, n) - rng.random() * _planted(rng, m, n) + 0.05 * rng.normal(size=(m, n))


def _dominated(rng, m, n):
    return 10.0 ** rng.integers(1, 6) * np.outer(rng.random(m) + 0.1, rng.random(n) + 0.1) + _planted(rng, m, n)


def _holes(rng, m, n):
    y = _noisy(rng, m, n)
    y[rng.random(m) < 0.2] = 0
    y[:, rng.random(n) < 0.2] = 0
    return y


def _blocks(rng, m, n):
    y, parts = np.zeros((m, n)), int(rng.integers(2, 5))
    for rows, cols in zip(np.array_split(np.arange(m), parts), np.array_split(np.arange(n), parts)):
        y[np.ix_(rows, cols)] = np.outer(rng.random(len(rows)) + 0.2, rng.random(len(cols)) + 0.2)
    return y


def _repeated(rng, m, n):
    return _noisy(rng, m, n)[:, rng.integers(0, max(1, n // 3), size=n)]


def _single(rng, m, n):
    y = np.zeros((m, n))
    y[int(rng.integers(m)), int(rng.integers(n))] = rng.random() + 0.1
    return y


def _badly_scaled(rng, m, n):
    return _noisy(rng, m, n) * 10 ** rng.uniform(-5, 5, size=(m, 1)) * 10 ** rng.uniform(-2, 2, size=n)


KINDS = {
    "planted": _planted,
    "noisy": _noisy,
    "uniform": lambda rng, m, n: rng.random((m, n)),
    "signed": _signed,
    "normal": lambda rng, m, n: rng.normal(size=(m, n)),
    "dominated": _dominated,
    "holes": _holes,
    "blocks": _blocks,
    "repeated": _repeated,
    "constant": lambda rng, m, n: np.full((m, n), float(rng.choice([0.0, 1.0, 0.37]))),
    "counts": lambda rng, m, n: rng.poisson(3 * _planted(rng, m, n)).astype(float),
    "few": lambda rng, m, n: rng.random((m, n)) * (rng.random((m, n)) < 0.1),
    "single": _single,
    "badly-scaled": _badly_scaled,
}
WEIGHTS = [3, 4, 2, 2, 1, 2, 2, 2, 1, 0.5, 2, 2, 0.5, 1.5]


# Rows and columns that large matrices have more, so that the first passes over them may be in single precision.
LARGE = 256


def make(rng, folder, large=False):
    """One matrix, in one of the formats, of one of the number types, sometimes turned, scaled or with missing entries."""
    kind = str(rng.choice(list(KINDS), p=np.array(WEIGHTS) / sum(WEIGHTS)))
    least = 1 if rng.random() < 0.1 else 3
    m, n = (int(v) for v in rng.integers(least, rng.choice([12, 40, 81]), size=2))
    if large:
        m, n = m + LARGE, n + LARGE
    y, options = KINDS[kind](rng, m, n), []
    if rng.random() < 0.12:
        exponent = int(rng.choice([-150, -100, -30, -8, 8, 30, 100, 150]))
        y, kind = y * 10.0**exponent, f"{kind}·1e{exponent}"
    form = str(rng.choice(["f64", "f32", "u8", "sparse", "csv"], p=[0.45, 0.15, 0.1, 0.2, 0.1]))
    if form == "u8":
        y = np.clip(np.round(y * (200 / max(np.abs(y).max(), 1e-300))), 0, 255)
    if form == "f32":
        y = y.astype(np.float32).astype(float)
        if not np.isfinite(y).all():
            y, form = np.where(np.isfinite(y), y, 0.0), "f64"
    turned = rng.random() < 0.15
    stored = y.T if turned else y
    options += ["--samples", "rows"] if turned else []
    weights, path = _write(rng, stored, form, folder, options)
    if weights is not None and turned:
        weights = weights.T
    if rng.random() < 0.1:
        scale = float(rng.choice([255.0, 0.01, 3.0]))
        options += ["--scale", scale]
        y = y / scale
    y = y if weights is None else np.where(weights > 0, y, 0.0)
    weights, own = _weigh(rng, folder, (weights, path, form), (m, n, turned), options)
    return Data(path, y, weights, options, f"{kind} {form} {m}x{n}", form == "sparse", own)


def _weigh(rng, folder, known, shape, options):
    """Sometimes, weights of rows, of columns and of entries of the file; with those of 0 and 1 that say what is missing."""
    (weights, path, form), (m, n, turned) = known, shape
    if rng.random() >= 0.2:
        return weights, False
    full, own = np.ones((n, m) if turned else (m, n)), False
    draw = lambda size: rng.choice([0.0, 0.5, 1.0, 3.0, float(rng.random())], p=[0.1, 0.2, 0.3, 0.2, 0.2], size=size)  # noqa: E731
    for name, axis in (("row", 0), ("column", 1)):
        if rng.random() < 0.5:
            lines = draw(full.shape[axis])
            lines[int(rng.integers(len(lines)))] = 1.0
            np.save(folder / f"{name}.npy", lines.reshape(1, -1))
            options += [f"--{name}-weights", folder / f"{name}.npy"]
            full = full * (lines[:, None] if axis == 0 else lines[None, :])
    if form != "sparse" and rng.random() < 0.4:
        entries, own = draw(full.shape), True
        np.save(folder / "weights.npy", np.asarray(entries, order=str(rng.choice(["C", "F"]))))
        options += ["--weights", folder / "weights.npy"]
        full = full * entries
    elif form == "sparse" and weights is not None and rng.random() < 0.6:
        matrix, own = scipy.sparse.load_npz(path), True
        matrix.data = draw(len(matrix.data))
        scipy.sparse.save_npz(folder / "weights.npz", matrix)
        options += ["--weights", folder / "weights.npz"]
        full = full * matrix.toarray()
    full = full.T if turned else full
    return full if weights is None else weights * full, own


def _write(rng, stored, form, folder, options):
    """The file, and the weights if some entries are missing."""
    path, missing = folder / f"y.{'npz' if form == 'sparse' else 'csv' if form == 'csv' else 'npy'}", rng.random() < 0.15
    weights = None
    if form == "sparse":
        matrix = scipy.sparse.csr_matrix(stored) if rng.random() < 0.5 else scipy.sparse.csc_matrix(stored)
        scipy.sparse.save_npz(path, matrix)
        if missing and matrix.nnz:
            weights = (stored != 0).astype(float)
            options += ["--missing", "unstored"]
        return weights, path
    if missing and form != "u8":
        weights = (rng.random(stored.shape) < rng.choice([0.95, 0.7, 0.4])).astype(float)
        stored = np.where(weights > 0, stored, np.nan)
        options += ["--missing", "nan"]
    if form == "csv":
        gap = "" if stored.shape[1] > 1 else "nan"  # an empty line is none
        path.write_text("\n".join(",".join(gap if v != v else repr(float(v)) for v in row) for row in stored) + "\n")
    else:
        kind = {"f64": np.float64, "f32": np.float32, "u8": np.uint8}[form]
        order = str(rng.choice(["C", "F"]))
        np.save(path, np.asarray(stored.astype(kind), order=order))
    return weights, path

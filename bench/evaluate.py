"""The one judge of all programs: F(X) = min_{A≥0} ½‖Y − XA‖² + λ‖X‖₁ + γ‖A‖₁, with a bound on its own error.

Only X is taken from a program. The codes are solved by coordinate descent for columns in blocks, so that Y may be
stored as u8 or sparse. With unit atoms and μ the least eigenvalue of the Gram matrix, the value of a block is too large
by at most ‖r‖²/2μ, r its projected gradient: that is the stopping test.

The residual of X is that of the problem with unit atoms, x̂_k = x_k/‖x_k‖ and âₖ = ‖x_k‖aₖ, so that it does not depend on how a program
scales its factors: ‖X̂ − P(X̂ − s∇)‖/s with s = 1/‖ÂÂᵀ‖, relative to ‖YÂᵀ‖.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse

from .case import Case

BLOCK_BYTES = 1 << 26
SWEEPS = 3000
PAIRS = 1 << 18


@dataclass(frozen=True)
class Score:
    """The objective, a bound on how much too large it is, the relative residual of X, and the fractions of zeros."""

    objective: float
    excess: float
    residual: float
    x_zeros: float
    a_zeros: float


def score(case: Case, x: np.ndarray, precision: float = 1e-7) -> Score:
    """Judges X to a relative precision of ½‖Y‖²."""
    x = np.asarray(x, dtype=np.float64)
    if x.min() < 0 or not np.isfinite(x).all():
        raise ValueError("X has a negative or non-finite entry")
    norms = np.linalg.norm(x, axis=0)
    alive = norms > 0
    atoms, weights = x[:, alive] / norms[alive], case.a_l1 / norms[alive]
    gram = atoms.T @ atoms
    total, excess, used = case.x_l1 * x.sum(), 0.0, 0
    product, of_codes = np.zeros(atoms.shape), np.zeros(gram.shape)
    for block in blocks(case):
        linear = np.asarray((block.T @ atoms).T) - weights[:, None]
        energy = 0.5 * squared_norm(block)
        codes, value, gap = least(gram, linear, precision * energy)
        total, excess = total + energy + value, excess + gap
        product += block @ codes.T
        of_codes += codes @ codes.T
        used += np.count_nonzero(codes)
    rest = residual(atoms, product, of_codes, case.x_l1 * norms[alive])
    a_zeros = 1 - used / (x.shape[1] * case.stored.shape[1])
    return Score(float(total), float(excess), rest, float(np.mean(x == 0)), a_zeros)


def residual(atoms: np.ndarray, product: np.ndarray, gram: np.ndarray, weights: np.ndarray) -> float:
    """‖X̂ − P(X̂ − s∇)‖/s over ‖YÂᵀ‖ for X̂ ≥ 0 with ℓ1 weights of its columns; `product` is YÂᵀ and `gram` is ÂÂᵀ."""
    scale = np.linalg.norm(product)
    if scale == 0:
        return 0.0
    step = 1 / np.linalg.eigvalsh(gram)[-1]
    moved = np.maximum(atoms - step * (atoms @ gram - product + weights), 0.0)
    return float(np.linalg.norm(atoms - moved) / step / scale)


def divergence(y: np.ndarray | scipy.sparse.csc_matrix, x: np.ndarray, a: np.ndarray) -> float:
    """Σ y log(y/z) − y + z with Z = XA, of the pair as it is; z is formed where y > 0, and Σz is (1ᵀX)(A1)."""
    for name, factor in (("X", x), ("A", a)):
        if factor.min() < 0 or not np.isfinite(factor).all():
            raise ValueError(f"{name} has a negative or non-finite entry")
    entries = scipy.sparse.coo_matrix(y)
    values = entries.data.astype(np.float64)
    total = float(x.sum(axis=0) @ a.sum(axis=1)) - float(values.sum())
    for first in range(0, len(values), PAIRS):
        part = slice(first, first + PAIRS)
        z = np.einsum("pk,pk->p", x[entries.row[part]], a.T[entries.col[part]])
        v = values[part]
        total += float((v[v > 0] * np.log(v[v > 0] / z[v > 0])).sum())
    return total


def blocks(case: Case):
    """Blocks of columns of Y, scaled, as f64."""
    y = case.stored
    if scipy.sparse.issparse(y):
        step = max(1, BLOCK_BYTES // (8 * 16))
    else:
        step = max(1, BLOCK_BYTES // (8 * y.shape[0]))
    for first in range(0, y.shape[1], step):
        block = y[:, first : first + step]
        yield block.astype(np.float64) / case.scale


def squared_norm(block) -> float:
    values = block.data if scipy.sparse.issparse(block) else block.ravel(order="K")
    return float(values @ values)


def least(gram: np.ndarray, linear: np.ndarray, allowed: float) -> tuple[np.ndarray, float, float]:
    """The A with min_{A≥0} ½⟨A, GA⟩ − ⟨B, A⟩ for G with a unit diagonal, the minimum, and a bound on the error."""
    lowest = max(np.linalg.eigvalsh(gram)[0], 1e-300)
    ridge = gram + 1e-10 * np.eye(len(gram))
    codes = np.maximum(np.linalg.solve(ridge, linear), 0.0)
    gap = np.inf
    for sweep in range(SWEEPS):
        for k in range(len(gram)):
            np.maximum(codes[k] + (linear[k] - gram[k] @ codes), 0.0, out=codes[k])
        if sweep % 5 == 4:
            slope = gram @ codes - linear
            slope[codes <= 0] = np.minimum(slope[codes <= 0], 0.0)
            gap = 0.5 * float((slope**2).sum()) / lowest
            if gap <= allowed:
                break
    return codes, 0.5 * float((codes * (gram @ codes)).sum()) - float((linear * codes).sum()), gap

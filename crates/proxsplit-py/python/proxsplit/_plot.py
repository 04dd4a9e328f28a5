"""Pictures of a fitted factorization, by matplotlib if it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._factorization import Factorization

KINDS = ("convergence", "atoms", "codes")
MOST = 36  # atoms in one picture


def plot(model: Factorization, kind: str, shape: tuple[int, int] | None, codes: Any, ax: Any) -> Any:
    """Draw one of KINDS and return the figure."""
    if kind not in KINDS:
        raise ValueError(f"kind = {kind!r}, but it must be one of {', '.join(KINDS)}")
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise ImportError("plot needs matplotlib: pip install matplotlib") from missing
    if kind == "atoms" and shape is not None:
        return _images(plt, model, shape)
    figure, ax = (ax.figure, ax) if ax is not None else plt.subplots(figsize=(6, 4), layout="constrained")
    if kind == "convergence":
        _convergence(ax, model)
    elif kind == "atoms":
        _heat(ax, model.components_, "feature", "atom")
    else:
        if codes is None:
            raise ValueError("the estimator does not keep the codes: pass codes=model.transform(X), or the result of fit_transform")
        _heat(ax, np.asarray(codes).T, "sample", "atom")
    return figure


def _convergence(ax: Any, model: Factorization) -> None:
    trace, certificate = model.trace_, model.certificate_
    ax.semilogy(trace["passes"], trace.excess(), color="#2a78d6", label="objective above the lowest")
    ax.semilogy(trace["passes"], np.where(trace["residual"] > 0, trace["residual"], np.nan), color="#c4561c", label="residual")
    if certificate.tolerance > 0:
        ax.axhline(certificate.tolerance, color="#c4561c", linewidth=0.8, linestyle=":", label="tolerance of the residual")
    ax.set_xlabel("passes")
    ax.set_title(certificate.words, fontsize="small", loc="left", wrap=True)
    ax.legend(frameon=False)


def _heat(ax: Any, values: Any, across: str, down: str) -> None:
    most = float(np.abs(values).max(initial=0.0)) or 1.0
    signed = bool((values < 0).any())
    image = ax.imshow(
        values, aspect="auto", interpolation="nearest", cmap="RdBu" if signed else "Blues", vmin=-most if signed else 0.0, vmax=most
    )
    ax.set_xlabel(across)
    ax.set_ylabel(down)
    ax.figure.colorbar(image, ax=ax)


def _images(plt: Any, model: Factorization, shape: tuple[int, int]) -> Any:
    atoms = model.components_
    rows, cols = shape
    if rows * cols != atoms.shape[1]:
        raise ValueError(f"shape = {shape!r} has {rows * cols} pixels, but an atom has {atoms.shape[1]} features")
    count = min(len(atoms), MOST)
    wide = int(np.ceil(np.sqrt(count)))
    figure, axes = plt.subplots(-(-count // wide), wide, squeeze=False, figsize=(1.2 * wide, 1.2 * -(-count // wide)), layout="constrained")
    for ax in axes.flat:
        ax.set_axis_off()
    for k, (ax, atom) in enumerate(zip(axes.flat, atoms[:count], strict=False)):
        most = float(np.abs(atom).max()) or 1.0
        signed = bool((atoms < 0).any())
        ax.imshow(atom.reshape(shape), cmap="RdBu" if signed else "Greys", vmin=-most if signed else 0.0, vmax=most)
        ax.set_title(str(k), fontsize=7)
    if len(atoms) > MOST:
        figure.suptitle(f"{MOST} of {len(atoms)} atoms", fontsize="small")
    return figure

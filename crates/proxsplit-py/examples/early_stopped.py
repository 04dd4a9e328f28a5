"""Optimal control of the Poisson equation, with gradients from conjugate gradients that stop early.

Minimize ½‖A⁻¹x − d‖² + (κ/2)‖x‖² + W‖x‖₁ over |x| ≤ 20: a sparse heat source whose temperature A⁻¹x is d. The gradient
A⁻¹(A⁻¹x − d) + κx needs two solves with the Laplacian A. Stopped at residuals r and s, it is off by at most (‖s‖ + ‖r‖/λ)/λ, λ the smallest
eigenvalue of A.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from gallery import save
from scipy.sparse.linalg import spsolve

from proxsplit import minimize

SIDE, RIDGE, TOLERANCE = 40, 1e-4, 1e-4
line = sp.diags([-1, 2, -1], [-1, 0, 1], (SIDE, SIDE)) * (SIDE + 1) ** 2
A = sp.csr_matrix(sp.kron(line, sp.eye(SIDE)) + sp.kron(sp.eye(SIDE), line))
LAMBDA = 8 * ((SIDE + 1) * np.sin(np.pi / (2 * SIDE + 2))) ** 2
source = np.zeros((SIDE, SIDE))
source[SIDE // 4, SIDE // 3], source[3 * SIDE // 4, SIDE // 2] = 20, -15
d = spsolve(A.tocsc(), source.ravel())


def conjugate_gradients(b, u, enough):
    """u with ‖b − Au‖ ≤ enough, that norm, and the number of steps."""
    r = b - A @ u
    p, square, steps = r.copy(), r @ r, 0
    while np.sqrt(square) > enough and steps < 1000:
        ap = A @ p
        alpha = square / (p @ ap)
        u, r, last = u + alpha * p, r - alpha * ap, square
        square = r @ r
        p, steps = r + square / last * p, steps + 1
    return u, np.linalg.norm(b - A @ u), steps


def solve(fixed=None):
    """A run with a fixed inner accuracy, or with the one that it can afford."""
    inner = {"u": np.zeros_like(d), "p": np.zeros_like(d)}
    history = []

    def f(x, accuracy):
        enough = 0.5 * LAMBDA * (fixed or accuracy)
        inner["u"], r, first = conjugate_gradients(x, inner["u"], enough * LAMBDA)
        misfit = inner["u"] - d
        inner["p"], s, second = conjugate_gradients(misfit, inner["p"], enough)
        bound = (s + r / LAMBDA) / LAMBDA
        history.append((first + second, bound))
        return 0.5 * (misfit @ misfit + RIDGE * x @ x), inner["p"] + RIDGE * x, bound

    options = {"lipschitz": LAMBDA**-2 + RIDGE, "convex": True, "maxiter": 2000, "atol": 0.0}
    result = minimize(f, np.zeros(SIDE**2), prox="l1:3e-4+box:-20,20", tol=TOLERANCE, options=options)
    steps, bounds = np.array(history).T
    return result, np.cumsum(steps), bounds


figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), width_ratios=[2, 1])
for fixed in (1e-4, 1e-6, 1e-8, 1e-12, None):
    result, steps, bounds = solve(fixed)
    name = "as afforded" if fixed is None else f"{fixed:.0e}"
    print(f"inner error {name}: {steps[-1]:.0f} steps, {result.message}")
    residuals = result.trace["residual"]
    left.loglog(steps[: len(residuals)], residuals, lw=2.5 if fixed is None else 1, label=f"{name}: {result.certificate.verdict}")
print(result.certificate)
left.set(xlabel="steps of conjugate gradients", ylabel="residual")
left.legend(frameon=False, title="inner error", fontsize=7)
right.imshow(result.x.reshape(SIDE, SIDE), cmap="RdBu", vmin=-20, vmax=20)
right.set_title("the source found")
right.axis("off")
save(figure, "early_stopped.svg")

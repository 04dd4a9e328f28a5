"""Robust regression with a nonconvex loss: the outliers stop pulling."""

import matplotlib.pyplot as plt
import numpy as np
from gallery import save

from proxsplit import minimize

rng = np.random.default_rng(1)
x = np.sort(rng.uniform(0, 1, 120))
truth = np.sin(5 * x)
y = truth + 0.1 * rng.normal(size=120)
y[rng.choice(120, 30, replace=False)] += rng.uniform(1, 3, 30)
basis = np.polynomial.legendre.legvander(2 * x - 1, 9)


def cauchy(w, scale=0.15):
    """Σ (s²/2)·log(1 + (r/s)²): quadratic near 0, hardly growing far out, nonconvex."""
    r = basis @ w - y
    return 0.5 * scale**2 * np.log1p((r / scale) ** 2).sum(), basis.T @ (r / (1 + (r / scale) ** 2))


def squares(w):
    r = basis @ w - y
    return 0.5 * r @ r, basis.T @ r


start = minimize(squares, np.zeros(10), prox="l1:0.1").x
robust = minimize(cauchy, start, prox="l1:0.1")
print(robust.message)
errors = [np.sqrt(np.mean((basis @ w - truth) ** 2)) for w in (start, robust.x)]
print(f"error of least squares {errors[0]:.3f}, of the robust fit {errors[1]:.3f}")

figure, axis = plt.subplots(figsize=(6, 3.2))
axis.plot(x, y, ".", color="0.6", ms=4, label="data, a quarter of them outliers")
axis.plot(x, truth, "k--", lw=1, label="truth")
axis.plot(x, basis @ start, label=f"least squares, error {errors[0]:.2f}")
axis.plot(x, basis @ robust.x, label=f"Cauchy loss, error {errors[1]:.2f}")
axis.legend(frameon=False)
save(figure, "robust_regression.svg")

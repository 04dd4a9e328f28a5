"""Blind deconvolution: spikes and the kernel that blurred them, found together; the problem is nonconvex."""

import matplotlib.pyplot as plt
import numpy as np
from gallery import save

from proxsplit import minimize
from proxsplit.prox import L1, L2Ball, NonNeg

rng = np.random.default_rng(3)
length, width = 200, 21
spikes = np.zeros(length)
spikes[rng.choice(length, 12, replace=False)] = rng.uniform(1, 3, 12)
kernel = np.exp(-0.5 * ((np.arange(width) - 8) / 2.0) ** 2) + 0.4 * np.exp(-0.5 * ((np.arange(width) - 15) / 1.5) ** 2)
kernel /= np.linalg.norm(kernel)
signal = np.convolve(spikes, kernel) + 0.003 * rng.normal(size=length + width - 1)


class SparseSpikesAndAKernel:
    """weight·‖s‖₁ over s ≥ 0; the kernel is nonnegative and in the unit ball, which favours wide kernels over a spike."""

    convex = True

    def __init__(self, weight):
        self.spikes, self.kernel = L1(weight) + NonNeg(), L2Ball(1) + NonNeg()

    def value(self, x):
        return self.spikes(x[:length]) + self.kernel(x[length:])

    def prox(self, x, step):
        return np.concatenate([self.spikes.prox(x[:length], step), self.kernel.prox(x[length:], step)])


def fit(x):
    """½‖s ∗ k − signal‖², and its gradient in both."""
    s, k = x[:length], x[length:]
    r = np.convolve(s, k) - signal
    gradient = np.concatenate([np.correlate(r, k, "valid"), np.correlate(r, s, "valid")])
    return 0.5 * r @ r, gradient


guess = np.exp(-0.5 * ((np.arange(width) - 10) / 3.0) ** 2)
x = np.concatenate([np.full(length, signal.mean()), guess / np.linalg.norm(guess)])
for weight in (0.3, 0.1, 0.03, 0.01):  # from simple to faithful
    result = minimize(fit, x, prox=SparseSpikesAndAKernel(weight), tol=1e-3, options={"maxiter": 4000})
    x = result.x
print(result.message)
# The signal does not tell a shift of the spikes from a shift of the kernel back: undo it before comparing.
shift = max(range(-8, 9), key=lambda s: np.roll(x[length:], s) @ kernel)
x = np.concatenate([np.roll(x[:length], -shift), np.roll(x[length:], shift)])
print(f"distance to the kernel {np.linalg.norm(x[length:] - kernel):.3f} (its norm is 1)")

figure, axes = plt.subplots(1, 3, figsize=(9, 2.5), width_ratios=[2, 2, 1])
axes[0].plot(signal, color="0.4")
axes[0].set_title("what is seen")
axes[1].stem(np.flatnonzero(spikes), spikes[spikes > 0], linefmt="k:", markerfmt="ko", basefmt=" ", label="truth")
axes[1].plot(x[:length], "C1", lw=1, label="found")
axes[1].set_title("spikes")
axes[1].legend(frameon=False)
axes[2].plot(kernel, "k--", label="truth")
axes[2].plot(x[length:], "C1", label="found")
axes[2].set_title("kernel")
axes[2].legend(frameon=False)
figure.tight_layout()
save(figure, "blind_deconvolution.svg")

"""A small neural network that chooses its inputs: a group norm on the weights that leave each input."""

import matplotlib.pyplot as plt
import numpy as np
from gallery import save

from proxsplit import minimize
from proxsplit.prox import GroupL2

rng = np.random.default_rng(0)
samples, inputs, hidden = 400, 20, 12
X = rng.normal(size=(samples, inputs))
y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]  # the other 17 inputs say nothing


class GroupsAndRidge:
    """weight·Σ_i ‖W[i]‖₂ on the first layer, and ½‖·‖² on the rest, which could otherwise make up for small weights."""

    convex = True

    def __init__(self, weight):
        self.groups = GroupL2(weight, hidden)

    def value(self, x):
        return self.groups(x[: hidden * inputs]) + 0.5 * (x[hidden * inputs :] ** 2).sum()

    def prox(self, x, step):
        return np.concatenate([self.groups.prox(x[: hidden * inputs], step), x[hidden * inputs :] / (1 + step)])


def network(x):
    """½ Σ (output − y)² over the samples, and its gradient."""
    W, b, v = x[: hidden * inputs].reshape(inputs, hidden), x[hidden * inputs : -hidden], x[-hidden:]
    layer = np.tanh(X @ W + b)
    r = layer @ v - y
    back = np.outer(r, v) * (1 - layer**2)
    return 0.5 * r @ r, np.concatenate([(X.T @ back).ravel(), back.sum(axis=0), layer.T @ r])


x0 = 0.3 * rng.normal(size=hidden * (inputs + 2))
result = minimize(network, x0, prox=GroupsAndRidge(20.0), tol=1e-3, options={"maxiter": 5000})
print(result.message)
norms = np.linalg.norm(result.x[: hidden * inputs].reshape(inputs, hidden), axis=1)
print("inputs with weights above 0.01:", np.flatnonzero(norms > 0.01))

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8))
left.semilogy(result.trace["passes"], result.trace["objective"])
left.set(xlabel="passes", ylabel="objective")
right.bar(range(inputs), norms, color=["C0" if i < 3 else "C1" for i in range(inputs)])
right.set(xlabel="input (the first three matter)", ylabel="norm of its weights")
figure.tight_layout()
save(figure, "group_network.svg")

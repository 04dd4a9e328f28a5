"""The path of sparse logistic regression, each solution started from the one before."""

import matplotlib.pyplot as plt
import numpy as np
from gallery import save
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from proxsplit import minimize
from proxsplit.prox import L1

data = load_breast_cancer()
X, y = StandardScaler().fit_transform(data.data), 2.0 * data.target - 1


def logistic(w):
    margin = y * (X @ w)
    slope = -y / (1 + np.exp(np.minimum(margin, 500)))
    return np.logaddexp(0, -margin).mean(), X.T @ slope / len(y)


largest = np.abs(logistic(np.zeros(X.shape[1]))[1]).max()
weights = largest * np.logspace(0, -2.5, 15)
path, w = [], np.zeros(X.shape[1])
for weight in weights:
    result = minimize(logistic, w, prox=L1(weight), tol=0, options={"atol": 1e-4, "convex": True})
    assert result.success, result.message
    w = result.x
    path.append(w)
path = np.array(path)

print(f"{(path != 0).sum(axis=1)[[0, 7, 14]]} features at the start, the middle and the end of the path")
figure, axis = plt.subplots(figsize=(6, 3.2))
axis.semilogx(weights, path, lw=1)
axis.invert_xaxis()
axis.set(xlabel="weight of the l1 penalty", ylabel="coefficients", title="breast cancer data, 30 features")
save(figure, "logistic_path.svg")

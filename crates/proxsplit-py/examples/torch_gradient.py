"""A gradient from torch: any function that torch can differentiate, with any operator of the catalogue."""

import numpy as np

from proxsplit import minimize

try:
    import torch
except ImportError:
    raise SystemExit("torch is not installed: nothing to show") from None

A = torch.randn(50, 20, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
b = A[:, :3].sum(dim=1)


def f(x):
    x = torch.from_numpy(x).requires_grad_()
    value = torch.nn.functional.smooth_l1_loss(A @ x, b)
    value.backward()
    return value.item(), x.grad


result = minimize(f, np.zeros(20), prox="l1:0.01+box:0,1")
print(result.message)
print("nonzeros:", np.flatnonzero(result.x))

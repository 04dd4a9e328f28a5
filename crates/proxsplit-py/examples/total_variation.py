"""Total-variation denoising: the prox of `tv2d` is the whole algorithm."""

import matplotlib.pyplot as plt
import numpy as np
from gallery import save, show_images

from proxsplit.prox import TV2D

rng = np.random.default_rng(0)
row, column = np.mgrid[:96, :96]
clean = np.where((row - 40) ** 2 + (column - 36) ** 2 < 24**2, 0.9, 0.2)
clean[55:85, 50:88] = 0.6
clean[60:72, 60:80] = 1.0
noisy = clean + 0.2 * rng.normal(size=clean.shape)

# minimize  ½‖z − noisy‖² + 0.25·TV(z)
denoised = TV2D(0.25, clean.shape).prox(noisy)

errors = [np.sqrt(np.mean((image - clean) ** 2)) for image in (noisy, denoised)]
print(f"error of the noisy image {errors[0]:.3f}, of the denoised one {errors[1]:.3f}")
figure, axes = plt.subplots(1, 3, figsize=(7, 2.6))
titles = ["clean", f"noisy, error {errors[0]:.3f}", f"tv2d:0.25, error {errors[1]:.3f}"]
show_images(axes, [clean, noisy, denoised], titles, vmin=0, vmax=1.1)
save(figure, "total_variation.png")

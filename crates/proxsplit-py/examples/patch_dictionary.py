"""A dictionary of image patches, and denoising with it."""

import matplotlib.pyplot as plt
import numpy as np
from gallery import save, show_images
from sklearn.datasets import load_sample_image
from sklearn.feature_extraction.image import extract_patches_2d, reconstruct_from_patches_2d

from proxsplit import DictionaryLearning

rng = np.random.default_rng(0)
clean = load_sample_image("flower.jpg").mean(axis=2)[100:228, 240:368] / 255
noisy = clean + 0.1 * rng.normal(size=clean.shape)

patches = extract_patches_2d(noisy, (8, 8)).reshape(-1, 64)
means = patches.mean(axis=1, keepdims=True)
train = (patches - means)[rng.choice(len(patches), 4000, replace=False)]
model = DictionaryLearning(n_components=64, alpha=0.2, max_iter=60, tol=0, random_state=0).fit(train)
print(model.certificate_.words)

codes = model.transform(patches - means)
denoised = reconstruct_from_patches_2d((codes @ model.components_ + means).reshape(-1, 8, 8), clean.shape)
errors = [np.sqrt(np.mean((image - clean) ** 2)) for image in (noisy, denoised)]
print(f"error of the noisy image {errors[0]:.3f}, of the denoised one {errors[1]:.3f}; {np.mean(codes != 0):.1%} of the codes in use")

used = np.argsort(-np.abs(codes).sum(axis=0))
atoms = np.pad(model.components_[used].reshape(8, 8, 8, 8), ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=np.nan)
figure, axes = plt.subplots(1, 4, figsize=(10, 2.8))
titles = ["clean", f"noisy, error {errors[0]:.3f}", f"denoised, error {errors[1]:.3f}"]
show_images(axes[:3], [clean, noisy, denoised], titles, vmin=0, vmax=1)
show_images(axes[3:], [atoms.swapaxes(1, 2).reshape(72, 72)], ["the atoms"])
save(figure, "patch_dictionary.png")

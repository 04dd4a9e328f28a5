"""Parts of the swimmer: 256 pictures of a body with four limbs, each in four positions. The parts come out one by one."""

import matplotlib.pyplot as plt
import numpy as np
from gallery import save

from proxsplit import NMF

SIZE = 20
JOINTS = [(7, 8, -1), (7, 11, 1), (13, 8, -1), (13, 11, 1)]  # row, column and side of each limb


def limb(row, column, side, position):
    """A limb of four pixels in one of four positions."""
    image = np.zeros((SIZE, SIZE))
    down, out = [(-1, 1), (0, 1), (1, 1), (1, 0)][position]
    for i in range(1, 5):
        image[row + down * i, column + side * out * i] = 1
    return image


body = np.zeros((SIZE, SIZE))
body[6:15, 9:11] = 1
limbs = [[limb(*joint, position) for position in range(4)] for joint in JOINTS]
pictures = [
    body + sum(limbs[j][p] for j, p in enumerate(positions)) for positions in np.ndindex(4, 4, 4, 4)
]
X = np.array(pictures).reshape(256, -1)

model = NMF(n_components=17, init="random", random_state=0, tol=1e-8, max_iter=1000)
model.fit(X)
print(model.certificate_.words)

figure, axes = plt.subplots(2, 9, figsize=(9, 2.3))
for axis in axes.flat:
    axis.axis("off")
axes[0, 0].imshow(pictures[27], cmap="gray_r")
axes[0, 0].set_title("a picture")
for axis, atom in zip(list(axes.flat)[1:], model.components_, strict=True):
    axis.imshow(atom.reshape(SIZE, SIZE), cmap="gray_r")
save(figure, "swimmer.png")

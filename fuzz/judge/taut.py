"""The prox of one-dimensional total variation, in rational numbers: the slopes of the shortest string through a tube."""

from fractions import Fraction

import numpy as np


def prox(y, bound):
    """argmin ½‖x − y‖² + bound·Σ|x_{i+1} − x_i|, rounded once at the end.

    The running sums of x are the shortest path, from the first to the last running sum of y, that is nowhere farther than `bound` from those
    of y. From every knot it is straight as far as one slope fits between both walls, and bends where the wall that has stopped it is touched.
    """
    if len(y) < 2 or bound == 0:
        return y
    sums = [Fraction(0)]
    for value in y:
        sums.append(sums[-1] + Fraction(float(value)))
    last, width = len(y), Fraction(float(bound))
    wall = [[s + side * (width if 0 < at < last else 0) for at, s in enumerate(sums)] for side in (-1, 1)]
    x, here, height = [], 0, sums[0]
    while here < last:
        there, height_there = _next_knot(wall, here, height, last)
        x += [float((height_there - height) / (there - here))] * (there - here)
        here, height = there, height_there
    return np.array(x)


def _next_knot(wall, here, height, last):
    """Where the string that leaves a knot bends next, or its end."""
    (steepest_down, steepest_up), touched = (None, None), [here, here]
    for at in range(here + 1, last + 1):
        least, most = ((side[at] - height) / (at - here) for side in wall)
        if steepest_down is not None and most < steepest_down:
            return touched[0], wall[0][touched[0]]
        if steepest_up is not None and least > steepest_up:
            return touched[1], wall[1][touched[1]]
        if steepest_down is None or least >= steepest_down:
            steepest_down, touched[0] = least, at
        if steepest_up is None or most <= steepest_up:
            steepest_up, touched[1] = most, at
    return last, wall[0][last]

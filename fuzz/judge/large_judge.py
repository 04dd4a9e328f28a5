"""Random factorizations of data that are large enough for passes in single precision."""

from . import factor_judge


def case(rng, program):
    return factor_judge.case(rng, program, large=True)

"""Whole-program comparisons of proxsplit with the programs that people use today."""

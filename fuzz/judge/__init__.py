"""An independent judge: random problems, the program's statements, and the same numbers recomputed from its files."""

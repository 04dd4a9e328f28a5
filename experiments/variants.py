"""The methods of proxsplit as programs that the race can run."""

from bench.peers import Program


def ours(name: str, method: str, **setting) -> Program:
    """A method with its options; underscores stand for dashes."""
    options = {option.replace("_", "-"): value for option, value in setting.items()}
    return Program(name, "proxsplit_cli", {"method": method, **options}, penalties=True)


# The four variants of the paper's Table 1. Plain NMF has X ≥ 0; the box makes X compact, and A takes up the scale.
FOUR = [
    ours("O = prox, X ≥ 0", "incremental", inner="prox"),
    ours("O = identity, X ≥ 0", "incremental", inner="identity"),
    ours("O = prox, 0 ≤ X ≤ 1", "incremental", inner="prox", x_set="box:0,1"),
    ours("O = identity, 0 ≤ X ≤ 1", "incremental", inner="identity", x_set="box:0,1"),
]

OTHERS = [ours("batch", "batch"), ours("aggregated", "aggregated")]

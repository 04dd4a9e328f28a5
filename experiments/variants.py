"""The methods of proxsplit as programs that the race can run, every point of their curves a saved X."""

from bench.peers import Program


def ours(name: str, method: str, **setting) -> Program:
    """A method with its options; underscores stand for dashes."""
    options = {option.replace("_", "-"): value for option, value in setting.items()}
    return Program(name, "proxsplit_saved", {"method": method, **options}, penalties=True)


INCREMENTAL = ours("incremental", "incremental", inner="prox")
PAPER = ours("incremental, scalar step", "incremental", inner="prox", metric="scalar")
BATCH = ours("batch", "batch")
AGGREGATED = ours("aggregated", "aggregated")


def four(upper: float) -> list[Program]:
    """The four variants of the paper's Table 1 in the paper's own form, a scalar step; the box is 0 ≤ X ≤ `upper`."""
    box = {"x_set": f"box:0,{upper:g}"}
    scalar = {"metric": "scalar"}
    return [
        ours("O = prox, X ≥ 0", "incremental", inner="prox", **scalar),
        ours("O = identity, X ≥ 0", "incremental", inner="identity", **scalar),
        ours("O = prox, 0 ≤ X ≤ u", "incremental", inner="prox", **scalar, **box),
        ours("O = identity, 0 ≤ X ≤ u", "incremental", inner="identity", **scalar, **box),
    ]

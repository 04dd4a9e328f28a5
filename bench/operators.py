"""Times proxsplit's operators against other libraries, on one thread and in one run, and compares the results.

    bench/venv --peers python -m bench.operators [--write]

Every operator and its peers process the same million numbers. Times are the best of several runs; a ratio above 1 means that
proxsplit is faster. `--write` puts the table into docs/src/operator-speed.md. To add a comparison, add a line to
`bench/operator_peers.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from . import machine
from .case import ROOT
from .operator_peers import N, ROWS, Row, vectors

PAGE = ROOT / "docs" / "src" / "operator-speed.md"
MARK = "<!-- table -->\n"


def ours(rows: list[Row], data: dict[str, np.ndarray]) -> dict[Row, tuple[float, np.ndarray]]:
    """The time in ns per element and the result of every row, from `examples/operator_speed.rs`."""
    words = ["cargo", "build", "--release", "--quiet", "--package", "proxsplit", "--example", "operator_speed"]
    subprocess.run(words, cwd=ROOT, check=True)
    program = ROOT / "target" / "release" / "examples" / "operator_speed"
    found = {}
    for name, scalar in dict.fromkeys((row.data, row.scalar) for row in rows):
        group = [row for row in rows if (row.data, row.scalar) == (name, scalar)]
        kind = np.dtype(f"<{scalar[0]}{int(scalar[1:]) // 8}")
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "input"
            data[name].astype(kind).tofile(source)
            words = [program, scalar, source, folder, *(row.form for row in group)]
            done = subprocess.run(words, check=True, capture_output=True, text=True)
            for k, (row, line) in enumerate(zip(group, done.stdout.splitlines())):
                result = np.fromfile(Path(folder) / str(k), dtype=kind)
                found[row] = (json.loads(line)["ns_per_element"], result)
    return found


def theirs(row: Row, y: np.ndarray) -> tuple[float, np.ndarray]:
    """The same for a peer; the first call, which may compile, does not count."""
    work = row.peer(y.astype(np.float32 if row.scalar == "f32" else np.float64))
    result, best = work(), float("inf")
    for _ in range(7):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best / N * 1e9, np.asarray(result).ravel()


def line(row: Row, mine: tuple[float, np.ndarray], y: np.ndarray) -> list[str]:
    """The cells of a row."""
    cells = [f"`{row.form}`", row.scalar, row.data, f"{mine[0]:.2f}"]
    if row.peer is None:
        return [*cells, "", "", "", ""]
    try:
        nanoseconds, result = theirs(row, y)
    except ImportError as missing:
        print(f"missing peer: {missing.name}", file=sys.stderr)
        return [*cells, f"{row.library} (missing)", "", "", ""]
    apart = np.abs(result - mine[1]).max()
    return [*cells, row.library, f"{nanoseconds:.2f}", f"{nanoseconds / mine[0]:.1f}", f"{apart:.0e}"]


def table(lines: list[list[str]]) -> str:
    head = ["operator", "scalar", "data", "proxsplit", "peer", "peer's time", "ratio", "largest difference"]
    rule = ["---", "---", "---", "---:", "---", "---:", "---:", "---:"]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in [head, rule, *lines])


def main() -> None:
    data = vectors()
    when = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    mine = ours(ROWS, data)
    lines = [line(row, mine[row], data[row.data]) for row in ROWS]
    packages = ", ".join(f"{name} {machine.version(name)}" for name in dict.fromkeys(row.package for row in ROWS if row.package))
    told = (
        f"{when}, {machine.processor()}, one thread, proxsplit at {machine.commit()}, {packages}; "
        f"load {os.getloadavg()[0]:.1f} at the end.\n\n"
    )
    text = told + table(lines)
    print(text)
    if "--write" in sys.argv:
        before, _, after = PAGE.read_text().split(MARK)
        PAGE.write_text(before + MARK + text + MARK + after)


if __name__ == "__main__":
    main()

"""A whole pass beside the two bare products XᵀY and YAᵀ by OpenBLAS: `bench/run passes [--quick] [--docs]`.

For every instruction set that the processor has, a process of its own times the products and runs proxsplit, in turns, and prints the
least of both and their ratio. The time of a pass is the mean between the first pass and the last one but one in the trace: sweeps, extrapolation and
the objective are in it, the start and the look at the end are not. That of the products is a mean over calls. OpenBLAS has the data in the
precision and in the order of the run; sparse products are scipy's, which has one thread. The last column is a pass of `incremental` beside one of `batch`.

With `--docs` the rows are kept in `docs/src/bench/passes.json`, for one processor beside the others, and `docs/src/pass-speed.md` is
written from them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Iterator

import numpy as np
import scipy.sparse

from .case import CACHE, FULL, ROOT, Case
from .kernels import LEVELS, RANKS, available
from .machine import describe
from .peers.proxsplit_cli import BINARY

TURNS = 3
# The ratio of two methods is near its goal: it is worth more turns.
MORE_TURNS = 6


def cases(quick: bool) -> list[tuple[Case, str, str]]:
    """Data, order of dense data, and precision of the factors."""
    rand = next(case for case in FULL if case.name == "rand")
    rows = [case for case in FULL if not (case.x_l1 or case.a_l1)]
    kinds = [(order, dtype) for dtype in ("f64", "f32") for order in ("row", "column")]
    ranks = (8, 32) if quick else RANKS
    found = [(replace(rand, rank=rank), order, dtype) for order, dtype in kinds for rank in ranks]
    return found + [(case, "row", dtype) for case in rows if case.name != "rand" and not case.missing for dtype in ("f64", "f32")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two ranks of the generated matrix")
    parser.add_argument("--seconds", type=float, default=1.5, help="of every run")
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=available())
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="a part of a line's name")
    parser.add_argument("--docs", action="store_true", help="keep the rows and write the page")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        for case in cases(options.quick):
            if options.only in title(*case):
                print(json.dumps(measure(*case, options)), flush=True)
        return
    now = describe()
    found: dict[str, dict[str, list]] = {}
    print("set     " + " " * 52 + "ms: a pass   products   ratio   incremental / batch")
    for level in options.levels:
        for name, own, bare, incremental in rows(level, options.threads):
            more = f"{incremental / own:12.2f}" if incremental else ""
            print(f"{level:7} {name:52} {own:9.2f} {bare:10.2f} {own / bare:7.2f}{more}", flush=True)
            found.setdefault(name, {})[level] = [own, bare, incremental]
    for name, cells in gains(found):
        for level, (own, bare) in cells.items():
            print(f"{level:7} {name}: f32 is {own:.2f} times as fast as f64; the products of scipy are {bare:.2f} times as fast")
    if options.docs:
        now["seconds"] = options.seconds
        keep(f"{now['processor']}, {now['cores']} cores", now, found)


def rows(level: str, threads: int) -> Iterator[list]:
    """What a process with this instruction set prints."""
    env = os.environ | {"PROXSPLIT_SIMD": level, "OPENBLAS_CORETYPE": LEVELS[level], "OPENBLAS_NUM_THREADS": str(threads)}
    words = [sys.executable, "-m", "bench.passes", "--worker", *sys.argv[1:]]
    with subprocess.Popen(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as worker:
        yield from map(json.loads, worker.stdout)
    if worker.returncode:
        raise SystemExit(worker.returncode)


def keep(machine: str, now: dict, found: dict[str, dict[str, list]]) -> None:
    """Adds the rows to those of other processors and writes the page."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    part = kept.setdefault(machine, {"measured": {}, "rows": {}})
    sentence = f"{now['date']}, runs of {now['seconds']:g} s, load {now['load']} before, proxsplit at {now['proxsplit']}"
    part["measured"] |= dict.fromkeys(found, sentence)
    part["rows"] |= found
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    (ROOT / "docs" / "src" / "pass-speed.md").write_text(PAGE + "".join(section(name, part) for name, part in kept.items()))


def section(machine: str, part: dict) -> str:
    """The table of a processor, one column a level."""
    levels = [level for level in LEVELS if any(level in row for row in part["rows"].values())]
    text = f"\n## {machine}\n\n{measured(part['measured'])}\n| data | " + " | ".join(
        f"{level}: pass ms | products ms | ratio | incremental / batch" for level in levels
    )
    text += " |\n|---|" + "---|" * (4 * len(levels)) + "\n"
    for name, row in part["rows"].items():
        cells = [cell for level in levels for cell in numbers(row.get(level))]
        text += f"| {name} | " + " | ".join(cells) + " |\n"
    return text + gains_table(part["rows"], levels)


def gains(rows: dict[str, dict[str, list]]) -> Iterator[tuple[str, dict[str, tuple[float, float]]]]:
    """Of sparse data, how many times as fast f32 is as f64: a pass, and the products of scipy."""
    sparse = {case.title for case in FULL if case.sparse}
    for name, wide in rows.items():
        base = name.removesuffix(" f64")
        narrow = rows.get(f"{base} f32")
        if base == name or narrow is None or base.split(" by ")[0] not in sparse:
            continue
        both = [level for level in wide if level in narrow]
        yield base, {level: (wide[level][0] / narrow[level][0], wide[level][1] / narrow[level][1]) for level in both}


def gains_table(rows: dict[str, dict[str, list]], levels: list[str]) -> str:
    found = list(gains(rows))
    if not found:
        return ""
    text = "\nHow many times as fast single precision is on sparse data:\n\n"
    text += "| data | " + " | ".join(f"{level}: a pass | scipy's products" for level in levels) + " |\n|---|" + "---|" * (2 * len(levels)) + "\n"
    for name, cells in found:
        pairs = [cells.get(level) for level in levels]
        text += f"| {name} | " + " | ".join(f"{pair[0]:.2f} | {pair[1]:.2f}" if pair else "– | –" for pair in pairs) + " |\n"
    return text


def measured(rows: dict[str, str]) -> str:
    """When the rows were measured: one sentence, or one for all that were measured together."""
    together: dict[str, list[str]] = {}
    for name, sentence in rows.items():
        together.setdefault(sentence, []).append(name)
    if len(together) == 1:
        return f"Measured {next(iter(together))}.\n"
    kinds = {sentence: sorted({name.split()[0] for name in names}) for sentence, names in together.items()}
    return "Measured:\n" + "".join(f"- {', '.join(names)}: {sentence}\n" for sentence, names in kinds.items())


def numbers(found: list | None) -> list[str]:
    if found is None:
        return ["–"] * 4
    own, bare, incremental = found
    return [f"{own:.1f}", f"{bare:.1f}", f"{own / bare:.2f}", f"{incremental / own:.2f}" if incremental else ""]


def title(case: Case, order: str, dtype: str) -> str:
    return f"{case.title} by {order}s, rank {case.rank} {dtype}"


def ordered(case: Case, order: str) -> Path:
    """The file of a generated matrix in this order."""
    if order == "row" or case.file:
        return case.path
    path = CACHE / f"{case.path.stem}_columns.npy"
    if not path.exists():
        np.save(path, np.asfortranarray(np.load(case.path)))
    return path


def measure(case: Case, order: str, dtype: str, options: argparse.Namespace) -> list:
    """Takes turns; the name, the least milliseconds of a pass, of the products, and of an incremental pass where it is compared."""
    y = case.stored.astype({"f64": np.float64, "f32": np.float32}[dtype])
    if order == "column" and not scipy.sparse.issparse(y):
        y = np.asfortranarray(y)
    random = np.random.default_rng(0)
    x, codes = (random.random((size, case.rank)).astype(y.dtype) for size in y.shape)
    words = [BINARY, "factorize", ordered(case, order), "--rank", case.rank, "--tol", 0, "--time", options.seconds, "--passes", 10**9, "--scale", case.scale]
    words += ["--threads", options.threads, "--dtype", dtype, "--force", "--quiet"]
    is_compared = order == "row" and dtype == "f64" and not case.sparse and any(case == full for full in FULL)
    passes: dict[str, list[float]] = {"batch": [], "incremental": []}
    products = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(MORE_TURNS if is_compared else TURNS):
            for method in ("batch", "incremental") if is_compared else ("batch",):
                subprocess.run([str(word) for word in [*words, "--method", method, "--out", f"{folder}/out"]], check=True)
                passes[method].append(pass_time(Path(folder, "out")))
            # BLAS makes K×T as (YᵀX)ᵀ: what it has in memory is the same.
            products.append(mean_time(lambda: (y.T @ x, y @ codes), options.seconds / 3))
    incremental = min(passes["incremental"]) if is_compared else None
    return [title(case, order, dtype), min(passes["batch"]), min(products), incremental]


def mean_time(action, seconds: float) -> float:
    """The mean milliseconds of an action that is repeated for so long, at least three times; a first call does not count."""
    action()
    begin, count = time.perf_counter(), 0
    while count < 3 or time.perf_counter() < begin + seconds:
        action()
        count += 1
    return 1e3 * (time.perf_counter() - begin) / count


def pass_time(result: Path) -> float:
    """Milliseconds of a pass: the mean over the rows of the trace without the start and without the look at the end."""
    trace = [json.loads(line) for line in (result / "trace.jsonl").read_text().splitlines()]
    inside = [row for row in trace[:-1] if row["pass"] >= 1]
    if len(inside) < 2:
        record = json.loads((result / "run.json").read_text())
        return 1e3 * record["seconds"] / record["passes"]
    first, last = inside[0], inside[-1]
    return 1e3 * (last["seconds"] - first["seconds"]) / (last["pass"] - first["pass"])


KEPT = ROOT / "docs" / "src" / "bench" / "passes.json"

PAGE = """# A pass beside its products

Command: `bench/run passes --docs`. Most of a pass of the factorization is two products, XᵀY and YAᵀ. The tables compare the time
of a whole pass of `batch`, with its code sweeps, extrapolation and objective, with the time OpenBLAS takes for these two products alone (sparse
data: scipy, which uses one thread). Precision, data, storage order and number of threads (two) are the same, and both programs are restricted to the
same instruction set (`PROXSPLIT_SIMD` and `OPENBLAS_CORETYPE`). Times are means over a run, the best of three runs, or of six where `incremental` is compared.
A ratio below 1 means that the whole pass is faster than the products of the other library.

"incremental / batch" is the time of a pass of `incremental` divided by that of a pass of `batch`.

Single precision halves the bytes of the factors, but gains less than that on sparse data: most entries cost one cache line of a
factor, and a row of rank 4 fits in one line in either precision. The smaller tables compare the gain of a whole pass with that of the
bare products of scipy.
"""


if __name__ == "__main__":
    main()

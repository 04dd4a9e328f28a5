"""Factorization on many machines with MPI: ``mpiexec -n 4 python -m proxsplit.mpi factorize DATA --rank K``.

``pip install proxsplit[mpi]`` installs mpi4py and an MPI library. Every rank maps its own samples of the file and keeps their codes. The samples are
divided into shards; neither their number nor the bits of the result depend on the number of ranks.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

try:
    from mpi4py import MPI
except ImportError as error:  # pragma: no cover - told to whoever has no MPI
    raise ImportError("proxsplit.mpi needs mpi4py and an MPI library: pip install proxsplit[mpi]") from error

from . import _proxsplit
from ._progress import Progress
from ._shards import shard
from ._slices import File
from ._terms import joined

# Shards of a run, if nothing else is said: enough for that many ranks.
SHARDS = 16
FILES = ("run.json", "X.npy", "A.npy", "trace.jsonl")
CHECKPOINT = "checkpoint"
# Seconds between two looks at whether rank 0 has something to say.
NAP = 1e-4


def parser() -> argparse.ArgumentParser:
    """The options, by the names of the command proxsplit."""
    top = argparse.ArgumentParser(prog="python -m proxsplit.mpi", description="Factorize data on many machines with MPI.", allow_abbrev=False)
    commands = top.add_subparsers(dest="command", required=True)
    own = commands.add_parser("factorize", help="factorize a matrix, Y ≈ XA", allow_abbrev=False)
    own.add_argument("data", help="a dense .npy file, or a sparse .npz file written by scipy.sparse.save_npz")
    own.add_argument("-k", "--rank", type=_count, required=True, metavar="K", help="the number of atoms, the columns of X")
    problem = own.add_argument_group("Problem")
    problem.add_argument("--x-penalty", metavar="OPERATOR", help="the penalty of X, for example l1:1e-5")
    problem.add_argument("--a-penalty", metavar="OPERATOR", help="the penalty of A, for example l1:10")
    problem.add_argument("--x-set", metavar="OPERATOR", default="nonneg", help="the set of X; zero for none")
    problem.add_argument("--a-set", metavar="OPERATOR", default="nonneg", help="the set of A; zero for none")
    problem.add_argument("--samples", choices=("columns", "rows"), default="columns", help="whether samples are the columns or the rows of the file")
    problem.add_argument("--dtype", choices=("f32", "f64"), default="f64", help="the number type of the factors")
    method = own.add_argument_group("Method")
    method.add_argument("--method", choices=("auto", "batch", "aggregated", "incremental"), default="auto")
    method.add_argument("--batch", type=_count, metavar="COLUMNS", help="samples per mini-batch, for aggregated and incremental")
    method.add_argument("--init", choices=_proxsplit.choices()["init"], default="auto")
    method.add_argument("--seed", type=int, default=0)
    method.add_argument("--shards", type=_count, default=SHARDS, help="number of parts of the data; at least the number of MPI ranks")
    method.add_argument("--threads", type=_count, default=1, help="threads per MPI rank")
    limits = own.add_argument_group("Limits")
    limits.add_argument("--passes", type=float, default=1000.0)
    limits.add_argument("--time", type=float, metavar="SECONDS")
    limits.add_argument("--tol", type=float, default=1e-6, help="stop when the relative residual is at most this")
    output = own.add_argument_group("Output")
    output.add_argument("--out", metavar="FOLDER")
    output.add_argument("--force", action="store_true", help="replace an earlier result")
    output.add_argument("--resume", action="store_true", help="continue from the checkpoint in the folder")
    output.add_argument("--checkpoint-every", type=float, default=60.0, metavar="SECONDS")
    output.add_argument("--quiet", action="store_true")
    output.add_argument("--json", action="store_true", help="print run.json")
    return top


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


class Ranks:
    """The shards of all ranks. Rank 0 asks; the others serve until they are told to end."""

    def __init__(self, comm: Any, args: argparse.Namespace, file: File) -> None:
        self._comm, self._file = comm, file
        count = min(args.shards, file.samples)
        if count < comm.size:
            raise ValueError(f"{comm.size} MPI ranks need at least as many shards, but there are {count}: use --shards {comm.size} or more")
        bounds = [file.samples * s // count for s in range(count + 1)]
        self._ranges = list(zip(bounds[:-1], bounds[1:], strict=True))
        self._owner = [s * comm.size // count for s in range(count)]
        codes = joined(None, args.a_penalty, args.a_set, ("", "--a-penalty", "--a-set"))
        atoms = joined(None, args.x_penalty, args.x_set, ("", "--x-penalty", "--x-set"))
        self.terms = codes, atoms
        self._shards = {
            s: shard(
                file.read(start, stop), s, f"samples {start} to {stop - 1} of {file.path}", expected=file.dtype, signed=True,
                rank=args.rank, codes=codes, atoms=atoms, single=args.dtype == "f32", threads=args.threads,
            )
            for s, (start, stop) in enumerate(self._ranges) if self._owner[s] == comm.rank
        }  # fmt: skip

    def ask(self, header: str, x: Any, needs_all: bool) -> list[Any]:
        """The answers of all shards, in their order."""
        return self._all("ask", header, x)

    def _all(self, task: str, *arguments: Any) -> list[Any]:
        """What every shard makes of a task, on rank 0."""
        self._meet()
        self._comm.bcast((task, arguments))
        found: dict[int, Any] = {}
        for part in self._comm.gather(self._own(task, *arguments)):
            found.update(part)
        for result in found.values():
            if isinstance(result, Exception):
                raise result
        return [found[s] for s in range(len(self._ranges))]

    def serve(self) -> None:
        """Do what rank 0 says, on the others."""
        while True:
            self._meet()
            task, arguments = self._comm.bcast(None)
            if task == "end":
                return
            self._comm.gather(self._own(task, *arguments))

    def end(self) -> None:
        """Let the others go."""
        self._meet()
        self._comm.bcast(("end", ()))

    def _meet(self) -> None:
        """Wait until rank 0 has something to say, asleep: an MPI that waits in a broadcast keeps a core busy, which rank 0 can use meanwhile."""
        here = self._comm.Ibarrier()
        while not here.Test():
            time.sleep(NAP)

    def _own(self, task: str, *arguments: Any) -> dict[int, Any]:
        """A task for the shards of this rank; an error is an answer, or the other ranks would wait for ever."""
        try:
            return {s: getattr(self, f"_{task}_one")(s, *arguments) for s in self._shards}
        except Exception as error:
            return {s: error for s in self._shards}

    def _ask_one(self, s: int, header: str, x: Any) -> Any:
        return self._shards[s].answer(header, x)

    def _codes_one(self, s: int) -> Any:
        return self._shards[s].codes()

    def _save_one(self, s: int, folder: str) -> None:
        with open(Path(folder) / f"codes-{s}.npz", "wb") as file:
            np.savez(file, **self._shards[s].state())
            file.flush()
            os.fsync(file.fileno())

    def _load_one(self, s: int, folder: str) -> None:
        with np.load(Path(folder) / f"codes-{s}.npz", allow_pickle=False) as saved:
            self._shards[s].restore({name: saved[name] for name in saved.files})

    def save(self, folder: Path) -> None:
        """The codes of all shards, a file each."""
        self._all("save", str(folder))

    def load(self, folder: Path) -> None:
        """Codes that were saved."""
        self._all("load", str(folder))

    def codes(self) -> Any:
        """A, all samples."""
        return np.concatenate(self._all("codes"), axis=0)


class Keeper:
    """Checkpoints: a folder each, and a file that names the last whole one."""

    def __init__(self, folder: Path, every: float, ranks: Ranks, described: dict[str, Any]) -> None:
        self._folder, self._every, self._ranks, self._described = folder, every, ranks, described
        self._last, self._name = time.monotonic(), folder / f"{CHECKPOINT}.json"

    def moved(self, passes: float) -> bool:
        """Whether it is time to save."""
        return time.monotonic() - self._last >= self._every

    def save(self, header: str, arrays: dict[str, Any]) -> None:
        """Save everything aside, then give it its name."""
        here = json.loads(self._name.read_text())["folder"] if self._name.exists() else None
        folder = self._folder / (f"{CHECKPOINT}-1" if here != f"{CHECKPOINT}-1" else f"{CHECKPOINT}-2")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self._ranks.save(folder)
        np.savez(folder / "center.npz", header=np.array(header), **arrays)
        _write(self._name, json.dumps({"folder": folder.name, "run": self._described}))
        if here is not None:
            shutil.rmtree(self._folder / here, ignore_errors=True)
        self._last = time.monotonic()

    def load(self) -> tuple[str, dict[str, Any]] | None:
        """Put the shards where they were, and return the rest of the state; None if there is no checkpoint."""
        if not self._name.exists():
            return None
        saved = json.loads(self._name.read_text())
        for name, value in self._described.items():
            if saved["run"].get(name) != value:
                raise ValueError(f"cannot resume from {self._name} (use --force instead of --resume to start over): its {name} was {saved['run'].get(name)}, but now it is {value}")
        folder = self._folder / saved["folder"]
        self._ranks.load(folder)
        with np.load(folder / "center.npz", allow_pickle=False) as center:
            arrays = {name: center[name] for name in center.files}
        return str(arrays.pop("header")), arrays


def _cores(comm: Any, threads: int) -> int:
    """Threads for what rank 0 does alone: those of all ranks of its machine, which wait for it, as far as it may use their cores."""
    machine = comm.Split_type(MPI.COMM_TYPE_SHARED)
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = max(threads, min(threads * machine.size, allowed))
    machine.Free()
    return count


def _write(path: Path, text: str) -> None:
    aside = path.with_name(path.name + ".part")
    aside.write_text(text)
    os.replace(aside, path)


def _folder(args: argparse.Namespace) -> Path:
    folder = Path(args.out or f"{Path(args.data).stem}-rank{args.rank}")
    there = [name for name in (*FILES, f"{CHECKPOINT}.json") if (folder / name).exists()]
    resumes = args.resume and (folder / f"{CHECKPOINT}.json").exists()
    if there and not (args.force or resumes):
        raise ValueError(f"{folder / there[0]} already exists; --resume continues from a checkpoint, --force starts over, --out chooses another folder")
    folder.mkdir(parents=True, exist_ok=True)
    if not resumes:
        for name in ("1", "2"):
            shutil.rmtree(folder / f"{CHECKPOINT}-{name}", ignore_errors=True)
        (folder / f"{CHECKPOINT}.json").unlink(missing_ok=True)
    return folder


def _factorize(args: argparse.Namespace, ranks: Ranks, file: File, cores: int) -> int:
    """The run, on rank 0."""
    folder = _folder(args)
    codes, atoms = ranks.terms
    settings = {
        "rank": args.rank, "codes": codes, "atoms": atoms, "init": args.init, "tol": args.tol, "passes": args.passes, "time": args.time,
        "seed": args.seed, "method": args.method, "batch_size": args.batch, "threads": cores, "single": args.dtype == "f32",
    }  # fmt: skip
    described = {
        name.replace("_", "-"): getattr(args, name)
        for name in ("data", "rank", "x_penalty", "a_penalty", "x_set", "a_set", "samples", "dtype", "method", "batch", "init", "seed", "shards")
    }
    keeper = Keeper(folder, args.checkpoint_every, ranks, described)
    saved = keeper.load() if args.resume else None
    with Progress(0 if args.quiet else 1, args.passes, "factorize") as progress:
        answer = _proxsplit.factorize_shards(
            ranks.ask, settings, None, observe=None if args.quiet else progress.show, moved=keeper.moved, save=keeper.save, resume=saved
        )
    record = json.loads(answer["record"])
    trace = record.pop("trace")
    np.save(folder / "X.npy", np.asfortranarray(answer["H"].T))
    np.save(folder / "A.npy", np.asfortranarray(ranks.codes().T))
    _write(folder / "trace.jsonl", "".join(json.dumps(row) + "\n" for row in trace))
    record = {
        "format": 2, "command": ["python", "-m", "proxsplit.mpi", *sys.argv[1:]], **record,
        "data": {
            "source": args.data, "features": file.features, "samples": file.samples, "digest": "", "description": file.describe(), "scale": 1.0,
            "orientation": args.samples, "missing": 0,
        },
        "settings": {name: getattr(args, name) for name in vars(args) if name not in ("command", "data")} | {"picked": answer["method"]},
        "seed": args.seed, "sparsity": dict(zip(("x", "a"), answer["zeros"], strict=True)), "notes": [],
        "versions": {"proxsplit": version("proxsplit"), "system": platform.system().lower(), "processor": platform.machine()},
    }  # fmt: skip
    _write(folder / "run.json", json.dumps(record, indent=2))
    if args.json:
        print(json.dumps(record, indent=2))
    elif not args.quiet:
        print(record["certificate"]["words"])
        for name, text in record["certificate"]["details"]:
            print(f"  {name:<11} {text}")
        print(f"  passes      {record['passes']:g} in {record['seconds']:.3g} s on {MPI.COMM_WORLD.size} ranks\n  result      {folder}")
    if answer["interrupt"] is not None:
        raise answer["interrupt"]
    return 0 if record["converged"] else 1


def main(argv: list[str] | None = None) -> int:
    """The command line; 0 if the run converged, 1 if a limit has ended it, 2 after an error."""
    comm = MPI.COMM_WORLD
    try:
        args = parser().parse_args(argv)
    except SystemExit as end:
        return int(end.code or 0) if comm.rank == 0 else 0
    ranks, refusal, cores = None, None, _cores(comm, args.threads)
    try:
        file = File(args.data, args.samples)
        ranks = Ranks(comm, args, file)
    except (OSError, ValueError) as error:
        refusal = str(error)
    refusals = [words for words in comm.allgather(refusal) if words is not None]
    if refusals or ranks is None:
        if comm.rank == 0:
            print(f"error: {refusals[0]}", file=sys.stderr)
        return 2
    if comm.rank != 0:
        ranks.serve()
        return 0
    try:
        return _factorize(args, ranks, file, cores)
    except (OSError, ValueError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    finally:
        ranks.end()


if __name__ == "__main__":
    sys.exit(main())

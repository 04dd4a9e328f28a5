"""Runs the program as a user would and reads back what it wrote."""

import json
import os
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.sparse

ROOT = Path(__file__).resolve().parents[2]
DEFAULT = ROOT / "target" / "release" / "proxsplit"


@dataclass
class Outcome:
    """One run: what was asked, how it ended, what it stated."""

    command: list
    code: int
    out: str
    err: str
    folder: Path | None = None
    record: dict = field(default_factory=dict)
    trace: list = field(default_factory=list)

    @property
    def crashed(self):
        return self.code < 0 or self.code == 101 or "panicked" in self.err

    @property
    def refused(self):
        """Ended by an error that it told in a line."""
        return self.code in (1, 2) and "error" in self.err and not self.record

    @property
    def certificate(self):
        return self.record.get("certificate", {})

    @property
    def verdict(self):
        return verdict_kind(self.certificate)

    @property
    def message(self):
        lines = [line for line in self.err.splitlines() if line.startswith("error")]
        return lines[0] if lines else self.err[-200:]

    def shell(self):
        return " ".join(shlex.quote(str(part)) for part in self.command)

    def array(self, name):
        """X, A or x of the result's folder, dense and in double precision."""
        plain, packed = self.folder / f"{name}.npy", self.folder / f"{name}.npz"
        if plain.exists():
            return np.load(plain).astype(float)
        return scipy.sparse.load_npz(packed).toarray().astype(float)


def verdict_kind(certificate):
    """The kind of a verdict that is a word or {word: details}."""
    verdict = certificate.get("verdict")
    return next(iter(verdict)) if isinstance(verdict, dict) else verdict


class Program:
    """The binary under judgement, in a folder for scratch files."""

    def __init__(self, folder, path=None):
        self.folder, self.path = Path(folder), str(Path(path).resolve() if path else DEFAULT)
        self.count = 0

    def run(self, arguments, timeout=600, out=True):
        """Run with `--out` in a fresh folder; a run that hangs is an outcome too."""
        self.count += 1
        target = self.folder / f"run{self.count}"
        command = [self.path, *map(str, arguments)] + (["--out", str(target), "--force"] if out else [])
        environment = {**os.environ, "NO_COLOR": "1"}
        try:
            done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=timeout, env=environment, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return Outcome(command, -1, "", f"no end after {timeout} s", target)
        outcome = Outcome(command, done.returncode, done.stdout, done.stderr, target)
        records = [target / name for name in ("run.json", "rank.json") if (target / name).exists()]
        if out and records:
            outcome.record = json.loads(records[0].read_text())
            lines = (target / "trace.jsonl").read_text().splitlines() if (target / "trace.jsonl").exists() else []
            outcome.trace = [json.loads(line) for line in lines]
        return outcome

    def json(self, arguments):
        """(exit code, parsed standard output or None, the error line)"""
        outcome = self.run([*arguments, "--json"], out=False)
        try:
            return outcome.code, json.loads(outcome.out), outcome.message
        except json.JSONDecodeError:
            return outcome.code, None, outcome.message

    def generated(self, name):
        """The matrix of generated data, read through the codes of an identity: min ½‖Y − I·A‖² is Y itself."""
        first = self.run(["factorize", name, "-k", 1, "--passes", 0, "-q"]).record["data"]
        turned = first["features"] > first["samples"]  # a rank is at most the number of samples
        small, large = sorted((first["features"], first["samples"]))
        start = self.folder / "identity"
        start.mkdir(exist_ok=True)
        np.save(start / "X.npy", np.eye(small))
        np.save(start / "A.npy", np.zeros((small, large)))
        free = ["--x-set", "zero", "--a-set", "zero", "--samples", "rows" if turned else "columns"]
        model = self.run(["factorize", name, "-k", small, "--init", start, "--passes", 0, "-q", *free]).folder
        codes = self.folder / "generated.npy"
        self.run(["encode", name, "--model", model, "--out", codes, "--force"], out=False)
        y = np.load(codes).astype(float)
        return y.T if turned else y

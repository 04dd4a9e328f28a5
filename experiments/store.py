"""Raw results: one CSV a table, to which every run appends its rows, so that an interrupted command goes on where it stopped."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path

from bench import machine
from bench.case import ROOT


class Store:
    """The tables of a folder. Values are text, as they stand in the files: pages are made from nothing else."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.tables: dict[str, list[dict[str, str]]] = {}

    def path(self, table: str) -> Path:
        return self.folder / f"{table}.csv"

    def rows(self, table: str, **key) -> list[dict[str, str]]:
        """The rows of a table with these values; a last line that was cut off is dropped from the file."""
        if table not in self.tables:
            path = self.path(table)
            text = path.read_text() if path.exists() else ""
            whole = text[: text.rfind("\n") + 1]
            if whole != text:
                path.write_text(whole)
            self.tables[table] = list(csv.DictReader(io.StringIO(whole)))
        wanted = {name: shown(value) for name, value in key.items()}
        return [row for row in self.tables[table] if wanted.items() <= row.items()]

    def has(self, table: str, **key) -> bool:
        return bool(self.rows(table, **key))

    def add(self, table: str, rows: list[dict]) -> None:
        """Appends the rows of one run in one piece."""
        known = self.rows(table)
        rows = [{name: shown(value) for name, value in row.items()} for row in rows]
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        if not known:
            writer.writeheader()
        writer.writerows(rows)
        with self.path(table).open("a") as file:
            file.write(text.getvalue())
        known += rows
        self.tables[table] = known

    def clear(self) -> None:
        """Forgets everything."""
        for path in [*self.folder.glob("*.csv"), self.folder / "meta.json"]:
            path.unlink(missing_ok=True)
        self.tables = {}

    @property
    def meta(self) -> dict:
        path = self.folder / "meta.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def begin(self, command: str) -> None:
        """Notes what the numbers depend on, once."""
        if not self.meta:
            record = {"command": command, "code": code(), "machine": machine.sentence(machine.describe())}
            (self.folder / "meta.json").write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def shown(value) -> str:
    """A number with seven digits, which is more than any of them means."""
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def code() -> str:
    """What the measured code is: the tree of the crates, and whether it was changed since."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    return git("rev-parse", "--short", "HEAD:crates") + ("+" if git("status", "--porcelain", "crates") else "")

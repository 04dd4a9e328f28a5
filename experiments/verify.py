"""python -m experiments.verify [--quick]: makes every page from the CSVs again and fails if a word or a number differs."""

from __future__ import annotations

import argparse
import difflib
import sys
import tempfile
from pathlib import Path

from .__main__ import folder, pages, results
from .store import Store


def differences(store: Store, written: Path, quick: bool) -> list[str]:
    """Lines of the pages that are not what the CSVs give."""
    found = []
    with tempfile.TemporaryDirectory() as again:
        pages(store, Path(again), quick)
        for page in sorted(Path(again).glob("*.md")):
            there = written / page.name
            old = there.read_text().splitlines() if there.exists() else []
            lines = difflib.unified_diff(old, page.read_text().splitlines(), str(there), "from the CSVs", lineterm="", n=0)
            found += list(lines)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="experiments.verify", description="Compares the pages with the CSVs.")
    parser.add_argument("--quick", action="store_true", help="the pages of the quick run")
    asked = parser.parse_args()
    found = differences(Store(results(asked.quick)), folder(asked.quick), asked.quick)
    print("\n".join(found) if found else "every page is what the CSVs give")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

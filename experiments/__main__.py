"""The command: python -m experiments [--quick] [--only theory figure1 figure2 today] [--out FOLDER]."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench import machine
from bench.case import ROOT

from . import claims, figure1, figure2, theory, today
from .checks import Checks
from .output import Output

PARTS = ["figure1", "figure2", "theory", "today"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="experiments", description="Reproduces the paper's experiments.")
    parser.add_argument("--quick", action="store_true", help="generated data; every claim must hold")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    target = "reproduce-quick" if asked.quick else "reproduce"
    folder = asked.out or (ROOT / "target" / "reproduce-quick" if asked.quick else ROOT / "docs" / "src" / "experiments")
    out = Output(folder, f"make {target}", machine.sentence(machine.describe()))
    checks = Checks()
    if "theory" in asked.only:
        theory.run(out, checks)
    if "figure1" in asked.only:
        figure1.run(out, checks, asked.quick)
    if "figure2" in asked.only:
        figure2.run(out, checks, asked.quick)
    if "today" in asked.only and not asked.quick:
        today.run(out)
    if asked.only == PARTS:
        claims.run(out, checks)
    print(f"wrote {out.html(['claims', *PARTS])}")
    if asked.quick and checks.failed:
        print(f"{len(checks.failed)} claims do not hold", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

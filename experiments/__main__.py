"""The command: python -m experiments [--quick] [--only theory figure1 figure2 certificate today] [--fresh] [--keep] [--plan]."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from bench.case import ROOT

from . import certificate, claims, figure1, figure2, theory, today
from .checks import Checks
from .jobs import Work
from .output import Output
from .store import Store, code

PARTS = {"theory": theory, "figure1": figure1, "figure2": figure2, "certificate": certificate, "today": today}
# What a full run takes beside the sum of its parts: data, starts and judges.
OVERHEAD = 1.6
PAGES = ["claims", "figure1", "figure2", "figure2-appendix", "theory", "certificate", "today"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="experiments", description="Reproduces the paper's experiments.")
    parser.add_argument("--quick", action="store_true", help="small generated data; every check must hold")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="some parts alone")
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run left")
    parser.add_argument("--keep", action="store_true", help="go on although the code has changed since the stored runs")
    parser.add_argument("--plan", action="store_true", help="say what is to be done and how long it takes, and do nothing")
    asked = parser.parse_args()
    store = Store(results(asked.quick))
    if asked.fresh or changed(store, asked.keep):
        store.clear()
    works = [one for name in asked.only for one in PARTS[name].works(store, asked.quick)]
    left = [one for one in works if not one.is_done()]
    pace = 1.0 if asked.quick else OVERHEAD
    print(f"{len(works) - len(left)} of {len(works)} pieces of work are done; the rest takes {clock(left, pace)}.", flush=True)
    if asked.plan:
        for name in asked.only:
            print(f"  {name}: {clock([one for one in PARTS[name].works(store, asked.quick) if not one.is_done()], pace)}")
        return 0
    store.begin(f"make reproduce{'-quick' * asked.quick}")
    do(left, pace)
    checks = pages(store, folder(asked.quick), asked.quick)
    if asked.quick and checks.failed:
        print(f"{len(checks.failed)} checks do not hold", file=sys.stderr)
        return 1
    return 0


def results(quick: bool) -> Path:
    return ROOT / "target" / "reproduce-quick" / "results" if quick else ROOT / "experiments" / "results"


def folder(quick: bool) -> Path:
    return ROOT / "target" / "reproduce-quick" / "pages" if quick else ROOT / "docs" / "src" / "experiments"


def changed(store: Store, keep: bool) -> bool:
    """Whether the stored runs are of other code: numbers of two versions are never mixed unless asked for."""
    then = store.meta.get("code")
    if not then or then == code() or keep:
        return False
    print(f"The stored runs are of other code ({then}, now {code()}): beginning anew.", flush=True)
    return True


def clock(works: list[Work], pace: float) -> str:
    seconds = pace * sum(one.seconds for one in works)
    return f"about {seconds / 60:.0f} minutes" if seconds >= 90 else f"about {seconds:.0f} seconds"


def do(left: list[Work], guess: float) -> None:
    """All of it, one after the other, saying what is done and, by the pace so far, how long the rest takes."""
    begin, expected = time.perf_counter(), 0.0
    for index, one in enumerate(left):
        one.do()
        spent, expected = time.perf_counter() - begin, expected + one.seconds
        pace = spent / expected if expected > 30 else guess
        print(f"[{index + 1}/{len(left)}] {one.label}; {clock(left[index + 1 :], pace)} left", flush=True)


def pages(store: Store, where: Path, quick: bool) -> Checks:
    """All pages from the stored rows alone."""
    out = Output(where, store.meta.get("command", ""), store.meta.get("machine", ""))
    checks = Checks()
    for part in PARTS.values():
        part.write(store, out, checks, quick)
    claims.write(out, checks)
    print(f"wrote {out.html(PAGES)}")
    return checks


if __name__ == "__main__":
    sys.exit(main())

"""What a number depends on besides the code: date, processor, versions."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from datetime import datetime, timezone
from pathlib import Path

from .case import ROOT

PACKAGES = ["numpy", "scipy", "scikit-learn", "spams-bin", "pyplanc"]


def describe() -> dict:
    """One flat record for pages and result files."""
    versions = {name: version(name) for name in PACKAGES}
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "proxsplit": commit(),
        **versions,
    }


def version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def processor() -> str:
    """The name of the processor with its family and model: a hypervisor may call several generations by one name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    facts = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if "model name" not in facts:
        return platform.processor()
    return f"{facts['model name']} (family {facts.get('cpu family', '?')}, model {facts.get('model', '?')})"


def commit() -> str:
    """The commit that was measured."""
    words = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def sentence(machine: dict) -> str:
    """The record in words."""
    packages = ", ".join(f"{name} {machine[name]}" for name in PACKAGES)
    return (
        f"{machine['date']}, {machine['processor']}, {machine['cores']} cores, load {machine['load']} at the start, "
        f"Python {machine['python']}, {packages}, proxsplit at {machine['proxsplit']}"
    )

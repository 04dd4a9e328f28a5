"""The gallery runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "gallery")


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path):
    environment = os.environ | {"PROXSPLIT_GALLERY": str(tmp_path)}
    command = [sys.executable, str(FOLDER / f"{name}.py")]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)
    if "not installed" in result.stderr:
        pytest.skip(result.stderr.strip())
    assert result.returncode == 0, result.stderr
    assert name == "torch_gradient" or list(tmp_path.iterdir())

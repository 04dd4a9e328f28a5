"""The state of a run over shards in a file, which is written aside and renamed."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Checkpoint:
    """When to save, and where. Nothing is saved without a path."""

    def __init__(self, path: str | Path | None, every: float) -> None:
        self.path, self._every, self._last = None if path is None else Path(path), every, time.monotonic()

    def moved(self, passes: float) -> bool:
        """Whether it is time to save."""
        return self.path is not None and time.monotonic() - self._last >= self._every

    def save(self, header: str, arrays: dict[str, NDArray[Any]]) -> None:
        """Save the state."""
        if self.path is None:
            return
        aside = self.path.with_name(self.path.name + ".part")
        with open(aside, "wb") as file:
            named: dict[str, Any] = {"header": np.array(header), **arrays}
            np.savez(file, **named)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, self.path)
        self._last = time.monotonic()

    def load(self) -> tuple[str, dict[str, NDArray[Any]]] | None:
        """The state, if there is one."""
        if self.path is None:
            raise ValueError("resume=True needs the path of a checkpoint: pass checkpoint=...")
        if not self.path.exists():
            return None
        with np.load(self.path, allow_pickle=False) as saved:
            arrays = {name: saved[name] for name in saved.files}
        return str(arrays.pop("header")), arrays

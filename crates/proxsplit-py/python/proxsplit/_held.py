"""The shards that a worker of a Dask cluster holds: what runs on the workers."""

from __future__ import annotations

from typing import Any

import distributed
import numpy as np

from ._data import aligned
from ._shards import Answer, shard
from ._shelf import put

# By run and by index.
_HELD: dict[tuple[str, int], Any] = {}


class NotHeld(LookupError):
    """The process was restarted under the same address: its table is empty."""


def hold(run: str, index: int, name: str, block: Any, size: int, how: dict[str, Any]) -> int:
    """Make the shard of a block here."""
    if block.shape[0] != size:
        raise ValueError(f"{name}: it has {block.shape[0]} samples, but the array says {size}")
    how = dict(how)
    if how["threads"] is None:
        how["threads"] = max(1, int(distributed.get_worker().state.nthreads))
    _HELD[run, index] = shard(block, index, name, **how)
    return index


def answer(run: str, indices: list[int], forget: list[int], header: str, x: Any, reply: tuple[str, str | None] | None) -> dict[int, Answer]:
    """What the shards here say; nothing, if it could be put in the place for the reply. Components may be in a place, too."""
    if any((run, index) not in _HELD for index in indices):
        raise NotHeld
    for index in forget:
        _HELD[run, index].forget()
    x = np.load(x, mmap_mode="r") if isinstance(x, str) else aligned(x)
    found = {index: _HELD[run, index].answer(header, x) for index in indices}
    if reply is not None and put(reply[0], [part for index in indices for part in found[index]], spare=reply[1]):
        return {}
    return found


def let_go(run: str, index: int | None = None) -> None:
    """Let go of a shard of a run, or of all."""
    for key in [key for key in _HELD if key[0] == run and index in (None, key[1])]:
        _HELD.pop(key).close()

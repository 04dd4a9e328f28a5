"""The shards that a worker of a Dask cluster holds: what runs on the workers."""

from __future__ import annotations

from typing import Any, NamedTuple

import distributed
import numpy as np

from ._data import aligned
from ._shards import Answer, shard
from ._shelf import fetch, put

# Seconds that a worker waits for a further order. Dask's messages cost as much as a short pass, and in between nobody else wants its shards.
WAIT = 1.0

# By run and by index.
_HELD: dict[tuple[str, int], Any] = {}


class Order(NamedTuple):
    """What shards are asked."""

    forget: list[int]  # shards that have missed an order before
    header: str
    x: Any  # the components, or the place where they are
    reply: str | None  # where the answer is put, if it can be
    spare: str | None  # a file of an earlier answer, which can be written over


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


def answer(run: str, indices: list[int], order: Order, post: str | None) -> dict[int, Answer]:
    """What the shards here say; nothing, if it could be put in the place for the reply. Then further orders are awaited at the post."""
    number, found = 0, _obey(run, indices, order)
    while not found and post is not None:
        number += 1
        further = fetch(f"{post}-{number}", WAIT)
        if further is None:
            break
        found = _obey(run, indices, Order(*further))
    return found


def _obey(run: str, indices: list[int], order: Order) -> dict[int, Answer]:
    if any((run, index) not in _HELD for index in indices):
        raise NotHeld
    for index in order.forget:
        _HELD[run, index].forget()
    x = np.load(order.x, mmap_mode="r") if isinstance(order.x, str) else aligned(order.x)
    found = {index: _HELD[run, index].answer(order.header, x) for index in indices}
    parts = [part for index in indices for part in found[index]]
    if order.reply is not None and put(order.reply, parts, spare=order.spare):
        return {}
    return found


def let_go(run: str, index: int | None = None) -> None:
    """Let go of a shard of a run, or of all."""
    for key in [key for key in _HELD if key[0] == run and index in (None, key[1])]:
        _HELD.pop(key).close()

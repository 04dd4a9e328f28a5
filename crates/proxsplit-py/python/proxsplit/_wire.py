"""The wire between a run and its shards on the workers of a Dask cluster.

A shard lives in a table of the worker's process; a pass is one task a worker, which asks all shards there. A worker that is lost takes its shards
with it: their blocks are computed again elsewhere, from the same graph, and new shards make their codes from the components. Meanwhile
passes go on without them, as they do without a worker that is late.
"""

from __future__ import annotations

import importlib.metadata
import inspect
import logging
import time
import uuid
from concurrent.futures import CancelledError
from typing import Any

import distributed
import numpy as np
from distributed.scheduler import KilledWorker

from ._checkpoint import Checkpoint
from ._shards import Answer, aligned, shard

# Seconds between two looks at whether workers are still there.
GLANCE = 0.25
# Seconds to wait for a worker when there is none.
STARVING = 60.0

log = logging.getLogger("proxsplit.dask")

# The shards of this worker, by run and by index.
_HELD: dict[tuple[str, int], Any] = {}


def _hold(run: str, index: int, name: str, block: Any, how: dict[str, Any]) -> int:
    """Make the shard of a block here."""
    how = dict(how)
    if how["threads"] is None:
        how["threads"] = max(1, int(distributed.get_worker().state.nthreads))
    _HELD[run, index] = shard(block, index, name, **how)
    return index


def _answer(run: str, indices: list[int], forget: list[int], header: str, x: Any) -> dict[int, Answer]:
    """What the shards here say."""
    for index in forget:
        _HELD[run, index].forget()
    x = aligned(x)
    return {index: _HELD[run, index].answer(header, x) for index in indices}


def _drop(run: str) -> None:
    """Let go of the shards of a run."""
    for key in [key for key in _HELD if key[0] == run]:
        _HELD.pop(key).close()


class Wire:
    """Carries orders to the shards of a dask array, and brings back answers. Use as a context manager."""

    def __init__(self, client: Any, X: Any, how: dict[str, Any], signed: bool, patience: float, keeper: Checkpoint) -> None:
        self._client, self._how, self._patience, self._keeper = client, {**how, "expected": X.dtype, "signed": signed}, patience, keeper
        self._run = f"proxsplit-{uuid.uuid4().hex}"
        starts = np.cumsum((0, *X.chunks[0]))
        self._names = [f"block {i} of X (samples {starts[i]} to {starts[i + 1] - 1})" for i in range(len(X.chunks[0]))]
        self._delayed = list(X.to_delayed().ravel())
        self._blocks: list[Any] = []
        # Where every shard is, and the task that makes it as long as that is not done.
        self._place: list[str | None] = [None] * len(self._names)
        self._making: dict[int, Any] = {}
        # Tasks that are late, with the shards that they ask.
        self._late: dict[Any, list[int]] = {}
        self._forget: set[int] = set()
        self._usual: float | None = None
        # What happened: {"lost": workers, "rebuilt": shards, "late": answers that did not come in time}.
        self.faults = {"lost": 0, "rebuilt": 0, "late": 0}

    def __enter__(self) -> Wire:
        self._check_workers()
        self._blocks = self._client.compute(self._delayed)
        self._distribute(range(len(self._names)))
        return self

    def __exit__(self, *exception: object) -> None:
        futures = [*self._blocks, *self._making.values(), *self._late]
        self._blocks, self._making, self._late = [], {}, {}
        if self._client.status == "running":
            try:
                self._client.cancel(futures, force=True)
                self._client.run(_drop, self._run, on_error="ignore")
            except Exception:  # The cluster may go at any moment, and the answer is there.
                log.info("the cluster went away before its shards were dropped")

    def _workers(self) -> dict[str, int]:
        """Workers with their numbers of shards."""
        if self._client.status != "running":
            raise self._gone()
        info = self._client.scheduler_info(n_workers=-1) if _knows_n_workers(self._client) else self._client.scheduler_info()
        return {address: self._place.count(address) for address in info["workers"]}

    def _gone(self) -> RuntimeError:
        path = self._keeper.path
        hint = f"; go on with fit(X, checkpoint={str(path)!r}, resume=True)" if path is not None and path.exists() else ""
        return RuntimeError(f"the scheduler of the cluster is gone{hint}")

    def _check_workers(self) -> None:
        """Refuse workers that do not have this version of the package."""
        own = importlib.metadata.version("proxsplit")
        found = self._client.run(importlib.metadata.version, "proxsplit", on_error="return")
        for address, version in found.items():
            if version != own:
                what = "has no proxsplit" if isinstance(version, Exception) else f"has proxsplit {version}"
                raise RuntimeError(f"worker {address} {what}, but {own} is needed: install it in the environment of the workers")

    def _distribute(self, indices: Any) -> None:
        """Place shards on the workers that have the fewest, and begin to make them."""
        deadline = time.monotonic() + STARVING
        while not (workers := self._workers()):
            if time.monotonic() > deadline:
                path = self._keeper.path
                saved = f" The checkpoint {str(path)!r} can be resumed." if path is not None and path.exists() else ""
                raise RuntimeError(f"the cluster has had no worker for {STARVING:g} seconds.{saved}")
            time.sleep(GLANCE)
        for index in indices:
            address = min(sorted(workers), key=workers.__getitem__)
            workers[address] += 1
            self._place[index] = address
            self._making[index] = self._client.submit(
                _hold, self._run, index, self._names[index], self._blocks[index], self._how,
                workers=[address], allow_other_workers=False, pure=False, key=f"hold-{uuid.uuid4().hex}",
            )  # fmt: skip
            self._forget.discard(index)

    def _watch(self) -> None:
        """Place the shards of lost workers elsewhere, and take note of what is done."""
        alive = self._workers()
        lost = {address for address in self._place if address is not None and address not in alive}
        if lost:
            self.faults["lost"] += len(lost)
            indices = [i for i, address in enumerate(self._place) if address in lost]
            self.faults["rebuilt"] += len(indices)
            log.warning("lost %d workers; %d shards are rebuilt elsewhere", len(lost), len(indices))
            for future, asked in list(self._late.items()):
                if set(asked) & set(indices):
                    self._late.pop(future).clear()
                    future.cancel(force=True)
            for index in indices:
                making = self._making.pop(index, None)
                if making is not None:
                    making.cancel(force=True)
                self._place[index] = None
            self._distribute(indices)
        for index, future in list(self._making.items()):
            if future.done():
                if future.status == "error":
                    raise future.exception()
                if future.status == "finished":
                    del self._making[index]
                else:
                    # Cancelled or lost together with its worker or the scheduler.
                    del self._making[index]
                    self._distribute([index])
        for future, asked in list(self._late.items()):
            if future.done():
                # Its shards have missed orders since.
                self._forget.update(self._late.pop(future))

    def _ready(self) -> dict[str, list[int]]:
        """Shards that can be asked, by worker."""
        busy = {index for asked in self._late.values() for index in asked}
        ready: dict[str, list[int]] = {}
        for index, address in enumerate(self._place):
            if address is not None and index not in self._making and index not in busy:
                ready.setdefault(address, []).append(index)
        return ready

    def ask(self, header: str, x: Any, needs_all: bool) -> list[Answer]:
        """The answers of all shards, in their order."""
        try:
            return self._ask(header, x, needs_all)
        except (OSError, CancelledError) as error:
            if self._client.status == "running":
                raise
            raise self._gone() from error

    def _ask(self, header: str, x: Any, needs_all: bool) -> list[Answer]:
        answers: dict[int, Answer] = {}
        count, start = len(self._names), time.monotonic()
        asked: dict[Any, list[int]] = {}
        pending = set(range(count))
        is_quiet = bool(self._making or self._late)
        while pending:
            # Asking the scheduler who is there costs as much as a short pass: it is done when something is missing.
            if is_quiet:
                self._watch()
            ready = self._ready()
            in_flight = {index for indices in asked.values() for index in indices}
            for address, indices in ready.items():
                indices = [index for index in indices if index in pending - in_flight]
                if indices:
                    asked[self._send(address, indices, header, x)] = indices
            is_quiet = self._collect(asked, answers, pending)
            if pending and not needs_all and self._is_over(start, asked, answers):
                break
        self._leave(asked)
        if not pending:
            seconds = time.monotonic() - start
            self._usual = seconds if self._usual is None else 0.5 * (self._usual + seconds)
        return [answers.get(index) for index in range(count)]

    def _send(self, address: str, indices: list[int], header: str, x: Any) -> Any:
        forget = [index for index in indices if index in self._forget]
        self._forget.difference_update(forget)
        return self._client.submit(
            _answer, self._run, indices, forget, header, x,
            workers=[address], allow_other_workers=False, pure=False, key=f"answer-{uuid.uuid4().hex}",
        )  # fmt: skip

    def _collect(self, asked: dict[Any, list[int]], answers: dict[int, Answer], pending: set[int]) -> bool:
        """Wait a moment, and take what has come; whether that was nothing."""
        if not asked:
            time.sleep(GLANCE / 5)
            return True
        try:
            distributed.wait(list(asked), timeout=GLANCE, return_when="FIRST_COMPLETED")
        except (TimeoutError, distributed.TimeoutError):
            alive = self._workers()
            for future, indices in list(asked.items()):
                if self._place[indices[0]] not in alive:
                    del asked[future]
                    future.cancel(force=True)
            return True
        except CancelledError:
            # Told by the futures themselves.
            pass
        for future in [future for future in asked if future.done()]:
            indices = asked.pop(future)
            if future.status == "finished":
                found = future.result()
                answers.update({index: tuple(map(aligned, answer)) for index, answer in found.items()})
                pending.difference_update(found)
            elif future.status == "error":
                error = future.exception()
                if isinstance(error, (KeyError, KilledWorker)):
                    # The process was restarted under the same address: its table is empty.
                    self._distribute(indices)
                else:
                    raise error
            elif self._client.status != "running":
                raise self._gone()
            else:
                # Nobody knows how far the task came.
                self._forget.update(indices)
                return True
        return False

    def _is_over(self, start: float, asked: dict[Any, list[int]], answers: dict[int, Answer]) -> bool:
        """Whether a pass goes on without the rest: nobody else is at work, or they are late."""
        if not answers:
            return False
        if not asked:
            return True
        usual = 0.0 if self._usual is None else self._usual
        return time.monotonic() - start > 2.0 * usual + self._patience

    def _leave(self, asked: dict[Any, list[int]]) -> None:
        """What is still at work is late."""
        for future, indices in asked.items():
            self.faults["late"] += len(indices)
            self._late[future] = indices


def _knows_n_workers(client: Any) -> bool:
    """Newer versions tell of five workers unless they are asked for all."""
    return "n_workers" in inspect.signature(client.scheduler_info).parameters

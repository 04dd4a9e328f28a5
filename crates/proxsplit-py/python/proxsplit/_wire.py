"""The wire between a run and its shards on the workers of a Dask cluster.

A pass is one task a worker, which asks all shards there. Passes go on without workers that are lost or late: their shards keep their last shares.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import socket
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import CancelledError
from typing import Any

import distributed
from distributed.comm import get_address_host_port
from distributed.scheduler import KilledWorker

from ._checkpoint import Checkpoint
from ._data import aligned
from ._held import NotHeld, answer
from ._placement import GLANCE, Placement
from ._shards import Answer

# Seconds between two looks at the workers while nothing is missing: asking costs as much as a short pass.
ROUND = 2.0
# Components of more bytes travel from worker to worker, others with the task.
LARGE = 1 << 17


class Wire:
    """Carries orders to the shards of a dask array, and brings back answers. Use as a context manager."""

    def __init__(self, client: Any, X: Any, how: dict[str, Any], signed: bool, patience: float, keeper: Checkpoint) -> None:
        self._client, self._patience = client, patience
        self._count = len(X.chunks[0])
        self._placement = Placement(client, X, {**how, "expected": X.dtype, "signed": signed}, keeper)
        # Tasks that are late, with the shards that they ask.
        self._late: dict[Any, list[int]] = {}
        # Shards that have missed an order.
        self._forget: set[int] = set()
        self._usual: float | None = None
        self._looked = 0.0
        self._is_direct: bool | None = client.direct_to_workers

    @property
    def faults(self) -> dict[str, int]:
        """What happened to workers and shards."""
        return self._placement.faults

    def __enter__(self) -> Wire:
        with self._told():
            self._placement.start()
            if self._is_direct is None:
                self._is_direct = all(map(_is_reachable, self._placement.workers()))
        return self

    def __exit__(self, *exception: object) -> None:
        for future in self._late:
            future.release()
        self._late = {}
        self._placement.close()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """With this client, whatever the current one is. A scheduler that is gone is told, whatever it broke."""
        try:
            with self._client.as_current():
                yield
        except (OSError, CancelledError) as error:
            if self._client.status == "running":
                raise
            raise self._placement.gone() from error

    def ask(self, header: str, x: Any, needs_all: bool) -> list[Answer]:
        """The answers of all shards, in their order."""
        with self._told():
            return self._ask(header, x, needs_all)

    def _ask(self, header: str, x: Any, needs_all: bool) -> list[Answer]:
        answers: dict[int, Answer] = {}
        asked: dict[Any, list[int]] = {}
        start, sent, is_quiet = time.monotonic(), None, False
        while len(answers) < self._count:
            self._look(asked, is_quiet)
            ready = self._ready(asked, answers)
            if ready and (sent is None or isinstance(sent, distributed.Future) and sent.status != "finished"):
                sent = self._sent(x)
            for address, indices in ready.items():
                asked[self._send(address, indices, header, sent)] = indices
            is_quiet = self._collect(asked, answers)
            if not needs_all and len(answers) < self._count and self._is_over(start, asked, answers):
                break
        for future, indices in asked.items():
            self.faults["late"] += len(indices)
            self._late[future] = indices
        if len(answers) == self._count:
            seconds = time.monotonic() - start
            self._usual = seconds if self._usual is None else 0.5 * (self._usual + seconds)
        return [answers.get(index) for index in range(self._count)]

    def _look(self, asked: dict[Any, list[int]], is_quiet: bool) -> None:
        """See who came and went, if something is missing or now and then."""
        is_time = time.monotonic() - self._looked > ROUND
        if not (is_quiet or is_time or self._late or self._placement.is_unsettled):
            return
        self._looked = time.monotonic()
        for future in [future for future in self._late if future.done()]:
            # Its shards have missed orders since.
            self._forget.update(self._late.pop(future))
        busy = {index for indices in (*asked.values(), *self._late.values()) for index in indices}
        self._placement.look(busy)
        # Nobody answers for a shard that was lost meanwhile.
        for tasks in (asked, self._late):
            for future, indices in list(tasks.items()):
                if any(self._placement.where[index] is None for index in indices):
                    del tasks[future]
                    future.cancel(force=True)
                    self._forget.update(indices)

    def _ready(self, asked: dict[Any, list[int]], answers: dict[int, Answer]) -> dict[str, list[int]]:
        """Shards that can be asked and were not, by worker."""
        busy = {index for indices in (*asked.values(), *self._late.values()) for index in indices}
        ready: dict[str, list[int]] = {}
        for index, address in enumerate(self._placement.where):
            if address is not None and index not in busy and index not in answers:
                ready.setdefault(address, []).append(index)
        return ready

    def _sent(self, x: Any) -> Any:
        """The components, on the workers if they are large."""
        if x.nbytes < LARGE:
            return x
        places = {address for address in self._placement.where if address is not None}
        try:
            return self._client.scatter(x, workers=list(places), broadcast=True, direct=self._is_direct, hash=False)
        except (OSError, TimeoutError, ValueError):
            # One of them was lost just now.
            return x

    def _send(self, address: str, indices: list[int], header: str, x: Any) -> Any:
        forget = [index for index in indices if index in self._forget]
        self._forget.difference_update(forget)
        return self._client.submit(
            answer, self._placement.run, indices, forget, header, x,
            workers=[address], allow_other_workers=False, pure=False, key=f"answer-{uuid.uuid4().hex}",
        )  # fmt: skip

    def _collect(self, asked: dict[Any, list[int]], answers: dict[int, Answer]) -> bool:
        """Wait a moment, and take what has come; whether something is missing."""
        if not asked:
            time.sleep(GLANCE / 10)
            return True
        try:
            distributed.wait(list(asked), timeout=GLANCE, return_when="FIRST_COMPLETED")
        except (TimeoutError, distributed.TimeoutError):
            return True
        except CancelledError:
            # Told by the futures themselves.
            pass
        done = [future for future in asked if future.done()]
        finished = [future for future in done if future.status == "finished"]
        for found in self._brought({future: asked[future] for future in finished}):
            answers.update({index: tuple(map(aligned, parts)) for index, parts in found.items()})
        for future in done:
            self._settle(future, [index for index in asked.pop(future) if index not in answers])
        return any(future not in finished for future in done)

    def _brought(self, finished: dict[Any, list[int]]) -> list[Any]:
        """The results of tasks. Dask would wait for ever for those of a worker that is lost after its task was done."""
        loop = self._client.loop.asyncio_loop
        gather = lambda future: self._client.gather([future], errors="skip", direct=self._is_direct, asynchronous=True)  # noqa: E731
        bringing = [(asyncio.run_coroutine_threadsafe(gather(future), loop), indices) for future, indices in finished.items()]
        found: list[Any] = []
        while bringing:
            concurrent.futures.wait([task for task, _ in bringing], timeout=4 * GLANCE)
            for task, _ in bringing:
                if task.done():
                    found.extend(task.result())
            bringing = [(task, indices) for task, indices in bringing if not task.done()]
            alive = self._placement.workers() if bringing else set()
            for task, indices in list(bringing):
                if self._placement.where[indices[0]] not in alive:
                    task.cancel()
                    bringing.remove((task, indices))
        return found

    def _settle(self, future: Any, missing: list[int]) -> None:
        """What becomes of shards whose task is done without an answer."""
        if not missing:
            return
        error = future.exception() if future.status == "error" else None
        if isinstance(error, (NotHeld, KilledWorker)):
            self._placement.lose(missing)
        elif error is not None:
            raise error
        elif self._client.status != "running":
            raise self._placement.gone()
        else:
            # Nobody knows how far the task came.
            self._forget.update(missing)

    def _is_over(self, start: float, asked: dict[Any, list[int]], answers: dict[int, Answer]) -> bool:
        """Whether a pass goes on without the rest: nobody else is at work, or they are late."""
        if not answers:
            return False
        if not asked:
            return True
        usual = 0.0 if self._usual is None else self._usual
        return time.monotonic() - start > 2.0 * usual + self._patience


def _is_reachable(address: str) -> bool:
    """Whether a worker can be spoken to without the scheduler between."""
    try:
        socket.create_connection(get_address_host_port(address), timeout=1.0).close()
    except (OSError, ValueError):
        return False
    return True

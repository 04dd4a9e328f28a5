"""The wire between a run and its shards on the workers of a Dask cluster.

A pass is one task a worker, which asks all shards there. Passes go on without workers that are lost or late: their shards keep their last shares.
What is large goes to workers of the same machine and back through shared memory, to others over the network. Workers of the same machine wait a while
for the next order, too, so that Dask has nothing to do.
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
from ._held import NotHeld, Order, answer
from ._placement import GLANCE, Placement
from ._shards import Answer
from ._shelf import NAP, Shelf, discard, fetch, look, post, put, sees

# Seconds between two looks at the workers while nothing is missing: asking costs as much as a short pass.
ROUND = 2.0
# Components of more bytes travel from worker to worker, others with the task.
LARGE = 1 << 17
# Seconds that they may take to get there.
ARRIVAL = 30.0
# The part of the usual time in which none of them has.
ASLEEP = 0.8


class Wire:
    """Carries orders to the shards of a dask array, and brings back answers. Use as a context manager."""

    def __init__(self, client: Any, X: Any, how: dict[str, Any], signed: bool, patience: float, keeper: Checkpoint) -> None:
        self._client, self._patience = client, patience
        self._count = len(X.chunks[0])
        self._placement = Placement(client, X, {**how, "expected": X.dtype, "signed": signed}, keeper)
        self._shelf = Shelf(self._placement.run)
        # Whether workers are on this machine.
        self._near: dict[str, bool] = {}
        # Where tasks put what they have found, with their workers.
        self._replies: dict[Any, tuple[str, str]] = {}
        # Files that can be used again: by worker, and by the run for components.
        self._spares: dict[str, str] = {}
        # Files of this order, which can be used again in the next one, when all that is in them has been copied.
        self._used: list[tuple[str, str]] = []
        # Posts where tasks wait for further orders, and how many they have got there.
        self._posts: dict[Any, tuple[str, int]] = {}
        # Tasks that have replied and wait, by worker, with the shards that they ask.
        self._waiting: dict[str, tuple[Any, list[int]]] = {}
        # Tasks that are late, with the shards that they ask.
        self._late: dict[Any, list[int]] = {}
        # Shards that have missed an order.
        self._forget: set[int] = set()
        self._usual: float | None = None
        # Seconds of an order in which nobody looks for replies.
        self._asleep = 0.0
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
        for future in (*self._late, *(future for future, _ in self._waiting.values())):
            self._dismiss(future)
            future.release()
        self._late, self._replies, self._waiting, self._posts = {}, {}, {}, {}
        self._placement.close()
        self._shelf.clear()

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
        start, is_quiet = time.monotonic(), False
        self._make_spare()
        while len(answers) < self._count:
            self._look(asked, is_quiet)
            ready = self._ready(asked, answers)
            asked |= self._send(ready, header, self._sent(x, list(ready)))
            is_quiet = self._collect(asked, answers, start)
            if not needs_all and len(answers) < self._count and self._is_over(start, asked, answers):
                break
        for future, indices in asked.items():
            self.faults["late"] += len(indices)
            self._late[future] = indices
            self._dismiss(future)
        if len(answers) == self._count:
            seconds = time.monotonic() - start
            self._usual = seconds if self._usual is None else 0.5 * (self._usual + seconds)
            # Who has slept too long does not know how long it would have taken.
            self._asleep = 0.0 if seconds < 1.1 * self._asleep else ASLEEP * seconds
        return [answers.get(index) for index in range(self._count)]

    def _make_spare(self) -> None:
        """The files of the last order can be used again, one for each worker. Whoever is late may still read the components."""
        for owner, place in self._used:
            if (owner == "" and self._late) or self._spares.setdefault(owner, place) != place:
                discard(place)
        self._used = []

    def _look(self, asked: dict[Any, list[int]], is_quiet: bool) -> None:
        """See who came and went, if something is missing or now and then."""
        is_time = time.monotonic() - self._looked > ROUND
        if not (is_quiet or is_time or self._late or self._placement.is_unsettled):
            return
        self._looked = time.monotonic()
        for future in [future for future in self._late if future.done()]:
            # Its shards have missed orders since.
            self._forget.update(self._late.pop(future))
            self._drop(future)
        busy = {index for indices in (*asked.values(), *self._late.values()) for index in indices}
        self._placement.look(busy)
        # Nobody answers for a shard that was lost meanwhile.
        for tasks in (asked, self._late):
            for future, indices in list(tasks.items()):
                if any(self._placement.where[index] is None for index in indices):
                    del tasks[future]
                    self._drop(future)
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

    def _sent(self, x: Any, places: list[str]) -> dict[str, Any]:
        """The components for every worker: if they are large where it finds them, to all at once, because a broadcast would go from worker to worker."""
        if x.nbytes < LARGE or not places:
            return dict.fromkeys(places, x)
        shelf = self._lent(x, places)
        loop = self._client.loop.asyncio_loop
        scatter = lambda place: self._client.scatter(x, workers=[place], direct=self._is_direct, hash=False, asynchronous=True)  # noqa: E731
        far = [place for place in places if shelf is None or not self._near[place]]
        sending = {place: asyncio.run_coroutine_threadsafe(scatter(place), loop) for place in far}
        return dict.fromkeys(places, shelf) | {place: self._arrived(task, x) for place, task in sending.items()}

    def _lent(self, x: Any, places: list[str]) -> str | None:
        """Where workers of this machine find the components; None if there are no such workers, or there is no room."""
        new = [place for place in places if place not in self._near]
        if not new and not any(self._near[place] for place in places):
            return None
        shelf = self._shelf.place()
        if not put(shelf, [x], self._spares.pop("", None)):
            self._near.update(dict.fromkeys(new, False))
            return None
        if new:
            found = self._client.run(sees, shelf, workers=new, on_error="ignore")
            self._near.update({place: found.get(place, False) for place in new})
        self._used.append(("", shelf))
        return shelf

    def _arrived(self, task: concurrent.futures.Future[Any], x: Any) -> Any:
        """What a task is given: the components where they are, or, if that worker was lost just now, as they are."""
        try:
            return task.result(ARRIVAL)
        except (OSError, TimeoutError, ValueError):
            task.cancel()
            return x

    def _send(self, ready: dict[str, list[int]], header: str, sent: dict[str, Any]) -> dict[Any, list[int]]:
        """An order to the shards of every worker, and who carries it out."""
        asked: dict[Any, list[int]] = {}
        new: dict[str, tuple[list[int], Order]] = {}
        for address, indices in ready.items():
            order = self._order(address, indices, header, sent[address])
            task, known = self._waiting.pop(address, (None, []))
            if known == indices and order.reply is not None and self._told_to(task, order):
                asked[task] = indices
                self._replies[task] = order.reply, address
            else:
                self._dismiss(task)
                new[address] = indices, order
        return asked | self._submit(new)

    def _submit(self, orders: dict[str, tuple[list[int], Order]]) -> dict[Any, list[int]]:
        """A task for every worker. All in one message: Dask waits for a while before it sends a second one."""

        async def submit() -> dict[Any, list[int]]:
            return {self._task(address, indices, order): indices for address, (indices, order) in orders.items()}

        return asyncio.run_coroutine_threadsafe(submit(), self._client.loop.asyncio_loop).result() if orders else {}

    def _order(self, address: str, indices: list[int], header: str, x: Any) -> Order:
        forget = [index for index in indices if index in self._forget]
        self._forget.difference_update(forget)
        is_near = isinstance(x, str)
        return Order(forget, header, x, self._shelf.place() if is_near else None, self._spares.pop(address, None) if is_near else None)

    def _task(self, address: str, indices: list[int], order: Order) -> Any:
        place = self._shelf.place() if order.reply else None
        task = self._client.submit(
            answer, self._placement.run, indices, order, place,
            workers=[address], allow_other_workers=False, pure=False, key=f"answer-{uuid.uuid4().hex}",
        )  # fmt: skip
        if order.reply and place:
            self._replies[task] = order.reply, address
            self._posts[task] = place, 0
        return task

    def _told_to(self, task: Any, order: Order | None) -> bool:
        """Post a further order, or with None that there are none."""
        place, number = self._posts[task]
        self._posts[task] = place, number + 1
        return not task.done() and post(f"{place}-{number + 1}", order)

    def _dismiss(self, task: Any) -> None:
        """If a task waits for orders, tell it that no further one comes."""
        if task in self._posts:
            self._told_to(task, None)
            del self._posts[task]

    def _missed(self, task: Any) -> Order | None:
        """The last order of a task that is done, if it has not seen it; it is taken back."""
        place, number = self._posts.pop(task, ("", 0))
        words = fetch(f"{place}-{number}", 0.0) if number else None
        return None if words is None else Order(*words)

    def _drop(self, task: Any) -> None:
        """Nobody waits for the reply any more."""
        self._posts.pop(task, None)
        reply = self._replies.pop(task, None)
        if reply is not None:
            discard(reply[0])

    def _collect(self, asked: dict[Any, list[int]], answers: dict[int, Answer], start: float) -> bool:
        """Wait a moment, and take what has come; whether something is missing."""
        if not asked:
            time.sleep(GLANCE / 10)
            return True
        # Looking costs the workers of this machine a part of a core: not before most of the usual time is over.
        quiet = min(self._asleep - (time.monotonic() - start), GLANCE)
        if quiet > 0.0 and all(future in self._replies for future in asked):
            time.sleep(quiet)
        elif quiet > 0.0:
            with contextlib.suppress(TimeoutError, distributed.TimeoutError, CancelledError):
                distributed.wait(list(asked), timeout=quiet, return_when="FIRST_COMPLETED")
        deadline = time.monotonic() + GLANCE
        while not self._has_replied(asked, answers) and not any(future.done() for future in asked):
            if time.monotonic() > deadline:
                return True
            time.sleep(NAP)
        # What is done may have replied since.
        done = [future for future in asked if future.done()]
        self._has_replied(asked, answers)
        done = [future for future in done if future in asked]
        finished = [future for future in done if future.status == "finished"]
        for found in self._brought({future: asked[future] for future in finished}):
            answers.update({index: tuple(map(aligned, parts)) for index, parts in found.items()})
        for future in done:
            indices, missed = asked.pop(future), self._missed(future)
            if missed is None:
                self._settle(future, [index for index in indices if index not in answers])
            else:
                _, address = self._replies.pop(future)
                asked.update(self._submit({address: (indices, missed)}))
        return any(future not in finished for future in done)

    def _has_replied(self, asked: dict[Any, list[int]], answers: dict[int, Answer]) -> bool:
        """See what workers of this machine have put in its place, sooner than the scheduler would tell; whether there was something."""
        found = False
        for task in [task for task in asked if task in self._replies]:
            place, address = self._replies[task]
            parts = look(place, 2 * len(asked[task]))
            if parts is not None:
                found = True
                del self._replies[task]
                self._used.append((address, place))
                indices = asked.pop(task)
                self._waiting[address] = task, indices
                answers.update(zip(indices, zip(parts[::2], parts[1::2], strict=True), strict=True))
        return found

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

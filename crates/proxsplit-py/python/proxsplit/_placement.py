"""Where the shards of a dask array are: on workers that come and go.

A shard is made from its block, on the worker that has the fewest. A worker that is lost takes its shards with it: their blocks are computed again
elsewhere, from the same graph, and new shards make their codes from the components. A worker that comes is given shards of those that have more.
"""

from __future__ import annotations

import importlib.metadata
import logging
import time
import uuid
from typing import Any

import distributed
import numpy as np
from distributed.scheduler import KilledWorker

from ._checkpoint import Checkpoint
from ._held import hold, let_go

# Seconds between two looks at whether workers are still there.
GLANCE = 0.25
# Seconds to wait for a worker when there is none.
STARVING = 60.0

log = logging.getLogger("proxsplit.dask")


class Placement:
    """Which worker has which shard."""

    def __init__(self, client: Any, X: Any, how: dict[str, Any], keeper: Checkpoint) -> None:
        self._client, self._how, self._keeper = client, how, keeper
        self.run = f"proxsplit-{uuid.uuid4().hex}"
        starts = np.cumsum((0, *X.chunks[0]))
        self._names = [f"block {i} of X (samples {starts[i]} to {starts[i + 1] - 1})" for i in range(len(X.chunks[0]))]
        self._sizes = X.chunks[0]
        self._delayed = list(X.to_delayed().ravel())
        self._holders = self._where_blocks_are(X)
        # Where a shard can be asked, if anywhere.
        self.where: list[str | None] = [None] * len(self._names)
        # Shards that are being made, with the worker that will have them.
        self._making: dict[int, tuple[str, Any]] = {}
        self._known: set[str] = set()
        # What happened: workers lost, shards that were rebuilt, or moved to a new worker, and answers that did not come in time.
        self.faults = {"lost": 0, "rebuilt": 0, "moved": 0, "late": 0}

    def start(self) -> None:
        """Begin to make all shards."""
        self._make(range(len(self._names)))

    def close(self) -> None:
        """Let go of all shards."""
        futures = [future for _, future in self._making.values()]
        self._making = {}
        if self._client.status == "running":
            try:
                self._client.cancel(futures, force=True)
                self._client.run(let_go, self.run, on_error="ignore")
            except Exception:  # The cluster may go at any moment, and the answer is there.
                log.info("the cluster went away before its shards were dropped")

    @property
    def is_unsettled(self) -> bool:
        """Whether shards are being made."""
        return bool(self._making)

    def look(self, busy: set[int]) -> None:
        """See who came and went. Shards that are busy stay where they are."""
        alive = self.workers()
        self._refuse_strangers(alive)
        self._leave_lost(alive)
        self._take_made(busy)
        self._even_out(alive)

    def lose(self, indices: list[int]) -> None:
        """These shards are gone, though their worker is there."""
        for index in indices:
            self.where[index] = None
        self.faults["rebuilt"] += len(indices)
        self._make(indices)

    def workers(self) -> set[str]:
        """The addresses of all workers."""
        if self._client.status != "running":
            raise self.gone()
        return set(self._client.scheduler_info(n_workers=-1)["workers"])

    def gone(self) -> RuntimeError:
        """What to say when the scheduler is gone."""
        return RuntimeError(f"the scheduler of the cluster is gone{self._hint()}")

    def _hint(self) -> str:
        path = self._keeper.path
        return f"; continue with fit(X, checkpoint={str(path)!r}, resume=True)" if path is not None and path.exists() else ""

    def _where_blocks_are(self, X: Any) -> dict[int, set[str]]:
        """Workers that have blocks already, as after X.persist()."""
        futures = {future.key: future for future in distributed.futures_of(X)}
        there = {index: futures[block.key] for index, block in enumerate(self._delayed) if block.key in futures}
        who_has = self._client.who_has(list(there.values())) if there else {}
        return {index: set(who_has.get(future.key, ())) for index, future in there.items()}

    def _refuse_strangers(self, alive: set[str]) -> None:
        """Refuse workers that do not have this version of the package."""
        new = alive - self._known
        if not new:
            return
        own = importlib.metadata.version("proxsplit")
        found = self._client.run(importlib.metadata.version, "proxsplit", workers=list(new), on_error="return")
        for address, version in found.items():
            # Other errors are those of a worker that is already lost.
            is_missing = isinstance(version, ImportError)
            if is_missing or isinstance(version, str) and version != own:
                what = "has no proxsplit" if is_missing else f"has proxsplit {version}"
                raise RuntimeError(f"worker {address} {what}, but {own} is needed: install it in the environment of the workers")
        self._known |= new

    def _leave_lost(self, alive: set[str]) -> None:
        targets = {address for address, _ in self._making.values()}
        lost = {address for address in (*self.where, *targets) if address is not None and address not in alive}
        self.faults["lost"] += len(lost)
        for index, (address, future) in list(self._making.items()):
            if address in lost:
                future.cancel(force=True)
                del self._making[index]
        self.where = [None if address in lost else address for address in self.where]
        homeless = [index for index, address in enumerate(self.where) if address is None and index not in self._making]
        if homeless:
            log.warning("%d workers were lost; %d shards are being rebuilt elsewhere", len(lost), len(homeless))
            self.faults["rebuilt"] += len(homeless)
            self._make(homeless)

    def _take_made(self, busy: set[int]) -> None:
        for index, (address, future) in list(self._making.items()):
            if not future.done() or index in busy:
                continue
            del self._making[index]
            if future.status == "error":
                raise self._refusal(index, future.exception())
            if future.status == "finished":
                before, self.where[index] = self.where[index], address
                if before is not None:
                    distributed.fire_and_forget(self._client.submit(let_go, self.run, index, workers=[before], pure=False))

    def _refusal(self, index: int, error: Any) -> Exception:
        name = self._names[index]
        if isinstance(error, ValueError) and str(error).startswith(name):
            return error
        why = "every worker that computed it died, perhaps for lack of memory; use smaller blocks or larger workers" if isinstance(error, KilledWorker) else f"{type(error).__name__}: {error}"
        refusal = RuntimeError(f"{name} could not be computed: {why}")
        refusal.__cause__ = error
        return refusal

    def _even_out(self, alive: set[str]) -> None:
        """Give a worker that came shards of those that have more."""
        loads = self._loads(alive)
        while loads and max(loads.values()) > min(loads.values()) + 1:
            most = max(loads, key=loads.__getitem__)
            index = next((i for i, address in enumerate(self.where) if address == most and i not in self._making), None)
            if index is None:
                return
            self.faults["moved"] += 1
            loads = self._make([index])

    def _loads(self, alive: set[str]) -> dict[str, int]:
        """How many shards every worker has or will have."""
        places = [self._making[index][0] if index in self._making else address for index, address in enumerate(self.where)]
        return {address: places.count(address) for address in sorted(alive)}

    def _make(self, indices: Any) -> dict[str, int]:
        """Begin to make shards on the workers that have the fewest, or that have their blocks; how many all have then."""
        alive = self._some_workers()
        self._refuse_strangers(alive)
        loads = self._loads(alive)
        fair = -(-len(self._names) // len(loads))
        for index in indices:
            near = [address for address in self._holders.get(index, ()) if loads.get(address, fair) < fair]
            address = min(near or loads, key=loads.__getitem__)
            loads[address] += 1
            # The block is let go of as soon as there is a shard of it.
            block = self._client.compute(self._delayed[index], workers=[address], allow_other_workers=True)
            making = self._client.submit(
                hold, self.run, index, self._names[index], block, self._sizes[index], self._how,
                workers=[address], allow_other_workers=False, pure=False, key=f"hold-{uuid.uuid4().hex}",
            )  # fmt: skip
            self._making[index] = (address, making)
        return loads

    def _some_workers(self) -> set[str]:
        """Workers, waited for as long as there is none."""
        deadline = time.monotonic() + STARVING
        while not (alive := self.workers()):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the cluster has had no worker for {STARVING:g} seconds{self._hint()}")
            time.sleep(GLANCE)
        return alive

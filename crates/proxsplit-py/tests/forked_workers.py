"""Starts a Dask worker, a process of its own, for every address of a scheduler that comes in. Forked from a process that has imported everything, it is there at once."""

import asyncio
import os
import signal
import sys

import dask.array  # noqa: F401
import distributed

import proxsplit._held  # noqa: F401


async def work(address):
    async with distributed.Worker(address, nthreads=1, dashboard=False, memory_limit=0) as worker:
        await worker.finished()


if __name__ == "__main__":
    # Nobody waits for the children.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    for line in sys.stdin:
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            asyncio.run(work(line.strip()))
            os._exit(0)

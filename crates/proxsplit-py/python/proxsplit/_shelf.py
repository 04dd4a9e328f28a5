"""Arrays between processes of one machine, through files in shared memory: two copies in place of a way over the network.

A file gets its name when it is whole, so that whoever sees it sees all of it, and every name is used once; a file may be used again.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
import uuid
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path("/dev/shm")
# Seconds between two looks at whether something has come.
NAP = 5e-4


class Shelf:
    """What a run has put there."""

    def __init__(self, run: str) -> None:
        self._run = run

    def place(self) -> str:
        """A name that nobody has used."""
        return str(FOLDER / f"{self._run}-{uuid.uuid4().hex}")

    def clear(self) -> None:
        """Take away what nobody has fetched."""
        for path in FOLDER.glob(f"{self._run}-*"):
            discard(str(path))


def _private(path: str, flags: int) -> int:
    """Open a file that is for one user alone."""
    return os.open(path, flags, 0o600)


def put(place: str, arrays: list[Any], spare: str | None = None) -> bool:
    """Put arrays there; false if there is no room, or no such place.

    A spare file that nobody reads any more is written over, because its memory is there already. It never becomes shorter, which would kill
    a process that has it mapped; what is left behind the arrays is not read.
    """
    aside = f"{place}.part"
    try:
        if spare is not None:
            os.rename(spare, aside)
        with open(aside, "wb" if spare is None else "r+b", opener=_private) as file:
            for array in arrays:
                np.save(file, array, allow_pickle=False)
        os.rename(aside, place)
    except OSError:
        discard(aside)
        return False
    return True


def look(place: str, count: int) -> list[Any] | None:
    """So many arrays, where they are; None if they are not there yet. They stay there after the file has lost its name."""
    try:
        with open(place, "rb") as file:
            return [_mapped(file) for _ in range(count)]
    except FileNotFoundError:
        return None


def _mapped(file: Any) -> Any:
    """The next array of a file."""
    np.lib.format.read_magic(file)
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
    start = file.tell()
    array = np.memmap(file, dtype, "r", start, shape, "F" if is_fortran else "C")
    file.seek(start + array.nbytes)
    return np.asarray(array)


def post(place: str, words: Any) -> bool:
    """Put words there, for one who fetches them; false if there is no room."""
    aside = f"{place}.part"
    try:
        with open(aside, "x", encoding="utf-8", opener=_private) as file:
            json.dump(words, file)
        os.rename(aside, place)
    except OSError:
        discard(aside)
        return False
    return True


def fetch(place: str, seconds: float) -> Any:
    """Wait for words and take them; None if none come. Of two who try, one gets them."""
    taken, end = f"{place}.taken", time.monotonic() + seconds
    while True:
        with contextlib.suppress(FileNotFoundError):
            os.rename(place, taken)
            words = json.loads(Path(taken).read_text(encoding="utf-8"))
            discard(taken)
            return words
        if time.monotonic() >= end:
            return None
        time.sleep(NAP)


def discard(place: str) -> None:
    """Take away what is there, if anything."""
    with contextlib.suppress(OSError):
        os.unlink(place)


def sees(place: str) -> bool:
    """Whether a file of another process is there, as only on the same machine, and of the same user."""
    try:
        return os.stat(place).st_uid == os.getuid()
    except OSError:
        return False

"""Arrays between processes of one machine."""

import os
from pathlib import Path

import numpy as np
import pytest

from proxsplit import _shelf

pytestmark = pytest.mark.skipif(not _shelf.FOLDER.is_dir(), reason="no shared memory that is a folder")


@pytest.fixture
def shelf():
    shelf = _shelf.Shelf("proxsplit-test")
    yield shelf
    shelf.clear()


def test_arrays_come_back_as_they_were_and_outlive_their_file(shelf):
    arrays = [np.arange(12, dtype=np.float32).reshape(3, 4), np.arange(3.0), np.asfortranarray(np.eye(3)[:, :2])]
    place = shelf.place()
    assert _shelf.look(place, 3) is None
    assert _shelf.put(place, arrays) and _shelf.sees(place)
    assert Path(place).stat().st_mode & 0o077 == 0
    found = _shelf.look(place, 3)
    _shelf.discard(place)
    assert not os.path.exists(place)
    for array, expected in zip(found, arrays, strict=True):
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array, expected)


def test_a_file_is_used_again(shelf):
    first, second = shelf.place(), shelf.place()
    _shelf.put(first, [np.ones(1000), np.ones(10)])
    node, before = os.stat(first).st_ino, _shelf.look(first, 2)
    assert _shelf.put(second, [np.zeros(5)], spare=first)
    assert np.isfinite(before[0]).any() and before[0][-1] == 1.0  # still mapped, to the end
    assert not os.path.exists(first) and os.stat(second).st_ino == node
    np.testing.assert_array_equal(_shelf.look(second, 1)[0], np.zeros(5))
    assert not _shelf.put(shelf.place(), [np.zeros(5)], spare=first)


def test_where_there_is_no_room_nothing_is_left_behind(shelf, monkeypatch):
    place = shelf.place()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_shelf.np, "save", full)
    assert not _shelf.put(place, [np.ones(3)])
    assert not list(_shelf.FOLDER.glob("proxsplit-test-*"))


def test_what_nobody_has_fetched_is_taken_away(shelf):
    place = shelf.place()
    _shelf.put(place, [np.ones(3)])
    shelf.clear()
    assert not _shelf.sees(place)

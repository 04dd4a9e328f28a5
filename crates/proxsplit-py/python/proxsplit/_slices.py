"""Some samples of a data file: dense npy files are mapped, of sparse npz files only the part that is needed is kept."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


class File:
    """A matrix in an npy file, or a sparse one in an npz file as scipy.sparse.save_npz writes it.

    Rows of what it returns are samples, whatever they are in the file.
    """

    def __init__(self, path: str | Path, samples: str) -> None:
        self.path, self._by_rows = Path(path), samples == "rows"
        if not self.path.exists():
            raise FileNotFoundError(f"{path} does not exist; check the name")
        if self.path.suffix == ".npy":
            array = np.load(self.path, mmap_mode="r", allow_pickle=False)
            if array.ndim != 2:
                raise ValueError(f"{path} has {array.ndim} dimensions, but it must have 2")
            self._format, shape, self.dtype = None, array.shape, array.dtype
        elif self.path.suffix == ".npz":
            with zipfile.ZipFile(self.path) as archive:
                names = set(archive.namelist())
                if not {"format.npy", "shape.npy", "indptr.npy", "indices.npy", "data.npy"} <= names:
                    raise ValueError(f"{path} holds no csr or csc matrix; save one with scipy.sparse.save_npz")
                word = _member(archive, "format").item()
                self._format = word.decode() if isinstance(word, bytes) else str(word)
                shape = tuple(int(n) for n in _member(archive, "shape"))
                self.dtype = _header(archive, "data")[1]
            if self._format not in ("csr", "csc"):
                raise ValueError(f"{path} is stored as {self._format}; save it as csr or csc")
        else:
            raise ValueError(f"{path} is neither npy nor npz; the proxsplit command reads other formats, on one machine")
        self.samples, self.features = shape if self._by_rows else shape[::-1]

    def read(self, start: int, stop: int) -> Any:
        """The samples from start to stop."""
        if self._format is None:
            array = np.load(self.path, mmap_mode="r", allow_pickle=False)
            return array[start:stop] if self._by_rows else array[:, start:stop].T
        # Samples are the lines that are stored one after the other, or they lie across them.
        if (self._format == "csr") == self._by_rows:
            return self._lines(start, stop)
        whole = sp.load_npz(self.path)
        part = whole[start:stop] if self._by_rows else whole[:, start:stop].T
        return part.tocsr()

    def _lines(self, start: int, stop: int) -> Any:
        with zipfile.ZipFile(self.path) as archive:
            starts = _member(archive, "indptr")[start : stop + 1]
            first, last = int(starts[0]), int(starts[-1])
            data, indices = (_member(archive, name, first, last) for name in ("data", "indices"))
        indptr = (starts - first).astype(indices.dtype)
        return sp.csr_matrix((data, indices, indptr), shape=(stop - start, self.features))

    def describe(self) -> str:
        """Shape and type, for people."""
        storage = "dense" if self._format is None else f"sparse ({self._format})"
        return f"{self.features} features × {self.samples} samples, {storage} {self.dtype}"


def _header(archive: zipfile.ZipFile, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    with archive.open(f"{name}.npy") as file:
        return _shape(file)


def _shape(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    return shape, dtype


def _member(archive: zipfile.ZipFile, name: str, start: int = 0, stop: int | None = None) -> NDArray[Any]:
    """Entries of an array in the archive; the rest is skipped and never kept."""
    with archive.open(f"{name}.npy") as file:
        shape, dtype = _shape(file)
        if dtype.hasobject:
            raise ValueError(f"{archive.filename} holds objects instead of numbers; save it with a numeric dtype")
        if shape == ():
            return np.frombuffer(file.read(dtype.itemsize), dtype)[0:1].reshape(())
        stop = shape[0] if stop is None else stop
        left = start * dtype.itemsize
        while left > 0:
            skipped = len(file.read(min(left, 1 << 20)))
            if skipped == 0:
                raise ValueError(f"{archive.filename} ends too early; it may have been cut off")
            left -= skipped
        return np.frombuffer(file.read((stop - start) * dtype.itemsize), dtype)

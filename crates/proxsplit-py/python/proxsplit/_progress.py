"""Progress of a run on the terminal: a tqdm bar where tqdm is installed, else a line at a time."""

from __future__ import annotations

from typing import Any


class Progress:
    """Shows the passes of a run, its objective and its residual.

    Use as a context manager; `show` is called at every look at the run.
    """

    def __init__(self, verbose: int, passes: float, name: str) -> None:
        self._bar: Any = None
        self._name, self._passes, self._verbose = name, passes, int(verbose)

    def __enter__(self) -> Progress:
        if self._verbose:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                pass
            else:
                self._bar = tqdm(total=self._passes, desc=self._name, unit="pass", leave=True)
        return self

    def show(self, passes: float, objective: float, residual: float) -> None:
        """Tell where the run is."""
        if self._bar is not None:
            self._bar.set_postfix_str(f"objective {objective:.6e}, residual {residual:.2e}", refresh=False)
            self._bar.update(passes - self._bar.n)
        elif self._verbose:
            print(f"[{self._name}] pass {passes:g}: objective {objective:.6e}, residual {residual:.2e}")

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.close()

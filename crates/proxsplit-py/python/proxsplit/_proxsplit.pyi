from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from numpy.typing import NDArray

__all__ = [
    "Shard",
    "Term",
    "audit",
    "catalogue",
    "choices",
    "consensus",
    "encode",
    "factorize",
    "factorize_shards",
    "linear",
    "losses",
    "minimize",
    "path_factors",
    "select_rank",
    "update_atoms",
]

@final
class Term:
    def __new__(cls, text: str) -> Term: ...
    @staticmethod
    def bounds(lower: Sequence[float], upper: Sequence[float]) -> Term: ...
    @staticmethod
    def weighted_l1(weights: Sequence[float]) -> Term: ...
    @staticmethod
    def variation(name: str, weight: float, shape: tuple[int, int], tolerance: float) -> Term: ...
    def joined(self, other: Term) -> Term: ...
    def conjugate(self) -> Term: ...
    @property
    def text(self) -> str: ...
    @property
    def modulus(self) -> float: ...
    def value(self, x: NDArray[Any]) -> float: ...
    def prox(self, x: NDArray[Any], step: float) -> tuple[NDArray[Any], float | None]: ...

def minimize(
    x0: NDArray[Any],
    f: Mapping[str, Any],
    g: Term | tuple[Callable[..., float], Callable[..., NDArray[Any]], float],
    settings: Mapping[str, Any],
    observe: Callable[..., bool] | None,
) -> dict[str, Any]: ...
def catalogue() -> list[str]: ...
def losses() -> list[str]: ...
def linear(
    data: Any, targets: NDArray[Any], settings: Mapping[str, Any], weights: NDArray[Any] | None = None
) -> dict[str, Any]: ...
def path_factors(
    data: Any, targets: NDArray[Any], settings: Mapping[str, Any], count: int, ratio: float, weights: NDArray[Any] | None = None
) -> list[float]: ...
def choices() -> dict[str, list[str]]: ...
def factorize(
    data: Any,
    settings: Mapping[str, Any],
    w: NDArray[Any] | None = None,
    h: NDArray[Any] | None = None,
    observe: Callable[[float, float, float], object] | None = None,
    fixed: NDArray[Any] | None = None,
    sample_weight: NDArray[Any] | None = None,
    graph: Any = None,
    feature_graph: Any = None,
) -> dict[str, Any]: ...
def encode(
    data: Any, h: NDArray[Any], term: str, threads: int, missing: str | None = None, loss: str | None = None
) -> NDArray[Any]: ...
def update_atoms(h: NDArray[Any], gram: NDArray[Any], cross: NDArray[Any], term: str, threads: int) -> NDArray[Any]: ...
def audit(
    data: Any,
    w: NDArray[Any],
    h: NDArray[Any],
    codes: str,
    atoms: str,
    missing: str | None = None,
    loss: str | None = None,
    graph: Any = None,
    feature_graph: Any = None,
) -> dict[str, Any]: ...
def select_rank(
    data: Any, plan: Mapping[str, Any], observe: Callable[[int, bool, int, float], object] | None = None
) -> str: ...
def consensus(runs: Sequence[tuple[NDArray[Any], NDArray[Any]]], objectives: Sequence[float]) -> tuple[str, NDArray[Any]]: ...
@final
class Shard:
    def __new__(
        cls, data: Any, rank: int, codes: str, atoms: str, *, index: int, single: bool = False, threads: int = 0
    ) -> Shard: ...
    def answer(self, header: str, x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]: ...
    def codes(self) -> NDArray[Any]: ...
    def state(self) -> dict[str, NDArray[Any]]: ...
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...
    def forget(self) -> None: ...
    def close(self) -> None: ...

def factorize_shards(
    ask: Callable[[str, NDArray[Any], bool], Any],
    settings: Mapping[str, Any],
    h: NDArray[Any] | None = None,
    *,
    observe: Callable[[float, float, float], object] | None = None,
    moved: Callable[[float], object] | None = None,
    save: Callable[[str, dict[str, NDArray[Any]]], object] | None = None,
    resume: tuple[str, dict[str, NDArray[Any]]] | None = None,
) -> dict[str, Any]: ...

"""Claims that must hold; a run ends with an error if one does not."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Checks:
    """A list of claims, each with what was seen."""

    rows: list[tuple[str, bool, str]] = field(default_factory=list)

    def claim(self, text: str, holds: bool, seen: str) -> None:
        self.rows.append((text, bool(holds), seen))
        print(f"{'holds' if holds else 'FAILS'}: {text} ({seen})", flush=True)

    @property
    def failed(self) -> list[str]:
        return [text for text, holds, _ in self.rows if not holds]

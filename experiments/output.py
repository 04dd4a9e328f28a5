"""Where pages go: Markdown and figures in one folder, and one HTML page with everything inside."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from pathlib import Path

from bench import style
from bench.case import ROOT

CSS = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 0.85rem; }
td, th { border: 1px solid #8886; padding: 0.2rem 0.5rem; text-align: left; }
img { max-width: 100%; } code { font-size: 0.9em; }
"""


@dataclass(frozen=True)
class Output:
    """A folder of pages; `command` and `machine` are named on each."""

    folder: Path
    command: str
    machine: str

    def figure(self, name: str, figure) -> None:
        style.save(figure, self.folder / f"{name}.svg")

    def page(self, name: str, title: str, body: str) -> None:
        measured = f"Command: `{self.command}`. Measured {self.machine}." if self.machine else "Not measured yet: `make reproduce`."
        head = f"# {title}\n\n{measured}\n\n"
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{name}.md").write_text(head + body.strip() + "\n")

    def empty(self, name: str, title: str) -> None:
        """A page of a part that has not been run."""
        self.page(name, title, "No run of this part is complete yet.")

    def answer(self, name: str) -> str:
        """The paragraph that a page opens with, in one line."""
        path = self.folder / f"{name}.md"
        if not path.exists():
            return "Not in this run."
        return path.read_text().split("\n\n")[2].replace("\n", " ")

    def html(self, names: list[str]) -> Path:
        """All pages as one file that needs no network."""
        import markdown

        present = [name for name in names if (self.folder / f"{name}.md").exists()]
        text = {name: (self.folder / f"{name}.md").read_text() for name in present}
        body = "".join(
            f"<section id={name}>{markdown.markdown(text[name], extensions=['tables'])}</section>" for name in present
        )
        body = re.sub(r'src="([^"]+\.svg)"', lambda match: f'src="{self.inline(match[1])}"', body)
        body = re.sub(r'href="([\w-]+)\.md"', r'href="#\1"', body)
        head = f"<!doctype html><html lang=en><meta charset=utf-8><title>proxsplit: reproduction</title><style>{CSS}</style>"
        path = ROOT / "target" / "reproduce.html"
        path.write_text(head + f"<body>{body}</body></html>\n")
        return path

    def inline(self, name: str) -> str:
        data = base64.b64encode((self.folder / name).read_bytes()).decode()
        return f"data:image/svg+xml;base64,{data}"

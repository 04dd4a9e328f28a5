"""Typesets the formulas of the book: every block ```math in LaTeX, which GitHub shows as it is, becomes MathML.

A preprocessor of mdBook (`docs/book.toml`); it needs latex2mathml, and the page neither a script nor the network.
"""

import json
import re
import sys

BLOCK = re.compile(r"^```math\n(.*?)\n```$", re.DOTALL | re.MULTILINE)


def typeset(text):
    from latex2mathml.converter import convert

    def formula(found):
        # What stands apart in a line may stand below each other on a narrow page.
        parts = (convert(part, display="block") for part in found[1].split(r"\qquad"))
        return f'<div class="formula">{"".join(parts)}</div>'

    return BLOCK.sub(formula, text)


def visit(items):
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            chapter = item["Chapter"]
            chapter["content"] = typeset(chapter["content"])
            visit(chapter["sub_items"])


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    visit(book.get("items", book.get("sections", [])))
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()

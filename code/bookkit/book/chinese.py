"""Chinese on the pages of the book: its signs, and the font that has them on paper.

The font holds what the pages show and no more, some hundred signs. The editions carry
it along; the site falls back on it where a reader's system has no Chinese font.
"""

import re
from pathlib import Path

from bookkit.book.files import read_page
from bookkit.book.notebooks import CHINESE, notebook_paths

FONT = "book/_static/chinese/chinese.woff"
FAMILY = "Book Chinese"
LANGUAGE = "zh-Hans"
# Ideographs, and the punctuation that goes with them.
SIGNS = re.compile(r"[\u3001-\u3011\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]")


def read_signs(root: Path) -> set[str]:
    """List the Chinese signs on the pages of the book, outputs included."""
    chinese = (p for end in ("md", "ipynb") for p in (root / CHINESE).rglob(f"*.{end}"))
    pages = [*notebook_paths(root), *(root / "book").rglob("*.md"), *chinese]
    return set(SIGNS.findall("".join(read_page(page) for page in pages)))

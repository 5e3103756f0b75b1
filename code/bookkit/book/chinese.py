"""Chinese on the pages of the book: its signs, and the fonts that have them.

A font holds what the pages show and no more, some hundred signs. The editions carry
it along; the site falls back on it where a reader's system has no Chinese font. Figures
have a font of their own, which their code brings along.
"""

import json
import re
from pathlib import Path

from bookkit.book.catalogs import LABELS
from bookkit.book.files import read_page
from bookkit.book.notebooks import CHINESE, notebook_paths

FONT = "book/_static/chinese/chinese.woff"
FAMILY = "Book Chinese"
LABEL_FONT = f"{LABELS}/labels.otf"
LABEL_FAMILY = "Book Labels"
LANGUAGE = "zh-Hans"
# Ideographs, and the punctuation that goes with them.
SIGNS = re.compile(r"[\u3001-\u3011\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]")


def read_signs(root: Path) -> set[str]:
    """List the Chinese signs on the pages of the book, outputs included."""
    chinese = (p for end in ("md", "ipynb") for p in (root / CHINESE).rglob(f"*.{end}"))
    pages = [*notebook_paths(root), *(root / "book").rglob("*.md"), *chinese]
    return set(SIGNS.findall("".join(read_page(page) for page in pages)))


def read_label_signs(root: Path) -> set[str]:
    """List the Chinese signs in the labels of figures."""
    files = sorted((root / LABELS).glob("*.json"))
    said = (label for file in files for label in json.loads(read_page(file)).values())
    return set(SIGNS.findall("".join(said)))

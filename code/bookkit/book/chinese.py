"""The Chinese pages: `zh/…` beside `book/…`, their catalogs, and the fonts they need.

A catalog, `zh/catalogs/….po`, holds the paragraphs of one English page and what they
are in Chinese, in the form of gettext, which every tool for translators reads. What a
reader sees that is no prose, such as formulas, anchors and code, is no message.

A font holds the signs that the pages show and no more, some hundred. The editions carry
it along; the site falls back on it where a reader's system has no Chinese font. Figures
have a font of their own, which their code brings along.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from bookkit.book.errors import BookError
from bookkit.book.files import read_page
from bookkit.book.notebooks import CHINESE, notebook_paths

CATALOGS = f"{CHINESE}catalogs"
LABELS = "code/chapters/labels"  # what a figure in Chinese is drawn with
LOCALE = "zh_CN"
# What names a part of an English page names it on the Chinese page with this end.
END = "-zh"
# Between messages: empty lines (those of a quote too), formulas, code, and anchors.
_BETWEEN = re.compile(
    r"((?:^```.*?^```$|^ *\$\$\n.*?^ *\$\$$|^<a id=[^\n]+</a>$|^\([\w-]+\)=$"
    r"|^</?details[^>\n]*>$|\n(?:> ?\n)+)\n*|\n{2,})",
    re.M | re.S,
)
_SAID = re.compile(r"[A-Za-z]{2}")
_UNSAID = re.compile(r"`[^`]*`|\$[^$]*\$|<[^>]*>")
# What a translation has as its message has it: formulas, code, and where links lead.
_KEPT = re.compile(r"\$[^$]+\$|`[^`]+`|(?<=\]\()[^)\s]+")
_NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?) ?(million|billion|万|亿)?")
# How matplotlib begins a text, and notes what the shapes that follow say.
_DRAWN = re.compile(r'<g id="text_\d+">')
_NOTED = re.compile(r"<!-- (.*?) -->", re.S)
_TIMES = {"": 1, "万": 10**4, "million": 10**6, "亿": 10**8, "billion": 10**9}
FONT = "book/_static/chinese/chinese.woff"
FAMILY = "Book Chinese"
LABEL_FONT = f"{LABELS}/labels.otf"
LABEL_FAMILY = "Book Labels"
LANGUAGE = "zh-Hans"
# Ideographs, and the punctuation that goes with them.
SIGNS = re.compile(r"[\u3001-\u3011\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]")


def is_said(text: str) -> bool:
    """Return whether a text has words, besides formulas and code."""
    return bool(_SAID.search(_UNSAID.sub("", text)))


def drawn_texts(svg: str) -> list[str]:
    """List the texts of a figure that matplotlib has drawn, each with all its lines."""
    texts = map(_NOTED.findall, _DRAWN.split(svg)[1:])
    return [unescape("\n".join(lines)) for lines in texts]


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Cut a text into pieces, and say of each whether it is a message."""
    for index, piece in enumerate(_BETWEEN.split(text)):
        yield piece, index % 2 == 0 and is_said(piece)


def translate(text: str, words: dict[str, str]) -> str:
    """Write a text with its messages in other words, where there are some."""
    return "".join(words.get(x, x) if said else x for x, said in pieces(text))


def faults(english: str, chinese: str) -> list[str]:
    """List the formulas, code and links that differ, and numbers only one text has.

    English may say a number in words.
    """
    kept = [Counter(_KEPT.findall(text)) for text in (english, chinese)]
    one, other = (kept[0] - kept[1]) + (kept[1] - kept[0]), numbers(chinese)
    return [*one, *(f"{n:g}" for n in sorted(other - numbers(english)))]


def numbers(text: str) -> set[float]:
    """Collect the numbers of a text that are written in digits, outside of formulas."""
    found = _NUMBER.findall(_KEPT.sub(" ", text))
    return {float(n.replace(",", "")) * _TIMES[unit] for n, unit in found}


def twins(root: Path) -> dict[str, str]:
    """List the pages with a catalog: the English file, and the Chinese one."""
    found = {}
    for path in sorted((root / CATALOGS).rglob("*.po")):
        name = path.relative_to(root / CATALOGS).with_suffix("").as_posix()
        endings = (e for e in (".ipynb", ".md") if (root / f"book/{name}{e}").exists())
        ending = next(endings, None)
        if ending is None:
            raise BookError(
                f"{CATALOGS}/{name}.po must belong to a page, and there is no "
                f"book/{name}; move it to where the page is now, or remove it."
            )
        found[f"book/{name}{ending}"] = f"{CHINESE}{name}{ending}"
    return found


def catalog_path(root: Path, file: str) -> Path:
    """Return where the catalog of an English page is."""
    return root / CATALOGS / Path(file).relative_to("book").with_suffix(".po")


def labels_path(root: Path, file: str) -> Path:
    """Return where the code finds the labels of an English page in Chinese."""
    return root / LABELS / f"{Path(file).stem}.json"


def read_catalog(path: Path) -> Catalog:
    """Read a catalog, which may be empty."""
    with path.open("rb") as file:
        return read_po(file, locale=LOCALE)


def is_done(message: Message) -> bool:
    """Return whether a message has a translation of what it says today."""
    return bool(message.id and message.string) and not message.fuzzy


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

"""Divide the book on paper: text, solutions, what is looked up, what is in Chinese."""

from collections.abc import Callable, Collection
from dataclasses import replace

from bookkit.book.chinese import LANGUAGE
from bookkit.book.notebooks import CHINESE
from bookkit.publishing.edition.contents import Book, Part

_APPENDIX = "book/appendix"
_API = f"{_APPENDIX}/api"
_API_PART = "The API of the package"
# What is looked up beside the API, by the names of its parts.
_OTHERS = {
    "Cards and traps": ("fact_cards", "formula_card", "convention_traps"),
    "Sources and checks": (
        "paper_to_code",
        "parity",
        "how_it_is_checked",
        "benchmarks",
    ),
}
_PARTS = {
    f"{_APPENDIX}/{name}.html": part
    for part, names in _OTHERS.items()
    for name in names
}


def divide(book: Book, solved: Collection[str] = ()) -> dict[str, Book]:
    """Divide a book into volumes, each with a name; that of the text has none.

    Args:
        book: The whole book.
        solved: Its pages with solutions.

    Returns:
        The text, and beside it the volumes for which the book has pages.
    """
    text = _keep(book, lambda page: not (_is_looked_up(page) or _is_chinese(page)))
    looked_up = sorted(filter(_is_looked_up, book.pages), key=_order)
    chinese = [*filter(_is_chinese, book.pages)]
    volumes = {"": text}
    if answers := [page for page in text.pages if page in solved]:
        volumes[""] = replace(text, shown="text")
        first, *_ = answers
        volume = _keep(text, lambda page: page in answers and page != first)
        title = f"{book.title}: Solutions"
        volumes["solutions"] = replace(
            volume, title=title, first_page=first, shown="solutions"
        )
    if looked_up:
        first, *rest = looked_up
        parts = [
            Part(title, [page for page in rest if _PARTS.get(page, _API_PART) == title])
            for title in (_API_PART, *_OTHERS)
        ]
        volumes["reference"] = _begin(book, first, parts, "Reference")
    if chinese:
        first, *rest = chinese
        volume = _begin(book, first, [Part("中文", rest)], "中文")
        volumes["chinese"] = replace(volume, language=LANGUAGE)
    return volumes


def _keep(book: Book, is_kept: Callable[[str], bool]) -> Book:
    parts = [Part(p.title, [*filter(is_kept, p.pages)]) for p in book.parts]
    return replace(book, parts=[part for part in parts if part.pages])


def _begin(book: Book, first: str, parts: list[Part], title: str) -> Book:
    """Make a volume that begins with a page."""
    parts = [part for part in parts if part.pages]
    return replace(book, title=f"{book.title}: {title}", first_page=first, parts=parts)


def _is_looked_up(page: str) -> bool:
    return _is_api(page) or page in _PARTS


def _order(page: str) -> int:
    """Say how late in what is looked up a page stands: behind the API, by its part."""
    return [_API_PART, *_OTHERS].index(_PARTS.get(page, _API_PART))


def _is_api(page: str) -> bool:
    return page.startswith((f"{_API}.", f"{_API}/"))


def _is_chinese(page: str) -> bool:
    return page.startswith(CHINESE)

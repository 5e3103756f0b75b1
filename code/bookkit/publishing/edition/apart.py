"""Divide the book on paper: what is read, and the API, which is looked up."""

from dataclasses import replace

from bookkit.publishing.edition.contents import Book, Part

_API = "book/appendix/api"
_TITLE = "The API of the package"


def take_api(book: Book) -> tuple[Book, Book | None]:
    """Divide a book into what is read and the pages of its API.

    Returns:
        The book without its API, and one of the API alone, or None where it has none.
    """
    pages = [page for page in book.pages if _is_api(page)]
    if not pages:
        return book, None
    parts = [
        Part(part.title, [page for page in part.pages if not _is_api(page)])
        for part in book.parts
    ]
    first, *rest = pages
    api = replace(
        book,
        title=f"{book.title}: {_TITLE}",
        first_page=first,
        parts=[Part(_TITLE, rest)] if rest else [],
    )
    return replace(book, parts=[part for part in parts if part.pages]), api


def _is_api(page: str) -> bool:
    return page.startswith((f"{_API}.", f"{_API}/"))

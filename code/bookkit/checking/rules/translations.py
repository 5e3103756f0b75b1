"""Rules about the Chinese pages: they say what the English ones say, of today."""

from pathlib import Path

from bookkit.book.catalogs import (
    catalog_path,
    faults,
    is_done,
    numbers,
    read_catalog,
    twins,
)
from bookkit.book.files import read_page
from bookkit.book.notebooks import CHINESE
from bookkit.writing.translations import hand_written, stale_translations


def chinese_pages_are_fresh(root: Path) -> list[str]:
    """The Chinese pages are what the English pages and their catalogs give.

    For readers of Chinese: a paragraph that has changed stands there in English.
    """
    stale = " and ".join(stale_translations(root))
    return [f"{stale} must be written anew; run `make chinese`."] if stale else []


def translations_are_exact(root: Path) -> list[str]:
    """A translation has the formulas, code, links and numbers of its English text.

    For readers of Chinese, who rely on a number as others do.
    """
    breaches = [
        f"{catalog_path(root, file).relative_to(root)} differs from the English text "
        f"in {', '.join(found)}: {message.string[:30]!r}."
        for file in twins(root)
        for message in read_catalog(catalog_path(root, file))
        if is_done(message) and (found := faults(message.id, message.string))
    ]
    for page in hand_written(root):
        english = root / "book" / page.relative_to(root / CHINESE)
        said = read_page(root / "book/index.md") + read_page(english)
        more = numbers(read_page(page)) - numbers(said)
        breaches += [
            f"{page.relative_to(root)} says {number:g}, and the English page does not."
            for number in sorted(more)
        ]
    return breaches

"""Let the search find a page by each name of what it is about: RoPE and rotary alike.

`search_names.yml` holds the groups of names. A page that the index lists under one name
of a group is listed under the others too, and the chapter of the group comes first.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.search import IndexBuilder

NAMES = Path(__file__).with_name("search_names.yml")
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Group:
    """Names of one thing, and the page that explains it."""

    page: str
    names: tuple[str, ...]


def read_groups(file: Path) -> list[Group]:
    """Read the groups of names.

    Raises:
        ExtensionError: A group lacks its page or has fewer than two names.
    """
    groups = []
    for page, names in yaml.safe_load(file.read_text("utf-8")):
        if not isinstance(names, list) or len(names) < 2:
            raise ExtensionError(
                f"A group of {file.name} must be a page and two names or more; got "
                f"{[page, names]}. Add what is missing."
            )
        groups.append(Group(page, tuple(names)))
    return groups


def holds(text: str, name: str) -> bool:
    """Return whether a text holds a name, in singular or plural, hyphens as spaces."""
    words = r"[\s\-\u2013]+".join(map(re.escape, WORD.findall(name)))
    return re.search(rf"\b{words}s?\b", text, re.IGNORECASE) is not None


def extend(index: IndexBuilder, groups: Iterable[Group], read: Callable) -> None:
    """List each page under all names of what it names once.

    Args:
        index: The index of the search.
        groups: The names.
        read: Reads the text of a page.
    """
    texts = {page: read(page) for page in index._titles}
    groups = list(groups)
    # A word of one group's name may be a name of another: LN in pre-LN.
    while any(share_pages(index, group, texts) for group in groups):
        pass
    for group in groups:
        put_first(index, group)


def share_pages(index: IndexBuilder, group: Group, texts: dict[str, str]) -> bool:
    """Give all names of a group the same pages; tell whether that added any."""
    single = {stem(index, n) for n in group.names if len(WORD.findall(n)) == 1}
    pages = {p for p, text in texts.items() if any(holds(text, n) for n in group.names)}
    pages.update(*(index._mapping.get(word, ()) for word in single))
    pages.update(*(index._title_mapping.get(word, ()) for word in single))
    titled = set().union(*(index._title_mapping.get(word, ()) for word in single))
    words = {stem(index, word) for name in group.names for word in WORD.findall(name)}
    wanted = [(index._mapping, words, pages), (index._title_mapping, single, titled)]
    added = False
    for mapping, keys, found in wanted:
        for key in keys:
            known = mapping.setdefault(key, set())
            added = added or not found <= known
            known |= found
    return added


def stem(index: IndexBuilder, word: str) -> str:
    """Return the form of a word under which the index lists it."""
    return index.lang.stem(word.lower())


def put_first(index: IndexBuilder, group: Group) -> None:
    """Let the page that explains a thing be the first result for each of its names."""
    if group.page not in index._titles:
        raise ExtensionError(
            f"Each group of {NAMES.name} must name a page of the book; got "
            f"'{group.page}'. Write it as in _toc.yml."
        )
    known = set(index._index_entries.get(group.page, []))
    known |= {(name.lower(), "", "main") for name in group.names}
    index._index_entries[group.page] = sorted(known)


def on_collect_pages(app: Sphinx) -> list:
    """Extend the index, when all pages are in it and before it is written."""
    index = getattr(app.builder, "indexer", None)
    if app.builder.name == "html" and index is not None:
        extend(index, read_groups(NAMES), lambda p: app.env.get_doctree(p).astext())
    return []


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("html-collect-pages", on_collect_pages)

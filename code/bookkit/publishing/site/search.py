"""Let the search find a page by each name of what it is about: RoPE and rotary alike.

`search_names.yml` holds the groups of names. A page that the index lists under one name
of a group is listed under the others too, and the chapter of the group comes first.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
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
    naming = {
        group: {p for p, t in texts.items() if any(holds(t, n) for n in group.names)}
        for group in groups
    }
    # A word of one group's name may be a name of another: LN in pre-LN.
    while any(share_pages(index, group, pages) for group, pages in naming.items()):
        pass
    for group in naming:
        put_first(index, group)


def share_pages(index: IndexBuilder, group: Group, naming: set[str]) -> bool:
    """Give all names of a group the same pages; return whether that added any."""
    single = {stem(index, n) for n in group.names if len(WORD.findall(n)) == 1}
    pages = set(naming)
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


def keep_text(app: Sphinx, doctree: nodes.document) -> None:
    """Keep the text of a page, which is quicker to read again than its tree."""
    _texts(app.env)[app.env.docname] = doctree.astext()


def forget_text(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget the text of a page that changed or went."""
    _texts(env).pop(docname, None)


def merge_texts(
    app: Sphinx, env: BuildEnvironment, docnames: list[str], other: BuildEnvironment
) -> None:
    """Take over the texts of the pages that another process has read."""
    _texts(env).update({name: _texts(other)[name] for name in docnames})


def _texts(env: BuildEnvironment) -> dict[str, str]:
    """Return the texts of pages, which last from one build to the next."""
    if not hasattr(env, "book_texts"):
        env.book_texts = {}
    return env.book_texts


def on_collect_pages(app: Sphinx) -> list:
    """Extend the index, when all pages are in it and before it is written."""
    index = getattr(app.builder, "indexer", None)
    if app.builder.name == "html" and index is not None:
        extend(index, read_groups(NAMES), app.env.book_texts.__getitem__)
    return []


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("doctree-read", keep_text)
    app.connect("env-purge-doc", forget_text)
    app.connect("env-merge-info", merge_texts)
    app.connect("html-collect-pages", on_collect_pages)

"""Read by which names a search finds a section: RoPE and rotary lead to one place.

The glossary gives most of them: each term leads to the section that explains it, and
its synonyms and its Chinese names too. `names.yml` adds what the glossary does not
list, and goes before it: 层归一化 leads where it says that layer normalization does.
`absent.yml` names what the book does not treat, each with what is nearest to it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import yaml
from sphinx.errors import ExtensionError

from bookkit.book.glossary import Term

NAMES = Path(__file__).with_name("names.yml")
ABSENT = Path(__file__).with_name("absent.yml")


@dataclass(frozen=True)
class Group:
    """Names of one thing, and the place that explains it.

    Attributes:
        page: The page, as in _toc.yml.
        slug: The heading there, as in links or in its address; empty for the page.
        names: The names.
    """

    page: str
    slug: str
    names: tuple[str, ...]


def list_groups(file: Path, terms: Iterable[Term]) -> list[Group]:
    """List the groups of a file, with Chinese names, and then those of the glossary."""
    terms = list(terms)
    chinese = {form: term.chinese for term in terms for form in plain_names(term.name)}
    groups = []
    for group in read_groups(file):
        found = (chinese.get(name.lower(), ()) for name in group.names)
        names = dict.fromkeys([*group.names, *chain.from_iterable(found)])
        groups.append(replace(group, names=tuple(names)))
    return [*groups, *glossary_groups(terms)]


def read_groups(file: Path) -> list[Group]:
    """Read the groups of a file: a place, and a list of names.

    Raises:
        ExtensionError: A group is something else.
    """
    groups = []
    for place, names in yaml.safe_load(file.read_text("utf-8")).items():
        if not (isinstance(names, list) and all(isinstance(n, str) for n in names)):
            raise ExtensionError(
                f"{file.name} must give each place a list of names; got {names!r} for "
                f"{place!r}. Write it as [RoPE, rotary], a number in quotation marks."
            )
        page, _, slug = place.partition("#")
        groups.append(Group(page, slug, tuple(names)))
    return groups


def glossary_groups(terms: Iterable[Term]) -> list[Group]:
    """List the terms of the glossary, each with its synonyms and Chinese names."""
    terms = list(terms)
    others: dict[str, list[str]] = {term.name: [] for term in terms}
    for term in terms:
        if term.synonym_of:
            others[term.synonym_of].append(plain_name(term.name))
        others[term.synonym_of or term.name] += term.chinese
    return [
        Group(
            f"book/{term.page}",
            term.anchor,
            (plain_name(term.name), *others[term.name]),
        )
        for term in terms
        if not term.synonym_of
    ]


def plain_name(name: str) -> str:
    """Write a term as one types it: absolute (position) as absolute."""
    return name.partition(" (")[0]


def plain_names(name: str) -> set[str]:
    """Write a term as a list may: relative (position) as relative position too."""
    return {plain_name(name).lower(), re.sub("[()]", "", name).lower()}

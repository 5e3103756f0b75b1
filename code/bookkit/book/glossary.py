"""Read the glossary: its terms, and where the chapters explain them."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from bookkit.book.files import read_page

GLOSSARY = "book/appendix/glossary.md"
_BODY = re.compile(r"^```\{glossary\}\n(.*?)^```", re.M | re.S)
# An entry begins with its term, and behind a colon what Chinese texts call it.
_ENTRY = re.compile(
    r"^(?P<term>\S[^\n]*?)(?: : (?P<chinese>[^\n]+))?\n(?P<text>(?:[ \t]+\S[^\n]*\n)+)",
    re.M,
)
_NAMES = re.compile("[^\N{IDEOGRAPHIC COMMA}]+")
_SYNONYM = re.compile(r"See \{term\}`([^`]+)`\.")
_PLACE = re.compile(r"\]\(\.\./(?P<page>[\w/]+)\.ipynb#(?P<anchor>[\w-]+)\)\.$")
_QUALIFIER = re.compile(r" \([^)]*\)$")


@dataclass
class Term:
    """An entry of the glossary.

    Attributes:
        name: The term.
        text: Its definition.
        chinese: Its names in Chinese, the most common first.
        synonym_of: The term that the entry sends to, if it only sends.
        page: The chapter that explains it, without its ending: part/chapter.
        anchor: The section that explains it.
        forms: How the word may be written in bold there.
    """

    name: str
    text: str
    chinese: tuple[str, ...] = ()
    synonym_of: str | None = None
    page: str = ""
    anchor: str = ""
    forms: set[str] = field(default_factory=set)


def read_glossary(root: Path) -> list[Term]:
    """Read the entries of the glossary, if there is one, in their order."""
    path = root / GLOSSARY
    body = _BODY.search(read_page(path)) if path.exists() else None
    terms = [_term(match) for match in _ENTRY.finditer(body[1] if body else "")]
    by_name = {term.name: term for term in terms}
    for term in terms:
        if target := by_name.get(term.synonym_of or ""):
            target.forms.add(plain_form(term.name))
    return terms


def _term(match: re.Match) -> Term:
    """Read one entry."""
    name, text = match["term"].strip(), " ".join(match["text"].split())
    synonym, place = _SYNONYM.fullmatch(text), _PLACE.search(text)
    return Term(
        name,
        text,
        chinese=tuple(_NAMES.findall(match["chinese"] or "")),
        synonym_of=synonym[1] if synonym else None,
        page=place["page"] if place else "",
        anchor=place["anchor"] if place else "",
        forms={plain_form(name)},
    )


def plain_form(word: str) -> str:
    """Write a word as words are compared: small, one of it, without a qualifier."""
    word = " ".join(word.split()).replace("\u2019", "'")
    return _QUALIFIER.sub("", word).lower().removesuffix("s")


def order(name: str) -> tuple[str, str]:
    """Return what the entries are sorted by: letters and digits alone."""
    return re.sub(r"[^a-z0-9]+", "", name.lower()), name

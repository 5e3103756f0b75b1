"""The fact cards and the formula card, which are made from one file.

A card names formulas of the chapters by their labels, so a formula is written once. A
translation is a second file, with the same cards and the fields in `TOLD`: a page of it
needs a template and a module whose `facts` is `partial(facts, language="zh")`.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bookkit.book.cells import heading_slug
from bookkit.book.errors import BookError
from bookkit.book.files import read_toml
from bookkit.checking.formulas.record import read_record

CARDS = "book/appendix/data/fact_cards.toml"
TOLD = ("title", "what", "shapes", "why", "cost", "used", "mistake", "more")
INLINE = re.compile(r"\$([^$]+)\$")
Cards = dict[str, dict[str, Any]]


def facts(root: Path, language: str = "") -> dict[str, Any]:
    """Return what the pages tell: a list of cards, with formulas as LaTeX."""
    known = read_record(root).latex
    cards = read_cards(root, language)
    for name, card in cards.items():
        card["formula"] = [
            line for one in card["formula"] for line in lines_of(one, known, name)
        ]
        card["anchor"] = heading_slug(card["title"])
    return {"cards": list(cards.values())}


def read_cards(root: Path, language: str = "") -> Cards:
    """Read the cards, with their words in another language if one is named.

    Raises:
        BookError: A card or a field is missing, is unknown, or has other formulas.
    """
    cards = read_toml(root, CARDS)
    faults = [*lacking(cards, cards)]
    faults += [
        f"[{name}] lacks formula" for name in cards if "formula" not in cards[name]
    ]
    place = CARDS
    if language and not faults:
        place = CARDS.replace(".toml", f"_{language}.toml")
        words = read_toml(root, place)
        faults = [*lacking(words, cards)]
        cards = {name: card | words.get(name, {}) for name, card in cards.items()}
    if faults:
        raise BookError(
            f"{place} must tell each card in full, with the formulas of {CARDS}, and "
            f"does not: {'; '.join(faults)}."
        )
    return cards


def lacking(words: Mapping[str, Any], cards: Cards) -> Iterator[str]:
    """Say what cards lack, and where their formulas are not those of others."""
    for name, card in cards.items():
        told = words.get(name, {})
        yield from (f"[{name}] lacks {field}" for field in TOLD if not told.get(field))
        for field in told.keys() & card.keys() & {*TOLD}:
            if formulas_in(told[field]) != formulas_in(card[field]):
                yield f"{field} of [{name}] has other formulas"
    yield from (f"[{name}] is no card" for name in words.keys() - cards.keys())


def formulas_in(text: str) -> list[str]:
    """List the formulas of a text, in an order that does not depend on its words."""
    return sorted(INLINE.findall(text))


def is_label(formula: str) -> bool:
    """Say whether a formula is one of a chapter, named by its label."""
    return bool(re.match(r"eq-|\w+: ", formula))


def lines_of(formula: str, known: Mapping[str, str], name: str) -> list[str]:
    """Return a formula as a card shows it, a line for each of its parts.

    Raises:
        BookError: No chapter has a formula of this label.
    """
    if is_label(formula) and formula not in known:
        raise BookError(
            f"{CARDS}: [{name}] must name formulas of chapters, got {formula!r}."
        )
    latex = " ".join((known[formula] if is_label(formula) else formula).split())
    plain = re.sub(r"\s*[.,](?=\s*(?:\}?$|\\\\|\\end))", "", latex)
    return re.split(r"\s*,\s*\\qquad\s*", plain)

"""The fact cards and the formula card, which are made from one file.

A card names formulas of the chapters by their labels, so a formula is written once. The
Chinese cards are a page with a catalog, as other Chinese pages are.
"""

import re
from collections.abc import Mapping
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


def facts(root: Path) -> dict[str, Any]:
    """Return what the pages tell: a list of cards, with formulas as LaTeX."""
    known = read_record(root).latex
    cards = read_cards(root)
    for name, card in cards.items():
        card["formula"] = [
            line for one in card["formula"] for line in lines_of(one, known, name)
        ]
        card["anchor"] = heading_slug(card["title"])
    return {"cards": list(cards.values())}


def read_cards(root: Path) -> Cards:
    """Read the cards.

    Raises:
        BookError: A card lacks a field.
    """
    cards = read_toml(root, CARDS)
    faults = [
        f"[{name}] lacks {field}"
        for name, card in cards.items()
        for field in (*TOLD, "formula")
        if not card.get(field)
    ]
    if faults:
        raise BookError(
            f"{CARDS} must tell each card in full, and does not: {'; '.join(faults)}."
        )
    return cards


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

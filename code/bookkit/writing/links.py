"""Write the references of a text as links that read well without the site.

Colab and GitHub show a role such as {cite:t}`su2021` as it stands. A link with words
reads well everywhere, and on the site an extension leads it to the same target.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bookkit.book.bibliography import Entry, entries_by_address
from bookkit.book.boxes import NUMBERED
from bookkit.book.errors import BookError
from bookkit.book.numbering import EQUATION, Number, number_of
from bookkit.book.prose import change_prose

ROLE = re.compile(
    r"\{(?P<role>cite(?::[tp])?|numref|prf:ref|ref|eq)\}`(?P<text>[^`]+)`"
)
_TITLED = re.compile(r"(?P<words>.+?)\s*<(?P<label>[^>]+)>", re.S)
_NUMBERED = re.compile(
    r"(?<!!)\[(?P<words>[^][]*)\]"
    r"\((?P<page>[^)#\s]*#(?:equation-)?)(?P<label>[\w:.-]+)\)"
)
_ADDRESSED = re.compile(r"(?<!!)\[(?P<words>[^][]*)\]\((?P<address>https?://[^)\s]+)\)")
_WORDS = "|".join(kind.capitalize() for kind in NUMBERED)
_NUMBER_WORDS = re.compile(rf"(?:{_WORDS}) \d+(?:\.\d+)*|\([^)]*\)|")
_TEXTUAL = re.compile(r".+ \(\d{4}[a-z]?\)", re.S)
_PARENTHETICAL = re.compile(r".+, \d{4}[a-z]?", re.S)


@dataclass(frozen=True)
class Targets:
    """What the references of the book can mean.

    Attributes:
        numbers: The numbered things by their labels.
        entries: The entries of the bibliography by their keys.
        by_address: The same entries by their addresses.
    """

    numbers: Mapping[str, Number]
    entries: Mapping[str, Entry]
    by_address: Mapping[str, Entry] = field(init=False)

    def __post_init__(self) -> None:
        by_address = entries_by_address(self.entries.values())
        object.__setattr__(self, "by_address", by_address)


def write_links(text: str, targets: Targets, place: str) -> str:
    """Turn the roles of a text into links, and give every link its current words.

    Raises:
        BookError: A role names what is not there.
    """

    def change(prose: str) -> str:
        prose = ROLE.sub(lambda match: _link(match, targets, place), prose)
        prose = _NUMBERED.sub(lambda match: _renumbered(match, targets), prose)
        return _ADDRESSED.sub(lambda match: _recited(match, targets), prose)

    return change_prose(text, change)


def _link(match: re.Match, targets: Targets, place: str) -> str:
    """Write one role as a link."""
    role, text = match["role"], match["text"].strip()
    if role.startswith("cite"):
        keys = [key.strip() for key in text.split(",")]
        return cite([_entry(key, targets, place) for key in keys], role)
    titled = _TITLED.fullmatch(text)
    label = titled["label"] if titled else text
    words = titled["words"] if titled else None
    return f"[{words or number_of(label, targets.numbers, place).text}](#{label})"


def _entry(key: str, targets: Targets, place: str) -> Entry:
    """Look an entry of the bibliography up."""
    entry = targets.entries.get(key)
    if entry is None or entry.address is None:
        fault = "has no address" if entry else "is not in it"
        raise BookError(
            f"{place} cites {key!r}, which must be in book/references.bib with an "
            f"address, and it {fault}; add it."
        )
    return entry


def cite(entries: list[Entry], role: str) -> str:
    """Write a citation of entries: part of the sentence, or within brackets."""
    if role != "cite:t":
        links = [f"[{entry.parenthetical}]({entry.address})" for entry in entries]
        return f"({'; '.join(links)})"
    *first, last = [f"[{entry.textual}]({entry.address})" for entry in entries]
    before = ", ".join(first) + (", and " if len(first) > 1 else " and ")
    return before + last if first else last


def _renumbered(match: re.Match, targets: Targets) -> str:
    """Give a link to a numbered thing its number; other words stay."""
    target = targets.numbers.get(match["label"])
    # In brackets stands the number of an equation, or the name of one still to come.
    if target is None or not _NUMBER_WORDS.fullmatch(match["words"]):
        return match[0]
    if match["words"].startswith("(") and target.kind != EQUATION:
        return match[0]
    return f"[{target.text}]({match['page']}{match['label']})"


def _recited(match: re.Match, targets: Targets) -> str:
    """Give a link to an entry its authors, its year and its first address."""
    entry = targets.by_address.get(match["address"])
    if entry and _TEXTUAL.fullmatch(match["words"]):
        return f"[{entry.textual}]({entry.address})"
    if entry and _PARENTHETICAL.fullmatch(match["words"]):
        return f"[{entry.parenthetical}]({entry.address})"
    return match[0]


def citations(text: str) -> list[tuple[str, str]]:
    """List words and address of each link of a text to somewhere else."""
    found: list[tuple[str, str]] = []

    def collect(prose: str) -> str:
        found.extend(_ADDRESSED.findall(prose))
        return prose

    change_prose(text, collect)
    return found


def looks_like_citation(words: str) -> bool:
    """Return whether words name authors and a year."""
    return any(form.fullmatch(words) for form in (_TEXTUAL, _PARENTHETICAL))


def replace_references(text: str, word: str) -> str:
    """Write one word in the place of each reference of a text."""
    text = _NUMBERED.sub(
        lambda match: word if _NUMBER_WORDS.fullmatch(match["words"]) else match[0],
        text,
    )
    return _ADDRESSED.sub(
        lambda match: word if looks_like_citation(match["words"]) else match[0], text
    )

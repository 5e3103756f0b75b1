"""Rules about the glossary: it explains what the chapters define, and says where."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from markdown_it.token import Token
from myst_parser.mdit_to_docutils.base import default_slugify

from bookkit.book.boxes import prose_of
from bookkit.book.cells import markdown_cells, markdown_tokens
from bookkit.book.glossary import GLOSSARY, order, plain_form, read_glossary
from bookkit.book.notebooks import notebook_paths, read_notebook

# What stands in bold and defines nothing: what opens a paragraph, and what is said.
_LEAD = re.compile(
    r"(?:You will be able to|You need|Reading time|Compared)$|[\"“]|.*[.?!,:”\"]$"
)
_WORDS = ("text", "code_inline")
# Words in bold that need no entry, by the reason.
NO_ENTRY = {
    "the stations of a worked example": {
        "Position",
        "Feed-forward",
        "Add, norm",
        "masked",
        "cross weights",
        "probabilities",
    },
    "the letters of an abbreviation": {"b", "e", "o", "s"},
    "stress, to keep two things apart": {
        "4 rows and 3 columns",
        "not",
        "added",
        "sum",
        "three",
        "position",
        "biased",
        "fused",
        "no positions",
        "not shifted",
        "softmax before cross_entropy",
        "Comparing sums of different length",
        "An error that circulates",
    },
    "a name or a number": {"begin", "end", "Llama 3.1", "11,008"},
    "a result": {
        "a model of N parameters that learns from D tokens takes about 6ND FLOPs"
    },
    "an everyday word for use in one section": {
        "ablate",
        "bytes",
        "change",
        "clipped",
        "dependent steps",
        "drift",
        "encode",
        "fixed",
        "greedy",
        "learned",
        "made-up language",
        "residual",
        "saturated",
        "share of the mean",
    },
}


def glossary_is_in_order(root: Path) -> list[str]:
    """Each term stands once, in the order of the alphabet, and is explained.

    For readers who look a word up.
    """
    terms = read_glossary(root)
    names = [term.name for term in terms]
    faults = [
        f"{later!r} must stand before {earlier!r}."
        for earlier, later in pairwise(names)
        if order(later) <= order(earlier)
    ]
    for term in terms:
        if term.synonym_of and term.synonym_of not in names:
            faults.append(f"{term.name!r} sends to {term.synonym_of!r}, which is none.")
        if not term.synonym_of and not term.anchor:
            faults.append(f"{term.name!r} must end in 'Explained in [section](link).'")
    return [f"{GLOSSARY}: {fault}" for fault in faults]


def glossary_and_chapters_agree(root: Path) -> list[str]:
    """A term is bold in the section that explains it; a bold word has an entry.

    For readers who meet a word before the page that explains it.
    """
    terms = read_glossary(root)
    if not terms:
        return []
    bold = {(page, *found) for page, found in _bold_in_chapters(root)}
    places = {(page, anchor, plain_form(word)) for page, anchor, word in bold}
    known = set().union(*(term.forms for term in terms))
    known |= {plain_form(word) for words in NO_ENTRY.values() for word in words}
    missing = [
        f"{page}, #{anchor} defines {word!r}, which {GLOSSARY} lacks; add it, or name "
        "it in NO_ENTRY of bookkit.checking.rules.glossary."
        for page, anchor, word in sorted(bold)
        if plain_form(word) not in known
    ]
    return missing + [
        f"{GLOSSARY}: {term.name!r} must be bold in {term.page}.ipynb#{term.anchor}, "
        "where the entry says it is explained."
        for term in terms
        if term.anchor
        and not any((term.page, term.anchor, form) in places for form in term.forms)
    ]


def _bold_in_chapters(root: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the words that chapters define in bold, with chapter and section."""
    for path in notebook_paths(root):
        cells = [prose_of(c.source) for _, c in markdown_cells(read_notebook(path))]
        page = path.relative_to(root / "book").with_suffix("").as_posix()
        if not page.startswith("appendix/"):
            for found in bold_words("\n\n".join(cells)):
                yield page, found


def bold_words(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words that a chapter defines in bold, each with its section's anchor.

    A section here ends at the next heading of any level.
    """
    anchor, tokens = "", markdown_tokens(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            anchor = heading_anchor(inline)
        if inline.type == "inline" and opening.type != "heading_open":
            words = _strong(inline)
            if inline.content != "".join(f"**{word}**" for word in words):
                yield from ((anchor, w) for w in words if not _LEAD.match(w))


def _strong(inline: Token) -> list[str]:
    """List what stands in bold in a paragraph."""
    found, depth = [], 0
    for token in inline.children or []:
        depth += token.nesting if token.type.startswith("strong") else 0
        if token.type == "strong_open":
            found.append("")
        elif depth and token.type in (*_WORDS, "softbreak", "math_inline"):
            found[-1] += token.content or " "
    return found


def heading_anchor(inline: Token) -> str:
    """Return the anchor that the site gives to a heading; it leaves math out."""
    parts = [c for c in inline.children or [] if c.type in _WORDS]
    return default_slugify("".join(part.content for part in parts))

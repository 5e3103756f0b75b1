"""The boxes of a chapter: theorems, proofs, exercises, solutions and captions.

In a notebook a box is a cell of its own, in Markdown that reads well wherever the
notebook is opened. Its first words say what it is, and the site makes the box of it:

- ``**Theorem 3.1 (Title).** Let …`` below the anchor of its label, and so for the
  other kinds of statement;
- ``*Proof.* The first claim …``, up to a sign at its end;
- ``### Exercise 3.1: Title`` below its anchor, then what to do;
- ``#### Solution`` and no more, so that what follows up to the next heading folds;
- ``**Figure 3.1.** The caption`` with its anchor, below the cell that draws the figure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

from bookkit.book.prose import ANCHOR, write_anchor

STATEMENTS = (
    "theorem",
    "lemma",
    "corollary",
    "proposition",
    "property",
    "definition",
)
FIGURE, EXERCISE, PROOF, SOLUTION = "figure", "exercise", "proof", "solution"
NUMBERED = (FIGURE, EXERCISE, *STATEMENTS)
END_OF_PROOF = "∎"

_NUMBER = r"(?: (?P<number>\d+(?:\.\d+)*))?"
_WORDS = "|".join(kind.capitalize() for kind in (FIGURE, *STATEMENTS))
_HEADS = (
    re.compile(
        rf"(?:{ANCHOR})?\*\*(?P<kind>{_WORDS}){_NUMBER}"
        r"(?: \((?P<title>(?:(?!\*\*).)+)\))?\.\*\*\s*"
    ),
    re.compile(
        rf"(?:{ANCHOR}\n*)?### (?P<kind>Exercise){_NUMBER}"
        r"(?:: (?P<title>.+))?(?:\n+|\Z)"
    ),
    re.compile(r"\*(?P<kind>Proof)\.\*\s*"),
    re.compile(r"#### (?P<kind>Solution)\s*\Z"),
)
# How the same words begin on a Chinese page.
_CHINESE = {
    "图": FIGURE,
    "练习": EXERCISE,
    "证明": PROOF,
    "解答": SOLUTION,
    "定理": "theorem",
    "引理": "lemma",
    "推论": "corollary",
    "命题": "proposition",
    "性质": "property",
    "定义": "definition",
}
_CHINESE_HEAD = re.compile(
    rf"\A(?P<before>(?:{ANCHOR}\n*)?(?:\*+|#+ ))(?P<kind>{'|'.join(_CHINESE)})"
    r"(?P<number> [\d.]+)?(?:（(?P<title>[^*\n]+)）)?(?P<end>。|：|$)",
    re.M,
)
# Words in bold can begin a paragraph; lists, tables and formulas stand alone.
_PARAGRAPH = re.compile(r"(?!\$\$|```|[-+*>|#] |\||\d+[.)] |<a )")


@dataclass(frozen=True, kw_only=True)
class Box:
    """A box: its kind, its text, and the label, number and title that it may have."""

    kind: str
    body: str
    label: str = ""
    number: str = ""
    title: str = ""


def read_box(source: str) -> Box | None:
    """Read the box that a markdown cell is, if it is one, in either language."""
    source = _CHINESE_HEAD.sub(_in_english, source)
    for head in _HEADS:
        if match := head.match(source):
            found = {name: text or "" for name, text in match.groupdict().items()}
            found["kind"] = found["kind"].lower()
            body = source[match.end() :]
            if found["kind"] == PROOF:
                body = re.sub(rf"\s*{END_OF_PROOF}\s*\Z", "", body)
            return Box(body=body, **found)
    return None


def _in_english(head: re.Match) -> str:
    """Write the beginning of a Chinese box as that of an English one."""
    title = f" ({head['title']})" if head["title"] else ""
    end = {"。": ".", "：": ": "}.get(head["end"], "")
    kind = _CHINESE[head["kind"]].capitalize()
    return f"{head['before']}{kind}{head['number'] or ''}{title}{end}"


def write_box(box: Box) -> str:
    """Write a box as the markdown of its cell."""
    if box.kind == PROOF:
        is_open = re.search(r"(?:^|\n)(?:\$\$|```|[-+*>|] |\d+[.)] )[^\n]*\Z", box.body)
        gap, end = _gap(box.body), "\n\n" if is_open else " "
        return f"*Proof.*{gap}{box.body.rstrip()}{end}{END_OF_PROOF}"
    if box.kind == SOLUTION:
        return "#### Solution"
    anchor = write_anchor(box.label) if box.label else ""
    name = " ".join(filter(None, (box.kind.capitalize(), box.number)))
    if box.kind == EXERCISE:
        head = f"{anchor}\n### {name}" if anchor else f"### {name}"
        return f"{head}{': ' * bool(box.title)}{box.title}\n\n{box.body}".rstrip()
    title = f" ({box.title})" if box.title else ""
    return f"{anchor}**{name}{title}.**{_gap(box.body)}{box.body}".rstrip()


def _gap(body: str) -> str:
    """Return what stands between the bold beginning of a box and its text."""
    return " " if _PARAGRAPH.match(body) else "\n\n"


def prose_of(source: str) -> str:
    """Return what a markdown cell says, without the words that make it a box."""
    box = read_box(source)
    return box.body if box else source


def caption_below(notebook: NotebookNode, index: int) -> Box | None:
    """Return the caption that stands below a code cell, if there is one."""
    below = notebook.cells[index + 1 : index + 2]
    box = read_box(below[0].source) if below and is_markdown(below[0]) else None
    return box if box and box.kind == FIGURE else None


def is_markdown(cell: NotebookNode) -> bool:
    """Return whether a cell holds markdown."""
    return cell.cell_type == "markdown"


def boxes(notebook: NotebookNode) -> Iterator[tuple[int, Box]]:
    """Yield the boxes of a notebook, each with the index of its cell."""
    for index, cell in enumerate(notebook.cells):
        if is_markdown(cell) and (box := read_box(cell.source)):
            yield index, box

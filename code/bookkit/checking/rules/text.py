"""Rules about prose: it reads well on the site and in Colab."""

import re
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.boxes import EXERCISE, FIGURE, NUMBERED, read_box
from bookkit.book.cells import markdown_cells, markdown_tokens
from bookkit.book.prose import anchors, equation_labels, without_anchors, without_code

_ROLE = "a role"
_POOR = {
    "a directive": re.compile(r"^ *[:`]{3,} *\{[^}\n]*\}|^ *:{3,} *$", re.M),
    "an option of a directive": re.compile(r"^ *:[\w-]+:(?: |$)", re.M),
    _ROLE: re.compile(r"\{[\w:-]+\}(?=`)"),
    "a target": re.compile(r"^\([\w:.-]+\)=[ \t]*$", re.M),
    "a label behind an equation": re.compile(r"\$\$[ \t]*\((?!https?:)[^)\s]+\)"),
    "attributes": re.compile(r"(?:^|\])\{[.#][^}\n]*\}", re.M),
}
_ON_SCREENS = re.compile(
    r"\b(?:drag|click|slider)\b|\bchoose\b[^.:]*\(#fig-explorer", re.IGNORECASE
)
# A line beside one of a quote, or an empty line between two that begins no new box.
_TORN = re.compile(
    r"^>.*\n(?P<below>(?!>).*\S.*)|^(?P<above>(?!>).*\S.*)\n>"
    r"|^>.*\n(?P<between>[ \t]*\n>(?! \*\*[^*\n]+\*\*$).*)",
    re.M,
)
PREFIXES = {FIGURE: "fig-", EXERCISE: "ex-"}


def markdown_degrades_well(notebook: NotebookNode, path: Path) -> list[str]:
    """No markdown uses what only the site can show.

    For readers in Colab, who would see the marks.
    """
    return [
        f"{name} uses {what}, which only the site understands; "
        + (
            "`make references` makes a link of it, if it is one of CONTRIBUTING.md."
            if what == _ROLE
            else "write plain Markdown, as CONTRIBUTING.md says."
        )
        for name, cell in markdown_cells(notebook)
        for what, pattern in _POOR.items()
        if pattern.search(without_code(cell.source))
    ]


def links_have_text(notebook: NotebookNode, path: Path) -> list[str]:
    """A link has words of its own: Colab shows an empty one as nothing.

    For readers in Colab, who would see no link.
    """
    return [
        f"{name} links to {match[1]!r} without words; write them between the brackets."
        for name, cell in markdown_cells(notebook)
        for match in re.finditer(r"(?<!!)\[\]\(([^)]*)\)", without_code(cell.source))
    ]


def markdown_has_no_html(notebook: NotebookNode, path: Path) -> list[str]:
    """Markdown holds no raw HTML but the anchors of labels.

    For readers in Colab and on paper, where HTML shows as marks or not at all.
    """
    return [
        f"{name} holds raw HTML: {token.content.strip()[:60]!r}; use markdown."
        for name, cell in markdown_cells(notebook)
        for token in markdown_tokens(without_anchors(cell.source))
        if token.type in ("html_block", "html_inline")
    ]


def prose_reads_on_paper(notebook: NotebookNode, path: Path) -> list[str]:
    """Prose tells nobody to drag or to choose: a figure on paper does not move.

    For readers on paper.
    """
    return [
        f"{name} says {match[0]!r}, which nobody can do on paper; say what the figure "
        "shows, and what to do in the instruction of its explorer."
        for name, cell in markdown_cells(notebook)
        for match in _ON_SCREENS.finditer(without_code(cell.source))
    ]


def quotes_are_whole(notebook: NotebookNode, path: Path) -> list[str]:
    """Each line of a block quote begins with `>`, an empty one as well.

    For readers of a box, which ends where the sign is lost.
    """
    return [
        f"{name} tears a quote at {match[match.lastgroup].strip()[:60]!r}; begin each "
        "line of it with '>', and set text apart by an empty line."
        for name, cell in markdown_cells(notebook)
        for match in _TORN.finditer(without_code(cell.source))
    ]


def labels_name_boxes(notebook: NotebookNode, path: Path) -> list[str]:
    """A box that is numbered has a label, and a label of a box stands above one.

    For readers who follow a link: it leads to a box with a number.
    """
    breaches = []
    for name, cell in markdown_cells(notebook):
        box = read_box(cell.source)
        if box and box.kind in NUMBERED:
            prefix = PREFIXES.get(box.kind, "thm-")
            if not box.label.startswith(prefix):
                breaches.append(
                    f"{name} must have the anchor of a label '{prefix}…' above its "
                    f"{box.kind}, and has {box.label or 'none'!r}."
                )
        heads = [box.label] if box else []
        breaches += [
            f"{name} has the label {label!r} above what is no box; begin the cell with "
            "it, and write the words below as CONTRIBUTING.md says."
            for label in anchors(cell.source)
            if label.startswith(("fig-", "ex-", "thm-")) and label not in heads
        ]
        breaches += [
            f"{name} has the label {label!r} above no equation; put the line of two "
            "dollars right below it."
            for label in anchors(cell.source)
            if label.startswith("eq-") and label not in equation_labels(cell.source)
        ]
        breaches += [
            f"{name} labels an equation {label!r}; let the label start with 'eq-'."
            for label in equation_labels(cell.source)
            if not label.startswith("eq-")
        ]
    return breaches

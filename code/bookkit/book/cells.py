"""What the rules share: walking over the cells, outputs and sections of a notebook.

A section whose heading of the second or third level begins with ``Deeper:`` is not
needed for what follows. It goes to the next heading of the same or a higher level.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from myst_parser.mdit_to_docutils.base import default_slugify
from nbformat import NotebookNode

from bookkit.book.boxes import is_markdown, prose_of
from bookkit.book.notebooks import HTML, TEXT, cell_name, seen

RESULT = '<table class="result">'  # how a table of `chapters.tables` begins
_EXPLORER = re.compile(r'data-explorer="([a-z_]+)"')
_PARSER = MarkdownIt().use(dollarmath_plugin, allow_labels=True)
_SHOWN = ("text", "code_inline")
TEXT_KINDS = (TEXT, HTML, "text/markdown", "text/latex")
DEEPER = "Deeper:"
EXERCISES, FURTHER_READING = "Exercises", "Further reading"


def code_cells(notebook: NotebookNode) -> Iterator[tuple[str, NotebookNode]]:
    """Yield each code cell with its name."""
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            yield cell_name(notebook, index), cell


def markdown_cells(notebook: NotebookNode) -> Iterator[tuple[str, NotebookNode]]:
    """Yield each markdown cell with its name."""
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            yield cell_name(notebook, index), cell


def output_text(output: NotebookNode) -> str:
    """Join all that an output says in words."""
    data = seen(output.get("data", {}))
    parts = [output.get("text", ""), output.get("evalue", "")]
    parts += [
        *output.get("traceback", []),
        *(data.get(kind, "") for kind in TEXT_KINDS),
    ]
    return "\n".join(part for part in parts if part)


def printed_text(output: NotebookNode) -> str:
    """Return what an output shows as lines of letters, as a program prints them."""
    data = seen(output.get("data", {}))
    is_table = data.get(HTML, "").startswith(RESULT)
    return output.get("text", "") or ("" if is_table else data.get(TEXT, ""))


def images(cell: NotebookNode) -> list[NotebookNode]:
    """List the outputs of a code cell that show an image."""
    return [
        output
        for output in cell.get("outputs", [])
        if any(kind.startswith("image/") for kind in output.get("data", {}))
    ]


def html_of(cell: NotebookNode) -> str:
    """Join the HTML that a code cell shows, beside tables of results."""
    outputs = (output.get("data", {}) for output in cell.get("outputs", []))
    shown = (data[HTML] for data in outputs if HTML in data)
    return "\n".join(html for html in shown if not html.startswith(RESULT))


def explorer_names(cell: NotebookNode) -> list[str]:
    """List the explorers that a code cell shows, by name."""
    return _EXPLORER.findall(html_of(cell))


def headings(text: str) -> Iterator[str]:
    """Yield the headings of a cell down to the third level, in plain words.

    Formulas are left out, as the site leaves them out of an anchor. The words that
    begin an exercise are no heading there.
    """
    for opening, inline in pairwise(markdown_tokens(prose_of(text))):
        if opening.type == "heading_open" and opening.tag in ("h1", "h2", "h3"):
            shown = [part for part in inline.children or [] if part.type in _SHOWN]
            yield "".join(part.content for part in shown)


def heading_slug(heading: str) -> str:
    """Return the anchor that the site gives to a heading."""
    return default_slugify(next(headings(f"# {heading}"), ""))


@lru_cache(maxsize=4096)  # as many texts as a book has; rule after rule asks for them
def markdown_tokens(text: str) -> tuple[Token, ...]:
    """Parse markdown, in which dollars enclose math, to tokens and their parts."""
    return tuple(
        part
        for token in _PARSER.parse(text)
        for part in (token, *(token.children or []))
    )


@dataclass(frozen=True, kw_only=True)
class Part:
    """A cell, or what stands in it between two headings.

    Attributes:
        cell: The cell.
        text: What of its source belongs to the part, with the heading that begins it.
        section: The heading of the second level above the text, as it is written.
        subsection: The same of the third level; empty where there is none.
    """

    cell: NotebookNode
    text: str
    section: str = ""
    subsection: str = ""

    @property
    def deeper(self) -> str:
        """The heading of the Deeper section around the part; empty in a core one."""
        above = (self.section, self.subsection)
        return next((words for words in above if words.startswith(DEEPER)), "")


def parts(notebook: NotebookNode) -> Iterator[Part]:
    """Yield the parts of a notebook, from the first to the last."""
    section = subsection = ""
    for cell in notebook.cells:
        whole = [("", "", cell.source)]
        for level, heading, text in _split(cell.source) if is_markdown(cell) else whole:
            if level == "h2":
                section, subsection = heading, ""
            elif level == "h3":
                subsection = heading
            if text:
                yield Part(cell=cell, text=text, section=section, subsection=subsection)


def _split(source: str) -> list[tuple[str, str, str]]:
    """Split a text at its headings: the level of each, its words, and what follows."""
    lines, starts = source.split("\n"), [(0, "", "")]
    for opening, inline in pairwise(markdown_tokens(source)):
        if opening.type == "heading_open" and opening.tag in ("h2", "h3"):
            starts.append((opening.map[0], opening.tag, inline.content))
    ends = [line for line, _, _ in starts[1:]] + [len(lines)]
    return [
        (level, heading, "\n".join(lines[start:end]))
        for (start, level, heading), end in zip(starts, ends, strict=True)
    ]

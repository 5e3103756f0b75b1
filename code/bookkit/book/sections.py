"""The sections of a chapter, and which of them are *Deeper*.

A section whose heading of the second or third level begins with ``Deeper:`` is not
needed for what follows. It goes to the next heading of the same or a higher level.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from nbformat import NotebookNode

from bookkit.book.boxes import is_markdown
from bookkit.book.cells import markdown_tokens

DEEPER = "Deeper:"
EXERCISES, FURTHER_READING = "Exercises", "Further reading"


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

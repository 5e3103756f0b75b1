"""The tables within pages of authors: of the site's parts, and of the map of chapters.

A part of the site says itself when it acts: as it connects to Sphinx. The rows stand in
that order. The map has a drawing, and below it a row for each chapter.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from pkgutil import walk_packages
from unittest.mock import Mock

from sphinx.application import Sphinx

from bookkit.book.errors import BookError
from bookkit.book.files import file_of
from bookkit.book.outline import Chapter, needed_by, order_breaches, read_outline
from bookkit.book.prose import escape_markdown
from bookkit.publishing import site
from bookkit.publishing.appendix.templates import row_of

README = Path("code/bookkit/README.md")
ROOM = f"{site.__name__}."
HEADINGS = ("part", "event and priority", "what it changes")
USUAL = 500  # the priority of a listener that names none
# What happens in a build, in its order: events of Sphinx, and changes of a page's tree.
ORDER = (
    "config-inited",
    "builder-inited",
    "env-get-outdated",
    "env-purge-doc",
    "env-before-read-docs",
    "source-read",
    "autodoc-process-docstring",
    "autodoc-process-signature",
    "autodoc-skip-member",
    "transform",
    "doctree-read",
    "env-updated",
    "env-get-updated",
    "post-transform",
    "doctree-resolved",
    "writer",
    "html-page-context",
    "html-collect-pages",
    "build-finished",
    "linkcheck-process-uri",
)
Step = tuple[int, int]  # a place in the order, and a priority
MAP_HEADINGS = ("chapter", "title", "needs", "is needed by")


def parts_table(root: Path) -> str:
    """Return a row for each module of `bookkit.publishing.site`."""
    names = [
        found.name.removeprefix(ROOM) for found in walk_packages(site.__path__, ROOM)
    ]
    steps = {name: sorted(read_steps(name)) for name in names if name in site.PARTS}
    names.sort(key=lambda name: (steps.get(name, [(len(ORDER), 0)]), name))
    lines = [HEADINGS, [":--"] * len(HEADINGS)]
    lines += [_row(name, steps.get(name, []), root) for name in names]
    return "".join(f"{row_of(line)}\n" for line in lines)


def read_steps(part: str) -> Iterator[Step]:
    """Register a part with a stand-in for Sphinx, and read when it would act."""
    app = Mock(spec=Sphinx)
    import_module(ROOM + part).register(app)
    for kind, given, options in app.method_calls:
        match kind:
            case "connect":
                event, priority = given[0], options.get("priority", USUAL)
            case "add_transform" | "add_post_transform":
                event = kind.removeprefix("add_").replace("_", "-")
                priority = given[0].default_priority
            case "add_node" | "add_html_math_renderer":
                event, priority = "writer", USUAL
            case _:
                continue
        yield ORDER.index(event), priority


def _row(name: str, steps: list[Step], root: Path) -> tuple[str, str, str]:
    """Write the row of a module: its file, when it acts, and what it is there for."""
    file = file_of(ROOM + name, root / "code").relative_to(root / README.parent)
    doc = import_module(ROOM + name).__doc__ or ""
    return f"[`{name}`]({file.as_posix()})", _tell(steps), doc.partition("\n")[0]


def _tell(steps: list[Step]) -> str:
    """Name events, with priorities where they are not the usual one."""
    told = []
    for place, group in groupby(steps, itemgetter(0)):
        numbers = sorted({priority for _, priority in group})
        said = " and ".join(map(str, numbers)) if numbers != [USUAL] else ""
        told.append(f"`{ORDER[place]}` {said}".rstrip())
    return ", ".join(told) or "when another part asks"


def chapter_table(root: Path) -> str:
    """Return which chapter needs which.

    Raises:
        BookError: A chapter needs one that does not stand before it.
    """
    outline = read_outline(root)
    if breaches := order_breaches(outline):
        raise BookError(breaches[0])
    head = MAP_HEADINGS, ["---"] * len(MAP_HEADINGS)
    rows = [*map(row_of, head), *map_rows(outline)]
    return "".join(f"{row}\n" for row in ["", *rows, ""])


def map_rows(chapters: Sequence[Chapter]) -> list[str]:
    """Write for each chapter what it needs, and which others need it."""
    by_name = {chapter.name: chapter for chapter in chapters}

    def link(name: str, text: str = "") -> str:
        words = escape_markdown(text) or by_name[name].number
        return f"[{words}]({name}.ipynb)"

    rows, users = [], needed_by(chapters)
    for chapter in chapters:
        needs = ", ".join(map(link, chapter.needs))
        if chapter.instead:
            both = sorted(chapter.needs, key=lambda name: by_name[name].number)
            needs = " and ".join(map(link, both))
            needs += ", or only " + " and ".join(map(link, chapter.instead))
        title = link(chapter.name, chapter.title)
        cells = (
            str(chapter.number),
            title,
            needs or "none",
            ", ".join(map(link, users[chapter.name])) or "none",
        )
        rows.append(row_of(cells))
    return rows

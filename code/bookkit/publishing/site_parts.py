"""The table of the parts of the site, in the README of the tools.

A part says itself when it acts: as it connects to Sphinx. The rows stand in that order.
"""

from collections.abc import Iterator
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from pkgutil import walk_packages
from unittest.mock import Mock

from sphinx.application import Sphinx

from bookkit.book.files import file_of
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


def table(root: Path) -> str:
    """Return the table: a row for each module of `bookkit.publishing.site`."""
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

"""Make pages pleasant to use: buttons and arrows, figures on demand, a footer."""

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, wraps
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from bookkit.book.files import ask_git, commit_time
from bookkit.publishing.appendix.counts import count_book
from bookkit.publishing.release import OFFERED, download_path
from bookkit.writing.constraints import SHOWN

CHECKED_PAGE = "book/appendix/how_it_is_checked"
IMAGE = re.compile(
    r'<img\b[^>]*?\bsrc="(?P<source>[^"]*_images/(?P<name>[^"/]+))"[^>]*>'
)
SIZE = re.compile(rb'<svg\b[^>]*?\bwidth="([\d.]+)pt"[^>]*?\bheight="([\d.]+)pt"', re.S)
PIXELS_PER_POINT = 96 / 72
# Names of the theme's menus, which hide the one button that a reader looks for.
LAUNCH, DOWNLOAD = "launch-buttons", "download-buttons"
UNNAMED = "<summary>"
NAMED = '<summary aria-label="Pages of this section">'


def show_buttons(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Take the ways to run a chapter out of their menus, and give them words."""
    buttons = []
    for button in context.get("header_buttons", []):
        members = button.get("buttons", [])
        if button.get("label") == LAUNCH:
            buttons += [dict(b, tooltip="Run this chapter in Colab") for b in members]
        elif button.get("label") == DOWNLOAD and len(members) > 1:
            notebook, *rest = members
            buttons += [
                {**notebook, "text": _word(notebook), "icon": "fas fa-download"}
            ]
            buttons += [{**b, "text": "", **_print_word(b)} for b in rest]
        else:
            buttons.append(button)
    context["header_buttons"] = buttons


def _word(button: dict[str, Any]) -> str:
    return "Notebook" if button.get("text") == ".ipynb" else "Source"


def _print_word(button: dict[str, Any]) -> dict[str, str]:
    """Say that the button prints one page: the book as a PDF is a download."""
    paper = {"tooltip": "Print this page", "icon": "fas fa-print"}
    return paper if button.get("text") == ".pdf" else {}


def load_late(body: str, find: Callable[[str], Path | None]) -> str:
    """Let a browser fetch figures when they come near, and keep their place free.

    The first figure of a page may be in view from the start, so it does not wait.

    Args:
        body: The HTML of a page.
        find: Finds the file of a figure by its name.
    """
    seen = 0

    def change(match: re.Match[str]) -> str:
        nonlocal seen
        seen += 1
        tag, file = match.group(), find(match["name"])
        extra = ' decoding="async"' + (' loading="lazy"' if seen > 1 else "")
        if file is not None and "width=" not in tag and (size := measure(file)):
            extra += f' width="{size[0]}" height="{size[1]}"'
        return tag.replace("<img", f"<img{extra}", 1)

    return IMAGE.sub(change, body)


@cache
def measure(file: Path) -> tuple[int, int] | None:
    """Measure a drawing in the pixels of a page."""
    match = SIZE.search(file.read_bytes()[:2000]) if file.suffix == ".svg" else None
    if match is None:
        return None
    width, height = (round(float(side) * PIXELS_PER_POINT) for side in match.groups())
    return width, height


def wait_with_figures(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Change the figures of a page."""
    files = {name: Path(app.srcdir) / path for path, name in app.builder.images.items()}
    if context.get("body"):
        context["body"] = load_late(context["body"], files.get)


@cache
def describe_state(root: Path) -> str:
    """Describe of which day the book is, and with what it was checked, as HTML."""
    seconds, commit = commit_time(root), ask_git(root, "rev-parse", "--short", "HEAD")
    versions = ", ".join(f"{name} {version(name).split('+')[0]}" for name in SHOWN)
    state = ""
    if seconds is not None:
        day = f"{datetime.fromtimestamp(seconds, UTC):%d %B %Y}".lstrip("0")
        state = f"State of {day}" + (f" ({escape(commit)}). " if commit else ". ")
    count = count_book(root).outputs
    return f"{state}{count:,} outputs, checked with {versions}."


def add_footer(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Put the state of the book into the footer of a page, and what to download."""
    link = context["pathto"](CHECKED_PAGE)
    words = describe_state(Path(app.srcdir))
    words += f' <a href="{link}">How this book is checked</a>.'
    if app.config.book_downloads:
        words += " Download: " + ", ".join(
            f'<a href="{context["pathto"](download_path(kind), 1)}">{kind}</a>'
            for kind in OFFERED
        )
    context["theme_extra_footer"] = (
        context.get("theme_extra_footer", "") + f'<p class="book-state">{words}</p>'
    )


def offer_editions(app: Sphinx) -> None:
    """Let pages offer the editions in `only` released, and their footers too.

    The editions are made from the site, so only `make release` promises them.
    """
    is_released = "BOOK_DOWNLOADS" in os.environ
    app.add_config_value("book_downloads", is_released, "html", bool)
    if is_released:
        app.tags.add("released")


def with_names(write: Callable[..., Any]) -> Callable[..., Any]:
    """Change what writes a table of contents: each arrow in it gets a name."""

    @wraps(write)
    def write_named(*args: Any, **options: Any) -> Any:
        contents = write(*args, **options)
        return str(contents).replace(UNNAMED, NAMED) if contents else contents

    return write_named


def name_arrows(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Have the sidebar of one page written with names."""
    if write := context.get("generate_toctree_html"):
        context["generate_toctree_html"] = with_names(write)


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    offer_editions(app)
    # After the theme has put its buttons on the page.
    app.connect("html-page-context", show_buttons, priority=600)
    app.connect("html-page-context", wait_with_figures)
    app.connect("html-page-context", add_footer)
    # After the theme has put in what writes the table.
    app.connect("html-page-context", name_arrows, priority=900)

"""Give the arrows of the sidebar that fold sections a name that can be heard."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from sphinx.application import Sphinx

UNNAMED = "<summary>"
NAMED = '<summary aria-label="Pages of this section">'


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
    # After the theme has put in what writes the table.
    app.connect("html-page-context", name_arrows, priority=900)

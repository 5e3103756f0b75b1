"""Let long lines of code wrap on the narrow pages of the site."""

from typing import Any

from sphinx.application import Sphinx

from bookkit.publishing.long_lines import wrap_code


def mark_code(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Mark the long lines of code of a page."""
    if app.builder.format == "html" and "body" in context:
        context["body"] = wrap_code(context["body"])


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("html-page-context", mark_code)

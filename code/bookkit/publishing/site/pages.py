"""Leave out scripts that a reader does not need, and know when pages are stale."""

import hashlib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from bookkit.book.files import find_root

HERE = Path(__file__).parent


def needs(asset: Any) -> bool:
    """Return whether the book needs a script or style sheet that Sphinx would link.

    It does without those of Thebe: they run code on somebody else's machine.
    """
    attributes = getattr(asset, "attributes", {})
    words = f"{getattr(asset, 'filename', asset)} {attributes.get('body', '')}"
    return "thebe" not in words.lower()


def drop_assets(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Leave out what the page does not need."""
    for kind in ("script_files", "css_files"):
        context[kind] = [asset for asset in context.get(kind, []) if needs(asset)]


def name_pages(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Let a template ask for the title of any page."""
    context["title_of"] = lambda name: app.env.titles[name].astext()


def digest_sources(book: Path) -> str:
    """Sum up the code and the styles that every page depends on."""
    digest = hashlib.sha256()
    for file in sorted([*HERE.glob("*.*"), *book.glob("_static/*.*s")]):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    # A new value makes Sphinx write every page again.
    digest = digest_sources(find_root(HERE) / "book")
    app.add_config_value("site_digest", digest, "env", types=(str,))
    app.connect("html-page-context", name_pages)
    # After the extensions that add scripts to a page.
    app.connect("html-page-context", drop_assets, priority=900)

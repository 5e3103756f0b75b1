"""Finish the pages: the way in, and no script that a reader does not need."""

import hashlib
from html import escape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from bookkit.book.files import find_root

HERE = Path(__file__).parent
REDIRECT = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<meta http-equiv="refresh" content="0; url={target}">
<link rel="canonical" href="{target}">
</head>
<body>
<main><h1><a href="{target}">{title}</a></h1></main>
</body>
</html>
"""


def redirect_page(title: str, target: str) -> str:
    """Write a page that leads to another one."""
    return REDIRECT.format(title=escape(title), target=escape(target))


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


def write_redirect(app: Sphinx, exception: Exception | None) -> None:
    """Lead from the root of the site to the first page of the book."""
    is_elsewhere = app.config.root_doc != "index"
    if exception is None and app.builder.name == "html" and is_elsewhere:
        page = redirect_page(app.config.html_title, f"{app.config.root_doc}.html")
        (Path(app.outdir) / "index.html").write_text(page, "utf-8")


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
    # After the extensions that add scripts to a page.
    app.connect("html-page-context", drop_assets, priority=900)
    app.connect("build-finished", write_redirect)

"""Give pages their colors where no script runs, which would choose them.

The theme writes that the colors are to be chosen, and has none for that. The first
script of a page puts the choice of the reader in the place of what stands there.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

TO_BE_CHOSEN = re.compile(r'(<html\b[^>]*\bdata-theme=)"auto"')


def color(page: str) -> str:
    """Let a page be light until a script says otherwise."""
    return TO_BE_CHOSEN.sub(r'\1"light"', page, count=1)


def color_pages(app: Sphinx, exception: Exception | None) -> None:
    """Let every page be light, once all are written."""
    if exception is not None or app.builder.name != "html":
        return
    site = Path(app.outdir)
    for file in sorted(site.rglob("*.html")):
        if "_static" not in file.relative_to(site).parts:
            file.write_text(color(file.read_text("utf-8")), "utf-8")


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("build-finished", color_pages)

"""The book's own Sphinx extension: what its site has beyond Jupyter Book's."""

from sphinx.application import Sphinx

from bookkit.publishing.site import (
    address,
    api,
    boxes,
    citations,
    drawings,
    glossary,
    icons,
    links,
    math,
    pages,
    policy,
    reading,
    references,
    search,
    sidebar,
    signatures,
    sources,
    weight,
)

PARTS = (
    address,
    api,
    boxes,
    citations,
    drawings,
    glossary,
    icons,
    links,
    math,
    pages,
    policy,
    reading,
    references,
    search,
    sidebar,
    signatures,
    sources,
    weight,
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    for part in PARTS:
        part.register(app)
    # Writers in parallel would read each other's answers (`math`).
    return {"parallel_read_safe": True, "parallel_write_safe": False}

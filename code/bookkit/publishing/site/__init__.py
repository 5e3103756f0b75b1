"""The book's own Sphinx extension: what its site has beyond Jupyter Book's."""

from importlib import import_module

from sphinx.application import Sphinx

PARTS = (
    "address",
    "answers",
    "api",
    "boxes",
    "drawings",
    "epub",
    "glossary",
    "icons",
    "languages",
    "math",
    "mathml",
    "outputs",
    "pages",
    "plain",
    "policy",
    "reading",
    "references",
    "search",
    "switches",
    "tables",
    "weight",
)


def setup(app: Sphinx) -> dict[str, bool | int]:
    """Register the extension with Sphinx."""
    for part in PARTS:
        import_module(f"{__name__}.{part}").register(app)
    # Readers in parallel would not hand over the sections of pages (`search`), and
    # writers would read each other's answers (`math`).
    # Another number makes a build read all pages again, when they are kept otherwise.
    return {"parallel_read_safe": False, "parallel_write_safe": False, "env_version": 1}

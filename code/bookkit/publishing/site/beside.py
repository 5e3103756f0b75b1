"""Publish scripts and styles that changed although no page did.

Sphinx copies what stands beside the pages only when it has a page to write. What it
copied may be changed afterwards (`weight`), so contents count only for older copies.
"""

from filecmp import cmp
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

# From which Sphinx writes a file of another name.
TEMPLATE = "_t"


def read_one_again(app: Sphinx, env: BuildEnvironment, *changes: set) -> list[str]:
    """Let the first page be read again where a file beside the pages has changed."""
    if app.builder.name != "html":
        return []
    given = [Path(app.confdir, name) for name in app.config.html_static_path]
    files = [(path, path.name) for path in given if path.is_file()]
    files += [
        (path, path.relative_to(folder))
        for folder in given
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(TEMPLATE)
    ]
    folder = Path(app.outdir, "_static")
    if all(is_copied(path, folder / name) for path, name in files):
        return []
    return [app.config.root_doc]


def is_copied(file: Path, there: Path) -> bool:
    """Return whether a copy is no older than its file, or the same."""
    if not there.is_file():
        return False
    return there.stat().st_mtime >= file.stat().st_mtime or cmp(file, there)


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("env-get-outdated", read_one_again)

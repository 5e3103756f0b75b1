"""Publish scripts and styles that changed although no page did.

Sphinx copies what stands beside the pages only when it has a page to write.
"""

from filecmp import cmp
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def read_one_again(app: Sphinx, env: BuildEnvironment, *changes: set) -> list[str]:
    """Let the first page be read again where a file beside the pages has changed."""
    folders = [Path(app.confdir, name) for name in app.config.html_static_path]
    files = [
        (path, Path(app.outdir, "_static", path.relative_to(folder)))
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    ]
    if all(there.is_file() and cmp(path, there) for path, there in files):
        return []
    return [app.config.root_doc]


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("env-get-outdated", read_one_again)

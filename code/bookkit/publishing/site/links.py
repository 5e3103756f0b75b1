"""Let `make links` ask for each address where the answer says something.

A link to a file of this book's repository is answered by the file itself, so that the
host need not be asked hundreds of times, and a DOI by its registry, since publishers
refuse programs.
"""

from pathlib import Path
from urllib.parse import unquote

from sphinx.application import Sphinx

from bookkit.book.address import repository_url
from bookkit.book.files import CONFIG, find_root
from bookkit.book.notebooks import read_yaml

DOI = "https://doi.org/"
REGISTRY = "https://doi.org/api/handles/"


def ask_elsewhere(app: Sphinx, uri: str) -> str | None:
    """Return what to ask for in place of an address, if there is something better."""
    if uri.startswith(DOI):
        return REGISTRY + uri.removeprefix(DOI)
    root = find_root(Path(app.confdir))
    branch = read_yaml(root / CONFIG)["repository"]["branch"]
    for kind in ("blob", "tree"):
        start = f"{repository_url(root)}/{kind}/{branch}/"
        if uri.startswith(start):
            return str(root / unquote(uri.removeprefix(start).partition("#")[0]))
    return None


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("linkcheck-process-uri", ask_elsewhere)

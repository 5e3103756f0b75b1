"""Give the page that writes the numbers of its model, as the package ships them.

`chapters.live.verses` writes them in a process of its own, since the author's tools do
not import what they publish.
"""

import subprocess
import sys
from pathlib import Path

from sphinx.application import Sphinx

FILE = "_static/writer_weights.js"


def write_weights(app: Sphinx, failure: Exception | None) -> None:
    """Write the script beside those that read it."""
    if failure is None and app.builder.name == "html":
        file = Path(app.outdir, FILE)
        subprocess.run([sys.executable, "-m", "chapters.live.verses", file], check=True)


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("build-finished", write_weights)

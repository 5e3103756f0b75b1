"""Give pages what their scripts need: what exercises ask, and the numbers of a model.

Both are written in a process of its own, by `chapters.fields` from the properties of
the exercises and by `chapters.live.verses`, since the author's tools do not import what
they publish.
"""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from bookkit.book.chinese import END

COMMAND = (sys.executable, "-m", "chapters.fields")
EXERCISE = re.compile(r'<div class="exercise admonition" id="([^"]+)"')
DATA = '<script type="application/json" id="exercise-fields">{}</script>\n'
FILE = "_static/writer_weights.js"


@cache
def read_fields() -> dict[str, Any]:
    """Read what the exercises of the book ask, by label.

    Raises:
        ExtensionError: The command fails.
    """
    done = subprocess.run(COMMAND, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ExtensionError(
            f"'python -m chapters.fields' must write what the exercises ask, and stops "
            f"with {done.stderr.strip().splitlines()[-1:]}; mend it."
        )
    return json.loads(done.stdout)


def add_fields(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Add to a page what its exercises ask, if it has any that a page can judge."""
    labels = EXERCISE.findall(context.get("body") or "")
    if not labels or app.builder.name != "html":
        return
    known = {label: read_fields().get(label.removesuffix(END)) for label in labels}
    asked = {label: fields for label, fields in known.items() if fields}
    if asked:
        text = json.dumps(asked, ensure_ascii=False, separators=(",", ":"))
        context["body"] += DATA.format(text.replace("<", "\\u003c"))


def write_weights(app: Sphinx, failure: Exception | None) -> None:
    """Write the script beside those that read it."""
    if failure is None and app.builder.name == "html":
        file = Path(app.outdir, FILE)
        subprocess.run([sys.executable, "-m", "chapters.live.verses", file], check=True)


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("html-page-context", add_fields)
    app.connect("build-finished", write_weights)

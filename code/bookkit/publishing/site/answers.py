"""Give a page what its script needs to judge the answers to its exercises.

The properties of the exercises are the source: `chapters.fields` writes in a process of
its own what they ask, since the author's tools do not import what they publish.
"""

import json
import re
import subprocess
import sys
from functools import cache
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from bookkit.book.catalogs import END

COMMAND = (sys.executable, "-m", "chapters.fields")
EXERCISE = re.compile(r'<div class="exercise admonition" id="([^"]+)"')
DATA = '<script type="application/json" id="exercise-fields">{}</script>\n'


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


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("html-page-context", add_fields)

"""The translator in a notebook: a frame with all that it needs, and its drawing.

A notebook that is run shows the frame, which asks for no other file. The book keeps the
drawing, which is a hundred times smaller.
"""

import re
from html import escape

from chapters.live import pack, still, told, twins

FOLDER = pack.WEIGHTS.parent
# Each gives a name to what it holds; only the translator itself asks for the others.
LAST = FOLDER / "translator.js"
SCRIPTS = (
    *sorted({*FOLDER.glob("*.js")} - {*FOLDER.glob("writer*.js")} - {LAST}),
    *map(twins.path, twins.TWINS),
    LAST,
)
OF_PAGE = re.compile(r"var\(--[\w-]+, ([^()]+)\)")  # with what stands there alone
OWN = re.compile(r"(--\w+): ([^;]+);\s*")
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>A Transformer that runs in this notebook</title>
<style>
:root {{ --pst-color-background: #ffffff; --pst-color-border: #d0d4d9;
  --pst-color-text-base: #1a1a1a; --pst-color-text-muted: #48566b; }}
* {{ box-sizing: border-box; }}
body {{ background: #ffffff; color: #1a1a1a; display: flow-root; margin: 0;
  font: 1rem/1.5 system-ui, sans-serif; }}
{style}</style>
<body class="bd-article">
<div class="translator" data-translator="whole" role="group" aria-label="Translator">
<div class="translator-still"></div>
<p class="translator-proof">A Transformer, trained with the code of this book.
<span></span></p>
</div>
{scripts}
<script>
new ResizeObserver(() => {{
  frameElement.style.height = `${{document.body.offsetHeight}}px`;
}}).observe(document.body);
</script>
"""


class Translator:
    """The translator of the first page, which a notebook shows."""

    def _repr_html_(self) -> str:
        """Write the frame."""
        scripts = (f"<script>{path.read_text('utf-8')}</script>" for path in SCRIPTS)
        style = FOLDER / "translator.css"
        page = PAGE.format(style=style.read_text("utf-8"), scripts="\n".join(scripts))
        look = "border: 0; display: block; height: 50rem; width: 100%"
        return f'<iframe srcdoc="{escape(page)}" style="{look}"></iframe>'

    def _repr_svg_(self) -> str:
        """Draw a finished translation, in colors that every device knows."""
        drawing = OF_PAGE.sub(r"\1", still.draw(told.read()["rest"]))
        colors = OWN.findall(drawing)
        drawing = OWN.sub("", drawing)
        for name, color in colors:
            drawing = drawing.replace(f"var({name})", color)
        return drawing

    def __repr__(self) -> str:
        return "Translator"

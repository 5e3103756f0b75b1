"""Make slides of a chapter: its figures with their captions, and its summary.

They are one HTML file that needs no other. A slide fills the window, an explorer can be
moved, links lead to the published page, and printed by a browser a slide is a page.
"""

import re
from base64 import b64encode
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from nbformat import NotebookNode

from bookkit.book.address import published
from bookkit.book.boxes import FIGURE, is_markdown, read_box
from bookkit.book.cells import explorer_names, html_of, images, parts
from bookkit.book.files import find_root, relative_name
from bookkit.book.notebooks import read_notebook
from bookkit.book.prose import ANCHOR
from bookkit.publishing.plain_formulas import plain_formula

SLIDES, SVG = Path("_build/slides"), "image/svg+xml"
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><base href="{address}"><title>{title}</title>
<style>
html {{ font: 2.4vmin/1.5 system-ui, sans-serif; scroll-snap-type: y mandatory; }}
body {{ margin: 0; }}
section {{ box-sizing: border-box; break-after: page; display: flex; gap: 2vmin;
  flex-direction: column; height: 100vh; justify-content: center; padding: 4vmin 8vmin;
  scroll-snap-align: start; }}
h1, h2, p {{ margin: 0; }}
img, iframe {{ border: 0; flex: 1; min-height: 0; object-fit: contain; width: 100%; }}
@page {{ margin: 0; size: 16in 9in; }}
</style>
{slides}
</html>
"""
_FORMULA = re.compile(r"(?<![\\$])\$([^$]+)\$")


def write_slides(path: Path) -> Path:
    """Write the slides of a chapter, and return where they are."""
    root, notebook = find_root(path), read_notebook(path)
    address = published(root).address(relative_name(path, root))
    title, question, *_ = notebook.cells[0].source.split("\n\n")
    source = f"[The Tested Transformer]({address}), CC BY 4.0"
    drawn, slides = "", [_shown(f"{title}\n\n{question}\n\n{source}")]
    for part in parts(notebook):
        if not is_markdown(part.cell):
            drawn = _drawn(part.cell)
        elif part.section == "Summary":
            slides.append(_shown(part.text))
        elif (box := read_box(part.text)) and box.kind == FIGURE and not part.deeper:
            slides.append(_shown(f"## {part.section}") + drawn + _shown(part.text))
    sections = "\n".join(f"<section>{slide}</section>" for slide in slides)
    target = root / SLIDES / f"{path.stem}.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    heading = escape(title.removeprefix("# "))
    page = PAGE.format(address=address, title=heading, slides=sections)
    target.write_text(page, encoding="utf-8")
    return target


def _shown(text: str) -> str:
    """Turn markdown into HTML, with formulas in plain characters."""
    text = re.sub(ANCHOR, "", text)
    plain = _FORMULA.sub(lambda formula: plain_formula(formula[1]), text)
    return MarkdownIt().render(plain)


def _drawn(cell: NotebookNode) -> str:
    """Return what a cell draws: an explorer in a frame of its own, or images."""
    if explorer_names(cell):
        return f'<iframe srcdoc="{escape(html_of(cell))}"></iframe>'
    alt = escape(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", ""))
    drawings = [output.data[SVG].encode() for output in images(cell)]
    shown = (f"data:{SVG};base64,{b64encode(svg).decode()}" for svg in drawings)
    return "".join(f'<img alt="{alt}" src="{source}">' for source in shown)

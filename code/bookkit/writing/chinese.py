"""What Chinese pages need besides words: labels in figures, and fonts with the signs.

Matplotlib writes letters as shapes and notes beside them what they say, so that a
figure in English tells its words. A figure in Chinese is drawn by a run of the Chinese
notebook, which begins with `start_chapter(labels=…)`, and stands on the page as long as
the English one is the same and says nothing else.
"""

import io
import string
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont
from nbformat import NotebookNode

from bookkit.book.cells import code_cells, images
from bookkit.book.chinese import (
    FONT,
    LABEL_FAMILY,
    LABEL_FONT,
    SIGNS,
    drawn_texts,
    is_said,
    read_label_signs,
    read_signs,
)
from bookkit.book.errors import BookError
from bookkit.book.files import replace_file
from bookkit.book.notebooks import NARROW, SVG, TEXT, read_notebook, write_notebook

# Where an output says of which English figure it is a drawing.
_OF = "drawn_from"
_START = "start_chapter("
_SHOWN_LATER = "图，运行后显示。"
# A collection has a font for each language; this one writes simplified Chinese.
_WRITES_SIMPLIFIED = "CJK SC"
_LICENSE = (13, 14)  # what the font says of its license, which must go with it
_FULL_NAME = 4
_FAMILY_NAMES = (1, 3, 4, 6, 16)
# What stands in labels beside Chinese: a label with a formula knows no other font.
_LETTERS = set(string.printable) - set(string.whitespace) | {" "}


def find_labels(cell: NotebookNode) -> list[str]:
    """List what the figures of a cell say in words."""
    return [*dict.fromkeys(_said(svg for _, svg in _figures(cell)))]


def _said(svgs: Iterator[str]) -> list[str]:
    texts = (text for svg in svgs for text in drawn_texts(svg))
    return [text for text in texts if is_said(text) or SIGNS.search(text)]


def _figures(cell: NotebookNode) -> Iterator[tuple[NotebookNode, str]]:
    """Yield the outputs of a cell that are drawn, each with its drawing."""
    return ((found, found.data[SVG]) for found in images(cell) if SVG in found.data)


def read_drawings(path: Path) -> dict[str, NotebookNode]:
    """Read the figures that a Chinese notebook has drawn, by the English ones."""
    cells = code_cells(read_notebook(path)) if path.exists() else ()
    found = (output for _, cell in cells for output, _ in _figures(cell))
    return {
        output.metadata[_OF]: output.data for output in found if _OF in output.metadata
    }


def translate_code(
    cell: NotebookNode,
    words: Mapping[str, str],
    drawings: Mapping[str, NotebookNode],
    *,
    labels: str,
) -> None:
    """Bring a cell of code, in place, to what a Chinese page shows.

    Args:
        cell: The cell of the English page.
        words: The messages that are translated.
        drawings: The figures that are drawn in Chinese.
        labels: What the code calls the labels of the page, if it has some.
    """
    if labels:
        said = f'{_START}labels="{labels}")'
        cell.source = cell.source.replace(f"{_START})", said)
    image = cell.metadata.get("mystnb", {}).get("image")
    if image:
        image["alt"] = words.get(image["alt"], image["alt"])
    for output, svg in _figures(cell):
        drawing = drawings.get(_name(svg))
        if drawing and Counter(_said([drawing[SVG]])) == _expected(svg, words):
            for kind in (SVG, NARROW):
                output.data.pop(kind, None)
            output.data |= {k: drawing[k] for k in (SVG, NARROW) if k in drawing}
            output.metadata[_OF] = _name(svg)
        if image and SIGNS.search(image["alt"]):
            output.metadata[SVG]["alt"] = image["alt"]
            output.data[TEXT] = _SHOWN_LATER + image["alt"]


def _expected(svg: str, words: Mapping[str, str]) -> Counter[str]:
    """Count what a figure says in Chinese, or in English where nobody translated it."""
    return Counter(words.get(text, text) for text in _said([svg]))


def _name(svg: str) -> str:
    """Name a figure by its bytes."""
    return sha256(svg.encode()).hexdigest()[:16]


def keep_drawings(english: Path, chinese: Path) -> None:
    """Note in a Chinese notebook that was run which figures it has drawn."""
    notebook = read_notebook(chinese)
    originals = {cell.id: cell for _, cell in code_cells(read_notebook(english))}
    for _, cell in code_cells(notebook):
        for (output, _), svg in _pairs(cell, originals):
            output.metadata[_OF] = _name(svg)
    write_notebook(chinese, notebook)


def find_undrawn(english: Path, chinese: Path, words: Mapping[str, str]) -> list[str]:
    """Name the cells whose figures do not say what their labels are in Chinese."""
    originals = {cell.id: cell for _, cell in code_cells(read_notebook(english))}
    return [
        name
        for name, cell in code_cells(read_notebook(chinese))
        for (_, drawing), svg in _pairs(cell, originals)
        if Counter(_said([drawing])) != _expected(svg, words)
    ]


def _pairs(
    cell: NotebookNode, originals: Mapping[str, NotebookNode]
) -> Iterator[tuple[tuple[NotebookNode, str], str]]:
    """Yield the figures of a Chinese cell, each with what the English one has drawn."""
    english = _figures(originals[cell.id]) if cell.id in originals else ()
    return zip(_figures(cell), (svg for _, svg in english), strict=False)


def write_font(root: Path, source: Path) -> int:
    """Write the font of the pages and return how many signs it has.

    Args:
        root: The root of the book.
        source: A font or a collection of fonts, such as Noto Serif CJK.

    Raises:
        BookError: The source is no font, or lacks a sign.
    """
    return _write(source, read_signs(root), root / FONT, flavor="woff")


def write_label_font(root: Path, source: Path) -> int:
    """Write the font of figures, from Noto Sans CJK, as `write_font` that of pages.

    It has a name of its own, so that figures are the same whatever is installed.
    """
    signs = read_label_signs(root) | _LETTERS
    return _write(source, signs, root / LABEL_FONT, family=LABEL_FAMILY)


def _write(
    source: Path,
    letters: set[str],
    target: Path,
    *,
    flavor: str | None = None,
    family: str = "",
) -> int:
    signs = set(map(ord, letters))
    with _open(source) as font:
        missing = "".join(sorted(map(chr, signs - set(font.getBestCmap()))))
        if missing:
            raise BookError(f"The font must have all signs of the book, not {missing}.")
        options = subset.Options(flavor=flavor, hinting=False, layout_features=[])
        options.name_IDs = [*options.name_IDs, *_LICENSE]
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=signs)
        subsetter.subset(font)
        for name in font["name"].names if family else ():
            if name.nameID in _FAMILY_NAMES:
                name.string = family.replace(" ", "") if name.nameID == 6 else family
        written = io.BytesIO()
        subset.save_font(font, written, options)
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, written.getvalue())
    return len(signs)


def _open(source: Path) -> TTFont:
    """Open a font, from a collection the one for simplified Chinese."""
    if source.suffix not in {".ttc", ".otc"}:
        return TTFont(source, recalcTimestamp=False)
    for number, font in enumerate(TTCollection(source, lazy=True).fonts):
        if _WRITES_SIMPLIFIED in font["name"].getDebugName(_FULL_NAME):
            return TTFont(source, fontNumber=number, recalcTimestamp=False)
    raise BookError(f"{source.name} must hold a font named {_WRITES_SIMPLIFIED}.")

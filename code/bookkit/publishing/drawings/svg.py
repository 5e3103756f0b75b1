"""Write a drawing as SVG, with links to the chapters and the colors of the page.

Within a page of the site the colors come from the variables of the theme; alone, as
when a host of repositories shows the file, they are those of a light page.
"""

from collections.abc import Iterable, Mapping
from html import escape

from bookkit.book.errors import BookError
from bookkit.book.outline import Chapter
from bookkit.publishing.drawings.shapes import (
    Box,
    Dot,
    Drawing,
    Frame,
    Line,
    Words,
    line_offsets,
    one_line,
)

# As in the figures (chapters/start.py): blue is what asks, and so is attention, between
# two texts too. Orange is kept for what is looked at, which is no part of the machine.
HUES = {
    "attention": "#0072b2",
    "position": "#009e73",
    "feed_forward": "#8a7300",
    "normalization": "#b3548f",
    "architecture": "#5b6470",
    "beyond": "#5b6470",
}
STYLE = """\
.drawing { --ink: var(--pst-color-text-base, #1a1a1a);
  --paper: var(--pst-color-background, #ffffff);
  --soft: color-mix(in srgb, var(--ink) 70%, var(--paper));
  font-family: var(--pst-font-family-base, "DejaVu Sans", sans-serif); }
.drawing text { fill: var(--ink); dominant-baseline: central; text-anchor: middle; }
.drawing .start text { text-anchor: start; } .drawing .end text { text-anchor: end; }
.drawing .paper { fill: var(--paper); }
.drawing .line { fill: none; stroke-width: 2; stroke-linejoin: round;
  stroke: color-mix(in srgb, var(--hue, var(--soft)) 80%, var(--ink)); }
.drawing .halo { fill: none; stroke: var(--paper); stroke-width: 6; }
.drawing .head { fill: color-mix(in srgb, var(--soft) 80%, var(--ink)); }
.drawing .dashed, .drawing .today rect { stroke-dasharray: 5 4; }
.drawing .frame { fill: none; stroke: var(--ink); stroke-opacity: 0.45; }
.drawing .dot { stroke: var(--paper); stroke-width: 2;
  fill: color-mix(in srgb, var(--hue) 80%, var(--ink)); }
.drawing a { cursor: pointer; text-decoration: none; }
.drawing a rect { fill: color-mix(in srgb, var(--hue) 14%, var(--paper));
  stroke: color-mix(in srgb, var(--hue) 78%, var(--ink)); stroke-width: 1.5; }
.drawing a.today rect { fill: var(--paper); }
.drawing a.first rect { fill: var(--paper); stroke-width: 3; }
.drawing a.first text { font-weight: 600; }
.drawing a.row rect { fill: transparent; stroke: none; }
.drawing a.row text { text-anchor: start; fill: var(--pst-color-link, #0060a0); }
.drawing a:hover text { text-decoration: underline; }
.drawing a:hover rect { stroke: var(--ink); stroke-width: 3; }
.drawing a:focus-visible { outline: none; }
.drawing a:focus-visible rect { stroke: var(--pst-color-primary, #0060a0);
  stroke-dasharray: none; stroke-width: 4; }
@media (forced-colors: active) {
  .drawing { --ink: CanvasText; --paper: Canvas; forced-color-adjust: none; }
  .drawing a rect { fill: Canvas; stroke: LinkText; }
  .drawing a text { fill: LinkText; }
  .drawing a:focus-visible rect { stroke: Highlight; }
}
"""
NONE: Mapping[str, str] = {}
HEAD = 7.0  # how long an arrowhead is


def write_svg(drawing: Drawing, outline: Iterable[Chapter]) -> str:
    """Write a drawing as the text of an SVG file.

    Args:
        drawing: What to draw.
        outline: The chapters, for the names of the links.

    Raises:
        BookError: A box leads to no chapter, or a part of the book has no color.
    """
    chapters = {chapter.name: chapter for chapter in outline}
    if lost := {box.chapter for box in drawing.boxes} - set(chapters):
        raise BookError(
            f"The drawing {drawing.name} leads to {min(lost)}, which must be a "
            "numbered chapter of _toc.yml with its file, and is not; restore it, or "
            "mend the drawing."
        )
    size = f"{_number(drawing.width)} {_number(drawing.height)}"
    name = drawing.name
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing {name}" '
        f'viewBox="0 0 {size}" font-size="{_number(drawing.font_size)}" role="group" '
        f'aria-labelledby="{name}-title" aria-describedby="{name}-description">',
        f'<title id="{name}-title">{escape(drawing.title)}</title>',
        f'<desc id="{name}-description">{escape(drawing.description)}</desc>',
        f"<style>\n{STYLE}</style>",
        '<rect class="paper" width="100%" height="100%"/>',
    ]
    for shape in drawing.shapes:
        lines += _write_shape(shape, chapters, drawing.font_size)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _write_shape(shape: object, chapters: dict, size: float) -> list[str]:
    match shape:
        case Box():
            return _write_box(shape, chapters[shape.chapter], size)
        case Line():
            return _write_line(shape)
        case Words():
            x, y = shape.x, shape.y
            lines = _write_text(shape.text, x, y, size, first=True)
            return [f'<g class="{shape.anchor}" aria-hidden="true">', *lines, "</g>"]
        case Frame():
            kind = "frame dashed" if shape.dashed else "frame"
            return [f'<rect class="{kind}" {_place(shape)} rx="10"/>']
        case Dot():
            x, y = _number(shape.x), _number(shape.y)
            return [f'<circle class="dot" {_hue(shape.hue)} cx="{x}" cy="{y}" r="6"/>']


def _write_box(box: Box, chapter: Chapter, size: float) -> list[str]:
    """Write a box as a link whose name begins with the words in view."""
    words = one_line(box.text)
    spoken = f"{words}: chapter {chapter.number}"
    if words != chapter.title:
        spoken += f", {chapter.title}"
    look = {"start": "first"}.get(box.look, box.look)
    x, y = box.center
    if box.look == "row":
        x = box.x + size / 2
    part = f' data-part="{box.part}"' if box.part else ""
    return [
        f'<a class="{look}" href="{box.chapter}.ipynb" {_hue(box.hue)}{part} '
        f'aria-label="{escape(spoken)}">',
        f'<rect {_place(box)} rx="6"/>',
        *_write_text(box.text, x, y, size, twins=box.twins),
        "</a>",
    ]


def _write_text(
    text: str,
    x: float,
    y: float,
    size: float,
    *,
    first: bool = False,
    twins: Mapping[str, str] = NONE,
) -> list[str]:
    """Write the lines of a text around a height, or from it downward."""
    offsets = line_offsets(text, size)
    y -= offsets[0] if first else 0.0
    return [
        f'<text x="{_number(x)}" y="{_number(y + offset)}">{_write_words(line, twins)}'
        "</text>"
        for line, offset in zip(text.split("\n"), offsets, strict=True)
    ]


def _write_words(line: str, twins: Mapping[str, str]) -> str:
    """Write the words of a line, those that a twin lacks as parts of their own."""
    return " ".join(
        f'<tspan class="of-{twins[word]}">{escape(word)}</tspan>'
        if word in twins
        else escape(word)
        for word in line.split(" ")
    )


def _write_line(line: Line) -> list[str]:
    """Write a line, its arrowhead, and the chapters that it joins on a map."""
    path = "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in line.points)
    if line.halo:
        return [f'<path class="halo" d="{path}"/>']
    kind = "line dashed" if line.dashed else "line"
    of = f" of-{line.twin}" if line.twin else ""
    hue = "" if line.hue == "ink" else f" {_hue(line.hue)}"
    ends = f' data-chapters="{" ".join(line.chapters)}"' if line.chapters else ""
    lines = [f'<path class="{kind}{of}"{hue}{ends} d="{path}"/>']
    if line.arrow:
        lines.append(f'<path class="head{of}" d="{_head(line)}"/>')
    return lines


def _head(line: Line) -> str:
    """Write the arrowhead at the end of a line that ends straight."""
    (x0, y0), (x, y) = line.points[-2:]
    length = abs(x - x0) + abs(y - y0)
    dx, dy = (x - x0) / length * HEAD, (y - y0) / length * HEAD
    corners = ((x, y), (x - dx - dy / 2, y - dy + dx / 2))
    corners += ((x - dx + dy / 2, y - dy - dx / 2),)
    return "M" + "L".join(f"{_number(a)} {_number(b)}" for a, b in corners) + "Z"


def _place(shape: Box | Frame) -> str:
    names = ("x", "y", "width", "height")
    return " ".join(f'{name}="{_number(getattr(shape, name))}"' for name in names)


def _hue(name: str) -> str:
    if name not in HUES:
        raise BookError(
            f"Every part of the book must have a color in HUES, and {name!r} has none; "
            "add it."
        )
    return f'style="--hue: {HUES[name]}"'


def _number(value: float) -> str:
    """Write a number shortly and always alike."""
    return f"{value:.1f}".removesuffix(".0")

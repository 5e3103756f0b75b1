"""Paint what others show of the book: a preview, an icon, and the cover on a shelf."""

import io

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path as Outline
from PIL import Image

from bookkit.publishing.drawings.machine import WIDE, machine
from bookkit.publishing.drawings.shapes import Box, Frame, Line, Words
from bookkit.publishing.drawings.svg import HUES

SOCIAL_SIZE = (1200, 630)
ICON_SIZE = 180
COVER_SIZE = (1200, 1800)
NAVY, GOLD, WHITE = "#17457a", "#ffc04d", "#ffffff"
DEEP, TEAL, SKY = "#12343f", "#2b6f7d", "#7fd1de"  # of the cover
INK = "#1a1a1a"  # as in the figures of the chapters
COLORS = 128  # of the palette of the preview, which keeps it small
TITLE = "The Tested\nTransformer"
PROMISE = "A textbook whose code,\nnumbers and figures\nare checked by tests."
COVER_PROMISE = "A textbook in which every output\nis computed again and compared"
STACKS, LAYERS = (210, 650), (400, 520, 640, 760)  # left edges, and their middles
# What goes in below, out above, and from the encoder into the decoder.
PATHS = (
    ((380, 1010), (380, 870)),
    ((820, 1010), (820, 870)),
    ((820, 250), (820, 150)),
    ((380, 250), (380, 200), (600, 200), (600, 560), (650, 560)),
)
MACHINE = (510, 36, 0.87)  # left edge, top and scale of the drawing


def paint_social() -> bytes:
    """Paint the preview of a link to the book, 1200 by 630 pixels, as PNG."""
    width, height = SOCIAL_SIZE
    axes = _canvas(width, height)
    _fill(axes, 0, 0, 470, height, NAVY)
    _text(axes, 48, 130, TITLE, size=58, color=WHITE, weight="bold")
    _text(axes, 48, 330, PROMISE, size=30, color=WHITE)
    _check(axes, 62, 480, 80, thickness=0.3)
    _machine(axes, *MACHINE)
    return _png(axes, COLORS)


def paint_icon() -> bytes:
    """Paint the icon of the book for a phone, in the shapes of favicon.svg, as PNG."""
    axes = _canvas(ICON_SIZE, ICON_SIZE)
    unit = ICON_SIZE / 32
    _fill(axes, 0, 0, ICON_SIZE, ICON_SIZE, NAVY)
    for points in (((7, 9), (25, 9)), ((16, 9), (16, 24))):
        _stroke(axes, [(x * unit, y * unit) for x, y in points], WHITE, 4 * unit)
    _check(axes, 19.5 * unit, 17 * unit, 7.5 * unit)
    return _png(axes, COLORS)


def paint_cover() -> bytes:
    """Paint the cover of the EPUB, two stacks of which a layer is checked, as PNG."""
    width, height = COVER_SIZE
    axes = _canvas(width, height)
    _fill(axes, 0, 0, width, height, DEEP)
    for left in STACKS:
        right, top, bottom = left + 340, 250, 870
        frame = [(left, top), (right, top), (right, bottom), (left, bottom)]
        _stroke(axes, [*frame, frame[0]], SKY, 10)
        for middle in LAYERS:
            _fill(axes, left + 48, middle - 22, 244, 44, TEAL)
        _check(axes, left + 65, 600, 70, thickness=0.2)
    for path in PATHS:
        _stroke(axes, list(path), SKY, 10)
    bold = {"size": 136, "weight": "bold"}
    _text(axes, width / 2, 1310, TITLE, color=WHITE, middle=True, **bold)
    _text(axes, width / 2, 1570, COVER_PROMISE, size=48, color=WHITE, middle=True)
    return _png(axes, COLORS)


def _canvas(width: int, height: int) -> Axes:
    """Make a white picture whose units are pixels, counted from the top left."""
    figure = Figure(figsize=(width / 100, height / 100), dpi=100, facecolor=WHITE)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    return axes


def _png(axes: Axes, colors: int) -> bytes:
    """Return the picture with a palette, and without a date or a version."""
    canvas = axes.figure.canvas
    canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    stream = io.BytesIO()
    image.quantize(colors).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def _machine(axes: Axes, left: float, top: float, scale: float) -> None:
    """Paint the architecture without its headings."""
    drawing = machine(WIDE)

    def at(x: float, y: float) -> tuple[float, float]:
        return left + x * scale, top + (y - WIDE.row) * scale

    for shape in drawing.shapes:
        match shape:
            case Line():
                points = [at(x, y) for x, y in shape.points]
                _stroke(axes, points, "#5f5f5f", 2 * scale, dashed=shape.dashed)
            case Frame():
                _rectangle(axes, shape, at, scale, "none", "#a0a0a0")
            case Words() if shape.y > WIDE.row:
                place, size = at(shape.x, shape.y), drawing.font_size * scale
                _text(axes, *place, shape.text, size=size, color=INK, middle=True)
            case Box() if shape.y > WIDE.row / 2:
                _box(axes, shape, at, scale, drawing.font_size)


def _box(axes: Axes, box: Box, at: object, scale: float, size: float) -> None:
    """Paint a box with its words."""
    hue = HUES[box.hue]
    tint = tuple(0.14 * c + 0.86 for c in to_rgb(hue))
    face = WHITE if box.look == "today" else tint
    _rectangle(axes, box, at, scale, face, hue, dashed=box.look == "today")
    x, y = box.center
    _text(axes, *at(x, y), box.text, size=size * scale, color=INK, middle=True)


def _rectangle(
    axes: Axes,
    shape: Box | Frame,
    at: object,
    scale: float,
    face: object,
    edge: str,
    *,
    dashed: bool = False,
) -> None:
    """Paint a box with round corners."""
    style = f"round,pad=0,rounding_size={6 * scale}"
    patch = FancyBboxPatch(
        at(shape.x, shape.y),
        shape.width * scale,
        shape.height * scale,
        boxstyle=style,
        facecolor=face,
        edgecolor=edge,
        linewidth=1.1,
        linestyle="dashed" if dashed else "solid",
    )
    axes.add_patch(patch)


def _fill(
    axes: Axes, x: float, y: float, width: float, height: float, color: str
) -> None:
    """Fill a rectangle."""
    axes.fill([x, x + width, x + width, x], [y, y, y + height, y + height], color=color)


def _check(
    axes: Axes, x: float, y: float, width: float, *, thickness: float = 0.4
) -> None:
    """Paint the check mark of the icon."""
    parts = ((0, 0.4), (0.333, 0.8), (1, 0))
    points = [(x + a * width, y + b * width) for a, b in parts]
    _stroke(axes, points, GOLD, thickness * width)


def _stroke(
    axes: Axes,
    points: list[tuple[float, float]],
    color: str,
    width: float,
    *,
    dashed: bool = False,
) -> None:
    """Paint a line with round ends, its width in pixels."""
    patch = PathPatch(
        Outline(points),
        fill=False,
        edgecolor=color,
        linewidth=0.72 * width,
        capstyle="butt" if dashed else "round",
        joinstyle="round",
        linestyle="dashed" if dashed else "solid",
    )
    axes.add_patch(patch)


def _text(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    *,
    size: float,
    color: str,
    weight: str = "normal",
    middle: bool = False,
) -> None:
    """Write a text, its size in pixels."""
    axes.text(
        x,
        y,
        text,
        family="DejaVu Sans",
        fontsize=0.72 * size,
        color=color,
        weight=weight,
        ha="center" if middle else "left",
        va="center" if middle else "center_baseline",
        linespacing=1.25,
    )

"""The drawing of the whole architecture: the Transformer of 2017, and what came since.

The machine reads from the bottom to the top, as in the paper. Each box leads to the
chapter about it. The same boxes are laid out twice: for a wide page, and for a phone.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bookkit.publishing.drawings.parts import (
    BLOCKS,
    COMPUTED,
    DESCRIPTION,
    HEADINGS,
    LEADERS,
    LOOPS,
    PARTS,
    TITLE,
    TOP,
    TWINS,
    WORDS,
)
from bookkit.publishing.drawings.shapes import (
    Box,
    Drawing,
    Frame,
    Line,
    Shape,
    Words,
    one_line,
)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where the columns stand, and how large everything is."""

    name: str
    columns: dict[str, tuple[float, float]]  # left edge and width
    width: float
    font_size: float
    row: float  # from one row to the next
    height: float  # of a box
    loop: float  # how far a residual line runs beside its boxes
    memory: float  # where the line from the encoder to the decoder runs

    def center(self, row: float) -> float:
        """Return the height of the middle of a row, counted from the bottom."""
        return (TOP - row) * self.row + 0.7 * self.height


WIDE = Layout(
    name="machine-wide",
    columns={"encoder": (36, 196), "decoder": (292, 196), "today": (536, 200)},
    width=740,
    font_size=15,
    row=54,
    height=36,
    loop=16,
    memory=252,
)
NARROW = Layout(
    name="machine-narrow",
    columns={"encoder": (12, 97), "decoder": (130, 97), "today": (245, 100)},
    width=346,
    font_size=12.5,
    row=53,
    height=38,
    loop=9,
    memory=115,
)


def machine(layout: Layout) -> Drawing:
    """Draw the architecture.

    Args:
        layout: WIDE or NARROW.
    """
    wide = layout is WIDE
    boxes = [_box(layout, *part) for part in PARTS]
    frames = _frames(layout) if wide else []
    shapes = [*frames, *_arrows(layout), *_loops(layout), *_links(layout)]
    return Drawing(
        name=layout.name,
        width=layout.width,
        height=layout.center(0) + (0.6 if wide else 0.8) * layout.height,
        font_size=layout.font_size,
        title=TITLE,
        description=DESCRIPTION,
        shapes=(*shapes, *_words(layout, wide), *boxes),
    )


def _box(layout: Layout, column: str, row: int, chapter: str, text: str) -> Box:
    """Place a box; the two parts of a block meet half way."""
    x, width = layout.columns[column]
    top = layout.center(row) - layout.height / 2
    height = layout.height
    if (column, row) in BLOCKS or (column, row - 1) in BLOCKS:
        height = (layout.row + layout.height) / 2
        top -= (column, row) in BLOCKS and height - layout.height
    later = column == "today" and row in LEADERS
    look = "start" if row in HEADINGS and column == "encoder" else "part"
    return Box(
        x=x,
        y=top,
        width=width,
        height=height,
        text=one_line(text) if layout is WIDE else text,
        chapter=chapter,
        hue="attention" if "attention" in text else chapter.split("/")[0],
        look="today" if later else look,
        part=COMPUTED.get((column, row), ""),
        twins=TWINS.get(text, {}),
    )


def _frames(layout: Layout) -> Iterator[Frame]:
    """Frame what is repeated: the layers of a stack."""
    for column in LOOPS:
        x, width = layout.columns[column]
        top = layout.center(8) - layout.height / 2 - 9
        bottom = layout.center(3) + layout.height / 2 + 13
        rim = layout.loop + 8
        yield Frame(
            x=x - rim, y=top, width=width + rim + 10, height=bottom - top, dashed=True
        )


def _arrows(layout: Layout) -> Iterator[Line]:
    """Draw the way up through each stack."""
    for column, top in (("encoder", 9), ("decoder", 11)):
        x, width = layout.columns[column]
        middle, half = x + width / 2, layout.height / 2
        for row in range(top):
            if (column, row) not in BLOCKS:
                start = layout.center(row) - (half if row else layout.font_size * 0.8)
                end = layout.center(row + 1) + half
                yield Line(points=((middle, start), (middle, end)), arrow=True)


def _loops(layout: Layout) -> Iterator[Line]:
    """Draw the residual lines: what goes into a sublayer is added to what comes out."""
    for column, pairs in LOOPS.items():
        x, width = layout.columns[column]
        for first, last in pairs:
            below = layout.center(first) + layout.height / 2 + 9
            at = layout.center(last)
            points = ((x + width / 2, below), (x - layout.loop, below))
            points += ((x - layout.loop, at), (x, at))
            yield Line(points=points, arrow=True, twin="skips")


def _links(layout: Layout) -> Iterator[Line]:
    """Draw what leads from one column to another."""
    encoder, width = layout.columns["encoder"]
    decoder, _ = layout.columns["decoder"]
    today, _ = layout.columns["today"]
    top, cross = layout.center(9), layout.center(5)
    points = ((encoder + width, top), (layout.memory, top))
    yield Line(points=(*points, (layout.memory, cross), (decoder, cross)), arrow=True)
    middle, level = encoder + width / 2, layout.center(10)
    end = layout.center(11) + layout.height / 2
    points = ((decoder, level), (middle, level), (middle, end))
    yield Line(points=points, arrow=True)
    for row in LEADERS:
        at = layout.center(row)
        yield Line(points=((decoder + width, at), (today, at)), dashed=True)


def _words(layout: Layout, wide: bool) -> Iterator[Shape]:
    """Write what is no chapter of its own."""
    for (column, row), text in WORDS.items():
        x, width = layout.columns[column]
        text = one_line(text) if wide else text
        yield Words(x=x + width / 2, y=layout.center(row), text=text)

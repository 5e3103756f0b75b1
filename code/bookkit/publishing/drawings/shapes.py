"""What a drawing is made of: boxes that are links, lines, frames and words."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

LINE_HEIGHT = 1.25  # of a text of several lines, in sizes of its letters
# A wide typeface that matplotlib brings along: what fits in it fits in most others.
_MEASURE = FontProperties(family="DejaVu Sans")


@dataclass(frozen=True, kw_only=True)
class Box:
    """A named box that leads to a chapter; x and y are its top left corner."""

    x: float
    y: float
    width: float
    height: float
    text: str
    chapter: str  # such as "attention/big_picture"
    hue: str  # the name of a color
    look: str = "part"  # "part", "today" (a later invention), "start" or "row"
    part: str = ""  # what the translator of the first page computes there
    twins: Mapping[str, str] = field(default_factory=dict)  # word: who lacks it

    @property
    def center(self) -> tuple[float, float]:
        """The middle of the box."""
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line through points, perhaps with an arrowhead at its end."""

    points: tuple[tuple[float, float], ...]
    hue: str = "ink"
    arrow: bool = False
    dashed: bool = False
    halo: bool = False  # a rim of paper, which shows that a line passes over others
    chapters: tuple[str, str] | None = None  # from and to, on a map
    twin: str = ""  # which twin of the translator lacks it


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A box around other shapes; x and y are its top left corner."""

    x: float
    y: float
    width: float
    height: float
    dashed: bool = False


@dataclass(frozen=True, kw_only=True)
class Dot:
    """A round mark."""

    x: float
    y: float
    hue: str


@dataclass(frozen=True, kw_only=True)
class Words:
    """A text beside the boxes; x and y are the middle of its first line."""

    x: float
    y: float
    text: str
    anchor: str = "middle"  # or "start" or "end"


Shape = Box | Line | Frame | Dot | Words


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A whole drawing: its shapes in reading order and its words for the ear."""

    name: str
    width: float
    height: float
    font_size: float
    title: str
    description: str
    shapes: tuple[Shape, ...]

    @property
    def boxes(self) -> list[Box]:
        """The boxes, in reading order."""
        return [shape for shape in self.shapes if isinstance(shape, Box)]


def text_width(text: str, size: float) -> float:
    """Measure the widest line of a text, in a wide typeface."""
    measure = TextToPath().get_text_width_height_descent
    _MEASURE.set_size(size)
    return max(measure(line, _MEASURE, False)[0] for line in text.split("\n"))


def one_line(text: str) -> str:
    """Join the lines of a text."""
    return text.replace("-\n", "-").replace("\n", " ")


def line_offsets(text: str, size: float) -> list[float]:
    """Place the lines of a text around its middle."""
    count = text.count("\n") + 1
    return [(i - (count - 1) / 2) * LINE_HEIGHT * size for i in range(count)]

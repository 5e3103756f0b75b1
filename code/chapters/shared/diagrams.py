"""Boxes and arrows, of which the pictures of wirings are made."""

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from chapters.start import INK, PAPER


def add_box(
    axes: Axes,
    text: str,
    center: tuple[float, float],
    *,
    width: float = 1.5,
    height: float = 0.4,
    color: str = INK,
) -> None:
    """Draw a named box over whatever is there.

    Args:
        axes: Where to draw.
        text: What stands in the box.
        center: Its middle.
        width: How wide, in the units of the axes, without the rounded rim.
        height: How high.
        color: Of the line and of the text.
    """
    box = FancyBboxPatch(
        (center[0] - width / 2, center[1] - height / 2),
        width,
        height,
        boxstyle="round,pad=0.08",
        edgecolor=color,
        facecolor=PAPER,
        lw=2,
        zorder=3,
    )
    axes.add_patch(box)
    axes.text(*center, text, ha="center", va="center", color=color, zorder=4)


def add_frame(
    axes: Axes,
    corner: tuple[float, float],
    sizes: tuple[float, float],
    *,
    color: str,
    rim: float = 0.05,
) -> None:
    """Draw a frame behind whatever stands in it.

    Args:
        axes: Where to draw.
        corner: The lower left one, without the rounded rim.
        sizes: How wide and how high.
        color: Of the line.
        rim: How far the line is from corner and sizes.
    """
    look = {"edgecolor": color, "facecolor": "none", "lw": 2, "zorder": 0}
    axes.add_patch(FancyBboxPatch(corner, *sizes, boxstyle=f"round,pad={rim}", **look))


def add_arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    color: str = INK,
) -> None:
    """Draw an arrow between two points."""
    style = {"arrowstyle": "-|>", "color": color, "lw": 2, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end, xytext=start, arrowprops=style)


def hide_axes(axes: Axes) -> None:
    """Take away ticks and frame, for a picture that is no plot."""
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)

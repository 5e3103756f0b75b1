"""Figures of the chapter on one sentence on its way through a Transformer."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, add_frame, hide_axes
from chapters.shared.plots import heat_map, to_numpy
from chapters.start import BLUE, GREEN, INK, ORANGE, PAPER

RIGHT = 5.0  # the middle of the decoder of the box
ASKED, WRITTEN = 4.4, 8.4  # the middles of the columns of the story
LIGHT = "#999999"


def draw_story(
    source: Sequence[str],
    said: Sequence[str],
    looks: Sequence[int],
    *,
    start: str,
    heard: Mapping[int, int] = MappingProxyType({}),
):
    """Show which word of the source the decoder looks for, and what it writes then.

    Args:
        source: The words that are read.
        said: The words that are written, in order.
        looks: For each of them the number of the word that is looked for, from 0.
        start: What the decoder reads before it has written anything.
        heard: Words of the source, by number, and those that they look at themselves.
    """
    _, axes = plt.subplots(figsize=(7.2, 1.2 + 0.6 * len(source)))
    top = len(source) - 1
    for row, look in heard.items():
        bend = {"arrowstyle": "-|>", "color": INK, "lw": 2, "linestyle": "--"}
        bend |= {"connectionstyle": "arc3,rad=0.5", "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (-1.12, top - look), (-1.12, top - row), arrowprops=bend)
    heads = {0: "in memory", ASKED: "the decoder looks", WRITTEN: "and writes"}
    for middle, head in heads.items():
        axes.text(middle, top + 0.55, head, ha="center", va="center")
    for row, word in enumerate(source):
        add_box(axes, word, (0, top - row), width=2.0, height=0.5)
    before = (start, *said)
    colors = (BLUE, ORANGE, GREEN)
    for row, (word, look) in enumerate(zip(said, looks, strict=True)):
        color, level = colors[row % len(colors)], top - row
        add_arrow(axes, (ASKED - 1.42, level), (1.12, top - look), color=color)
        asks = f"after {before[row]}"
        add_box(axes, asks, (ASKED, level), width=2.6, height=0.5, color=color)
        add_arrow(axes, (ASKED + 1.42, level), (WRITTEN - 1.12, level), color=color)
        add_box(axes, word, (WRITTEN, level), width=2.0, height=0.5, color=color)
        if row < len(said) - 1:
            back = ((WRITTEN - 1.0, ASKED + 1.3), (level - 0.2, level - 0.8))
            axes.plot(*back, color=INK, lw=1, linestyle=":")
    left = -2.2 if heard else -1.2
    axes.set(xlim=(left, WRITTEN + 1.2), ylim=(-0.4, top + 0.8))
    hide_axes(axes)
    plt.show()


def draw_wishes(matrices: Mapping[str, ArrayLike], features: Sequence[str]):
    """Show matrices as lists of wishes: what stands there, what it asks for.

    Args:
        matrices: A name and a matrix for each panel.
        features: What rows and columns are.
    """
    _, panels = plt.subplots(1, len(matrices), figsize=(7.2, 3.9))
    for axes, (name, matrix) in zip(panels, matrices.items(), strict=True):
        grid_of_names(axes, matrix, rows=features, columns=features, limit=12.0)
        axes.set_title(name, fontsize=9)
        axes.tick_params(axis="x", rotation=90)
    plt.show()


def grid_of_names(
    axes: Axes,
    matrix: ArrayLike,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    limit: float,
) -> None:
    """Draw a grid with names at both sides, and write the numbers that are not zero."""
    names = {"rows": rows, "columns": columns, "row_label": "", "column_label": ""}
    heat_map(axes, matrix, kind="diverging", limit=limit, **names)
    axes.tick_params(labelsize=8)
    for (row, column), number in np.ndenumerate(to_numpy(matrix)):
        text = f"{number:.1f}".replace("-", "\N{MINUS SIGN}").removesuffix(".0")
        if text.lstrip("\N{MINUS SIGN}") != "0":
            color = PAPER if abs(number) > 0.55 * limit else INK
            place = {"ha": "center", "va": "center", "fontsize": 7.5}
            axes.text(column, row, text, color=color, **place)


def draw_looks(
    maps: Mapping[str, tuple[ArrayLike, Sequence[str], Sequence[str]]],
):
    """Show who looks at which word of the source, in several machines.

    Args:
        maps: For each machine its weights, what its rows and what its columns are.
    """
    _, panels = plt.subplots(1, len(maps), figsize=(7.2, 2.6))
    for axes, (name, (weights, rows, columns)) in zip(
        panels, maps.items(), strict=True
    ):
        heat_map(
            axes,
            weights,
            limit=1.0,
            rows=rows,
            columns=columns,
            row_label="",
            column_label="",
            decimals=2,
        )
        axes.set_title(name, fontsize=9)
    plt.show()


def draw_box(source: str, so_far: str, said: str):
    """Show a Transformer as a box with two stacks in it, and where words look at words.

    Args:
        source: The sentence that goes in.
        so_far: What the decoder reads, the start included.
        said: The word that it writes next.
    """
    _, axes = plt.subplots(figsize=(7.2, 4.6))
    name_frame(axes, "the box", (RIGHT / 2, 2.82), (RIGHT + 4.0, 5.4))
    itself = ("feed-forward:\neach by itself", INK)
    earlier = ("masked self-attention:\nlook backward", GREEN)
    stacks = {
        "encoder": (0.0, source, [("self-attention:\nlook at all words", ORANGE)]),
        "decoder": (
            RIGHT,
            so_far,
            [earlier, ("cross-attention:\nlook into memory", BLUE)],
        ),
    }
    for stack, (middle, words, looks) in stacks.items():
        height = 1.2 * len(looks) + 1.9
        name_frame(axes, stack, (middle, 0.4 + height / 2), (3.4, height))
        axes.text(middle, -0.55, words, ha="center", va="center")
        low = -0.3
        for floor, (text, color) in enumerate((*looks, itself)):
            level = 1.0 + 1.2 * floor
            add_arrow(axes, (middle, low), (middle, level - 0.46))
            add_box(axes, text, (middle, level), width=2.9, height=0.74, color=color)
            low = level + 0.46
    add_arrow(axes, (0, 2.66), (0, 3.72))
    add_box(axes, "memory", (0, 4.0), width=2.9, height=0.4, color=BLUE)
    turn, level = RIGHT / 2, 2.2
    way = ((1.53, turn, turn), (4.0, 4.0, level))
    axes.plot(*way, color=BLUE, linestyle="-", lw=2)
    add_arrow(axes, (turn, level), (RIGHT - 1.53, level), color=BLUE)
    add_arrow(axes, (RIGHT, 3.86), (RIGHT, 5.85))
    axes.text(RIGHT, 6.1, said, ha="center", va="center")
    side = RIGHT + 2.25
    again = ((RIGHT + 0.7, side, side), (6.1, 6.1, -0.55))
    axes.plot(*again, color=INK, linestyle=":")
    add_arrow(axes, (side, -0.55), (RIGHT + 1.75, -0.55))
    axes.set(xlim=(-2.1, RIGHT + 2.4), ylim=(-0.8, 6.4))
    hide_axes(axes)
    plt.show()


def name_frame(
    axes: Axes, name: str, center: tuple[float, float], sizes: tuple[float, float]
) -> None:
    """Draw a pale frame with its name in the upper left corner."""
    left, low = center[0] - sizes[0] / 2, center[1] - sizes[1] / 2
    add_frame(axes, (left, low), sizes, color=LIGHT, rim=0.03)
    axes.text(left + 0.12, low + sizes[1] - 0.12, name, va="top")

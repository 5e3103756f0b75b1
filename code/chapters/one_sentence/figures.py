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


def draw_wishes(matrices: Mapping[str, ArrayLike], things: Sequence[str]):
    """Show what each matrix of the machine with eight features makes of what.

    Args:
        matrices: A wish and, for each thing, how much of each thing becomes of it.
        things: Their names.
    """
    _, grid = plt.subplots(2, 2, figsize=(7.2, 6.4))
    for axes, (wish, matrix) in zip(grid.flat, matrices.items(), strict=True):
        heat_map(
            axes,
            matrix,
            kind="diverging",
            limit=4.0,
            rows=things,
            columns=things,
            row_label="",
            column_label="",
        )
        axes.tick_params(labelsize=8)
        axes.set_title(wish, fontsize=9)
        for (row, column), number in np.ndenumerate(to_numpy(matrix)):
            if abs(number) > 0.005:
                text = f"{number:.2g}".replace("-", "\N{MINUS SIGN}")
                dark = abs(number) > 2.2
                axes.text(
                    column,
                    row,
                    text,
                    ha="center",
                    va="center",
                    fontsize=7,
                    color=PAPER if dark else INK,
                )
    plt.show()


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


def draw_path(
    stations: Mapping[str, ArrayLike],
    *,
    tokens: Sequence[Sequence[str]],
    columns: int = 4,
):
    """Show what stands at each station of the way through a small model.

    Args:
        stations: A name and a matrix for each station, in order; each stack begins
            with one whose name ends in "embedding".
        tokens: For each stack, what its rows are.
        columns: Panels in a line; each stack starts a new one.
    """
    stacks: list[list[str]] = []
    for name in stations:
        if name.endswith("embedding"):
            stacks.append([])
        stacks[-1].append(name)
    lines = [-(-len(names) // columns) for names in stacks]
    height = sum(lines)
    _, grid = plt.subplots(height, columns, figsize=(7.2, 1.8 * height))
    top = 0
    for names, count, rows in zip(stacks, lines, tokens, strict=True):
        panels = [*grid[top : top + count].flat]
        for place, name in enumerate(names):
            add_station(panels[place], name, to_numpy(stations[name]))
            if place % columns == 0:
                panels[place].set_yticks(range(len(rows)), rows, fontsize=8)
        for axes in panels[len(names) :]:
            hide_axes(axes)
        top += count
    plt.show()


def add_station(axes: Axes, title: str, matrix: np.ndarray) -> None:
    """Draw the numbers of one station, and their shape below them."""
    share = "weights" in title or "probabilities" in title
    heat_map(
        axes,
        matrix,
        kind="sequential" if share else "diverging",
        limit=1.0 if share else 4.0,
        row_label="",
        column_label="",
        decimals=1,
    )
    axes.set(xticks=[], yticks=[])
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(
        " \N{MULTIPLICATION SIGN} ".join(map(str, matrix.shape)), fontsize=9, labelpad=2
    )
    size = 8 if matrix.shape[1] <= 4 else 6.5  # so that numbers do not touch
    for text in axes.texts:
        text.set_fontsize(size)
        number = text.get_text().replace("-0.0", "0.0")
        text.set_text(number.replace("-", "\N{MINUS SIGN}"))

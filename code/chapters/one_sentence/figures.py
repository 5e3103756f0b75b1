"""Figures of the chapter on one sentence on its way through a Transformer."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import heat_map, to_numpy
from chapters.start import BLUE, GREEN, INK, ORANGE

TARGET = 5.2  # the middle of the right column of the wiring
ASKED, WRITTEN = 4.4, 8.4  # the middles of the columns of the story


def draw_story(
    source: Sequence[str], said: Sequence[str], looks: Sequence[int], *, start: str
):
    """Show which word of the source the decoder looks for, and what it writes then.

    Args:
        source: The words that are read.
        said: The words that are written, in order.
        looks: For each of them the number of the word that is looked for, from 0.
        start: What the decoder reads before it has written anything.
    """
    _, axes = plt.subplots(figsize=(7.2, 3.0))
    top = len(source) - 1
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
    axes.set(xlim=(-1.2, WRITTEN + 1.2), ylim=(-0.4, top + 0.8))
    hide_axes(axes)
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


def draw_wiring():
    """Show the modules of the model, what flows between them, and in which shape."""
    _, axes = plt.subplots(figsize=(7.2, 4.6))
    for middle, name, stack, size in (
        (0.0, "source", "encoder", "n"),
        (TARGET, "target", "decoder", "m"),
    ):
        axes.text(middle, -0.15, f"{name}  (batch, {size})", ha="center", va="top")
        for low, text, color in (
            (0.6, "embedding", ORANGE),
            (2.2, stack, BLUE if middle else INK),
        ):
            add_arrow(axes, (middle, low - 0.7), (middle, low - 0.28))
            add_box(axes, text, (middle, low), width=2.2, color=color)
        narrow = f"(batch, {size},\nd_model)"
        axes.text(
            middle + 0.1,
            1.25,
            f"(batch, {size}, d_model)",
            va="center",
            label=narrow,
        )
        axes.plot((middle, middle), (0.88, 1.6), color=INK, linestyle="-")
    axes.plot((1.2, TARGET - 1.2), (0.6, 0.6), color=ORANGE, linestyle=":")
    axes.text(TARGET / 2, 0.68, "one matrix", color=ORANGE, ha="center", va="bottom")
    add_arrow(axes, (1.2, 2.2), (TARGET - 1.2, 2.2), color=BLUE)
    axes.text(TARGET / 2, 2.3, "memory", color=BLUE, ha="center", va="bottom")
    axes.text(TARGET / 2, 2.1, "(batch, n, d_model)", color=BLUE, ha="center", va="top")
    add_arrow(axes, (TARGET, 2.48), (TARGET, 3.3))
    place = (TARGET + 0.1, 2.85)
    axes.text(*place, "(batch, m, d_model)", va="center", label=narrow)
    add_box(axes, "head", (TARGET, 3.6), width=2.2, color=ORANGE)
    side = TARGET + 2.5
    corners = ((TARGET + 1.2, side, side, TARGET + 1.2), (0.6, 0.6, 3.6, 3.6))
    axes.plot(*corners, color=ORANGE, linestyle=":")
    axes.text(side + 0.1, 2.1, "tied", color=ORANGE, va="center")
    add_arrow(axes, (TARGET, 3.88), (TARGET, 4.4))
    axes.text(TARGET, 4.45, "logits  (batch, m, vocab)", ha="center", va="bottom")
    axes.set(xlim=(-1.4, TARGET + 3.2), ylim=(-0.5, 4.8))
    hide_axes(axes)
    plt.show()


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
    _, grid = plt.subplots(height, columns, figsize=(7.2, 1.7 * height))
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
    axes.set_xlabel(" x ".join(map(str, matrix.shape)), fontsize=9)
    for text in axes.texts:
        text.set_fontsize(7)
        text.set_text(text.get_text().replace("-0.0", "0.0"))

"""Figures of the chapter on one sentence on its way through a Transformer."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import heat_map, to_numpy
from chapters.start import BLUE, INK, ORANGE

TARGET = 5.2  # the middle of the right column of the wiring


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
    stations: Mapping[str, Mapping[str, ArrayLike]],
    *,
    tokens: Mapping[str, Sequence[str]],
    columns: int = 4,
):
    """Show what stands at each station of the way through a small model.

    Args:
        stations: For each stack, a name and a matrix for each station, in order.
        tokens: For each stack, what its rows are.
        columns: Panels in a line; each stack starts a new one.
    """
    lines = {stack: -(-len(found) // columns) for stack, found in stations.items()}
    height = sum(lines.values())
    _, grid = plt.subplots(height, columns, figsize=(7.2, 1.7 * height))
    top, number = 0, 0
    for stack, found in stations.items():
        panels = [*grid[top : top + lines[stack]].flat]
        for place, (name, matrix) in enumerate(found.items()):
            number += 1
            add_station(panels[place], f"{number} {name}", to_numpy(matrix))
            if place % columns == 0:
                rows = range(len(tokens[stack]))
                panels[place].set_yticks(rows, tokens[stack], fontsize=8)
        for axes in panels[len(found) :]:
            hide_axes(axes)
        top += lines[stack]
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

"""Figures of the chapter that looks inside a real language model."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, hide_axes
from chapters.shared.plots import heat_map, line_plot, to_numpy
from chapters.start import BLUE, COLORS, INK, ORANGE, PAPER

GREEN = COLORS[2]
COLUMNS = ("My", "…", "Happy", "Piano", "…", "Tiny", "Elephant", "…", "Happy")
# For each pass the height, from which column to which, and what is passed.
PASSES = (
    (17, 2, 3, BLUE, "17.1: “Happy stood before you”", "17.1: “Happy was here”"),
    (19, 3, 8, ORANGE, "18.4, 18.5, 19.7: “look for this one”", "“look for it”"),
    (24, 3, 8, GREEN, "24.1, 24.2, 24.3, 24.8: “Piano”", "24.1 …: “Piano”"),
)


def height_of(layer: float) -> float:
    """Return how high a layer is drawn: the first twelve at half the distance."""
    return min(layer, 12) / 2 + max(layer - 12, 0)


def draw_relay():
    """Show the streams of some tokens, and what heads pass from one to another."""
    _, axes = plt.subplots(figsize=(7.2, 4.4))
    top, low, high = (height_of(layer) for layer in (30, 12, 28))
    for x, word in enumerate(COLUMNS):
        axes.text(x, -1, word, ha="center", va="top", fontsize=10)
        if word != "…":
            axes.plot((x, x), (0, top), "-", color="#bbbbbb", lw=2, zorder=1)
    axes.plot((0, 0), (low, high), "-", color=INK, lw=7, solid_capstyle="butt")
    axes.text(0.25, (low + high) / 2, "giant", rotation=90, va="center", fontsize=10)
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
    for layer, start, end, color, words, short in PASSES:
        y = height_of(layer)
        add_arrow(axes, (start, y - 0.9), (end, y + 0.4), color=color)
        far = end - start > 1
        place = (5.5, y + 1.6) if far else (3.3, y - 1.9)
        style = {"ha": "center" if far else "left", "va": "center", "fontsize": 10}
        axes.text(*place, words, color=color, label=short, bbox=box, **style)
    add_arrow(axes, (8, top), (8, top + 2))
    axes.text(8, top + 2.3, "Piano 0.96", ha="center", va="bottom")
    for layer in (1, 12, 17, 19, 24, 30):
        axes.text(-0.5, height_of(layer), layer, ha="right", va="center", fontsize=9)
    axes.text(-0.5, top + 2.3, "layer", ha="right", va="bottom", fontsize=9)
    axes.set(xlim=(-1.1, 8.9), ylim=(-2.6, top + 4))
    hide_axes(axes)
    plt.show()


def draw_giant(lengths: Mapping[str, ArrayLike], shares: Mapping[str, ArrayLike]):
    """Show the first token's vector, and how much attention it gets, by layers.

    Args:
        lengths: For each case the root mean square of the first token's features, as
            they enter each layer.
        shares: For each case the mean weight on the first token in each layer.
    """
    _, panels = plt.subplots(2, 1, figsize=(6.4, 4.8), sharex=True)
    layers = np.arange(1, 1 + len(to_numpy(next(iter(lengths.values())))))
    labels = ("size of the first token", "attention on it")
    for panel, curves, label in zip(panels, (lengths, shares), labels, strict=True):
        panel.axvspan(10.5, 12.5, color="#e8eef4", lw=0)
        line_plot(panel, layers, curves, x_label="layer", y_label=label, direct=False)
        panel.get_legend().remove()
    panels[0].set(yscale="log", xlabel="")
    panels[1].set_ylim(0, 1)
    handles, names = panels[0].get_legend_handles_labels()
    panels[0].figure.legend(handles, names, loc="outside upper center", ncols=3)
    plt.show()


def draw_locks(maps: Mapping[str, tuple[ArrayLike, str, str]], *, words: Sequence[str]):
    """Show which word answers to which, a panel for each way to ask.

    Args:
        maps: For each panel its numbers, what the rows and what the columns are.
        words: The names of rows and columns.
    """
    _, panels = plt.subplots(1, len(maps), figsize=(7.2, 3.4))
    limit = max(np.abs(to_numpy(numbers)).max() for numbers, _, _ in maps.values())
    for panel, (title, parts) in zip(panels, maps.items(), strict=True):
        numbers, row_label, column_label = parts
        heat_map(
            panel,
            numbers,
            kind="diverging",
            limit=limit,
            title=title,
            rows=words,
            columns=words,
            row_label=row_label,
            column_label=column_label,
        )
        panel.tick_params(labelsize=8)
        panel.tick_params(axis="x", rotation=90)
        panel.set_aspect("equal")
        panel.spines[:].set_visible(True)
    plt.show()


def draw_columns(depths: Sequence[int], chances: Mapping[str, ArrayLike]):
    """Show how likely an answer is when columns are exchanged at some depth.

    Args:
        depths: How many layers were read before each exchange.
        chances: For each group of columns the probability of the other answer.
    """
    _, axes = plt.subplots(figsize=(7.2, 3.0))
    for first, last in ((16, 17), (17, 19)):
        axes.axvspan(first, last, color="#e8eef4", lw=0)
    line_plot(
        axes,
        np.asarray(depths),
        chances,
        x_label="layers read",
        y_label="probability of Elephant",
        direct=False,
    )
    axes.set_ylim(-0.05, 1.05)
    axes.get_legend().remove()
    handles, names = axes.get_legend_handles_labels()
    axes.figure.legend(handles, names, loc="outside upper center", ncols=4)
    plt.show()

"""Figures of the field guide to position encodings."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle
from matplotlib.typing import ColorType
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow
from chapters.shared.plots import band_plot, line_plot, to_numpy
from chapters.start import (
    BLUE,
    COLORS,
    DIVERGING,
    INK,
    ORANGE,
    PAPER,
    SEQUENTIAL,
)


def draw_families(words: Sequence[str], biases: ArrayLike):
    """Show the three places where positions enter, each for the same words.

    Args:
        words: A short text.
        biases: What is added to the score of each query (row) with each key.
    """
    _, (added, turned, scores) = plt.subplots(1, 3, figsize=(7.2, 2.8))
    biases, end = to_numpy(biases), len(words) - 0.4
    for x, word in enumerate(words):
        features = [wave(x * w) for w in (1.0, 0.3) for wave in (np.sin, np.cos)]
        for y, feature in enumerate(features):
            _add_cell(added, (x, y), DIVERGING((feature + 1.5) / 3))
        added.text(x, 4.2, "+", ha="center", va="center", color=ORANGE)
        for y, speed in enumerate((0.6, 0.15)):
            turned.add_patch(Circle((x, y), 0.42, fill=False, edgecolor=INK))
            hand = 0.42 * np.array([np.sin(speed * x), -np.cos(speed * x)])
            add_arrow(turned, (x, y), (x + hand[0], y + hand[1]), color=BLUE)
        for axes, y in ((added, 5.0), (turned, 2.0)):
            axes.text(x, y, word, ha="center", va="center", fontsize=9)
        for column in range(x + 1):
            number = biases[x, column]
            _add_cell(scores, (column, x), SEQUENTIAL(-number / 3))
            style = {"color": PAPER if number < -1.6 else INK, "fontsize": 8}
            said = f"{number + 0.0:g}".replace("-", "\N{MINUS SIGN}")
            scores.text(column, x, said, ha="center", va="center", **style)
    added.set(xlim=(-0.6, end), ylim=(5.4, -0.6))
    turned.set(xlim=(-0.6, end), ylim=(2.4, -0.6), aspect="equal", anchor="S")
    scores.set(xlim=(-0.6, end), ylim=(end, -0.6))
    scores.set_yticks(range(len(words)), words, fontsize=9)
    labels = ("added to the word", "turned in attention", "added to the score")
    for axes, label in zip((added, turned, scores), labels, strict=True):
        axes.spines[:].set_visible(False)
        axes.set_xticks([])
        axes.set_xlabel(label)
        if axes is not scores:
            axes.set_yticks([])
        axes.tick_params(length=0)
    plt.show()


def _add_cell(axes: Axes, center: tuple[float, float], color: ColorType) -> None:
    """Fill a cell of a grid."""
    corner = (center[0] - 0.46, center[1] - 0.46)
    axes.add_patch(
        Rectangle(corner, 0.92, 0.92, facecolor=color, edgecolor=INK, lw=0.4)
    )


def draw_shares(starts: Sequence[int], shares: Mapping[str, ArrayLike]):
    """Show how much weight falls on ranges of distances that double.

    Args:
        starts: Where the ranges start; each ends before the next one.
        shares: For each way of looking back, the weight of each range.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.4))
    ranges = pairwise(starts)
    names = ["1" if end == 2 else f"{start} to {end - 1}" for start, end in ranges]
    percent = {name: 100 * to_numpy(found) for name, found in shares.items()}
    line_plot(
        axes,
        np.arange(len(names)),
        percent,
        x_label="positions back",
        y_label="weight (percent)",
        direct=False,
    )
    for line, mark in zip(axes.lines, ("o", "s", "D"), strict=False):
        line.set_marker(mark)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(bottom=0)
    axes.legend(loc="best")
    plt.show()


def draw_curves(
    panels: Sequence[Mapping[str, ArrayLike]],
    *,
    block: int,
    trained: int,
    baseline: float,
):
    """Show the loss over the position, far beyond the length of the training.

    Args:
        panels: For each name, a row for each seed: the loss of each block.
        block: Positions of a block.
        trained: Length of the training.
        baseline: The loss of one who knows only how often each letter comes.
    """
    _, grid = plt.subplots(1, len(panels), figsize=(7.2, 3.8), sharey=True)
    for axes, curves in zip(grid, panels, strict=True):
        count = np.shape(next(iter(curves.values())))[1]
        middles = block * (np.arange(count) + 0.5)
        band_plot(axes, middles, curves, x_label="position", y_label="")
        axes.axvline(trained, color=INK, lw=1)
        axes.axhline(baseline, color=INK, lw=1, linestyle=":")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=9)
    grid[0].set_ylabel("nats per letter, held out")
    plt.show()


def draw_windowed(results: Mapping[str, Mapping[str, ArrayLike]], *, baseline: float):
    """Show for each scheme what several ways of reading give, a dot for each seed.

    Args:
        results: A way of reading, and for each scheme the results of its seeds.
        baseline: Where to draw a dotted line to compare with.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.8))
    marks = zip(results.items(), COLORS, ("o", "s", "D"), strict=False)
    for number, ((way, schemes), color, mark) in enumerate(marks):
        for row, seeds in enumerate(schemes.values()):
            height = np.full(len(seeds), row + 0.22 * (number - 1))
            label = way if row == 0 else None
            axes.plot(seeds, height, mark, color=color, alpha=0.7, label=label, ms=5)
    axes.axvline(baseline, color=INK, lw=1, linestyle=":")
    names = list(next(iter(results.values())))
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="nats per letter, held out", ylim=(len(names) - 0.5, -0.5))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, fontsize=9)
    plt.show()

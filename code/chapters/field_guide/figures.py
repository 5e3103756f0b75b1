"""Figures of the field guide to position encodings."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import band_plot, line_plot
from chapters.start import BLUE, COLORS, INK, ORANGE

# The stations of a score, and what can tell positions apart at each: name, color of
# the kind (orange absolute, blue relative, ink neither) and whether it is learned.
STATIONS = {
    "input": [("sinusoidal", ORANGE, False), ("learned table", ORANGE, True)],
    "queries, keys": [("rotary", BLUE, False)],
    "scores": [
        ("ALiBi", BLUE, False),
        ("T5 bias", BLUE, True),
        ("Shaw keys", BLUE, True),
    ],
    "mask": [("none", INK, False)],
}


def draw_map():
    """Show where each scheme enters, absolute or relative, learned or fixed."""
    _, axes = plt.subplots(figsize=(7.2, 3.6))
    for column, (station, schemes) in enumerate(STATIONS.items()):
        x = 2.6 * column
        add_box(axes, station, (x, 0), width=1.75)
        if column:
            add_arrow(axes, (x - 1.6, 0), (x - 0.98, 0))
        for row, (name, color, learned) in enumerate(schemes):
            add_box(axes, name, (x, -1.1 - 0.8 * row), width=1.75, color=color)
            axes.patches[-1].set_linestyle("solid" if learned else "dashed")
        add_arrow(axes, (x, -0.8), (x, -0.3), color=schemes[0][1])
    axes.set(xlim=(-1.2, 9.0), ylim=(-3.2, 0.5))
    hide_axes(axes)
    keys = {
        "absolute": {"color": ORANGE},
        "relative": {"color": BLUE},
        "learned": {"color": INK},
        "fixed": {"color": INK, "linestyle": "dashed"},
    }
    lines = [Line2D([], [], **style) for style in keys.values()]
    axes.figure.legend(lines, list(keys), loc="outside lower center", ncols=4)
    plt.show()


def draw_distances(biases: Mapping[str, ArrayLike], buckets: Mapping[str, ArrayLike]):
    """Show two functions of the distance: the bias of ALiBi and the bucket of T5.

    Args:
        biases: For each head, the bias of the distances 0, 1, 2 and so on.
        buckets: For each setting, the bucket of each distance.
    """
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2))
    for axes, curves, y_label in (
        (left, biases, "bias on the score"),
        (right, buckets, "bucket"),
    ):
        distances = np.arange(len(next(iter(curves.values()))))
        line_plot(
            axes,
            distances,
            curves,
            x_label="distance (positions back)",
            y_label=y_label,
            direct=False,
        )
    for line in right.lines:
        line.set_drawstyle("steps-post")
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

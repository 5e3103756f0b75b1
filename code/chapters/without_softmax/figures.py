"""Figures of the chapter without softmax."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from chapters.shared.diagrams import hide_axes
from chapters.shared.plots import band_plot, heat_map, range_plot, to_numpy
from chapters.start import GREEN, INK, ORANGE, PURPLE

STEP, CELL = 3.1, 0.55  # from one word to the next; the width of a number


def draw_two_memories(keys: ArrayLike, values: ArrayLike):
    """Show a cache that grows by a row with each word, and a state that does not.

    Args:
        keys: Two whole numbers for each word.
        values: The same.
    """
    keys, values = to_numpy(keys), to_numpy(values)
    _, axes = plt.subplots(figsize=(7.2, 3.9))
    state, top = np.zeros((2, 2)), CELL * len(keys)
    for word, (key, value) in enumerate(zip(keys, values, strict=True)):
        left = STEP * word
        for row in range(word + 1):
            corner = (left, top - CELL * row)
            add_numbers(axes, keys[row : row + 1], corner, color=ORANGE)
            corner = (left + 2 * CELL + 0.1, corner[1])
            add_numbers(axes, values[row : row + 1], corner, color=GREEN)
        state = state + np.outer(key, value)
        add_numbers(axes, state, (left + CELL + 0.05, -0.9), color=PURPLE)
        axes.text(left + 2 * CELL, top + 0.35, f"after word {word + 1}", ha="center")
    axes.text(-0.3, top / 2, "the cache", label="cache", ha="right", va="center")
    axes.text(-0.3, -0.9 - CELL, "the state", label="state", ha="right", va="center")
    axes.set(xlim=(-1.7, STEP * len(keys) - 0.6), ylim=(-2.2, top + 0.8))
    axes.set_aspect("equal")
    hide_axes(axes)
    plt.show()


def add_numbers(
    axes: Axes, numbers: np.ndarray, corner: tuple[float, float], *, color: str
) -> None:
    """Draw a grid of whole numbers below its upper left corner."""
    for (row, column), number in np.ndenumerate(numbers):
        x, y = corner[0] + CELL * column, corner[1] - CELL * (row + 1)
        axes.add_patch(
            Rectangle((x, y), CELL, CELL, fill=False, edgecolor=color, lw=1.5)
        )
        middle = (x + CELL / 2, y + CELL / 2)
        axes.text(*middle, f"{number:g}", ha="center", va="center", color=INK)


def draw_pairs_held(
    shares: Mapping[str, ArrayLike], *, widths: Sequence[int], pairs: int
):
    """Show how many of the pairs are found, against the width of the memory.

    Args:
        shares: The share of right answers by rule: a row for each seed, a column for
            each width.
        widths: The widths.
        pairs: How many pairs were stored.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.4))
    curves = {rule: pairs * to_numpy(found) for rule, found in shares.items()}
    band_plot(axes, widths, curves, x_label="width d", y_label="pairs found")
    axes.axhline(pairs, color=INK, lw=1, linestyle=":")
    axes.set_xscale("log", base=2)
    axes.set_xticks(widths, [str(width) for width in widths])
    axes.minorticks_off()
    axes.set_ylim(0, 1.08 * pairs)
    axes.legend(loc="best")
    plt.show()


def draw_left(masks: Mapping[str, ArrayLike]):
    """Show what is left at each word of what each earlier one has written.

    Args:
        masks: For each name what takes the place of the softmax.
    """
    _, panels = plt.subplots(1, len(masks), figsize=(7.2, 2.9))
    for axes, (name, mask) in zip(panels, masks.items(), strict=True):
        heat_map(
            axes,
            mask,
            limit=1.0,
            title=name,
            row_label="word that reads",
            column_label="word that wrote",
        )
    plt.show()


def draw_stacks(shares: Mapping[str, ArrayLike]):
    """Show the share of right answers for stacks of layers, a dot for each seed.

    Args:
        shares: The shares by the name of the stack.
    """
    _, axes = plt.subplots(figsize=(6.4, 2.9))
    range_plot(axes, shares, x_label="share of right answers")
    axes.set_xlim(-0.02, 1.04)
    axes.set_ylabel("layers with softmax")
    plt.show()

"""Figures of the chapter on residual connections."""

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import band_plot, range_plot, to_numpy
from chapters.start import BLUE, GREEN, INK, ORANGE


def draw_stacks(count: int = 3):
    """Show a plain stack of sublayers, and one whose sublayers add to a stream."""
    _, (plain, residual) = plt.subplots(1, 2, figsize=(6.4, 4.2))
    top = 1.4 * count
    for n in range(count):
        middle = 0.7 + 1.4 * n
        add_arrow(plain, (0, middle - 0.7), (0, middle - 0.3))
        add_box(plain, f"$F_{n + 1}$", (0, middle), width=0.9)
        plain.plot((0, 0), (middle + 0.3, middle + 0.7), color=INK, ls="-")
        residual.plot((0, 1.1, 1.1), 3 * [middle - 0.45], color=ORANGE, ls="-")
        residual.plot((1.1, 1.1), (middle - 0.45, middle + 0.45), color=ORANGE, ls="-")
        add_arrow(residual, (1.1, middle + 0.45), (0.28, middle + 0.45), color=ORANGE)
        add_box(residual, f"$F_{n + 1}$", (1.1, middle), width=0.7, color=ORANGE)
        add_box(residual, "+", (0, middle + 0.45), width=0.25, height=0.25)
    residual.plot((0, 0), (0, top), color=BLUE, ls="-")
    residual.text(-0.2, top / 2 - 0.3, "stream", color=BLUE, ha="right", va="center")
    for axes, title in ((plain, "plain"), (residual, "residual")):
        add_arrow(axes, (0, top), (0, top + 0.5))
        axes.text(0.15, 0.0, "$x_0$", va="center")
        axes.text(0.15, top + 0.35, f"$x_{count}$", va="center")
        axes.set(title=title, xlim=(-1.3, 2), ylim=(-0.2, top + 0.6))
        hide_axes(axes)
    plt.show()


def draw_by_layer(runs: Mapping[str, ArrayLike], *, y_label: str):
    """Show a quantity over the layers: the mean and the range over seeds."""
    _, axes = plt.subplots()
    layers = 1 + np.arange(np.shape(next(iter(runs.values())))[1])
    band_plot(axes, layers, runs, x_label="layer", y_label=y_label)
    axes.set(yscale="log", xticks=layers)
    axes.legend(loc="lower left")
    plt.show()


def draw_results(panels: Mapping[str, Mapping[str, ArrayLike]], *, baseline: float):
    """Show the results of trainings, a panel for each depth and a dot a seed."""
    _, grid = plt.subplots(1, len(panels), figsize=(7.2, 2.4), sharex=True)
    for axes, (title, results) in zip(np.atleast_1d(grid), panels.items(), strict=True):
        label = "nats per letter, held out"
        range_plot(axes, results, x_label=label, baseline=baseline)
        axes.set_title(title)
    plt.show()


def draw_shares(shares: Mapping[str, ArrayLike]):
    """Show what part of the last vector each layer has written, a bar a text.

    Args:
        shares: For each text the part of the embedding, and of each layer.
    """
    _, axes = plt.subplots(figsize=(7.2, 3))
    width = 0.8 / len(shares)
    for place, (name, parts) in enumerate(shares.items()):
        parts = to_numpy(parts)
        x = np.arange(len(parts)) + (place - (len(shares) - 1) / 2) * width
        axes.bar(x, parts, width, color=(BLUE, ORANGE)[place], label=name)
    axes.set(xlabel="layer (0 is the embedding)", ylabel="part of the last vector")
    axes.set_xticks(range(0, len(parts), 5))
    axes.legend(loc="upper left")
    plt.show()


def draw_costs(costs: Mapping[str, ArrayLike], *, guess: float):
    """Show by how much the loss rises if something is done to one layer, a mark a text.

    Args:
        costs: What is done, and the rise for each layer and text.
        guess: The rise of a model to which all tokens are equally likely.
    """
    _, axes = plt.subplots(figsize=(7.2, 3.8))
    styles = zip((BLUE, GREEN, ORANGE), ("o", "x", "^"), strict=True)
    for (name, rises), (color, mark) in zip(costs.items(), styles, strict=False):
        rises = to_numpy(rises)
        layers = 1 + np.arange(len(rises))
        for column, label in zip(rises.T, (name, None), strict=True):
            axes.plot(layers, column, mark, color=color, label=label, ms=4)
    axes.axhline(guess, color=INK, lw=1, ls=":")
    axes.text(30.6, guess - 1, "blind guess", ha="right")
    axes.set(xlabel="layer", ylabel="loss rises by (nats)")
    axes.set(xticks=(1, 5, 10, 15, 20, 25, 30), ylim=(-0.5, None))
    axes.figure.legend(loc="outside upper center", ncols=3)
    plt.show()

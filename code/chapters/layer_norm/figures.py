"""Figures of the chapter on residual connections and layer normalization."""

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import band_plot, range_plot, to_numpy
from chapters.start import BLUE, GREEN, INK, ORANGE, PURPLE

KIND_COLORS = (INK, BLUE, ORANGE, GREEN, PURPLE)
KIND_MARKERS = ("o", "s", "^", "D", "v")


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


def draw_axes(batch: int = 2, time: int = 4, d_model: int = 5):
    """Show which numbers share a mean: one feature of all tokens, or one token."""
    _, panels = plt.subplots(1, 2, figsize=(6.8, 3.6))
    for axes, title, color in zip(
        panels, ("batch norm", "layer norm"), (ORANGE, BLUE), strict=True
    ):
        for sequence in range(batch):
            for token in range(time):
                row = sequence * (time + 0.6) + token
                for feature in range(d_model):
                    one_feature = title == "batch norm" and feature == 1
                    one_token = title == "layer norm" and (sequence, token) == (0, 2)
                    chosen = one_feature or one_token
                    square = Rectangle((feature, row), 0.9, 0.9, edgecolor=INK, lw=0.8)
                    square.set_facecolor(color if chosen else "none")
                    axes.add_patch(square)
            middle = sequence * (time + 0.6) + time / 2
            name = f"sequence {sequence + 1}"
            axes.text(-0.3, middle, name, rotation=90, ha="right", va="center")
        height = batch * (time + 0.6)
        axes.set(xlim=(-1.2, d_model), ylim=(height - 0.4, -0.2), title=title)
        hide_axes(axes)
        axes.set_xlabel("features")
    plt.show()


def draw_circle(before: ArrayLike, after: ArrayLike, *, radius: float):
    """Show vectors of three features, seen along (1, 1, 1), and where they land.

    Args:
        before: Two coordinates for each vector.
        after: The same for its norm.
        radius: Of the circle on which all norms lie.
    """
    before, after = to_numpy(before), to_numpy(after)
    _, axes = plt.subplots(figsize=(4.6, 4.4))
    axes.add_patch(Circle((0, 0), radius, fill=False, edgecolor=INK, lw=1))
    for start, end in zip(before, after, strict=True):
        axes.plot(*zip(start, end, strict=True), color=INK, lw=0.6, ls="-")
    axes.plot(*before.T, "o", color=ORANGE, label="before, mean taken away")
    axes.plot(*after.T, "s", color=BLUE, label="after")
    axes.set(aspect="equal", xlabel="first coordinate", ylabel="second coordinate")
    axes.figure.legend(loc="outside upper center", ncols=2)
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


def draw_shift(results: Mapping[str, tuple[ArrayLike, ArrayLike]]):
    """Show for each kind of network how far its statistics drift, and its loss."""
    _, axes = plt.subplots(figsize=(6.4, 3.8))
    styles = zip(KIND_COLORS, KIND_MARKERS, strict=True)
    for (name, (drift, loss)), (color, mark) in zip(
        results.items(), styles, strict=False
    ):
        axes.plot(to_numpy(drift), to_numpy(loss), mark, color=color, label=name)
    axes.set(xscale="log", xlabel="drift of mean and deviation in five steps")
    axes.set(ylabel="training loss (nats)", ylim=(0, None))
    name_kinds(axes)
    plt.show()


def name_kinds(axes: Axes) -> None:
    """Write the names of the kinds above the figure."""
    marks, names = axes.get_legend_handles_labels()
    axes.figure.legend(marks, names, loc="outside upper center", ncols=3)

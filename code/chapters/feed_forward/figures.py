"""Figures of the chapter on the feed-forward network."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Polygon
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, hide_axes
from chapters.shared.plots import line_plot, range_plot, to_numpy
from chapters.start import BLUE, INK, ORANGE

# How a sheet is seen, from a little above: what one step along each of two features is
# on the page, and how high a number rises. Where each corner's words stand.
HOT, DOG, RISE = np.array((1.4, -0.38)), np.array((0.8, 0.5)), 0.95
ASIDE = ((0, -0.17), (0.35, -0.17), (-0.12, 0.17), (0, 0.17))

SHADES = (BLUE, ORANGE, "#d9d9d9")
HATCHES = ("", "//", "")


def draw_sheets(names: Sequence[str], sheets: Mapping[str, ArrayLike]):
    """Show the numbers of four phrases as the heights of a sheet's corners.

    Args:
        names: The phrases with neither of two features, the first, the second, both.
        sheets: A title, and a number for each phrase.
    """
    _, panels = plt.subplots(1, len(sheets), figsize=(7.2, 3.1))
    ground = np.stack((0 * HOT, HOT, DOG, HOT + DOG))
    around = [0, 1, 3, 2, 0]
    for axes, (title, numbers) in zip(panels, sheets.items(), strict=True):
        heights = to_numpy(numbers)
        corners = ground + np.outer(heights, (0, RISE))
        axes.plot(*ground[around].T, color=INK, lw=1, ls=":", zorder=1)
        for half in ([0, 1, 2], [1, 2, 3]):
            steep = np.ptp(heights[half])
            shade = {"facecolor": BLUE, "alpha": 0.12 + 0.3 * min(steep, 1), "lw": 0}
            axes.add_patch(Polygon(corners[half], **shade))
        axes.plot(*corners[around].T, "-", color=BLUE, lw=2)
        if heights @ (1, -1, -1, 1):  # a sum has none: both pairs add up alike
            axes.plot(*corners[[1, 2]].T, "-", color=BLUE, lw=2, label="fold")
        for name, low, high, number, aside in zip(
            names, ground, corners, heights, ASIDE, strict=True
        ):
            axes.plot(*zip(low, high, strict=True), "-", color=INK, lw=1)
            axes.plot(*high, "o", color=ORANGE if name == names[-1] else INK)
            side = "top" if aside[1] < 0 else "bottom"
            said = f"{name}: ${number:g}$"
            axes.text(*high + aside, said, ha="center", va=side)
        axes.set(title=title, xlim=(-0.7, 2.95), ylim=(-1.5, 1.6))
        hide_axes(axes)
    plt.show()


def draw_positions(names: Sequence[str], *, d_model: int = 3, d_ff: int = 6):
    """Show the same small network above each position, and no line between them."""
    _, axes = plt.subplots(figsize=(6.4, 3.6))
    for position, name in enumerate(names):
        add_network(axes, 2.2 * position, (d_model, d_ff, d_model))
        axes.text(2.2 * position, -0.85, name, ha="center", va="top")
    steps = ("read: $x_t$", "bend: hidden units", "write: $y_t$")
    for height, step in enumerate(steps):
        axes.text(-1.35, 1.5 * height, step, ha="right", va="center")
    axes.text(-1.35, -0.85, "token", ha="right", va="top")
    axes.set(xlim=(-4.6, 2.2 * len(names) - 1.0), ylim=(-1.5, 3.6))
    hide_axes(axes)
    plt.show()


def add_network(axes: Axes, x: float, widths: Sequence[int]) -> None:
    """Draw rows of dots from the bottom up, all of a row joined to all of the next."""
    rows = [
        [(x + 0.32 * (i - (width - 1) / 2), 1.5 * height) for i in range(width)]
        for height, width in enumerate(widths)
    ]
    for low, high in pairwise(rows):
        for a in low:
            for b in high:
                axes.plot((a[0], b[0]), (a[1], b[1]), "-", color=BLUE, lw=0.5)
    for row, color in zip(rows, (INK, ORANGE, INK), strict=True):
        axes.plot(*zip(*row, strict=True), "o", color=color, markersize=6)
    for low, high in ((-0.7, -0.2), (3.2, 3.6)):
        add_arrow(axes, (x, low), (x, high))


def draw_hat(x: ArrayLike, bent: Mapping[str, ArrayLike], straight: ArrayLike):
    """Show what three units write, their sum, and their sum without the activation."""
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2), sharey=True)
    line_plot(left, x, bent, x_label="input", y_label="output", direct=False)
    left.legend(loc="lower left", fontsize=9)
    total = sum(to_numpy(curve) for curve in bent.values())
    sums = {"with ReLU": total, "without": straight}
    line_plot(right, x, sums, x_label="input", y_label="", direct=False)
    right.legend(loc="lower left", fontsize=9)
    left.set_title("three units")
    right.set_title("their sum")
    plt.show()


def draw_angles(samples: Mapping[str, ArrayLike]):
    """Show how the angles between random directions are spread, a curve a dimension.

    Args:
        samples: A name, and angles in degrees; four names at most.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.0))
    edges = np.arange(0, 182, 2)
    curves = {
        name: 100 * np.histogram(to_numpy(angles), edges)[0] / len(angles)
        for name, angles in samples.items()
    }
    line_plot(
        axes,
        (edges[:-1] + edges[1:]) / 2,
        curves,
        x_label="angle between two directions (degrees)",
        y_label="share of the pairs (%)",
        direct=False,
    )
    axes.set(xlim=(0, 180), ylim=(0, None))
    axes.set_xticks(range(0, 181, 30))
    plt.show()


def draw_strengths(phrases: Mapping[str, float], *, x_label: str):
    """Show how loudly a unit speaks at the end of each phrase, the first in orange."""
    _, axes = plt.subplots(figsize=(6.4, 0.8 + 0.3 * len(phrases)))
    colors = [ORANGE, *[BLUE] * (len(phrases) - 1)]
    axes.barh(range(len(phrases)), list(phrases.values()), color=colors)
    axes.set_yticks(range(len(phrases)), list(phrases))
    axes.invert_yaxis()
    axes.axvline(0, color=INK, lw=0.8)
    axes.set(xlabel=x_label)
    plt.show()


def draw_shares(models: Mapping[str, Mapping[str, float]]):
    """Show where the parameters of models are, a bar a model.

    Args:
        models: A name, and the share of each part; three parts at most.
    """
    _, axes = plt.subplots(figsize=(6.8, 3.6))
    left = np.zeros(len(models))
    for part, color, hatch in zip(
        next(iter(models.values())), SHADES, HATCHES, strict=False
    ):
        widths = np.array([100 * shares[part] for shares in models.values()])
        axes.barh(
            range(len(models)),
            widths,
            left=left,
            color=color,
            hatch=hatch,
            edgecolor="white",
            label=part,
        )
        left += widths
    axes.set_yticks(range(len(models)), list(models))
    axes.invert_yaxis()
    axes.set(xlabel="share of the parameters (%)", xlim=(0, 100))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    plt.show()


def draw_results(results: Mapping[str, ArrayLike], *, x_label: str):
    """Show the results of trainings, a dot a seed and a bar at the mean."""
    _, axes = plt.subplots(figsize=(6.4, 0.9 + 0.38 * len(results)))
    range_plot(axes, results, x_label=x_label)
    plt.show()

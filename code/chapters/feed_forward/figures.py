"""Figures of the chapter on the feed-forward network."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, hide_axes
from chapters.shared.plots import line_plot, range_plot, to_numpy
from chapters.start import BLUE, INK, ORANGE

SHADES = (BLUE, ORANGE, "#d9d9d9")
HATCHES = ("", "//", "")


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

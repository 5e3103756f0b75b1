"""Figures of the chapter on the sinusoidal positional encoding."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import Arc
from numpy.typing import ArrayLike

from chapters.shared.plots import heat_map, line_plot, to_numpy
from chapters.start import BLUE, COLORS, INK, LINE_STYLES, ORANGE

LIGHT = "#b8c4ce"


def draw_counters(bits: ArrayLike, waves: ArrayLike):
    """Show a binary counter beside sines of falling frequency."""
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.9))
    count, digits = np.shape(bits)
    heat_map(
        left,
        bits,
        rows=[str(n) for n in range(count)],
        columns=[f"{2**i}s" for i in range(digits)],
        row_label="number",
        column_label="binary digit",
        decimals=0,
    )
    heat_map(
        right,
        waves,
        kind="diverging",
        limit=1.0,
        rows=[str(n) for n in range(count)],
        columns=[str(i) for i in range(1, 1 + np.shape(waves)[1])],
        row_label="number",
        column_label="sine, ever slower",
        decimals=1,
    )
    plt.show()


def draw_table(table: ArrayLike):
    """Show the encoding of many positions as one colored grid."""
    _, axes = plt.subplots(figsize=(7.2, 3.6))
    heat_map(
        axes,
        table,
        kind="diverging",
        limit=1.0,
        row_label="position",
        column_label="feature",
    )
    axes.figure.colorbar(axes.images[0], ax=axes, label="value of the encoding")
    plt.show()


def draw_addition(embedding: ArrayLike, encoding: ArrayLike):
    """Show embedding plus encoding as three rows of numbers."""
    embedding, encoding = to_numpy(embedding), to_numpy(encoding)
    _, axes = plt.subplots(figsize=(6.4, 2.4))
    heat_map(
        axes,
        np.stack((embedding, encoding, embedding + encoding)),
        kind="diverging",
        rows=["embedding", "+ encoding", "= input"],
        row_label="",
        columns=[str(i) for i in range(len(embedding))],
        column_label="feature",
        decimals=4,
    )
    plt.show()


def draw_clocks(frequencies: Sequence[float], starts: Sequence[int], offset: int):
    """Show each pair as a clock hand that turns by the same angle from any start."""
    rows, columns = len(starts), len(frequencies)
    _, grid = plt.subplots(rows, columns, figsize=(7.2, 2.0 * rows))
    frequencies = to_numpy(frequencies)
    for row, start in enumerate(starts):
        for i, frequency in enumerate(frequencies):
            axes = grid[row, i]
            before, after = frequency * start, frequency * (start + offset)
            axes.add_patch(plt.Circle((0, 0), 1, fill=False, color=LIGHT))
            degrees = 90 - np.degrees(
                (after, before)
            )  # noon is up, hands run clockwise
            axes.add_patch(
                Arc((0, 0), 0.8, 0.8, theta1=degrees[0], theta2=degrees[1], lw=2)
            )
            for angle, color, style in ((before, BLUE, "-"), (after, ORANGE, "--")):
                end = (np.sin(angle), np.cos(angle))
                axes.plot((0, end[0]), (0, end[1]), color=color, linestyle=style)
                axes.plot(*end, "o", color=color)
            axes.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal")
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set_visible(False)
            if row == 0:
                axes.set_title(f"pair {i}")
            if i == 0:
                axes.set_ylabel(f"{start} to {start + offset}")
    plt.show()


def draw_products(offsets: ArrayLike, products: Mapping[str, ArrayLike]):
    """Show the dot product of two encodings over the offset between them."""
    _, axes = plt.subplots()
    line_plot(
        axes,
        offsets,
        products,
        x_label="offset $k$ (positions)",
        y_label="dot product / $(d/2)$",
        direct=False,
    )
    axes.axhline(0, color=INK, lw=1)
    plt.show()


def draw_pair_distances(offsets: ArrayLike, distances: Mapping[str, ArrayLike]):
    """Show how far apart two positions are within single pairs of features."""
    _, axes = plt.subplots()
    line_plot(
        axes,
        offsets,
        distances,
        x_label="offset $k$ (positions)",
        y_label="distance within the pair",
        direct=False,
    )
    axes.set_ylim(0, 2.7)
    plt.show()


def draw_waves(wavelengths: ArrayLike, shares: Mapping[str, ArrayLike]):
    """Show how much of a table waves of about one length hold together.

    Args:
        wavelengths: In positions.
        shares: A name, and the share of each wave.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.2))
    ticks = np.array([2, 6, 18, 55, 170, 512])
    edges = np.geomspace(1.5617, 573.44, 27)  # a quarter longer from bar to bar
    looks = ((ORANGE, "-", 0.35), (BLUE, "--", 0.0))
    for (name, values), (color, style, alpha) in zip(
        shares.items(), looks, strict=True
    ):
        held, _ = np.histogram(to_numpy(wavelengths), edges, weights=to_numpy(values))
        axes.stairs(held, edges, color=color, linestyle=style, lw=2, label=name)
        axes.stairs(held, edges, fill=True, color=color, alpha=alpha)
    axes.set(xscale="log", xlabel="wavelength (positions)", ylabel="share of the table")
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper center", ncols=2, bbox_to_anchor=(0.5, 1.2))
    plt.show()


def draw_accuracy(
    first: int, runs: Mapping[str, ArrayLike], *, trained: int, chance: float
):
    """Show the accuracy at each position, the mean and the range over seeds."""
    _, axes = plt.subplots()
    for (name, shares), color, style in zip(
        runs.items(), COLORS, LINE_STYLES, strict=False
    ):
        shares = to_numpy(shares)
        x = np.arange(first, first + shares.shape[1])
        axes.fill_between(
            x, shares.min(axis=0), shares.max(axis=0), color=color, alpha=0.2, lw=0
        )
        axes.plot(x, shares.mean(axis=0), color=color, linestyle=style, label=name)
    axes.axvline(trained - 0.5, color=INK, lw=1)
    axes.annotate(
        "trained up to here",
        (trained - 0.5, 1.06),
        xytext=(4, 0),
        textcoords="offset points",
    )
    axes.axhline(chance, color=INK, lw=1, linestyle=":")
    axes.set(xlabel="position", ylabel="share of right answers", ylim=(0, 1.15))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(runs))
    plt.show()

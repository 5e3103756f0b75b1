"""Figures of the chapter on the encoder and the decoder."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import band_plot, heat_map, to_numpy
from chapters.start import BLUE, COLORS, INK, ORANGE

GRID = "#bbbbbb"


def draw_stacks(layers: int = 3, *, source: str, target: str, result: str):
    """Show two stacks of layers, and the memory that goes to each decoder layer.

    Args:
        layers: How many, in each stack.
        source: What the encoder reads.
        target: What the decoder has written.
        result: What it writes next.
    """
    _, axes = plt.subplots(figsize=(6.4, 4.4))
    for n in range(layers):
        height = 1.1 + 1.1 * n
        add_box(axes, f"encoder layer {n + 1}", (0, height), width=2.3)
        add_box(axes, f"decoder layer {n + 1}", (4.6, height), width=2.3)
        for x in (0, 4.6):
            add_arrow(axes, (x, height - 0.82), (x, height - 0.28))
    top = 1.1 * layers
    add_arrow(axes, (0, top + 0.28), (0, top + 0.82))
    add_arrow(axes, (4.6, top + 0.28), (4.6, top + 0.82))
    memory = top + 1.1
    add_box(axes, r"memory $\mathbf{M}$", (0, memory), width=1.7, color=BLUE)
    axes.plot(
        (0.93, 2.3, 2.3), (memory, memory, 1.1), color=BLUE, linestyle="-", zorder=1
    )
    for n in range(layers):
        add_arrow(axes, (2.3, 1.1 + 1.1 * n), (3.37, 1.1 + 1.1 * n), color=BLUE)
    for place, words in (((0, 0.05), source), ((4.6, 0.05), target)):
        axes.text(*place, words, ha="center", va="center")
    axes.text(4.6, memory, result, ha="center", va="center")
    axes.set(xlim=(-1.5, 6.1), ylim=(-0.2, memory + 0.4))
    hide_axes(axes)
    plt.show()


def draw_way(steps: Mapping[str, ArrayLike], features: Sequence[str]):
    """Show what becomes of one word: its vector at each step, the first on top.

    Args:
        steps: A name for each step, and the vector there.
        features: What the numbers of a vector stand for.
    """
    _, axes = plt.subplots(figsize=(6.0, 0.8 + 0.42 * len(steps)))
    heat_map(
        axes,
        np.stack([to_numpy(vector) for vector in steps.values()]),
        rows=list(steps),
        columns=features,
        row_label="",
        column_label="",
        decimals=1,
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    plt.show()


def draw_layers():
    """Show the sublayers of both layers as branches beside the stream."""
    _, axes = plt.subplots(figsize=(7.2, 4.8))
    encoder = (("self-attention", INK), ("feed-forward", INK))
    decoder = (
        ("causal self-attention", ORANGE),
        ("cross-attention", BLUE),
        ("feed-forward", INK),
    )
    for x, name, branches in ((0, "encoder", encoder), (5.4, "decoder", decoder)):
        for n, (branch, color) in enumerate(branches):
            add_branch(axes, x, 1.5 * n, branch, color)
        top = 1.5 * len(branches)
        axes.plot((x, x), (-0.5, top - 0.1), color=INK, linestyle="-", zorder=1)
        add_arrow(axes, (x, top - 0.3), (x, top + 0.2))
        axes.text(x, top + 0.5, f"{name} layer", ha="center", va="center")
    axes.text(9.6, 1.9, r"$\mathbf{M}$", color=BLUE, ha="left", va="center")
    add_arrow(axes, (9.5, 1.9), (8.65, 1.9), color=BLUE)
    axes.set(xlim=(-0.9, 10.0), ylim=(-0.6, 5.4))
    hide_axes(axes)
    plt.show()


def add_branch(axes: Axes, x: float, bottom: float, name: str, color: str) -> None:
    """Draw one sublayer at the right of a stream, and the sum that takes it in."""
    middle, total = x + 1.8, bottom + 1.0
    axes.plot(
        (x, middle, middle, x),
        (bottom, bottom, total, total),
        color=color,
        linestyle="-",
        zorder=0,
    )
    add_arrow(axes, (x + 0.5, total), (x + 0.25, total), color=color)
    add_box(axes, "+", (x, total), width=0.25, height=0.25)
    place = (middle, bottom + 0.4)
    add_box(axes, name, place, width=2.8, height=0.36, color=color)


def draw_families(masks: Mapping[str, ArrayLike], source: int):
    """Show who may see whom in three kinds of models, over source and target.

    Args:
        masks: A name, and True where the row may see the column.
        source: How many positions belong to the source, in every mask.
    """
    _, panels = plt.subplots(1, len(masks), figsize=(7.2, 2.9))
    for axes, (title, mask) in zip(panels, masks.items(), strict=True):
        mask = to_numpy(mask)
        names = [f"s{n}" for n in range(source)]
        names += [f"t{n}" for n in range(len(mask) - source)]
        heat_map(axes, 0.55 * mask, title=title, rows=names, columns=names, limit=1.0)
        add_cells(axes, len(mask), source)
    plt.show()


def draw_both_sides(distances: Mapping[str, ArrayLike], kinds: Sequence[str]):
    """Show how far the vectors of one word lie apart, in several ways of reading.

    Args:
        distances: For each way a matrix, each sentence with each.
        kinds: What the first and the second half of the sentences are about.
    """
    matrices = {name: to_numpy(matrix) for name, matrix in distances.items()}
    limit = max(matrix.max() for matrix in matrices.values())
    figure, panels = plt.subplots(1, len(matrices), figsize=(7.2, 2.9))
    for axes, (name, matrix) in zip(panels, matrices.items(), strict=True):
        heat_map(axes, matrix, title=name, limit=limit, row_label="", column_label="")
        count = len(matrix)
        add_cells(axes, count, count // 2)
        middles = (count / 4 - 0.5, 3 * count / 4 - 0.5)
        axes.set_xticks(middles, kinds)
        axes.set_yticks(middles, kinds, rotation=90, va="center")
        axes.tick_params(length=0)
    figure.colorbar(
        panels[-1].images[0], ax=list(panels), label="distance", shrink=0.75
    )
    plt.show()


def draw_dependence(sizes: Mapping[str, ArrayLike], source: int):
    """Show how strongly each output depends on each input; no color where not at all.

    Args:
        sizes: For an even number of stacks the size of the derivative of each row
            by each column.
        source: How many positions belong to the source.
    """
    lines = len(sizes) // 2
    _, panels = plt.subplots(lines, 2, figsize=(5.6, 2.8 * lines))
    for axes, (title, matrix) in zip(np.ravel(panels), sizes.items(), strict=True):
        matrix = to_numpy(matrix)
        matrix = matrix / matrix.max(axis=1, keepdims=True)
        seen = np.where(matrix > 0, 0.15 + 0.85 * matrix, 0.0)
        names = [f"s{n}" for n in range(source)]
        names += [f"t{n}" for n in range(len(matrix) - source)]
        heat_map(
            axes,
            seen,
            title=title,
            rows=names,
            columns=names,
            row_label="output",
            column_label="input",
            limit=1.0,
        )
        add_cells(axes, len(matrix), source)
    plt.show()


def add_cells(axes: Axes, count: int, source: int) -> None:
    """Draw thin lines between cells, and bold ones between source and target."""
    axes.set_xticks(np.arange(count + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(count + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=GRID, lw=1, linestyle="-")
    axes.tick_params(which="minor", length=0)
    axes.tick_params(labelsize=9)
    if 0 < source < count:
        axes.axhline(source - 0.5, color=INK, lw=2, linestyle="-")
        axes.axvline(source - 0.5, color=INK, lw=2, linestyle="-")


def draw_faults(
    curves: Mapping[str, ArrayLike], exact: Mapping[str, ArrayLike], *, window: int
):
    """Show training losses over the steps, and what the same models write.

    Args:
        curves: For each model a row for each seed: the mean loss of each window.
        exact: For the same models the share of rows written right, one for each seed.
        window: Steps that make one point.
    """
    _, (left, right) = plt.subplots(
        1, 2, figsize=(7.2, 3.3), width_ratios=(1.7, 1), sharey=False
    )
    steps = window * (np.arange(len(next(iter(curves.values()))[0])) + 0.5)
    band_plot(
        left, steps, curves, x_label="training step", y_label="loss, nats per token"
    )
    left.set_yscale("log")
    left.yaxis.set_minor_formatter(NullFormatter())
    for row, (seeds, color) in enumerate(zip(exact.values(), COLORS, strict=False)):
        seeds = to_numpy(seeds)
        right.plot(
            seeds,
            row + 0.16 * (np.arange(seeds.size) - (seeds.size - 1) / 2),
            "o",
            color=color,
            linestyle="none",
        )
    right.set_yticks(range(len(exact)), list(exact))
    right.set(
        xlabel="share of rows right",
        xlim=(-0.08, 1.08),
        ylim=(len(exact) - 0.4, -0.6),
    )
    left.figure.legend(
        *left.get_legend_handles_labels(), loc="outside upper center", ncols=len(curves)
    )
    plt.show()

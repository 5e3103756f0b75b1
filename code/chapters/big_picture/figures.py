"""Figures of the chapter on the big picture."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import band_plot, heat_map, line_plot
from chapters.start import BLUE, GREEN, INK, ORANGE

LIGHT = "#c3ccd4"
STEP = 1.25  # between two sublayers of a stack
FIRST = 2.3  # height of the first one
ENCODER, DECODER = 0.0, 4.6  # the middles of the stacks
SUBLAYERS = {
    ENCODER: ("self-attention", "feed-forward"),
    DECODER: ("causal self-attention", "cross-attention", "feed-forward"),
}


def draw_architecture():
    """Show the whole model: two stacks, the memory between them, and the way out."""
    _, axes = plt.subplots(figsize=(7.2, 7.6))
    tops = {
        middle: add_stack(axes, middle, names) for middle, names in SUBLAYERS.items()
    }
    memory, corner, crossed = tops[ENCODER] + 0.4, DECODER - 2.3, FIRST + STEP
    way = ((ENCODER, tops[ENCODER]), (ENCODER, memory), (corner, memory))
    axes.plot(*zip(*way, (corner, crossed), strict=True), color=BLUE, linestyle="-")
    add_arrow(axes, (corner, crossed), (DECODER - 1.5, crossed), color=BLUE)
    axes.text(ENCODER + 0.1, memory + 0.1, "memory", color=BLUE, va="bottom")
    low = tops[DECODER]
    for text in ("linear map", "softmax"):
        add_arrow(axes, (DECODER, low), (DECODER, low + 0.36))
        add_box(axes, text, (DECODER, low + 0.64), width=2.4, color=GREEN)
        low += 0.92
    add_arrow(axes, (DECODER, low), (DECODER, low + 0.36))
    words = {"ha": "center", "va": "bottom"}
    axes.text(DECODER, low + 0.4, "probabilities of the next token", **words)
    axes.set(xlim=(-2.2, 6.8), ylim=(-0.4, low + 0.8))
    hide_axes(axes)
    plt.show()


def add_stack(axes: Axes, middle: float, sublayers: Sequence[str]) -> float:
    """Draw inputs and one framed layer of a stack, and return the height of its top."""
    stack, side, name = "decoder", 1, "target so far"
    if middle == ENCODER:
        stack, side, name = "encoder", -1, "source"
    axes.text(middle, -0.1, f"{name}: tokens", ha="center", va="center")
    add_arrow(axes, (middle, 0.1), (middle, 0.42))
    add_box(axes, "embedding + position", (middle, 0.7), width=2.9, color=ORANGE)
    low = 0.98
    for n, text in enumerate(sublayers):
        height = FIRST + STEP * n
        add_arrow(axes, (middle, low), (middle, height - 0.28))
        color = BLUE if text == "cross-attention" else INK
        add_box(axes, text, (middle, height), width=2.8, color=color)
        add_box(axes, "add, norm", (middle, height + 0.54), width=2.8, height=0.2)
        low = height + 0.72
    bottom, top = FIRST - 0.55, low + 0.2
    look = {"edgecolor": LIGHT, "facecolor": "none", "lw": 2, "zorder": 0}
    corner, sizes = (middle - 1.7, bottom), (3.4, top - bottom)
    axes.add_patch(FancyBboxPatch(corner, *sizes, boxstyle="round,pad=0.05", **look))
    words = {"rotation": 90, "ha": "center", "va": "center"}
    place = (middle + side * 1.95, (bottom + top) / 2)
    axes.text(*place, f"{stack}: N such layers", **words)
    axes.plot((middle, middle), (low, top + 0.35), color=INK, linestyle="-")
    return top + 0.35


def draw_flow(source: Sequence[str], read: Sequence[str], said: Sequence[str]):
    """Show which tokens the two halves read, and which tokens the decoder must say."""
    _, axes = plt.subplots(figsize=(7.2, 2.9))
    start = len(source) + 1.2
    last = start + len(read) - 1
    for name, first, end in (("encoder", 0, len(source) - 1), ("decoder", start, last)):
        add_box(axes, name, ((first + end) / 2, 1), width=end - first + 0.7, height=0.5)
    add_arrow(axes, (len(source) - 0.5, 1), (start - 0.5, 1), color=BLUE)
    axes.text(len(source) + 0.1, 1.15, "memory", color=BLUE, ha="center", va="bottom")
    for place, word in enumerate(source):
        add_token(axes, place, word, low=True)
    for place, (below, above) in enumerate(zip(read, said, strict=True)):
        add_token(axes, start + place, below, low=True)
        add_token(axes, start + place, above, low=False)
    for place in range(len(read) - 1):
        here = start + place
        axes.plot((here + 0.2, here + 0.8), (1.95, 0.0), color=ORANGE, ls=":", zorder=0)
    axes.set(xlim=(-0.8, last + 0.8), ylim=(-0.5, 2.5))
    hide_axes(axes)
    plt.show()


def add_token(axes: Axes, place: float, word: str, *, low: bool) -> None:
    """Draw a token that goes in from below, or comes out above."""
    axes.text(place, -0.1 if low else 2.1, word, ha="center", va="center")
    add_arrow(axes, (place, 0.12 if low else 1.33), (place, 0.66 if low else 1.9))


def draw_paths(graphs: Mapping[str, tuple[Mapping, Sequence[tuple[int, int]]]]):
    """Show who reads whom, with the shortest way from the first to the last token.

    Args:
        graphs: For each kind of layer the parents of each node, (0, position) for an
            input and (1, position) for an output, and the nodes on the way.
    """
    _, panels = plt.subplots(1, len(graphs), figsize=(7.2, 2.4))
    for axes, (name, (parents, way)) in zip(panels, graphs.items(), strict=True):
        for node, above in parents.items():
            for parent in above:
                add_edge(axes, parent, node, LIGHT, lw=1)
        for node in {*parents, *(p for above in parents.values() for p in above)}:
            axes.plot(node[1], node[0], "o", color=INK, zorder=3)
        for start, end in pairwise(way):
            add_edge(axes, start, end, ORANGE, lw=2)
        axes.set(title=name, xlabel="position", ylim=(-0.3, 1.3))
        axes.set_xticks(range(1 + max(node[1] for node in parents)))
        axes.set_yticks((0, 1), ("in", "out"))
        axes.spines[:].set_visible(False)
    plt.show()


def add_edge(axes: Axes, start: tuple, end: tuple, color: str, *, lw: float) -> None:
    """Draw an arrow from a node (layer, position) to the one that reads it."""
    style = {"arrowstyle": "-|>", "color": color, "lw": lw, "shrinkA": 4, "shrinkB": 4}
    axes.annotate("", end[::-1], xytext=start[::-1], arrowprops=style, zorder=int(lw))


def draw_cost(lengths: ArrayLike, costs: Mapping[str, ArrayLike], *, crossing: float):
    """Show how many multiplications the parts of a layer need, by length.

    Args:
        lengths: Numbers of tokens.
        costs: A name and the counts.
        crossing: The length at which both parts cost the same.
    """
    _, axes = plt.subplots()
    labels = {"x_label": "tokens", "y_label": "multiplications"}
    line_plot(axes, lengths, costs, **labels, direct=False)
    axes.axvline(crossing, color=INK, lw=1, linestyle=":")
    axes.set(xscale="log", yscale="log")
    plt.show()


def draw_learning(panels: Mapping[str, Mapping[str, ArrayLike]], *, every: int):
    """Show how held-out numbers are translated in the course of trainings.

    Args:
        panels: What is shown, and for each kind of training a row for each seed.
        every: Steps from one look to the next.
    """
    _, grid = plt.subplots(1, len(panels), figsize=(7.2, 3.3), sharey=True)
    for axes, (title, curves) in zip(grid, panels.items(), strict=True):
        steps = every * np.arange(np.shape(next(iter(curves.values())))[1])
        band_plot(axes, steps, curves, x_label="training step", y_label="")
        axes.set(title=title, ylim=(-0.03, 1.03))
    grid[0].set_ylabel("share that is right")
    lines, names = axes.get_legend_handles_labels()
    axes.figure.legend(lines, names, loc="outside upper center", ncols=len(names))
    plt.show()


def draw_weights(
    heads: Mapping[str, ArrayLike], rows: Sequence[str], columns: Sequence[str]
):
    """Show the attention weights of a few heads beside each other."""
    lines = -(-len(heads) // 2)
    options = {"sharex": True, "sharey": True, "layout": "constrained"}
    figure, grid = plt.subplots(lines, 2, figsize=(7.2, 0.6 + 2.4 * lines), **options)
    names = {"rows": rows, "columns": columns, "row_label": "", "column_label": ""}
    for axes, (title, weights) in zip(grid.flat, heads.items(), strict=True):
        heat_map(axes, weights, limit=1.0, title=title, decimals=1, **names)
        axes.tick_params(axis="x", rotation=45)
        for text in axes.texts:
            text.set_fontsize(9)
    figure.get_layout_engine().set(wspace=0.05, hspace=0.05)
    figure.supxlabel("source", size="medium")
    figure.supylabel("the decoder reads → says", size="medium")
    plt.show()

"""Figures of the chapter on the big picture."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, add_frame, hide_axes
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
    _, axes = plt.subplots(figsize=(7.2, 7.0))
    tops = {
        middle: add_stack(axes, middle, names) for middle, names in SUBLAYERS.items()
    }
    memory, corner, crossed = tops[ENCODER] + 0.4, DECODER - 2.3, FIRST + STEP
    way = ((ENCODER, tops[ENCODER]), (ENCODER, memory), (corner, memory))
    axes.plot(*zip(*way, (corner, crossed), strict=True), color=BLUE, linestyle="-")
    add_arrow(axes, (corner, crossed), (DECODER - 1.505, crossed), color=BLUE)
    axes.text(ENCODER + 0.1, memory + 0.1, "memory", color=BLUE, va="bottom")
    low = tops[DECODER]
    for text in ("linear map", "softmax"):
        add_arrow(axes, (DECODER, low), (DECODER, low + 0.36))
        add_box(axes, text, (DECODER, low + 0.64), width=2.4, color=GREEN)
        low += 0.92
    add_arrow(axes, (DECODER, low), (DECODER, low + 0.36))
    words = {"ha": "center", "va": "bottom"}
    axes.text(DECODER, low + 0.4, "probabilities of the next token", **words)
    axes.set(xlim=(-2.35, 6.95), ylim=(-0.4, low + 0.8))
    hide_axes(axes)
    plt.show()


def add_stack(axes: Axes, middle: float, sublayers: Sequence[str]) -> float:
    """Draw inputs and one framed layer of a stack, and return the height of its top."""
    stack, side, name = "decoder", 1, "target so far"
    if middle == ENCODER:
        stack, side, name = "encoder", -1, "source"
    axes.text(middle, -0.1, f"{name}: tokens", ha="center", va="center")
    add_arrow(axes, (middle, 0.1), (middle, 0.42))
    add_box(axes, "embedding + position", (middle, 0.7), width=3.55, color=ORANGE)
    low = 0.98
    for n, text in enumerate(sublayers):
        height = FIRST + STEP * n
        add_arrow(axes, (middle, low), (middle, height - 0.28))
        color = BLUE if text == "cross-attention" else INK
        add_box(axes, text, (middle, height), width=2.85, color=color)
        add_box(axes, "add, norm", (middle, height + 0.54), width=2.85, height=0.2)
        add_residual(axes, middle, height, side)
        low = height + 0.72
    bottom, top = FIRST - 0.55, low + 0.2
    add_frame(axes, (middle - 1.85, bottom), (3.7, top - bottom), color=LIGHT)
    words = {"rotation": 90, "ha": "center", "va": "center"}
    place = (middle + side * 2.1, (bottom + top) / 2)
    axes.text(*place, f"{stack}: N such layers", **words)
    axes.plot((middle, middle), (low, top + 0.35), color=INK, linestyle="-")
    return top + 0.35


def add_residual(axes: Axes, middle: float, height: float, side: int) -> None:
    """Draw the way around a sublayer, from its input into the sum behind it."""
    start, outside, end = height - 0.42, middle + side * 1.74, height + 0.54
    way = ((middle, start), (outside, start), (outside, end))
    axes.plot(*zip(*way, strict=True), color=GREEN, linestyle="-", lw=2)
    add_arrow(axes, (outside, end), (middle + side * 1.505, end), color=GREEN)


def draw_paths(
    graphs: Mapping[str, tuple[Mapping, Sequence[tuple[int, int]]]],
    words: Sequence[str],
):
    """Show who reads whom, with the shortest way from the first to the last token.

    Args:
        graphs: For each kind of layer the parents of each node, (0, position) for an
            input and (1, position) for an output, and the nodes on the way.
        words: What stands at the positions.
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
        axes.set(title=name, ylim=(-0.3, 1.3))
        axes.set_xticks(range(len(words)), words)
        axes.set_yticks((0, 1), ("in", "out"))
        axes.spines[:].set_visible(False)
    plt.show()


def add_edge(axes: Axes, start: tuple, end: tuple, color: str, *, lw: float) -> None:
    """Draw an arrow from a node (layer, position) to the one that reads it."""
    style = {"arrowstyle": "-|>", "color": color, "lw": lw, "shrinkA": 4, "shrinkB": 4}
    axes.annotate("", end[::-1], xytext=start[::-1], arrowprops=style, zorder=int(lw))


def chain(n: int) -> tuple[dict, list[tuple[int, int]]]:
    """Return who reads whom in a recurrent layer, and the way from end to end."""
    parents = {(1, t): {(0, t), (1, t - 1)} if t else {(0, t)} for t in range(n)}
    return parents, [(0, 0), *((1, t) for t in range(n))]


def everywhere(n: int) -> tuple[dict, list[tuple[int, int]]]:
    """Return who reads whom in causal attention, and the way from end to end."""
    parents = {(1, t): {(0, s) for s in range(t + 1)} for t in range(n)}
    return parents, [(0, 0), (1, n - 1)]


def draw_machine(words: Sequence[str], answer: str, *, layers: int, looked_at: int):
    """Show a language model as columns: a token each, with what joins them.

    Args:
        words: What it reads.
        answer: What comes out of the last column.
        layers: How many layers it has.
        looked_at: The place whose arrow to the last one is drawn strongly.
    """
    _, axes = plt.subplots(figsize=(7.2, 5.6))
    last = len(words) - 1
    heights = {"embedding": 0.55, "attention": 1.75, "feed-forward": 2.75}
    for place, word in enumerate(words):
        top = 3.5 if place < last else 3.62
        axes.text(place, -0.1, word, ha="center", va="center")
        add_arrow(axes, (place, 0.08), (place, heights["embedding"] - 0.26))
        axes.plot((place, place), (0.8, top), color=INK, linestyle="-", lw=2)
        for name in ("embedding", "feed-forward"):
            add_box(axes, "", (place, heights[name]), width=0.5, height=0.22)
        axes.plot(place, heights["attention"], "o", color=INK, ms=9, zorder=4)
        for earlier in range(place):
            strong = (earlier, place) == (looked_at, last)
            style = {"color": ORANGE if strong else LIGHT, "lw": 3 if strong else 1.5}
            add_look(axes, earlier, place, heights["attention"], **style)
    for name, height in heights.items():
        axes.text(-1.0, height, name, ha="right", va="center")
    frame = {"edgecolor": LIGHT, "facecolor": "none", "lw": 2, "zorder": 0}
    box = FancyBboxPatch((-0.55, 1.2), last + 1.1, 2.0, boxstyle="round", **frame)
    axes.add_patch(box)
    axes.text(last + 1.0, 2.2, f"{layers} such layers", rotation=90, va="center")
    add_box(axes, "linear map, softmax", (last - 0.2, 3.95), width=1.9, color=GREEN)
    add_arrow(axes, (last, 4.25), (last, 4.55))
    axes.text(last, 4.72, answer, ha="center", va="center", color=ORANGE)
    axes.set(xlim=(-2.45, last + 1.4), ylim=(-0.35, 4.95))
    hide_axes(axes)
    plt.show()


def add_look(
    axes: Axes, start: int, end: int, height: float, *, color: str, lw: float
) -> None:
    """Draw what attention brings from one column to a later one, as an arch."""
    style = {"arrowstyle": "-|>", "color": color, "lw": lw, "shrinkA": 5, "shrinkB": 6}
    style |= {"connectionstyle": "arc3,rad=-0.35"}
    ends = (end, height), (start, height)
    axes.annotate("", ends[0], xytext=ends[1], arrowprops=style, zorder=2 + lw / 10)


def draw_guesses(places: ArrayLike, guesses: Mapping[int, str], *, answer: str):
    """Show how an answer climbs in a model's guesses, layer by layer.

    Args:
        places: The place of the answer in the order of the guesses, by layer.
        guesses: Its first guess after some layers.
        answer: The word.
    """
    _, axes = plt.subplots(figsize=(7.2, 3.2))
    layers = np.arange(len(places))
    axes.plot(layers, places, color=BLUE, marker="o", ms=4)
    for layer, guess in guesses.items():
        axes.text(layer, 0.42, guess, ha="center", va="center", color=ORANGE)
    axes.set(yscale="log", ylim=(9000, 0.25), xlabel="after layer")
    axes.set_ylabel(f"place of {answer}")
    axes.set_yticks((1, 10, 100, 1000), ("1", "10", "100", "1,000"))
    axes.minorticks_off()
    plt.show()


def draw_exchange(
    runs: Mapping[str, Sequence[str]], *, place: int, layer: int, layers: int
):
    """Show two runs of a model, and the vector that goes from one into the other.

    Args:
        runs: What is said at the end, or asked, and the tokens that are read.
        place: Which token's vector is exchanged, from 0.
        layer: After which layer.
        layers: How many layers there are.
    """
    _, axes = plt.subplots(figsize=(7.2, 2.9))
    (first, second), size = range(2), max(map(len, runs.values())) + 0.5
    height = 3 * layer / layers
    for run, (answer, words) in enumerate(runs.items()):
        start, last = run * size, len(words) - 1
        for n, word in enumerate(words):
            axes.text(start + n, -0.3, word, ha="center", va="center")
            axes.plot(2 * [start + n], (0, 3), color=INK, linestyle="-", lw=1.5)
            axes.plot(start + n, height, "o", color=INK, ms=5, zorder=3)
        add_arrow(axes, (start + last, 3), (start + last, 3.35))
        axes.text(start + last + 0.4, 3.6, answer, ha="right", va="center")
    given, taken = (place + run * size for run in (first, second))
    axes.plot(2 * [taken], (height, 3), color=ORANGE, linestyle="-", lw=3)
    axes.plot((given, taken), 2 * [height], "o", color=ORANGE, ms=10, zorder=4)
    add_look(axes, given, taken, height, color=ORANGE, lw=3)
    axes.text(-0.75, height, f"after layer {layer}", rotation=90, va="center")
    axes.set(xlim=(-1.1, 2 * size - 0.4), ylim=(-0.55, 3.85))
    hide_axes(axes)
    plt.show()


def draw_journey(shares: ArrayLike, words: Sequence[str], *, answer: str):
    """Show which single vectors carry an answer: tokens down, layers to the right.

    Args:
        shares: How probable the answer is after each exchange, (time, depth).
        words: The tokens.
        answer: The word.
    """
    figure, axes = plt.subplots(figsize=(7.2, 2.6))
    look = {"limit": 1.0, "row_label": "", "column_label": "after layer"}
    heat_map(axes, shares, rows=words, **look)
    figure.colorbar(axes.images[0], ax=axes, label=f"chance of {answer}")
    plt.show()


def draw_cost(lengths: ArrayLike, costs: Mapping[str, ArrayLike], *, crossing: float):
    """Show how many multiplications kinds of layers need, by length.

    Args:
        lengths: Numbers of tokens.
        costs: A name and the counts.
        crossing: The length at which two of them are equal.
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

"""Figures of the chapter on layer normalization."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon, Rectangle
from numpy.typing import ArrayLike

from chapters.shared.diagrams import hide_axes
from chapters.shared.plots import to_numpy
from chapters.start import BLUE, GREEN, INK, ORANGE, PAPER, PURPLE

KIND_COLORS = (INK, BLUE, ORANGE, GREEN, PURPLE)
KIND_MARKERS = ("o", "s", "^", "D", "v")


def draw_phrases(
    names: Sequence[str], panels: Mapping[str, Mapping[str, ArrayLike]], *, bar: float
):
    """Show four phrases at three sizes; what a unit speaks for is full.

    Args:
        names: The phrases with neither of two features, the first, the second, both.
        panels: A title, and for each size a row for each phrase, which begins with the
            two features.
        bar: The unit speaks where the sum of the two is above it.
    """
    _, axes = plt.subplots(1, len(panels), figsize=(7.2, 3.9), sharex=True, sharey=True)
    low, high = -1.3, 2.6
    for panel, (title, sizes) in zip(axes, panels.items(), strict=True):
        speaks = [(bar - low, low), (high, low), (high, high), (low, high)]
        speaks.append((low, bar - low))
        panel.add_patch(Polygon(speaks, facecolor=BLUE, alpha=0.15, lw=0))
        panel.text(1.0, 1.45, "the unit speaks", ha="center")
        styles = zip((GREEN, INK, ORANGE), ("^", "o", "s"), (13, 8, 5), strict=True)
        for (size, points), (color, mark, ms) in zip(
            sizes.items(), styles, strict=True
        ):
            points = to_numpy(points)[:, :2]
            panel.plot(*points[[0, 1, 3, 2, 0]].T, "-", color=color, lw=1, zorder=1)
            panel.plot([], [], mark, color=color, ms=ms, mfc="none", label=size)
            for point in points:
                inside = color if point.sum() > bar else PAPER
                panel.plot(*point, mark, color=color, ms=ms, mfc=inside)
        for name, point, up in zip(names, points, (-18, -18, 9, 9), strict=True):
            place = {"xytext": (0, up), "textcoords": "offset points", "ha": "center"}
            panel.annotate(name, point, **place)
        panel.set(title=title, aspect="equal", xlim=(low, high), ylim=(low, high))
        panel.set(xlabel="hot", xticks=(-1, 0, 1, 2), yticks=(-1, 0, 1, 2))
    axes[0].set_ylabel("dog")
    name_kinds(axes[0])
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
    axes.figure.legend(loc="outside upper center", ncols=3)
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


def draw_trainings(depths: Mapping[str, Mapping[str, Mapping[int, ArrayLike]]]):
    """Show losses by training steps, a mark for each training, a panel for each depth.

    Args:
        depths: For each depth, for each kind of model, the losses by number of steps.
    """
    _, panels = plt.subplots(1, len(depths), figsize=(6.8, 2.8), sharey=True)
    styles = tuple(zip((BLUE, ORANGE), ("o", "^"), ("-", "--"), strict=True))
    for axes, (depth, kinds) in zip(panels, depths.items(), strict=True):
        for (name, losses), (color, mark, line) in zip(
            kinds.items(), styles, strict=True
        ):
            medians = [np.median(to_numpy(found)) for found in losses.values()]
            axes.plot(list(losses), medians, line, color=color, lw=1.2)
            marks = [(n, loss) for n, found in losses.items() for loss in found]
            axes.plot(
                *zip(*marks, strict=True), mark, color=color, mfc="none", label=name
            )
        axes.set(title=depth, xlabel="training steps", xscale="log", yscale="log")
        axes.set_xticks(list(losses), [f"{n}" for n in losses])
        axes.set_yticks((2, 3, 10, 30), ("2", "3", "10", "30"))
        axes.minorticks_off()
        axes.margins(x=0.2)
    panels[0].set_ylabel("loss (nats)")
    name_kinds(panels[0])
    plt.show()


def draw_sizes(runs: Mapping[str, ArrayLike], *, limit: float = 1e6):
    """Show how large the largest vector gets that the norms read, one after the other.

    Args:
        runs: A name, and the size for each norm.
        limit: Where the axis ends.
    """
    _, axes = plt.subplots(figsize=(6.8, 3.4))
    styles = zip((BLUE, ORANGE, GREEN), ("o", "^", "x"), strict=True)
    for (name, sizes), (color, mark) in zip(runs.items(), styles, strict=False):
        sizes = to_numpy(sizes)
        shown = np.where(sizes < limit, sizes, np.nan)
        layers = 1 + np.arange(len(sizes)) / 2
        axes.plot(layers, shown, mark, color=color, label=name, ms=4, ls="-", lw=0.8)
    axes.set(yscale="log", xlabel="layer", ylabel="size of the largest vector")
    axes.set(ylim=(0.05, limit), xticks=(1, 5, 10, 15, 20, 25, 30))
    axes.figure.legend(loc="outside upper center", ncols=3)
    plt.show()

"""Figures of the chapter on cost and scale."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import ArrayLike

from chapters.shared.plots import line_plot, to_numpy
from chapters.start import COLORS, INK, LINE_STYLES

MARKERS = ("o", "s", "^", "D")
STOPS = {"loss": "loss", "gradients": "step"}  # marked above the picture
TINTS = ("#9ecae1", "#f4a261", "#7fc8a9", "#e6c3d6")  # areas, lighter than the lines


def draw_held(
    moments: Sequence[Mapping[str, object]],
    kinds: Sequence[str],
    *,
    written: Sequence[float],
    context: int,
):
    """Show what is held when: in training, moment by moment, and in writing.

    Args:
        moments: For each its name and the bytes of each kind; a training step goes
            from "start" to "cleared".
        kinds: What lies on what, from below; in each the name of a row of bytes.
        written: Bytes of the weights, and of a cache that is full.
        context: How many tokens fill the cache.
    """
    _, (left, right) = plt.subplots(
        1, 2, figsize=(6.4, 3.6), sharey=True, width_ratios=(3, 1)
    )
    places = range(len(moments))
    layers = [[float(row[kind]) / 1e9 for row in moments] for kind in kinds]
    left.stackplot(places, layers, colors=TINTS, edgecolor=INK, linewidth=0.8)
    names = [row["moment"] for row in moments]
    for place, name in enumerate(names):
        if name in STOPS:
            left.axvline(place, color=INK, lw=0.8, linestyle=":")
            left.text(
                place,
                1.0,
                STOPS[name],
                ha="right",
                va="bottom",
                transform=left.get_xaxis_transform(),
            )
    ways = runs(names, ("forward", "backward"))
    left.set_xticks([np.mean(places) for _, places in ways], [way for way, _ in ways])
    floors = np.cumsum([np.zeros(len(moments)), *layers], axis=0)
    ends = [places[-1] for way, places in ways]
    spots = {
        "gradients": (ends[-1], 0.2, "right"),
        "optimizer": (ends[-2], 0.45, "right"),
    }
    for kind, floor, heights in zip(kinds, floors, layers, strict=False):
        place, share, side = spots.get(kind, (ends[-2], 0.35, "center"))
        height = floor[place] + share * heights[place]
        left.text(place, height, kind, ha=side, va="center", fontsize=10)
    left.set(
        xlabel="two training steps", ylabel="held [GB]", xlim=(0, len(moments) - 1)
    )
    weights, cache = (size / 1e9 for size in written)
    right.stackplot(
        [0, context],
        [[weights, weights], [0, cache]],
        colors=(TINTS[0], TINTS[3]),
        edgecolor=INK,
        linewidth=0.8,
    )
    right.text(context / 2, weights / 2, "weights", ha="center", va="center")
    right.text(context / 2, weights + cache + 0.1, "cache", ha="center", va="bottom")
    right.set(xlabel="tokens written", xlim=(0, context))
    right.set_xticks([0, context], ["0", f"{context:,}"])
    plt.show()


def runs(names: Sequence[str], wanted: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Return each run of a wanted name, and the places that it takes."""
    found: list[tuple[str, list[int]]] = []
    for place, name in enumerate(names):
        if name in wanted:
            if place == 0 or names[place - 1] != name:
                found.append((name, []))
            found[-1][1].append(place)
    return found


def draw_valleys(
    sizes: ArrayLike,
    losses: Mapping[str, ArrayLike],
    *,
    trained: float,
):
    """Show the loss over the size of a model at one budget, by several fits.

    Args:
        sizes: Numbers of parameters.
        losses: A name and the loss at each size.
        trained: The size of the model that was trained with that budget.
    """
    _, axes = plt.subplots()
    line_plot(
        axes,
        sizes,
        losses,
        x_label="parameters",
        y_label="loss [nats per token]",
        direct=False,
    )
    for curve, color in zip(losses.values(), COLORS, strict=False):
        curve = to_numpy(curve)
        best = curve.argmin()
        axes.plot(to_numpy(sizes)[best], curve[best], "o", color=color)
    axes.axvline(trained, color=INK, lw=1, linestyle=":")
    axes.text(
        trained, 1.0, " Chinchilla", va="top", transform=axes.get_xaxis_transform()
    )
    axes.set_xscale("log")
    ticks = {
        1e9: "1 billion",
        1e10: "10 billion",
        1e11: "100 billion",
        1e12: "1 trillion",
    }
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.set_ylim(top=max(to_numpy(curve).max() for curve in losses.values()) + 0.06)
    axes.legend(loc="upper left")
    plt.show()


def draw_per_token(lengths: ArrayLike, parts: Mapping[str, ArrayLike], d_model: int):
    """Show the operations of a token by part over the length, with both crossings.

    Args:
        lengths: Numbers of positions.
        parts: A name and the operations of each length.
        d_model: Of the layer.
    """
    _, axes = plt.subplots()
    line_plot(
        axes,
        lengths,
        parts,
        x_label="length n [tokens]",
        y_label="million FLOPs per token",
    )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    for factor in (4, 6):
        axes.axvline(factor * d_model, color=INK, lw=1, linestyle=":")
        axes.text(
            factor * d_model,
            1.0,
            f"{factor}d",
            ha="right" if factor == 4 else "left",
            va="bottom",
            transform=axes.get_xaxis_transform(),
        )
    ticks = to_numpy(lengths)[::2]
    axes.set_xticks(ticks, [f"{int(tick)}" for tick in ticks])
    plt.show()


def draw_curves(
    x: Sequence[float],
    curves: Mapping[str, ArrayLike],
    *,
    x_label: str,
    y_label: str,
    base: int = 2,
):
    """Show measured curves over a quantity that doubles, both axes in equal factors.

    Args:
        x: What doubles.
        curves: A name and what was measured.
        x_label: What doubles, with its unit.
        y_label: What was measured, with its unit.
        base: Of the ticks of the vertical axis.
    """
    _, axes = plt.subplots()
    line_plot(axes, x, curves, x_label=x_label, y_label=y_label, direct=False)
    for line, marker in zip(axes.lines, MARKERS, strict=False):
        line.set_marker(marker)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=base)
    axes.set_xticks(x, [f"{int(tick)}" for tick in x])
    axes.legend(loc="best")
    plt.show()


def draw_budgets(nats: Mapping[str, Mapping[int, Sequence[float]]], *, baseline: float):
    """Show what budgets reach at each width: a dot a seed, a line of means.

    Args:
        nats: For each budget and each width, the cross-entropy of each seed.
        baseline: That of one who knows only how often each letter comes.
    """
    _, axes = plt.subplots()
    for (name, curve), color, style in zip(
        nats.items(), COLORS, LINE_STYLES, strict=False
    ):
        for width, seeds in curve.items():
            axes.plot([width] * len(seeds), seeds, "o", color=color, alpha=0.6)
        means = [np.mean(seeds) for seeds in curve.values()]
        axes.plot(list(curve), means, color=color, linestyle=style, label=name)
    widths = sorted({width for curve in nats.values() for width in curve})
    axes.axhline(baseline, color=INK, lw=1, linestyle=":")
    axes.text(widths[0], baseline, "letter counts alone", va="bottom")
    axes.set_xscale("log", base=2)
    axes.set_xticks(widths, [str(width) for width in widths])
    axes.set(xlabel="width of the model, $d$", ylabel="held-out nats per letter")
    axes.legend(loc="best")
    plt.show()

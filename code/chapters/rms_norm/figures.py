"""Figures of the chapter on RMSNorm."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import line_plot, range_plot, to_numpy
from chapters.start import BLUE, COLORS, GREEN, INK, LINE_STYLES, ORANGE, PAPER

MARKERS = ("o", "s", "^", "D")


def draw_norms(vector: ArrayLike, norms: Mapping[str, ArrayLike]):
    """Show a vector with its mean, and what each norm makes of it, a bar a feature.

    Args:
        vector: Its features.
        norms: A name, and the features behind the norm.
    """
    _, panels = plt.subplots(1, 1 + len(norms), figsize=(7.2, 2.3))
    rows = {"a vector": to_numpy(vector)}
    rows |= {name: to_numpy(row) for name, row in norms.items()}
    for axes, (title, row) in zip(panels, rows.items(), strict=True):
        features = np.arange(1, len(row) + 1)
        bars = axes.bar(features, row, 0.7, color=GREEN if axes is panels[0] else BLUE)
        names = [f"{round(float(x), 2):g}".replace("-", "\N{MINUS SIGN}") for x in row]
        clear = {"fc": PAPER, "ec": "none", "pad": 0.5}
        axes.bar_label(bars, names, padding=2, fontsize=9, bbox=clear)
        axes.axhline(0, color=INK, lw=1)
        axes.set(title=title, xticks=features, xlabel="feature", yticks=[])
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.tick_params(axis="x", length=0)
        axes.margins(y=0.2)
    first, second, *others = panels
    for axes in others:
        axes.sharey(second)
    mean = rows["a vector"].mean()
    first.axhline(mean, color=ORANGE, ls=":", lw=2, zorder=0)
    first.text(0.6, mean, "mean", color=ORANGE, va="bottom")
    plt.show()


def draw_stream():
    """Show who writes to the residual stream of a pre-norm model, and who reads it."""
    _, axes = plt.subplots(figsize=(7.2, 2.8))
    top, low = 2.0, 0.3
    add_arrow(axes, (0, top), (11.6, top))
    for x, height, text, color in (
        (0, top, "embedding", ORANGE),
        (8.0, top, "+", INK),
        (9.6, top, "norm", BLUE),
        (11.6, top, "output\nmap", GREEN),
        (1.9, low, "norm", BLUE),
        (4.1, low, "first\nmaps", GREEN),
        (6.1, low, "rest", INK),
        (8.0, low, "last\nmap", ORANGE),
    ):
        lines = text.split("\n")
        width = 0.3 if text == "+" else 0.24 * max(map(len, lines)) + 0.3
        size = {"width": width, "height": 0.15 + 0.24 * len(lines)}
        add_box(axes, text, (x, height), **size, color=color)
    for start, end in ((2.6, 3.25), (4.9, 5.35), (6.8, 7.25)):
        add_arrow(axes, (start, low), (end, low))
    add_arrow(axes, (1.9, top), (1.9, low + 0.3))
    add_arrow(axes, (8.0, low + 0.4), (8.0, top - 0.3))
    axes.text(4.9, top + 0.12, "residual stream", color=INK, ha="center")
    axes.text(5.0, 1.25, "for each sublayer", color=INK, ha="center")
    axes.set(xlim=(-1.4, 12.6), ylim=(-0.2, 2.5))
    hide_axes(axes)
    plt.show()


def draw_shift(shifts: ArrayLike, rms: ArrayLike, layer: ArrayLike):
    """Show what becomes of each feature when a number is added to all of them.

    Args:
        shifts: The numbers that are added.
        rms: One row for each shift: what RMSNorm makes of the features.
        layer: One row for each shift: what LayerNorm makes of them.
    """
    _, axes = plt.subplots(1, 2, figsize=(7.2, 3.2), sharey=True)
    for panel, title, rows in zip(
        axes, ("RMSNorm", "LayerNorm"), (rms, layer), strict=True
    ):
        names = [f"feature {i}" for i in range(1, np.shape(rows)[1] + 1)]
        curves = dict(zip(names, to_numpy(rows).T, strict=True))
        labels = {"x_label": "added number", "y_label": ""}
        line_plot(panel, shifts, curves, direct=False, **labels)
        panel.get_legend().remove()
        panel.set_title(title)
    axes[0].set_ylabel("normalized feature")
    lines, names = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(lines, names, loc="outside upper center", ncols=4)
    plt.show()


def draw_eps(scales: ArrayLike, curves: Mapping[str, ArrayLike]):
    """Show the r.m.s. of the output over that of the input, on logarithmic axes.

    Args:
        scales: The r.m.s. of the input.
        curves: A name, and the r.m.s. of the output.
    """
    _, axes = plt.subplots()
    labels = {"x_label": "r.m.s. of the input", "y_label": "r.m.s. of the output"}
    line_plot(axes, scales, curves, direct=False, **labels)
    axes.set(xscale="log", yscale="log")
    plt.show()


def draw_directions(
    rises: Mapping[str, ArrayLike], *, mean: float, names: Mapping[int, str]
):
    """Show how much the loss rises without each of many directions.

    Args:
        rises: A kind of direction, and the rise of the loss for each of them.
        mean: That without the mean.
        names: What to call some directions of the last kind, by number.
    """
    _, axes = plt.subplots(figsize=(7.2, 2.9))
    scatter = np.random.default_rng(0)
    for row, found in enumerate(rises.values()):
        found = to_numpy(found)
        heights = row + scatter.uniform(-0.28, 0.28, len(found))
        axes.plot(found, heights, ".", color=(BLUE, GREEN)[row], ms=4, alpha=0.6)
    for number, name in names.items():
        axes.annotate(
            name,
            (found[number], heights[number]),
            xytext=(0, 7),
            textcoords="offset points",
            ha="right",
            fontsize=9,
        )
    axes.axvline(mean, color=ORANGE, lw=2)
    axes.text(mean, -0.62, " the mean", color=ORANGE, va="center")
    axes.set_xscale("symlog", linthresh=0.5, linscale=1.4)
    ticks = (-0.2, 0, 0.2, 0.5, 1, 2, 5, 10)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(rises)), list(rises))
    axes.set(xlim=(-0.3, 12), ylim=(len(rises) - 0.4, -0.85))
    axes.set_xlabel("rise of the loss without it, nats")
    plt.show()


def draw_gains(gains: ArrayLike, feature: int):
    """Show the gains of all features, layer by layer, and those of one of them.

    Args:
        gains: A row of sizes for each layer.
        feature: The one that stands out.
    """
    gains = to_numpy(gains)
    others = np.delete(gains, feature, axis=1)
    layers = np.arange(1, len(gains) + 1)
    _, axes = plt.subplots(figsize=(7.2, 3.2))
    low, middle, high = np.quantile(others, (0.01, 0.5, 0.99), axis=1)
    axes.fill_between(layers, low, high, color=BLUE, alpha=0.25, lw=0)
    axes.plot(layers, middle, color=BLUE, label="median of the others")
    axes.plot(
        layers, gains[:, feature], "o-", color=ORANGE, ms=4, label=f"feature {feature}"
    )
    axes.set(yscale="log", xlabel="layer", ylabel="size of the gain")
    axes.set(xticks=(1, 5, 10, 15, 20, 25, 30))
    axes.figure.legend(loc="outside upper center", ncols=2)
    plt.show()


def draw_results(panels: Mapping[str, Mapping[str, Sequence[float]]]):
    """Show the results of trainings, a panel for each budget and a dot for each seed.

    Args:
        panels: A title, and for each kind of norm the results of its seeds.
    """
    _, grid = plt.subplots(1, len(panels), figsize=(7.2, 2.8), sharex=True, sharey=True)
    for axes, (title, results) in zip(grid, panels.items(), strict=True):
        range_plot(axes, results, x_label="nats per letter, held out")
        axes.set_title(title)
    plt.show()


def draw_mean_shares(shares: Mapping[str, ArrayLike], *, random: float):
    """Show the share of the mean in the mean square, norm by norm.

    Args:
        shares: A name, and one row of shares for each seed.
        random: The expected share of a random vector.
    """
    _, axes = plt.subplots()
    styles = zip(COLORS, LINE_STYLES, MARKERS, strict=True)
    for (name, rows), (color, style, mark) in zip(shares.items(), styles, strict=False):
        rows = to_numpy(rows)
        mean, places = rows.mean(axis=0), np.arange(1, rows.shape[1] + 1)
        spread = (mean - rows.min(axis=0), rows.max(axis=0) - mean)
        axes.errorbar(
            places, mean, yerr=spread, color=color, linestyle=style, marker=mark
        )
        axes.plot([], [], color=color, linestyle=style, marker=mark, label=name)
    axes.axhline(random, color=INK, lw=1, linestyle=":", label="random vector")
    axes.set(xlabel="norm, from the first to the final one", xticks=places)
    axes.set_ylabel("share of the mean")
    axes.set_ylim(0, None)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    plt.show()


def draw_times(panels: Mapping[str, Mapping[str, Sequence[float]]]):
    """Show ratios of times on a logarithmic axis, one dot for each shape.

    Args:
        panels: A title, and for each norm its time divided by that of the reference.
    """
    _, grid = plt.subplots(1, len(panels), figsize=(7.2, 2.6), sharey=True)
    for axes, (title, ratios) in zip(grid, panels.items(), strict=True):
        for row, (name, values) in enumerate(ratios.items()):
            color = GREEN if name.startswith("RMS") or "rms" in name else BLUE
            heights = np.full(len(values), row)
            axes.plot(to_numpy(values), heights, "o", color=color, alpha=0.7)
        mark_ratios(axes, list(ratios))
        axes.set_title(title)
    plt.show()


def mark_ratios(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows, and let equal factors be equal steps."""
    axes.set(xscale="log", xlabel="time (F.layer_norm = 1)")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.axvline(1, color=INK, lw=1, linestyle=":")
    ticks = [tick for tick in (1, 2, 5, 10, 20, 50) if tick <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()

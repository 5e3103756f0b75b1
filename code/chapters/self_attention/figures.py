"""Figures of the chapter on self-attention."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import Polygon, Rectangle
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, hide_axes
from chapters.shared.plots import heat_map, line_plot, to_numpy
from chapters.start import BLUE, GREEN, INK, ORANGE


def draw_two_banks(before: Mapping[str, ArrayLike], after: Mapping[str, ArrayLike]):
    """Show how a word's vector moves toward its company.

    Args:
        before: A vector (water, money) for each word.
        after: Where the ambiguous word goes; a label and a vector for each phrase.
    """
    _, axes = plt.subplots(figsize=(5.2, 4.2))
    for word, vector in before.items():
        axes.annotate(
            "",
            vector,
            (0, 0),
            arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 2, "shrinkB": 0},
        )
        axes.annotate(
            word, vector, xytext=(8, 4), textcoords="offset points", color=INK
        )
    bank = before["bank"]
    for (label, vector), color in zip(after.items(), (BLUE, ORANGE), strict=True):
        axes.annotate(
            "",
            vector,
            bank,
            arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2, "ls": "--"},
        )
        axes.plot(*vector, "o", color=color)
        axes.annotate(
            label, vector, xytext=(10, 2), textcoords="offset points", color=color
        )
    axes.set(
        xlabel="feature 1: water",
        ylabel="feature 2: money",
        xlim=(-0.1, 2.9),
        ylim=(-0.1, 2.4),
        aspect="equal",
    )
    plt.show()


def draw_data_flow(
    words: Sequence[str],
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    weights: ArrayLike,
    output: ArrayLike,
):
    """Show attention as a flow, with a frame around the last word, which asks.

    Args:
        words: The words of the phrase, one for each row.
        query: A query for each word, one feature.
        key: A key for each word, one feature.
        value: A value for each word.
        weights: The weights, rows = words that ask.
        output: What each word receives.
    """
    scores = to_numpy(query) @ to_numpy(key).T
    low, middle, high = 0.5, 1.75, 3.0
    stages = (
        ("queries", query, 0, (0.6, high), 0.6, "above"),
        ("keys", key, 0, (0.6, low), 0.6, "below"),
        ("scores", scores, 0, (2.3, middle), 1.5, "above"),
        ("weights", weights, 2, (5.4, middle), 1.9, "above"),
        ("values", value, 0, (8.5, high), 1.3, "above"),
        ("outputs", output, 2, (8.5, low), 1.3, "below"),
    )
    _, axes = plt.subplots(figsize=(7.2, 3.6))
    hide_axes(axes)
    axes.set(xlim=(-0.4, 9.9), ylim=(0.0, 5.0))
    height = 1.5 / len(words)
    for name, matrix, decimals, (x, y), width, side in stages:
        numbers = to_numpy(matrix)
        panel = axes.inset_axes((x, y, width, 1.5), transform=axes.transData)
        names = {"row_label": "", "column_label": ""}
        limit = max(float(np.abs(numbers).max()), 1.0)
        heat_map(panel, numbers, limit=limit, decimals=decimals, **names)
        for text, number in zip(panel.texts, numbers.flat, strict=True):
            text.set(fontsize=9, label=f"{round(number, 2):g}".removeprefix("0") or "0")
        panel.set(xticks=[], yticks=[])
        panel.spines[:].set_visible(True)
        if name not in ("keys", "values"):
            frame = {"fill": False, "edgecolor": ORANGE, "lw": 2.5, "clip_on": False}
            last = (-0.5, len(words) - 1.5)
            panel.add_patch(Rectangle(last, numbers.shape[1], 1, zorder=5, **frame))
        place, align = (y + 1.55, "bottom") if side == "above" else (y - 0.08, "top")
        axes.text(x + width / 2, place, name, ha="center", va=align)
    for row, word in enumerate(words):
        for y in (high, low):
            place = y + 1.5 - (row + 0.5) * height
            axes.text(0.5, place, word, ha="right", va="center", fontsize=9)
    for start, end in (
        ((1.3, 3.6), (2.2, 2.85)),
        ((1.3, 1.4), (2.2, 2.15)),
        ((3.9, 2.5), (5.3, 2.5)),
        ((7.4, 2.2), (8.4, 1.4)),
        ((9.15, 2.95), (9.15, 2.05)),
    ):
        add_arrow(axes, start, end)
    axes.text(4.6, 2.6, "softmax", ha="center", va="bottom", fontsize=9)
    plt.show()


def draw_meanings(same: ArrayLike, different: ArrayLike):
    """Show how alike the vectors of one word are, after each layer of a model.

    Args:
        same: The mean cosine of two vectors in sentences of one meaning.
        different: The same for sentences of two meanings.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.2))
    axes.axvspan(4, 8, color="#e8eef4", lw=0)
    line_plot(
        axes,
        np.arange(len(to_numpy(same))),
        {"same meaning": same, "different meanings": different},
        x_label="layers read",
        y_label="cosine of two banks",
        direct=False,
    )
    axes.set_ylim(0.6, 1.02)
    plt.show()


def draw_looks(sentences: Sequence[Sequence[tuple[str, float]]]):
    """Show how much weight the last word of each sentence gives every word.

    Args:
        sentences: For each sentence its words and their weights.
    """
    _, panels = plt.subplots(1, len(sentences), figsize=(7.2, 3.0), sharex=True)
    for panel, looks in zip(panels, sentences, strict=True):
        words, weights = zip(*looks, strict=True)
        colors = [ORANGE if weight == max(weights) else BLUE for weight in weights]
        bars = panel.barh(range(len(words)), weights, color=colors)
        panel.bar_label(bars, fmt="%.2f", padding=4, fontsize=9)
        panel.set_yticks(range(len(words)), words)
        panel.invert_yaxis()
        panel.set(xlabel="weight", xlim=(0, 0.75))
    plt.show()


def draw_hull(values: ArrayLike, outputs: ArrayLike):
    """Show that each output lies inside the polygon of the values."""
    values, outputs = to_numpy(values), to_numpy(outputs)
    _, axes = plt.subplots(figsize=(4.6, 4.2))
    axes.add_patch(Polygon(values, facecolor="#e8eef4", edgecolor=INK, lw=1))
    shown = (("values", values, BLUE, "s"), ("outputs", outputs, ORANGE, "o"))
    for name, points, color, marker in shown:
        axes.plot(
            *points.T, marker, color=color, markersize=8, linestyle="none", label=name
        )
        for i, point in enumerate(points, start=1):
            axes.annotate(
                str(i), point, xytext=(7, 5), textcoords="offset points", color=color
            )
    axes.legend(loc="lower left")
    axes.set(
        xlabel="feature 1",
        ylabel="feature 2",
        xlim=(-0.1, 1.2),
        ylim=(-0.1, 1.2),
        aspect="equal",
    )
    plt.show()


def draw_saturation(
    sizes: Sequence[int],
    entropies: Mapping[str, ArrayLike],
    sensitivities: Mapping[str, ArrayLike],
    *,
    highest: float,
):
    """Show entropy and sensitivity of softmax over d_k, with and without scaling."""
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.1))
    line_plot(
        left,
        sizes,
        entropies,
        x_label="$d_k$",
        y_label="entropy of the weights (nats)",
        direct=False,
    )
    left.axhline(highest, color=INK, lw=1)
    left.annotate(
        "uniform weights",
        (sizes[0], highest),
        xytext=(0, 4),
        textcoords="offset points",
    )
    left.set_ylim(0, highest * 1.18)
    line_plot(
        right,
        sizes,
        sensitivities,
        x_label="$d_k$",
        y_label="trace of the Jacobian",
        direct=False,
    )
    right.set_ylim(0, 1.1)
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.minorticks_off()
        axes.lines[0].set_marker("o")
        axes.lines[1].set_marker("s")
        axes.legend(loc="center right")
    plt.show()


def draw_recall(curves: Mapping[str, Sequence[ArrayLike]], *, chance: float):
    """Show the training losses of several seeds for each variant."""
    _, axes = plt.subplots()
    styles = ((BLUE, "solid"), (ORANGE, "dashed"), (GREEN, "dashdot"))
    styles = styles[: len(curves)]
    for (name, runs), (color, style) in zip(curves.items(), styles, strict=True):
        for i, losses in enumerate(runs):
            axes.plot(
                np.arange(1, len(losses) + 1),
                losses,
                color=color,
                linestyle=style,
                lw=1.5,
                label=name if i == 0 else None,
            )
    axes.axhline(chance, color=INK, lw=1)
    axes.annotate(
        "guessing",
        (1, chance),
        xycoords=("axes fraction", "data"),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
    )
    axes.set(
        xlabel="training step", ylabel="loss (nats)", ylim=(0, None), xlim=(0, None)
    )
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(curves))
    plt.show()


def draw_rank_collapse(curves: Mapping[str, ArrayLike]):
    """Show, layer by layer, what is left after the mean token is removed."""
    _, axes = plt.subplots()
    depth = len(next(iter(curves.values())))
    line_plot(
        axes,
        np.arange(depth),
        curves,
        x_label="attention layers applied",
        y_label="difference between tokens",
        direct=False,
    )
    for line, marker in zip(axes.lines, "os", strict=True):
        line.set_marker(marker)
    axes.set_ylim(0, 1.05)
    plt.show()


def draw_equivariance(first: ArrayLike, second: ArrayLike, *, rows: Sequence[str]):
    """Show the outputs of a sentence and of it read backward; frame the first word."""
    _, axes = plt.subplots(1, 2, figsize=(7.2, 2.6), sharex=True)
    limit = float(max(np.abs(to_numpy(x)).max() for x in (first, second)))
    order = (range(len(rows)), range(len(rows) - 1, -1, -1))
    for panel, matrix, names in zip(axes, (first, second), order, strict=True):
        heat_map(
            panel,
            matrix,
            kind="diverging",
            limit=limit,
            rows=[rows[i] for i in names],
            row_label="",
            column_label="feature of the output",
        )
        frame = {"fill": False, "edgecolor": INK, "lw": 2, "clip_on": False}
        corner = (-0.5, names.index(0) - 0.5)
        panel.add_patch(Rectangle(corner, to_numpy(matrix).shape[1], 1, **frame))
    plt.show()

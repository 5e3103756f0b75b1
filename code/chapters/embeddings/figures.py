"""Figures of the chapter on tokens and embeddings."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import heat_map, line_plot, to_numpy
from chapters.start import BLUE, COLORS, DIVERGING, INK, LINE_STYLES, ORANGE, PAPER

LIGHT = "#dfe5ea"
MARKERS = ("o", "s", "^", "D")
STEP = 1.45  # from one column of a diagram to the next


def draw_path(pieces: Sequence[str], ids: Sequence[int], vectors: ArrayLike):
    """Show a text on its way: tokens, their ids, and a vector for each.

    Args:
        pieces: The tokens.
        ids: Their ids.
        vectors: A row for each token.
    """
    vectors = to_numpy(vectors)
    limit, d = np.abs(vectors).max(), vectors.shape[1]
    _, axes = plt.subplots(figsize=(7.2, 3.6))
    for column, (piece, id) in enumerate(zip(pieces, ids, strict=True)):
        x = STEP * column
        add_box(axes, piece, (x, 2.0), width=1.0)
        add_arrow(axes, (x, 1.72), (x, 1.28))
        add_box(axes, str(id), (x, 1.0), width=1.0, color=BLUE)
        add_arrow(axes, (x, 0.72), (x, 0.3))
        for j, number in enumerate(vectors[column]):
            color = DIVERGING(0.5 + 0.5 * number / limit)
            cell = (x - 0.5, 0.0 - 0.26 * j)
            axes.add_patch(plt.Rectangle(cell, 1.0, 0.26, fc=color, ec=INK, lw=0.5))
    words = {"tokens": 2.0, "ids": 1.0, "vectors": 0.13 - 0.13 * (d - 1)}
    for name, height in words.items():
        axes.text(-2.1, height, name, va="center")
    right = STEP * (len(pieces) - 1) + 0.75
    axes.set(xlim=(-2.2, right), ylim=(-0.26 * d + 0.1, 2.35))
    hide_axes(axes)
    plt.show()


def draw_merges(sizes: ArrayLike, lengths: Mapping[str, ArrayLike]):
    """Show how many tokens a word needs as the vocabulary grows.

    Args:
        sizes: Of the vocabulary.
        lengths: A name and the tokens per word at each size.
    """
    _, axes = plt.subplots()
    names = {"x_label": "pieces in the vocabulary", "y_label": "tokens per word"}
    line_plot(axes, sizes, lengths, direct=False, **names)
    axes.axhline(1, color=INK, lw=1, linestyle=":")
    axes.set_ylim(0, None)
    plt.show()


def draw_batch(rows: Sequence[Sequence[str]], *, padding: str):
    """Show sequences of different lengths in one matrix, the padding in grey.

    Args:
        rows: What stands at each place; all rows of one length.
        padding: The word for padding.
    """
    _, axes = plt.subplots(figsize=(7.2, 0.55 * len(rows) + 0.4))
    for r, row in enumerate(rows):
        for t, word in enumerate(row):
            color = LIGHT if word == padding else PAPER
            axes.add_patch(plt.Rectangle((t, -r), 1, 1, fc=color, ec=INK, lw=1))
            special = ORANGE if word.startswith("<") and word != padding else INK
            axes.text(t + 0.5, 0.5 - r, word, ha="center", va="center", color=special)
    axes.set(xlim=(-0.05, len(rows[0]) + 0.05), ylim=(0.95 - len(rows), 1.05))
    hide_axes(axes)
    plt.show()


def draw_look_up(one_hot: ArrayLike, table: ArrayLike, names: Sequence[str]):
    """Show that one-hot rows times a table pick rows of the table.

    Args:
        one_hot: A row for each position.
        table: A row for each token.
        names: The token of each row of the table.
    """
    one_hot, table = to_numpy(one_hot), to_numpy(table)
    limit = np.abs(table).max()
    widths = {"width_ratios": [one_hot.shape[1], table.shape[1], table.shape[1]]}
    _, panels = plt.subplots(1, 3, figsize=(7.2, 3.0), gridspec_kw=widths)
    feature = {"column_label": "feature", "kind": "diverging", "limit": limit}
    heat_map(
        panels[0],
        one_hot,
        title="one-hot",
        columns=names,
        row_label="position",
        column_label="token",
        decimals=0,
    )
    look = {"decimals": 1, **feature}
    heat_map(panels[1], table, title="table", rows=names, row_label="token", **look)
    found = one_hot @ table
    heat_map(panels[2], found, title="product", row_label="position", **look)
    for axes, rows in zip(panels, (one_hot, table, found), strict=True):
        if axes is not panels[1]:
            axes.set_yticks(range(len(rows)))
    plt.show()


def draw_shares(counts: Mapping[str, tuple[int, int]]):
    """Show how many parameters of a model stand in its tables.

    Args:
        counts: A name, the parameters in tables and those of the whole model.
    """
    _, axes = plt.subplots(figsize=(6.4, 0.5 * len(counts) + 1.0))
    for row, (inside, total) in enumerate(counts.values()):
        share = 100 * inside / total
        axes.barh(row, share, color=BLUE)
        text = f"{share:.0f} % of {total / 1e6:,.0f} million"
        axes.text(share + 1, row, text, va="center")
    axes.set_yticks(range(len(counts)), list(counts))
    label = "parameters in embedding and output matrices (%)"
    axes.set(xlabel=label, xlim=(0, 75), ylim=(len(counts) - 0.4, -0.6))
    plt.show()


def draw_sums(tables: Mapping[str, ArrayLike], waves: ArrayLike):
    """Show embeddings plus sinusoids, a panel for each size of the embeddings.

    Args:
        tables: A name and the vectors of a text, (time, features).
        waves: The encoding of each position, of the same shape.
    """
    waves = to_numpy(waves)
    panels = {"waves alone": waves}
    panels |= {name: to_numpy(vectors) + waves for name, vectors in tables.items()}
    _, all_axes = plt.subplots(1, len(panels), figsize=(7.2, 3.0), sharey=True)
    look = {"kind": "diverging", "limit": 2.0, "column_label": "feature"}
    for axes, (name, numbers) in zip(all_axes, panels.items(), strict=True):
        label = "position" if axes is all_axes[0] else ""
        heat_map(axes, numbers, title=name, row_label=label, **look)
    plt.show()


def draw_rates(panels: Mapping[str, Mapping[str, Mapping[float, float]]]):
    """Show losses over the learning rate, a panel for each number of steps.

    Args:
        panels: A title, and for each name the loss at each rate that was tried.
    """
    _, grid = plt.subplots(1, len(panels), figsize=(7.2, 3.6), sharey=True)
    for axes, (title, curves) in zip(grid, panels.items(), strict=True):
        styles = zip(COLORS, LINE_STYLES, MARKERS, strict=True)
        for (name, losses), (color, style, mark) in zip(
            curves.items(), styles, strict=False
        ):
            look = {"color": color, "linestyle": style, "marker": mark}
            axes.plot(*zip(*sorted(losses.items()), strict=True), label=name, **look)
        rates = sorted({rate for losses in curves.values() for rate in losses})
        axes.set(title=title, xscale="log", xlabel="learning rate")
        axes.set_xticks(rates, [f"{rate:g}" for rate in rates], fontsize=9)
        axes.minorticks_off()
    grid[0].set_ylabel("nats per letter")
    names = axes.get_legend_handles_labels()
    axes.figure.legend(*names, loc="outside upper center", ncols=4)
    plt.show()


def draw_kinship(matrices: Mapping[str, ArrayLike], *, letters: str, vowels: int):
    """Show the cosine of each two letters, a panel for each name.

    Args:
        matrices: A name and the cosines.
        letters: The letter of each row, the vowels first.
        vowels: How many of them are vowels.
    """
    _, panels = plt.subplots(1, len(matrices), figsize=(7.2, 3.8), squeeze=False)
    look = {"kind": "diverging", "limit": 1.0, "row_label": "", "column_label": ""}
    names = {"rows": list(letters), "columns": list(letters)}
    for axes, (name, matrix) in zip(panels[0], matrices.items(), strict=True):
        heat_map(axes, matrix, title=name, **look, **names)
        axes.axhline(vowels - 0.5, color=INK, lw=1)
        axes.axvline(vowels - 0.5, color=INK, lw=1)
        axes.tick_params(length=0, labelsize=9)
    plt.show()

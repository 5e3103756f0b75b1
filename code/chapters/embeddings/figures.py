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
KINDS = (*zip(COLORS, MARKERS, strict=True), (INK, "v"))  # how words are drawn
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


def draw_merging(stages: Mapping[str, Mapping[str, Sequence[str]]], *, new: Sequence):
    """Show how merges make longer pieces of the same words, stage under stage.

    Args:
        stages: A name, and the pieces of each word at that stage.
        new: The piece that each stage has made, or None.
    """
    widest = max(len(word) for words in stages.values() for word in words)
    _, axes = plt.subplots(figsize=(7.2, 0.75 * len(stages) + 0.5))
    for row, (words, made) in enumerate(zip(stages.values(), new, strict=True)):
        for column, pieces in enumerate(words.values()):
            place = column * (widest + 1.0)
            for piece in pieces:
                color = ORANGE if piece == made else INK
                look = {"fc": LIGHT if len(piece) > 1 else PAPER, "ec": color}
                corner, width = (place + 0.06, 0.2 - row), len(piece) - 0.12
                axes.add_patch(plt.Rectangle(corner, width, 0.6, lw=1.5, **look))
                middle = place + len(piece) / 2
                axes.text(
                    middle, 0.5 - row, piece, ha="center", va="center", color=color
                )
                place += len(piece)
    for row, name in enumerate(stages):
        axes.text(-0.4, 0.5 - row, name, ha="right", va="center")
    right = len(words) * (widest + 1.0) - 1.0
    for column, word in enumerate(words):
        axes.text(column * (widest + 1.0) + len(word) / 2, 1.1, word, ha="center")
    axes.set(xlim=(-4.2, right + 0.1), ylim=(1.1 - len(stages), 1.5))
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


def draw_company(panels: Mapping[str, ArrayLike], words: Sequence[str]):
    """Show the rows of a table as points of a plane, before training and after.

    Words that lie together in the last panel are drawn alike in all of them, and share
    a label there.

    Args:
        panels: A title, and the rows.
        words: The word of each row.
    """
    _, all_axes = plt.subplots(1, len(panels), figsize=(7.2, 3.6))
    together = lying_together(to_numpy([*panels.values()][-1]))
    alone = [[place] for group in together for place in group]
    styles = dict(zip(map(tuple, together), KINDS, strict=False))
    for axes, (title, rows) in zip(all_axes, panels.items(), strict=True):
        rows = to_numpy(rows)
        axes.axhline(0, color=LIGHT, lw=1, zorder=0)
        axes.axvline(0, color=LIGHT, lw=1, zorder=0)
        for group, (color, mark) in styles.items():
            axes.plot(*rows[list(group)].T, mark, color=color, markersize=6)
        for group in together if axes is all_axes[-1] else alone:
            top = rows[group][rows[group][:, 1].argmax()]
            names = "\n".join(words[place] for place in group)
            look = {"textcoords": "offset points", "va": "bottom", "ha": "center"}
            axes.annotate(names, top, xytext=(0, 5), fontsize=10, **look)
        low, high = rows.min(axis=0), rows.max(axis=0)
        margin = 0.15 * (high - low)
        axes.set(title=title, xlabel="feature 1", ylabel="feature 2")
        axes.set_xlim(low[0] - margin[0], high[0] + margin[0])
        axes.set_ylim(low[1] - margin[1], high[1] + 2.5 * margin[1])
    plt.show()


def lying_together(rows: np.ndarray) -> list[list[int]]:
    """Return the places of rows in groups: who has a near neighbor joins its group."""
    near = np.linalg.norm(rows[:, None] - rows, axis=-1) < np.ptp(rows) / 6
    groups: list[list[int]] = []
    for place in range(len(rows)):
        joined = [group for group in groups if near[place, group].any()]
        groups = [group for group in groups if group not in joined]
        groups.append([*(other for group in joined for other in group), place])
    return groups


def draw_relatives(cosines: ArrayLike, words: Sequence[str], ends: Sequence[int]):
    """Show the cosines of the rows of words, with lines where a kind of word ends.

    Args:
        cosines: One row for each word, and one column in the same order.
        words: The words, kind after kind.
        ends: How many words come before each line.
    """
    cosines = to_numpy(cosines)
    _, axes = plt.subplots(figsize=(5.6, 5.2))
    names = {"rows": words, "row_label": "", "column_label": "the same words"}
    heat_map(axes, cosines.clip(0), limit=1.0, **names)
    axes.tick_params(length=0, labelsize=9)
    axes.set_xticks([])
    for end in ends:
        axes.axhline(end - 0.5, color=INK, lw=1)
        axes.axvline(end - 0.5, color=INK, lw=1)
    axes.figure.colorbar(axes.images[0], ax=axes, label="cosine", shrink=0.6)
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

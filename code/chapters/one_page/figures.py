"""Figures of the chapter on the whole machine on one page."""

import ast
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import heat_map
from chapters.start import BLUE, GREEN, INK, ORANGE, PURPLE

REST = "#767676"
# The parts of the file, and the color that each has in both panels.
PARTS = {
    "sinusoids": PURPLE,
    "Attention": BLUE,
    "FeedForward": ORANGE,
    "EncoderLayer": GREEN,
    "DecoderLayer": GREEN,
    "Transformer": INK,
}
# The boxes of the machine: words, column, height and color.
BOXES = (
    ("embed", 0, 1, INK),
    ("+ sinusoids", 0, 2, PURPLE),
    ("Attention", 0, 3.3, BLUE),
    ("FeedForward", 0, 4.3, ORANGE),
    ("embed", 1, 1, INK),
    ("+ sinusoids", 1, 2, PURPLE),
    ("Attention", 1, 3.3, BLUE),
    ("Attention", 1, 4.3, BLUE),
    ("FeedForward", 1, 5.3, ORANGE),
    ("@ embedding", 1, 6.6, INK),
)
APART = 3.0  # between the two columns


def spans(text: str) -> dict[str, tuple[int, int]]:
    """Return the first and the last line of each class and function of a file."""
    kinds = ast.FunctionDef | ast.ClassDef
    nodes = [node for node in ast.parse(text).body if isinstance(node, kinds)]
    starts = [
        min([node.lineno, *(d.lineno for d in node.decorator_list)]) for node in nodes
    ]
    return {
        node.name: (start, node.end_lineno)
        for node, start in zip(nodes, starts, strict=True)
    }


def draw_map(text: str):
    """Show the lines of the file as a shrunken page, beside the machine they make.

    Args:
        text: The file.
    """
    _, (page, machine) = plt.subplots(
        1, 2, figsize=(7.2, 5.6), gridspec_kw={"width_ratios": (1, 1.15)}
    )
    _draw_page(page, text)
    _draw_machine(machine)
    plt.show()


def _draw_page(axes: Axes, text: str) -> None:
    """Draw each line as a bar, and name the parts with their lines."""
    places, lines = spans(text), text.splitlines()
    colors = {
        number: PARTS.get(name, REST)
        for name, (first, last) in places.items()
        for number in range(first, last + 1)
    }
    for number, line in enumerate(lines, start=1):
        code = line.lstrip()
        bar = (len(line) - len(code), number - 0.35), len(code), 0.7
        axes.add_patch(Rectangle(*bar, color=colors.get(number, REST), lw=0))
    for name, (first, last) in places.items():
        words = f"{name}\n{first} to {last}"
        place = (80, (first + last) / 2)
        axes.text(*place, words, va="center", color=PARTS.get(name, REST), fontsize=9)
        axes.plot((76, 76), (first, last), color=PARTS.get(name, REST), ls="-")
    axes.set(xlim=(0, 130), ylim=(len(lines) + 2, 0), title="the file, line by line")
    hide_axes(axes)


def _draw_machine(axes: Axes) -> None:
    """Draw the boxes of encoder and decoder, each in the color of its lines."""
    for column, top, side, name in (
        (0, 4.85, -1.5, "Encoder"),
        (1, 5.85, 1.5, "Decoder"),
    ):
        frame = (APART * column - 1.25, 2.7), 2.5, top - 2.7
        axes.add_patch(Rectangle(*frame, fill=False, edgecolor=GREEN, lw=2, ls="-"))
        place = (APART * column + side, (2.7 + top) / 2)
        words = {"color": GREEN, "rotation": 90, "ha": "center", "va": "center"}
        axes.text(*place, rf"2 $\times$ {name}Layer", **words)
    for words, column, height, color in BOXES:
        place = (APART * column, height)
        add_box(axes, words, place, width=1.9, height=0.42, color=color)
    for column, stops in ((0, (0.35, 1, 2, 3.3, 4.3)), (1, (0.35, 1, 2, 3.3))):
        _join(axes, column, stops)
    _join(axes, 1, (3.3, 4.3, 5.3, 6.6, 7.4))
    bend = APART / 2
    axes.plot((0, 0, bend, bend), (4.6, 5.6, 5.6, 4.3), color=BLUE, ls="-", zorder=1)
    add_arrow(axes, (bend, 4.3), (APART - 1.03, 4.3), color=BLUE)
    axes.text(0, 5.7, "memory", color=BLUE, ha="center", va="bottom")
    for column, height, words in (
        (0, 0.1, "source"),
        (1, 0.1, "target"),
        (1, 7.6, "logits"),
    ):
        axes.text(APART * column, height, words, ha="center", va="center")
    axes.set(xlim=(-1.8, APART + 1.8), ylim=(-0.2, 7.9), title="the machine")
    hide_axes(axes)


def _join(axes: Axes, column: int, stops: Sequence[float]) -> None:
    """Draw arrows upward from box to box."""
    for low, high in pairwise(stops):
        start = low + (0.15 if low == stops[0] and low < 1 else 0.3)
        end = high - (0.15 if high > 7 else 0.3)
        add_arrow(axes, (APART * column, start), (APART * column, end))


def draw_looks(maps: Mapping[str, ArrayLike], *, rows: str, columns: str):
    """Show where each written sign looks in the source, a panel for each layer.

    Args:
        maps: A name and the weights of each layer.
        rows: The written signs.
        columns: The signs of the source.
    """
    _, panels = plt.subplots(1, len(maps), figsize=(7.2, 3.4))
    for axes, (title, weights) in zip(panels, maps.items(), strict=True):
        heat_map(
            axes,
            weights,
            rows=list(rows),
            columns=list(columns),
            row_label="written",
            column_label="read",
            title=title,
            limit=1.0,
            decimals=1,
        )
    plt.show()


def draw_merge(heads: str, positions: int):
    """Show which position each row holds when heads are merged well and wrongly.

    What a row takes from a later position has a frame.

    Args:
        heads: A letter for each head.
        positions: How many there are.
    """
    places = np.tile(np.arange(positions), (len(heads), 1))
    names = np.array([[f"{head}{place}" for place in places[0]] for head in heads])
    wrong = places.shape[::-1]
    merges = {
        "mixed": (places, names),
        "transpose, flatten": (places.T, names.T),
        "reshape": (places.reshape(wrong), names.reshape(wrong)),
    }
    _, panels = plt.subplots(1, 3, figsize=(7.2, 2.3))
    for axes, (title, (found, words)) in zip(panels, merges.items(), strict=True):
        merged = title != "mixed"
        rows = [f"row {n}" for n in range(positions)] if merged else list(heads)
        labels = {"rows": rows, "row_label": "" if merged else "head"}
        labels |= {"column_label": "" if merged else "position", "title": title}
        heat_map(axes, found + 1, **labels, limit=positions + 1, decimals=0)
        for text, word in zip(axes.texts, words.flat, strict=True):
            text.set_text(word)
        for row, column in np.argwhere(
            merged & (found > np.arange(len(found))[:, None])
        ):
            _frame(axes, row, column)
        if merged:
            axes.set_xticks([])
    plt.show()


def _frame(axes: Axes, row: int, column: int) -> None:
    """Draw a frame around a cell of a heat map."""
    style = {"fill": False, "edgecolor": ORANGE, "lw": 3, "ls": "-", "clip_on": False}
    axes.add_patch(Rectangle((column - 0.46, row - 0.44), 0.92, 0.88, **style))


def draw_continued(weights: ArrayLike, *, rows: str, columns: str):
    """Show where each sign that continues a text looks in all that stands before.

    Args:
        weights: A row for each written sign.
        rows: The written signs.
        columns: The signs that were read.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.6))
    names = {"rows": list(rows), "columns": list(columns)}
    labels = {"row_label": "written", "column_label": "read"}
    heat_map(axes, weights, **names, **labels, limit=1.0, decimals=1)
    plt.show()

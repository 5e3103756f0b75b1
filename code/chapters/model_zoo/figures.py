"""Figures of the chapter on real models."""

from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import Arc
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import heat_map, line_plot, range_plot, to_numpy
from chapters.start import BLUE, GREEN, INK, ORANGE, PAPER, PURPLE

GREY = "#777777"
HALF_BYTES = (("low halves", -0.75), ("high halves", -1.3))  # below their byte
LOWER = -2.4  # the second row of bytes
ENCODER, BOTH, LEFT, DECODER, RIGHT = 1.3, 4.5, 7.3, 8.75, 10.2
# Year, middle and news of each model; the color follows from the column.
TREE = {
    "Transformer": (2017, BOTH, "two stacks, sinusoids"),
    "BERT": (2018, ENCODER, "learned table, GELU"),
    "Marian": (2018, BOTH, "biases"),
    "GPT": (2018, DECODER, "learned table, GELU"),
    "T5 1.0": (2019, BOTH, "RMSNorm, pre-norm,\nrelative bias"),
    "GPT-2": (2019, DECODER, "pre-norm"),
    "MiniLM": (2020, ENCODER, "small, distilled"),
    "T5 1.1": (2020, BOTH, "gated, untied"),
    "GPT-NeoX": (2022, LEFT, "RoPE, parallel"),
    "LLaMA": (2023, RIGHT, "RoPE, RMSNorm,\nSwiGLU"),
    "Mistral": (2023, LEFT, "grouped heads"),
    "Llama 3": (2024, RIGHT, "grouped heads,\nslower angles"),
}
HEIRS = (
    ("Transformer", "BERT"),
    ("Transformer", "Marian"),
    ("Transformer", "GPT"),
    ("BERT", "MiniLM"),
    ("T5 1.0", "T5 1.1"),
    ("GPT", "GPT-2"),
    ("GPT-2", "GPT-NeoX"),
    ("GPT-2", "LLaMA"),
    ("LLaMA", "Mistral"),
    ("LLaMA", "Llama 3"),
)
HALVES = {
    ENCODER: ("encoder alone", BLUE),
    BOTH: ("encoder and decoder", GREEN),
    DECODER: ("decoder alone", ORANGE),
}
WIDE, HIGH, STEP = 2.3, 0.8, 1.25  # of a box, and between two years
TEXTS = {
    "encoder alone": (("the", "[MASK]", "sleeps"), 3),
    "encoder and decoder": (("le", "chat", "dort", "the", "cat", "sleeps"), 3),
    "decoder alone": (("the", "cat", "sleeps"), 0),
}  # in each kind of model, and how many tokens of it the encoder reads


def draw_who_sees_whom():
    """Show for each kind of Transformer which tokens each token of a text sees."""
    _, panels = plt.subplots(1, 3, figsize=(7.2, 2.5), width_ratios=(3, 5, 3))
    for axes, (title, (tokens, source)) in zip(panels, TEXTS.items(), strict=True):
        count = len(tokens)
        sees = np.tril(np.ones((count, count)))
        sees[:source, :source] = 1  # the encoder hides nothing
        places = {"rows": tokens, "columns": tokens}
        labels = {"row_label": "", "column_label": ""}
        heat_map(axes, 0.55 * sees, title=title, limit=1.0, **places, **labels)
        axes.tick_params(axis="x", labelrotation=60)
        axes.tick_params(length=0)
        for line in np.arange(1, count) - 0.5:
            style = {"color": INK if line == source - 0.5 else PAPER, "lw": 1.2}
            axes.axhline(line, linestyle="-", **style)
            axes.axvline(line, linestyle="-", **style)
    plt.show()


def draw_pieces(d_model: int, key_features: int, d_ff: int):
    """Show the matrices of a layer to scale, those of one shape in one color.

    Args:
        d_model: Features of a token.
        key_features: Features of its keys, over all heads that have some.
        d_ff: Units of the feed-forward network.
    """
    square, flat = (d_model, d_model), (key_features, d_model)
    tall, wide = (d_ff, d_model), (d_model, d_ff)
    step = 1.2 * d_model  # from a piece of this width to the next
    _, axes = plt.subplots(figsize=(6.2, 3.3))
    for name, (rows, columns), (x, y), color in (
        ("ffn_gate", tall, (0, 0), GREEN),
        ("ffn_up", tall, (step, 0), GREEN),
        ("ffn_down", wide, (2 * step, 0), PURPLE),
        ("attn_q", square, (2 * step, step), BLUE),
        ("attn_output", square, (3 * step, step), BLUE),
        ("attn_k", flat, (2 * step, 2 * step), ORANGE),
        ("attn_v", flat, (3 * step, 2 * step), ORANGE),
    ):  # what the file calls it, its shape, lower left corner and color
        look = {"fc": (color, 0.2), "ec": color, "lw": 2}
        axes.add_patch(plt.Rectangle((x, y), columns, rows, **look))
        middle = x + columns / 2, y + rows / 2
        place = {"ha": "center", "va": "center", "fontsize": 9}
        place["label"] = name if rows < d_model else ""  # a phone has no room for more
        axes.text(
            *middle,
            f"{name}\n{rows}\N{MULTIPLICATION SIGN}{columns}",
            color=INK,
            **place,
        )
    axes.set_aspect("equal")
    axes.autoscale_view()
    hide_axes(axes)
    plt.show()


def draw_family():
    """Show the heirs of the Transformer by year, and which half of it they keep."""
    _, axes = plt.subplots(figsize=(7.6, 6.8))
    years = sorted({year for year, _, _ in TREE.values()})
    heights = {year: -STEP * row for row, year in enumerate(years)}
    places = {name: (x, heights[year]) for name, (year, x, _) in TREE.items()}
    for parent, heir in HEIRS:
        (x0, y0), (x1, y1) = places[parent], places[heir]
        if y0 == y1:  # from the side of one box to that of the other
            x0, x1 = x0 - WIDE / 2 - 0.08, x1 + WIDE / 2 + 0.08
        else:
            y0, y1 = y0 - HIGH / 2 - 0.08, y1 + HIGH / 2 + 0.08
        add_arrow(axes, (x0, y0), (x1, y1), color=GREY)
    way = BOTH + WIDE / 2 + 0.65  # around Marian
    top, end = (places[name][1] for name in ("Transformer", "T5 1.0"))
    axes.plot((BOTH, way, way), (top, top, end), color=GREY, zorder=0)
    add_arrow(axes, (way, end), (BOTH + WIDE / 2 + 0.08, end), color=GREY)
    for name, (x, y) in places.items():
        half = DECODER if x > BOTH else x
        color = INK if name == "Transformer" else HALVES[half][1]
        add_box(axes, "", (x, y), width=WIDE, height=HIGH, color=color)
        lines = TREE[name][2]
        shift = 0.2 if "\n" in lines else 0.13
        axes.text(x, y + shift, name, ha="center", va="center", color=color, zorder=4)
        place = {"ha": "center", "va": "center", "fontsize": 8.5, "zorder": 4}
        axes.text(x, y - 0.15, lines, color=INK, linespacing=0.95, **place)
    for x, (title, color) in HALVES.items():
        axes.text(x, 0.75, title, ha="center", color=color)
    for year, y in heights.items():
        axes.text(-0.65, y, str(year), ha="center", va="center", color=GREY)
    axes.set(xlim=(-1.1, 11.5), ylim=(min(heights.values()) - 0.5, 1.05))
    hide_axes(axes)
    plt.show()


def draw_block(block: ArrayLike, weights: ArrayLike):
    """Show the bytes of a block of type Q4_1, and the weights that they hold.

    Args:
        block: Its 20 bytes.
        weights: Its 32 weights.
    """
    _, (top, bottom) = plt.subplots(2, 1, figsize=(7.2, 4.6), height_ratios=(1, 1))
    block, weights = to_numpy(block).astype(int), to_numpy(weights)
    kinds = 2 * [BLUE] + 2 * [ORANGE] + 16 * [INK]
    # The first four stand above the others, each pair beside its name.
    places = [(x, 1.2) for x in (0, 1, 4, 5)]
    places += [(x, y) for y in (0, LOWER) for x in range(8)]
    for (x, y), byte, color in zip(places, block, kinds, strict=True):
        top.add_patch(
            plt.Rectangle((x - 0.46, y - 0.4), 0.92, 0.8, fc=color, alpha=0.2)
        )
        top.text(x, y, str(byte), ha="center", va="center", fontsize=9)
    for (x, y), byte in zip(places[4:], block[4:], strict=True):
        for half, (_, below) in enumerate(HALF_BYTES):
            number = byte // 16 if half else byte % 16
            style = {"ha": "center", "va": "center", "fontsize": 9}
            top.text(x, y + below, str(number), color=(GREEN, PURPLE)[half], **style)
    names = [(1.7, 1.2, "step", BLUE), (5.7, 1.2, "smallest", ORANGE)]
    for (half, below), color in zip(HALF_BYTES, (GREEN, PURPLE), strict=True):
        names += [(7.7, y + below, half, color) for y in (0, LOWER)]
    for x, y, name, color in names:
        top.text(x, y, name, color=color, va="center", fontsize=9)
    top.set(xlim=(-0.6, 9.9), ylim=(LOWER - 1.7, 1.75))
    hide_axes(top)
    step = (weights.max() - weights.min()) / 15
    bottom.hlines(weights.min() + step * np.arange(16), 0, 33, color="#cccccc", lw=0.7)
    for half, color in enumerate((GREEN, PURPLE)):
        places = np.arange(1, 17) + 16 * half
        bottom.plot(places, weights[places - 1], "so"[half], color=color)
    bottom.set(xlim=(0, 33), xlabel="place in the row", ylabel="weight")
    plt.show()


def draw_pairs(d_head: int = 8):
    """Show which features of a head turn together, in either layout.

    Args:
        d_head: Features of a head.
    """
    _, panels = plt.subplots(1, 2, figsize=(7.2, 1.9), sharey=True)
    half = d_head // 2
    neighbors = [(2 * pair, 2 * pair + 1) for pair in range(half)]
    apart = [(pair, pair + half) for pair in range(half)]
    colors = (BLUE, ORANGE, GREEN, PURPLE)
    for axes, title, pairs in (
        (panels[0], "the file: neighbors", neighbors),
        (panels[1], "our first try: halves", apart),
    ):
        for (left, right), color in zip(pairs, cycle(colors)):
            middle, width = (left + right) / 2, right - left
            height = 0.7 + 0.35 * width
            arc = Arc((middle, 0.3), width, 2 * height, theta2=180, color=color, lw=2)
            axes.add_patch(arc)
            ring = {"color": color, "mfc": PAPER, "mew": 2, "markersize": 15}
            axes.plot((left, right), (0, 0), "o", zorder=3, **ring)
        for feature in range(d_head):
            style = {"ha": "center", "va": "center", "fontsize": 9, "zorder": 4}
            axes.text(feature, 0, str(feature), **style)
        axes.set(title=title, xlim=(-0.6, d_head - 0.4), ylim=(-0.5, 2.6))
        hide_axes(axes)
    plt.show()


def draw_storage(num_heads: int = 2, d_head: int = 2):
    """Show which rows of a fused projection belong to queries, keys and values.

    Args:
        num_heads: Number of heads.
        d_head: Features of a head.
    """
    _, panels = plt.subplots(1, 2, figsize=(7.2, 2.6))
    size, heads = num_heads * d_head, range(num_heads)
    by_kind = [(kind, row // d_head) for kind in "QKV" for row in range(size)]
    by_head = [(k, head) for head in heads for k in "QKV" for _ in range(d_head)]
    colors = {"Q": BLUE, "K": ORANGE, "V": GREEN}
    for axes, title, blocks in (
        (panels[0], "GPT-2: by kind", by_kind),
        (panels[1], "GPT-NeoX: by head", by_head),
    ):
        for place, (kind, head) in enumerate(blocks):
            shade = 0.35 + 0.5 * head / max(num_heads - 1, 1)
            axes.bar(place, 1, width=0.94, color=colors[kind], alpha=shade)
            axes.text(place, 0.5, f"{kind}\n{head + 1}", ha="center", va="center")
        axes.set(title=title, xlabel="place in the stored matrix", ylim=(0, 1.02))
        axes.set_yticks([])
        axes.set_xticks(range(3 * size), [str(place + 1) for place in range(3 * size)])
        axes.spines[["left", "bottom"]].set_visible(False)
    plt.show()


def draw_faults(faults: Mapping[str, float], *, bound: float):
    """Show what wrong choices do to the logits, on a logarithmic axis.

    Args:
        faults: The largest difference of the logits for each wrong choice.
        bound: Below it lies what rounding does.
    """
    _, axes = plt.subplots(figsize=(7.0, 0.32 * len(faults) + 1.0))
    values = to_numpy(list(faults.values()))
    rows = np.arange(len(values))
    axes.axvspan(bound / 10, bound, color=GREEN, alpha=0.2, lw=0)
    axes.text(bound / 3, len(values) - 0.6, "right", ha="center", color=GREEN)
    axes.hlines(rows, bound, values, color=ORANGE, lw=1)
    axes.plot(values, rows, "o", color=ORANGE)
    axes.set_yticks(rows, list(faults))
    axes.set(
        xscale="log",
        xlim=(bound / 10, max(values) * 2),
        ylim=(len(values) - 0.3, -0.7),
        xlabel="largest difference of the logits",
    )
    plt.show()


def draw_senses(matrices: Mapping[str, ArrayLike], labels: Sequence[str]):
    """Show the cosines between the vectors of one word in several sentences.

    Args:
        matrices: A title, and the cosines between all sentences.
        labels: A short name for each sentence.
    """
    count = len(matrices)
    _, panels = plt.subplots(1, count, figsize=(3.7 * count, 3.7), squeeze=False)
    for axes, (title, matrix) in zip(panels[0], matrices.items(), strict=True):
        heat_map(
            axes,
            matrix,
            limit=1.0,
            title=title,
            rows=labels,
            columns=labels,
            row_label="sentence",
            column_label="sentence",
            decimals=2,
        )
        for text in axes.texts:
            text.set_fontsize(9)
    plt.show()


def draw_depths(panels: Mapping[str, Mapping[str, ArrayLike]]):
    """Show mean cosines over the depth, a panel for each word.

    Args:
        panels: A title, and for each curve a number for the input and each layer.
    """
    _, grid = plt.subplots(1, len(panels), figsize=(7.2, 3.2), sharey=True)
    for axes, (title, curves) in zip(grid, panels.items(), strict=True):
        depths = np.arange(len(next(iter(curves.values())))) - 1
        line_plot(
            axes, depths, curves, x_label="layer", y_label="mean cosine", direct=False
        )
        axes.get_legend().remove()
        axes.set(title=title, ylim=(0, 1.03))
        axes.set_xticks(depths, ["word", *(str(n) for n in depths[1:])])
    grid[1].set_ylabel("")
    lines, names = grid[0].get_legend_handles_labels()
    grid[0].figure.legend(lines, names, loc="outside upper center", ncols=2)
    plt.show()


def draw_recipes(panels: Mapping[str, Mapping[str, ArrayLike]]):
    """Show the results of recipes, a panel for each budget.

    Args:
        panels: A title, and for each recipe the nats of its seeds.
    """
    _, grid = plt.subplots(1, len(panels), figsize=(7.6, 2.6), sharex=True, sharey=True)
    for axes, (title, results) in zip(grid, panels.items(), strict=True):
        range_plot(axes, results, x_label="nats per letter, held out")
        axes.set(title=title)
    plt.show()

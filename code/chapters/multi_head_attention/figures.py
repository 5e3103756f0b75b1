"""Figures of the chapter on multi-head attention and masks."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import NullFormatter
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import band_plot, heat_map, to_numpy
from chapters.start import BLUE, COLORS, ORANGE

MARKERS = ("o", "s", "^", "D")


def draw_two_questions(words: Sequence[str], answers: Mapping[str, tuple[int, str]]):
    """Show two heads that stand at the last word and look at two others.

    Args:
        words: The words of the phrase.
        answers: For each head its question: which word it looks at, from 0, and what it
            brings back.
    """
    _, axes = plt.subplots(figsize=(6.4, 4.2))
    last = len(words) - 1
    places = [-2.8 + 1.4 * i for i in range(len(words))]
    for place, word in zip(places, words, strict=True):
        add_box(axes, word, (place, 0), width=1.0)
    asked = {index for index, _ in answers.values()}
    for index, place in enumerate(places):
        role = "asks" if index == last else "is asked" if index in asked else ""
        axes.text(place, -0.55, role, ha="center", va="center", fontsize=9)
    looks = zip(answers.items(), (-1.75, 1.75), (BLUE, ORANGE), strict=True)
    for i, ((question, (index, answer)), x, color) in enumerate(looks, start=1):
        add_box(axes, f"head {i}: {question}", (x, 1.25), width=3.1, color=color)
        add_arrow(axes, (places[index], 0.28), (places[index], 0.97), color=color)
        add_arrow(axes, (x, 1.53), (x, 2.22), color=color)
        axes.text(x + 0.12, 1.87, answer, color=color, va="center", ha="left")
    add_box(axes, "side by side: two answers", (0, 2.5), width=6.6)
    add_box(axes, r"mix with $\mathbf{W}^O$", (0, 3.5), width=2.2)
    add_arrow(axes, (0, 2.78), (0, 3.22))
    add_arrow(axes, (0, 3.78), (0, 4.25))
    axes.text(0.15, 4.05, f"added to the vector of {words[last]}", va="center")
    axes.set(xlim=(-3.6, 3.6), ylim=(-0.75, 4.3))
    hide_axes(axes)
    plt.show()


def draw_stripes(maps: Mapping[str, ArrayLike]):
    """Show the weights of heads on a text that comes twice, one panel a head.

    Args:
        maps: For each head its weights, rows = queries and columns = keys.
    """
    _, panels = plt.subplots(1, len(maps), figsize=(7.2, 2.9))
    for panel, (title, weights) in zip(panels, maps.items(), strict=True):
        weights = to_numpy(weights)
        half = len(weights) // 2
        heat_map(panel, weights, title=title, limit=1.0)
        panel.axhline(half - 0.5, color="#888888", lw=1, linestyle=":")
        panel.axvline(half - 0.5, color="#888888", lw=1, linestyle=":")
        panel.set_xticks([0, half - 1, 2 * half - 1], ["1", f"{half}", f"{2 * half}"])
        panel.set_yticks([0, half - 1, 2 * half - 1], ["1", f"{half}", f"{2 * half}"])
        panel.set_aspect("equal")
        panel.spines[:].set_visible(True)
    plt.show()


def draw_look_ups(accuracy: Mapping[str, ArrayLike], weights: Mapping[str, ArrayLike]):
    """Show what layers answer, and where their heads look.

    Args:
        accuracy: For each kind of layer a row for each seed: the shares of right
            answers to the nearer and to the farther question.
        weights: For each head a row for each seed: the mean weights on the two places.
    """
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.1))
    questions = ("1 back", "3 back")
    for axes, groups in ((left, accuracy), (right, weights)):
        for row, seeds in enumerate(groups.values()):
            for place, (color, mark) in enumerate(((BLUE, "o"), (ORANGE, "s"))):
                numbers = to_numpy(seeds)[:, place]
                height = np.full(numbers.size, row + 0.24 * place - 0.12)
                axes.plot(
                    numbers, height, mark, color=color, alpha=0.7, linestyle="none"
                )
        axes.set(xlim=(-0.05, 1.05))
        axes.grid(axis="x", color="#dddddd", lw=1)
        axes.set_axisbelow(True)
        axes.set_yticks(range(len(groups)), list(groups))
        axes.set_ylim(len(groups) - 0.5, -0.5)
    left.set_xlabel("share of right answers")
    right.set_xlabel("mean weight of the head")
    right.yaxis.tick_right()
    right.spines["right"].set_visible(True)
    right.spines["left"].set_visible(False)
    for name, color, mark in zip(questions, (BLUE, ORANGE), "os", strict=True):
        left.plot([], [], mark, color=color, label=name, linestyle="none")
    left.figure.legend(loc="outside upper center", ncols=2)
    plt.show()


def draw_masks(masks: Mapping[str, ArrayLike], tokens: Sequence[str]):
    """Show who may attend to whom: filled where the mask is True."""
    _, panels = plt.subplots(1, len(masks), figsize=(7.2, 2.7))
    for axes, (title, mask) in zip(panels, masks.items(), strict=True):
        mask = to_numpy(mask)
        heat_map(axes, 0.6 * mask, title=title, rows=tokens, columns=tokens, limit=1.0)
        axes.set_xticks(np.arange(mask.shape[1] + 1) - 0.5, minor=True)
        axes.set_yticks(np.arange(mask.shape[0] + 1) - 0.5, minor=True)
        axes.grid(which="minor", color="#bbbbbb", lw=1)
        axes.tick_params(which="minor", length=0)
        axes.tick_params(axis="x", rotation=90)
    plt.show()


def draw_number_of_heads(heads: Sequence[int], results: Mapping[str, ArrayLike]):
    """Show the quality of a language model over the number of its heads.

    Args:
        heads: The numbers of heads.
        results: For each budget a row for each number, with a result for each seed.
    """
    _, axes = plt.subplots()
    band_plot(
        axes,
        heads,
        {name: to_numpy(rows).T for name, rows in results.items()},
        x_label="number of heads",
        y_label="nats per letter, held out",
    )
    for line, mark, color in zip(axes.lines, MARKERS, COLORS, strict=False):
        line.set(marker=mark, color=color)
    axes.set_xscale("log", base=2)
    axes.set_xticks(list(heads), [str(number) for number in heads])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(results))
    plt.show()


def draw_missing_masks(extra: Sequence[int], exact: Mapping[str, ArrayLike]):
    """Show how many rows are written right when padding is added, for each model."""
    _, axes = plt.subplots()
    band_plot(
        axes,
        extra,
        exact,
        x_label="columns of padding added",
        y_label="share of rows written right",
    )
    for line, mark, color in zip(axes.lines, MARKERS, COLORS, strict=False):
        line.set(marker=mark, color=color)
    axes.set(ylim=(-0.05, 1.08), xticks=list(extra))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(exact))
    plt.show()

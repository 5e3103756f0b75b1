"""Figures of the chapter on ablations."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.ablations.differences import Effect
from chapters.laboratory.study import Gain
from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import to_numpy
from chapters.start import BLUE, GREEN, INK, ORANGE

GREY = "#8a8a8a"


def draw_plan():
    """Show two trainings from one seed, of which one has a part changed."""
    _, axes = plt.subplots(figsize=(7.2, 3.0))
    hide_axes(axes)
    axes.set(xlim=(-1.2, 7.8), ylim=(-1.35, 1.35))
    add_box(axes, "seed", (-0.4, 0), width=0.9, height=0.5)
    for y, name, color in ((0.8, "baseline", BLUE), (-0.8, "one part changed", ORANGE)):
        add_arrow(axes, (0.15, 0.3 * y), (0.75, y), color=color)
        add_box(axes, name, (1.85, y), width=1.9, height=0.5, color=color)
        add_arrow(axes, (2.9, y), (3.5, y), color=color)
        add_box(axes, "train,\nmeasure", (4.25, y), width=1.3, height=0.7, color=color)
        add_arrow(axes, (5.0, y), (5.8, 0.3 * y), color=color)
    add_box(axes, "difference", (6.7, 0), width=1.6, height=0.5)
    plt.show()


def draw_pairs(
    baseline: ArrayLike, changed: ArrayLike, *, paired: Sequence[float], label: str
):
    """Show results of the same seeds joined by lines, and their differences.

    Args:
        baseline: The result of each seed.
        changed: The result of each seed after the change.
        paired: Mean difference, lower and upper end of its interval.
        label: What is measured, with its unit.
    """
    before, after = to_numpy(baseline), to_numpy(changed)
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4))
    for seed, pair in enumerate(zip(before, after, strict=True)):
        left.plot((0, 1), pair, "o-", color=BLUE)
        left.text(1.08, pair[1], f"seed {seed}", va="center")
    left.set_xticks((0, 1), ["baseline", "changed"])
    left.set(xlim=(-0.2, 1.7), ylabel=label)
    right.plot(np.zeros(len(before)), after - before, "o", color=BLUE)
    mean, low, high = paired
    right.errorbar(
        [0.4], [mean], yerr=[[mean - low], [high - mean]], fmt="s", color=INK, capsize=6
    )
    right.axhline(0, color=INK, lw=1, linestyle=":")
    right.set_xticks((0, 0.4), ["each seed", "mean and\n95 % interval"])
    right.set(xlim=(-0.25, 0.65), ylabel="difference, changed minus baseline")
    plt.show()


def draw_effects(
    budgets: Mapping[int, Sequence[Effect]], *, x_label: str, low: float, high: float
):
    """Show the gain of each change and its interval, by group, for two budgets.

    Args:
        budgets: What each change is worth, by number of steps: few, then many.
        x_label: What is measured, with its unit.
        low: Left end of the axis; intervals that go on beyond it are cut.
        high: Right end.
    """
    rows = with_gaps(next(iter(budgets.values())))
    _, axes = plt.subplots(figsize=(7.2, 0.21 * len(rows) + 0.9))
    looks = (("o", BLUE, -0.17), ("s", ORANGE, 0.17))
    for (steps, effects), look in zip(budgets.items(), looks, strict=True):
        mark, color, shift = look
        for row, effect in enumerate(with_gaps(effects)):
            if effect is None:
                continue
            ends = np.clip((effect.gain.low, effect.gain.high), low, high)
            at = row + shift
            axes.plot(ends, (at, at), color=color, linestyle="-", lw=1.5)
            face = color if effect.is_clear else "white"
            (dot,) = axes.plot(effect.gain.mean, at, mark, color=color, ms=5)
            dot.set_markerfacecolor(face)
        axes.plot([], [], mark, color=color, label=f"{steps:,} steps", ms=5)
    axes.axvline(0, color=INK, lw=1, linestyle=":")
    named = [(row, effect) for row, effect in enumerate(rows) if effect is not None]
    axes.set_yticks([row for row, _ in named], [title(e) for _, e in named])
    axes.tick_params(axis="y", labelsize=9, length=0)
    axes.set(xlabel=x_label, xlim=(low, high), ylim=(len(rows) - 0.4, -0.6))
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    plt.show()


def with_gaps(effects: Sequence[Effect]) -> list[Effect | None]:
    """Return the effects with an empty row between groups."""
    rows: list[Effect | None] = []
    for effect in effects:
        if rows and rows[-1].group != effect.group:
            rows.append(None)
        rows.append(effect)
    return rows


def title(effect: Effect) -> str:
    """Return the name of a change behind that of the choice it belongs to."""
    variant = "1 head" if effect.variant == "1 heads" else effect.variant
    return f"{effect.group}: {variant}"


def draw_hills(
    models: Mapping[str, Sequence[Sequence[float]]],
    *,
    rates: Sequence[float],
    gains: Sequence[Gain],
    y_label: str,
):
    """Show what two models reach at each learning rate, and how far they are apart.

    Args:
        models: The name of a model, and for each rate the results of its seeds; the
            first is the baseline.
        rates: The learning rates, rising.
        gains: What the second gains over the first at each rate.
        y_label: What is measured, with its unit.
    """
    _, axes = plt.subplots(figsize=(6.4, 4))
    looks = ((BLUE, "o", "-", -0.03), (ORANGE, "D", "--", 0.03))
    means = []
    for (name, found), (color, mark, style, shift) in zip(
        models.items(), looks, strict=True
    ):
        at = np.arange(len(rates)) + shift
        means.append([float(np.mean(to_numpy(seeds))) for seeds in found])
        for x, seeds in zip(at, found, strict=True):
            axes.plot(
                np.full(len(seeds), x), to_numpy(seeds), mark, color=color, ms=3.5
            )
        axes.plot(at, means[-1], linestyle=style, color=color, lw=2.5, label=name)
    for x, (one, other, gain) in enumerate(zip(*means, gains, strict=True)):
        axes.plot((x, x), (one, other), color=INK, lw=1, linestyle=":")
        place, side = (x - 0.1, "right") if x == 0 else (x + 0.12, "left")
        words = f"{gain.mean:+.2f}".replace("-", "\N{MINUS SIGN}")
        axes.text(place, (one + other) / 2, words, ha=side, va="center")
    axes.set_xticks(range(len(rates)), [f"{rate:g}" for rate in rates])
    axes.set(xlabel="learning rate of both", ylabel=y_label, xlim=(-0.5, 2.5))
    axes.legend(loc="upper left")
    plt.show()


def draw_rates(
    gains: Mapping[str, Sequence[Gain]], *, rates: Sequence[float], y_label: str
):
    """Show what changes gain when the baseline and they share one learning rate.

    Args:
        gains: The name of a change, and its gain at each rate.
        rates: The learning rates, rising.
        y_label: What is measured, with its unit.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.6))
    axes.axhline(0, color=INK, lw=1, linestyle=":")
    styles = zip(gains.items(), (BLUE, ORANGE, GREEN), ("o", "D", "s"), strict=True)
    for place, ((name, found), color, mark) in enumerate(styles):
        at = [number + 0.06 * (place - 1) for number in range(len(rates))]
        axes.plot(at, [g.mean for g in found], mark, color=color, label=name, ls="-")
        for x, gain in zip(at, found, strict=True):
            axes.plot((x, x), (gain.low, gain.high), color=color, linestyle="-", lw=1.5)
    axes.set_xticks(range(len(rates)), [f"{rate:g}" for rate in rates])
    axes.set(xlabel="learning rate of both", ylabel=y_label)
    axes.legend(loc="best")
    plt.show()


def draw_two_tasks(
    points: Mapping[str, Sequence[float]],
    *,
    clear: Sequence[str],
    x_label: str,
    y_label: str,
    named: Sequence[str],
):
    """Show what each change is worth on two tasks; open marks are not clear in both.

    Args:
        points: A name, and the differences on the first and on the second task.
        clear: The changes that are told from zero on both tasks.
        x_label: The first task, with its unit.
        y_label: The second task, with its unit.
        named: The changes whose names are written.
    """
    _, axes = plt.subplots(figsize=(6.4, 4.6))
    add_sign_grid(axes)
    for name, (x, y) in points.items():
        turned = x * y < 0
        color = GREY if name not in clear else ORANGE if turned else BLUE
        face = color if name in clear else "white"
        mark = "D" if name in clear and turned else "o"
        axes.plot(x, y, mark, color=color, markerfacecolor=face)
    add_names(axes, points, named)
    axes.set(xlabel=x_label, ylabel=y_label)
    plt.show()


def draw_taken_out(rises: Mapping[str, ArrayLike], *, named: Mapping[int, str]):
    """Show by how much the loss rises without each layer's sublayer.

    Args:
        rises: For each kind of sublayer the rise for each text and layer.
        named: A word for some layers of the last kind, by their number.
    """
    _, axes = plt.subplots(figsize=(7.2, 3.6))
    looks = ((BLUE, "o", -0.15), (ORANGE, "D", 0.15))
    for (name, found), (color, mark, shift) in zip(rises.items(), looks, strict=True):
        each = to_numpy(found)
        at = np.arange(1, each.shape[1] + 1) + shift
        means = each.mean(axis=0)
        axes.vlines(at, each.min(axis=0), each.max(axis=0), color=color, lw=1.5)
        axes.plot(at, means, mark, color=color, ms=5, label=name)
    for layer, word in named.items():
        axes.annotate(
            word,
            (layer + 0.15, means[layer - 1]),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
        )
    axes.axhline(0, color=INK, lw=1, linestyle=":")
    axes.set(xlabel="layer without it", ylabel="rise of the loss (nats)")
    axes.set_xticks((1, 5, 10, 15, 20, 25, 30))
    axes.legend(loc="upper right")
    plt.show()


def add_sign_grid(axes: Axes) -> None:
    """Draw the two lines that part gains from losses."""
    axes.axhline(0, color=INK, lw=1, linestyle=":")
    axes.axvline(0, color=INK, lw=1, linestyle=":")


def add_names(
    axes: Axes, points: Mapping[str, Sequence[float]], named: Sequence[str]
) -> None:
    """Write the names of some points beside them."""
    for name in named:
        axes.annotate(
            name, points[name], xytext=(6, 4), textcoords="offset points", fontsize=9
        )

"""Figures of the chapter on ablations."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.ablations.differences import Effect
from chapters.shared.plots import to_numpy
from chapters.start import BLUE, INK, ORANGE

GREY = "#8a8a8a"


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
        left.text(-0.08, pair[0], f"seed {seed}", ha="right", va="center")
    left.set_xticks((0, 1), ["baseline", "changed"])
    left.set(xlim=(-0.6, 1.3), ylabel=label)
    right.plot(np.zeros(len(before)), after - before, "o", color=BLUE)
    mean, low, high = paired
    right.errorbar(
        [0.4], [mean], yerr=[[mean - low], [high - mean]], fmt="s", color=INK, capsize=6
    )
    right.axhline(0, color=INK, lw=1, linestyle=":")
    right.set_xticks((0, 0.4), ["each seed", "mean and\n95 % interval"])
    right.set(xlim=(-0.25, 0.65), ylabel="difference, changed minus baseline")
    plt.show()


def draw_effects(effects: Sequence[Effect], *, x_label: str, low: float, high: float):
    """Show the difference of each change and its interval, by group.

    Args:
        effects: What each change is worth.
        x_label: What is measured, with its unit.
        low: Left end of the axis; intervals that go on beyond it are cut.
        high: Right end.
    """
    rows = with_gaps(effects)
    _, axes = plt.subplots(figsize=(7.2, 0.21 * len(rows) + 0.8))
    for row, effect in enumerate(rows):
        if effect is None:
            continue
        color = BLUE if effect.is_clear else GREY
        ends = np.clip((effect.low, effect.high), low, high)
        axes.plot(ends, (row, row), color=color, linestyle="-", lw=2)
        face = color if effect.is_clear else "white"
        axes.plot(effect.mean, row, "o", color=color, markerfacecolor=face)
    axes.axvline(0, color=INK, lw=1, linestyle=":")
    named = [(row, effect) for row, effect in enumerate(rows) if effect is not None]
    axes.set_yticks([row for row, _ in named], [title(e) for _, e in named])
    axes.tick_params(axis="y", labelsize=9, length=0)
    axes.set(xlabel=x_label, xlim=(low, high), ylim=(len(rows) - 0.4, -0.6))
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


def draw_two_rates(
    slow: Sequence[Effect],
    fast: Sequence[Effect],
    *,
    rates: Sequence[str],
    named: Sequence[str],
):
    """Show each change at two learning rates; orange ones change their sign.

    Args:
        slow: What each change is worth at the first rate.
        fast: The same at the second rate.
        rates: The names of the rates.
        named: The variants whose names are written.
    """
    _, axes = plt.subplots(figsize=(6.4, 4.6))
    x, y = ([e.mean for e in effects] for effects in (slow, fast))
    flipped = [a * b < 0 for a, b in zip(x, y, strict=True)]
    add_sign_grid(axes)
    axes.axline((0, 0), slope=1, color=GREY, lw=1, linestyle="--")
    for a, b, turned in zip(x, y, flipped, strict=True):
        axes.plot(a, b, "D" if turned else "o", color=ORANGE if turned else BLUE)
    add_names(axes, {e.variant: p for e, *p in zip(slow, x, y, strict=True)}, named)
    axes.set(
        xlabel=f"difference at rate {rates[0]} (share right)",
        ylabel=f"difference at rate {rates[1]} (share right)",
    )
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


def draw_two_budgets(results: Mapping[str, Sequence[Sequence[float]]]):
    """Show the mean and the range of each model after few and after many steps.

    Args:
        results: A name, and the shares right after few and after many steps.
    """
    _, axes = plt.subplots(figsize=(6.4, 0.36 * len(results) + 0.8))
    for row, found in enumerate(results.values()):
        for place, (shares, color) in enumerate(zip(found, (GREY, BLUE), strict=True)):
            at = row - 0.15 + 0.3 * place
            ends = min(shares), max(shares)
            axes.plot(ends, (at, at), color=color, linestyle="-", lw=2)
            mean = sum(shares) / len(shares)
            axes.plot(mean, at, "o" if place else "s", color=color)
    axes.set_yticks(range(len(results)), list(results))
    axes.set(xlabel="share right", xlim=(-0.03, 1.03), ylim=(len(results) - 0.4, -0.6))
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

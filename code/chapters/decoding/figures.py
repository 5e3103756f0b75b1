"""Figures of the chapter on decoding."""

from collections.abc import Mapping, Sequence
from itertools import count

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import range_plot, to_numpy
from chapters.start import BLUE, COLORS, GREEN, INK, ORANGE, PAPER

After = Mapping[str, Mapping[str, float]]


def draw_loop():
    """Show the loop of decoding: read, score, choose, append."""
    _, axes = plt.subplots(figsize=(7.2, 2.3))
    parts = {"text so far": 0.0, "model": 2.9, "choice": 6.1}
    for name, x in parts.items():
        color = ORANGE if name == "choice" else INK
        add_box(axes, name, (x, 0), width=1.6, color=color)
    add_arrow(axes, (0.9, 0), (2.0, 0))
    add_arrow(axes, (3.8, 0), (5.2, 0))
    axes.text(4.5, 0.12, "logits", ha="center", va="bottom")
    axes.plot((6.1, 6.1, 0, 0), (-0.3, -1.1, -1.1, -0.6), color=BLUE, linestyle="-")
    add_arrow(axes, (0, -0.7), (0, -0.3), color=BLUE)
    axes.text(3.05, -1.02, "append the token", ha="center", va="bottom", color=BLUE)
    add_arrow(axes, (7.0, 0), (8.3, 0))
    axes.text(8.4, 0, "the end came:\nstop", va="center")
    axes.set(xlim=(-1.0, 10.2), ylim=(-1.3, 0.6))
    hide_axes(axes)
    plt.show()


def draw_rounds(written: ArrayLike, real: ArrayLike, starts: Sequence[int]):
    """Show how probable each token was, of a text that repeats itself and a real one.

    Args:
        written: The probabilities of the tokens that greedy decoding wrote.
        real: Those of the tokens of a real text.
        starts: Where the written text begins its sentence again.
    """
    _, grid = plt.subplots(2, 1, figsize=(7.2, 4.0), sharex=True, sharey=True)
    for axes, shares, color in zip(grid, (written, real), (BLUE, ORANGE), strict=True):
        shares = to_numpy(shares)
        axes.bar(range(1, len(shares) + 1), shares, width=0.9, color=color)
        axes.set(ylabel="probability", ylim=(0, 1.25), yticks=(0, 0.5, 1))
    for number, start in enumerate(starts, start=1):
        grid[0].axvline(start + 0.5, color=INK, lw=0.8)
        note = "first time" if number == 1 else f"time {number}"
        grid[0].text(start + 0.9, 1.08, note, label=str(number))
    grid[1].text(0.9, 1.08, "Carroll's own words")
    grid[1].set_xlabel("token")
    plt.show()


def draw_tree(after: After, marks: Mapping[tuple[str, ...], str], *, root: str):
    """Show all texts after a word as paths, with the probability of each.

    Args:
        after: For each word the probabilities of those after it, the most probable
            one first; a word without them is the last one of a text.
        marks: Texts, from the word after the root, and what to write beside each.
        root: The word that all texts begin with.
    """
    _, axes = plt.subplots(figsize=(7.2, 4.4))
    colors = dict(zip(marks, (ORANGE, BLUE, GREEN), strict=False))
    rows = count()

    def grow(text: tuple[str, ...], word: str, total: float) -> float:
        """Draw what comes after a text, and return how high its word stands."""
        x = 1.6 * len(text)
        if word not in after:
            y, color = -next(rows), colors.get(text, INK)
            if x < 4:
                axes.plot((x + 0.1, 4.9), (y, y), color=color, linestyle=":", lw=0.8)
            note = f"{total:.3f}  {marks.get(text, '')}".rstrip()
            axes.text(5.0, y, note, va="center", color=color)
            return y
        steps = {
            (*text, name): (grow((*text, name), name, total * share), share)
            for name, share in after[word].items()
        }
        y = sum(place for place, _ in steps.values()) / len(steps)
        for path, (place, share) in steps.items():
            taken = [c for full, c in colors.items() if full[: len(path)] == path]
            color = taken[0] if taken else INK
            add_step(axes, (x, y), (x + 0.85, place), path[-1], share, color=color)
        return y

    axes.text(-0.08, grow((), root, 1.0), root, ha="right", va="center", weight="bold")
    axes.set(xlim=(-0.6, 6.7), ylim=(0.4 - next(rows), 0.6))
    hide_axes(axes)
    plt.show()


def add_step(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    name: str,
    chance: float,
    *,
    color: str = INK,
) -> None:
    """Draw a line to a token, as thick as it is probable."""
    (x, y), (u, v) = start, end
    axes.plot((x, u), (y, v), color=color, linestyle="-", lw=0.6 + 6 * chance)
    axes.text(
        0.4 * x + 0.6 * u,
        0.4 * y + 0.6 * v,
        f"{chance:g}",
        ha="center",
        va="center",
        color=color,
        bbox={"facecolor": PAPER, "edgecolor": PAPER, "pad": 1.5},
    )
    axes.text(u + 0.06, v, name, ha="left", va="center", color=color, weight="bold")


def draw_filters(panels: Mapping[str, ArrayLike], words: Sequence[str]):
    """Show the probabilities of the same tokens after each filter.

    Args:
        panels: A title and the probabilities; tokens that a filter removed have 0.
        words: The tokens.
    """
    _, grid = plt.subplots(2, 3, figsize=(7.2, 4.4), sharex=True, sharey=True)
    for axes, (title, shares) in zip(grid.flat, panels.items(), strict=True):
        shares = to_numpy(shares)
        axes.bar(range(len(shares)), shares, color=COLORS[0])
        for place, share in enumerate(shares):
            if share == 0:
                axes.text(place, 0.02, r"$\times$", ha="center", color=ORANGE)
        axes.set(title=title, ylim=(0, 0.8))
        axes.set_xticks(range(len(shares)), words, rotation=60)
    for axes in grid[:, 0]:
        axes.set_ylabel("probability")
    plt.show()


def draw_ranges(panels: Mapping[str, Mapping[str, ArrayLike]], *, label: str):
    """Show the results of all seeds, a row for each way to decode.

    Args:
        panels: A title and, for each way, the results of its seeds.
        label: What they are.
    """
    rows = max(map(len, panels.values()))
    size = (7.2, 0.9 + 0.33 * rows)
    _, grid = plt.subplots(1, len(panels), figsize=size, sharey=True)
    for axes, (title, results) in zip(grid, panels.items(), strict=True):
        range_plot(axes, results, x_label=label)
        axes.set(title=title, xlim=(-0.03, 1.03), xticks=(0, 0.5, 1))
    plt.show()


def draw_continuations(
    panels: Mapping[str, Mapping[str, Mapping[str, ArrayLike]]],
    *,
    real: Mapping[str, float],
):
    """Show what continuations come to, a row for each way and a dot for each seed.

    Args:
        panels: What is shown; then a budget; then, for each way, the results of its
            seeds. The last budget has filled dots.
        real: The same of real text, drawn as a line.
    """
    _, grid = plt.subplots(1, len(panels), figsize=(7.2, 3.6), sharey=True)
    for axes, (label, budgets) in zip(grid, panels.items(), strict=True):
        for name, face, shift in zip(
            budgets, (PAPER, BLUE), (-0.17, 0.17), strict=True
        ):
            for row, seeds in enumerate(budgets[name].values()):
                places = [row + shift] * len(seeds)
                label_once = name if row == 0 else None
                axes.plot(seeds, places, "o", color=BLUE, mfc=face, label=label_once)
        axes.axvline(real[label], color=ORANGE, label="real text")
        rows = list(next(iter(budgets.values())))
        axes.set_yticks(range(len(rows)), rows)
        axes.set(xlabel=label, xlim=(-0.03, 1.03), ylim=(len(rows) - 0.5, -0.5))
    grid[0].legend(loc="best")
    plt.show()

"""Letters guessed from the letters before them: counts, smoothed by Witten and Bell."""

import numpy as np
from jaxtyping import Float, Int

LINE_END = "\n"
Codes = Int[np.ndarray, " places"]
Counts = Int[np.ndarray, "histories letters"]
Chances = Float[np.ndarray, " letters"]


def ngram_bits(
    train: str, text: str, *, order: int
) -> Float[np.ndarray, "order letters"]:
    r"""Return what each letter of a text costs, in bits, by n-grams of each order.

    $$p_n(c \mid h) = \frac{N(hc) + T(h)\, p_{n-1}(c \mid h')}{N(h) + T(h)}$$

    where $N$ counts in the training text, $T(h)$ is how many different letters followed
    the history $h$ of $n - 1$ letters there, and $h'$ is $h$ without its first letter.
    An order of 1 has no history, and falls back on equal chances.

    Source: Witten and Bell (1991), method C; Chen and Goodman (1999), section 2.4, for
    the recursion.

    Args:
        train: The text that is counted.
        text: What is guessed, each letter from those before it; the first few from
            line ends.
        order: The longest n-grams.

    Returns:
        A row for each order, from 1 on.

    Raises:
        ValueError: If a letter of the text is none of the training text.
    """
    letters = sorted({*train, LINE_END})
    if strange := set(text) - set(letters):
        raise ValueError(
            "each letter must be one of the training text, got others: "
            f"{''.join(sorted(strange))!r}; leave them out."
        )
    number = {letter: place for place, letter in enumerate(letters)}
    learned, asked = (
        _numbers(LINE_END * (order - 1) + x, number) for x in (train, text)
    )
    ends, places = (np.arange(order - 1, len(x)) for x in (learned, asked))
    counted, ours = np.zeros_like(ends), np.zeros_like(places)  # of the empty history
    base, many, chance = len(letters), 1, np.full(len(text), 1 / len(letters))
    rows = []
    for n in range(1, order + 1):
        if n > 1:
            front = asked[places - n + 1]
            steps, many = _steps(ours * base + front, many * base)
            ours = steps[ours * base + front]
            counted = steps[counted * base + learned[ends - n + 1]]
            ends, counted = ends[counted >= 0], counted[counted >= 0]
        counts = np.bincount(counted * base + learned[ends], minlength=many * base)
        chance = _smoothed(counts.reshape(many, base), ours, asked[places], chance)
        rows.append(-np.log2(chance))
    return np.stack(rows)


def _numbers(text: str, number: dict[str, int]) -> Codes:
    """Return a text as numbers of its letters."""
    signs = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    table = np.zeros(max(map(ord, number)) + 1, dtype=np.int64)
    table[[*map(ord, number)]] = [*number.values()]
    return table[signs]


def _steps(asked: Codes, size: int) -> tuple[Codes, int]:
    """Number the histories that are asked for, each a shorter one and a letter before.

    Args:
        asked: A number for each pair of both.
        size: How many such pairs there are.

    Returns:
        The number of the history for each pair, and -1 where nobody asks for it, so
        that it need not be counted, and how many are asked for.
    """
    distinct = np.unique(asked)
    steps = np.full(size, -1)
    steps[distinct] = np.arange(len(distinct))
    return steps, len(distinct)


def _smoothed(counts: Counts, ours: Codes, letters: Codes, shorter: Chances) -> Chances:
    """Return the probability of each letter, given that by a shorter history."""
    totals, kinds = counts.sum(axis=1)[ours], (counts > 0).sum(axis=1)[ours]
    known = totals > 0
    mixed = (counts[ours, letters] + kinds * shorter) / np.where(
        known, totals + kinds, 1
    )
    return np.where(known, mixed, shorter)

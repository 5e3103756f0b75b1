"""Letters guessed from the letters before them: counts, smoothed by Witten and Bell."""

import numpy as np
from jaxtyping import Float, Int

LINE_END = "\n"
Codes = Int[np.ndarray, " places"]


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
        order: The longest n-grams, at most 10.

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
    learned, asked = (_numbers(LINE_END * order + x, number) for x in (train, text))
    base = len(letters)
    chance = np.full(len(text), 1 / base)
    rows = []
    for n in range(1, order + 1):
        after = order - (n - 1)  # line ends that this order does not reach
        grams = (_grams(x[after:], n, base) for x in (learned, asked))
        chance = _smoothed(*grams, base, chance)
        rows.append(-np.log2(chance))
    return np.stack(rows)


def _numbers(text: str, number: dict[str, int]) -> Codes:
    """Return a text as numbers of its letters."""
    return np.fromiter(map(number.__getitem__, text), dtype=np.int64, count=len(text))


def _grams(numbers: Codes, n: int, base: int) -> Codes:
    """Return the n letters that end at each of some places as one number.

    Args:
        numbers: The letters, with n - 1 others before the first place.
        n: How many letters each has.
        base: How many different letters there are.
    """
    places = len(numbers) - n + 1
    grams = np.zeros(places, dtype=np.int64)
    for first in range(n):
        grams = grams * base + numbers[first : first + places]
    return grams


def _smoothed(
    learned: Codes, asked: Codes, base: int, shorter: Float[np.ndarray, " letters"]
) -> Float[np.ndarray, " letters"]:
    """Return the probability of each letter, given that by a shorter history."""
    grams, counts = np.unique(learned, return_counts=True)
    histories, first, kinds = np.unique(
        grams // base, return_index=True, return_counts=True
    )
    totals = np.add.reduceat(counts, first)
    found = _look_up(grams, counts, asked)
    total = _look_up(histories, totals, asked // base)
    kind = _look_up(histories, kinds, asked // base)
    known = total > 0
    mixed = (found + kind * shorter) / np.where(known, total + kind, 1)
    return np.where(known, mixed, shorter)


def _look_up(keys: Codes, values: Codes, asked: Codes) -> Codes:
    """Return the value of each key that is asked for; 0 where there is none."""
    places = np.searchsorted(keys, asked).clip(max=len(keys) - 1)
    return np.where(keys[places] == asked, values[places], 0)

"""Send a text in as few bits as a guesser leaves open: a bar, cut letter by letter.

Sender and receiver have the same guesser. All numbers are exact fractions, so the text
comes back letter for letter.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil

# What may come after a text, each letter with its share; the shares sum to one.
Guesser = Callable[[str], Mapping[str, Fraction]]


def interval(text: str, guess: Guesser) -> tuple[Fraction, Fraction]:
    r"""Return where the interval of a text begins, and how wide it is.

    $$w = \prod_{t} p(x_t \mid x_{<t})$$

    Source: Shannon (1948), section 9, for an interval for each text; Witten et al.
    (1987), for cutting it letter by letter.

    Args:
        text: The letters.
        guess: The shares of what may come next, after what stands before.
    """
    low, width = Fraction(0), Fraction(1)
    for place, letter in enumerate(text):
        for other, share in guess(text[:place]).items():
            if other == letter:
                break
            low += width * share
        width *= share
    return low, width


def send(text: str, guess: Guesser) -> str:
    """Return the fewest bits whose interval lies in that of the text.

    They are less than two more than minus the binary logarithm of its width.

    Args:
        text: The letters.
        guess: The shares of what may come next, after what stands before.

    Raises:
        ValueError: If a letter has no share.
    """
    check_shares(text, guess)
    low, width = interval(text, guess)
    bits = 0
    while ceil(low * 2**bits) + 1 > (low + width) * 2**bits:
        bits += 1
    return f"{ceil(low * 2**bits):0{bits}b}" if bits else ""


def receive(bits: str, guess: Guesser, *, last: str) -> str:
    """Return the text that was sent, up to the first letter that ends a text.

    Args:
        bits: What `send` made.
        guess: The guesser of the sender.
        last: The letter that ends a text.
    """
    text, point = "", Fraction(int(bits or "0", 2), 2 ** len(bits))
    while not text.endswith(last):
        for letter, share in guess(text).items():  # noqa: B007 - used below
            if point < share:
                break
            point -= share
        text, point = text + letter, point / share
    return text


# Checks


def check_shares(text: str, guess: Guesser) -> None:
    """Raise if a letter of a text cannot be sent."""
    for place, letter in enumerate(text):
        if guess(text[:place]).get(letter, 0) <= 0:
            raise ValueError(
                f"each letter must have a share above 0 to be sent, and {letter!r} has "
                f"none after {text[:place]!r:.40}; leave something to every letter."
            )

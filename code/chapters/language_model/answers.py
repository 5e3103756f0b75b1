"""Properties of the answers to the exercises of the chapter on a language model."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isclose, log

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.forms import form_of_rows, right_where, shaped
from chapters.start import gaussian

WORDS = {"fair", "unfair"}
# Losses of the tokens of a text, in nats, with the text.
TEXTS = ("In the beginning", "Selah.", "Jesus wept.\nThen said the Jews,")
COUNTS = [5, 2, 7]  # tokens of each
# What followed a context: letters with their counts.
FOLLOWED = {"e": 6, "a": 3, "o": 1}
LOWER = {"e": 0.4, "a": 0.3, "o": 0.2, "u": 0.1}
BOOK = "and it came to pass in those days, that there went out a decree"


def scored() -> list[tuple[Tensor, str]]:
    """Return three texts, each with the losses of its tokens in nats."""
    return [
        (gaussian(count, seed=count).abs() + 0.1, text)
        for count, text in zip(COUNTS, TEXTS, strict=True)
    ]


def pooled() -> float:
    """Return their bits a character: all bits over all characters."""
    nats = sum(float(losses.sum()) for losses, _ in scored())
    return nats / log(2) / sum(map(len, TEXTS))


def found_bits(bits_a_character: Callable) -> float:
    """Return what an answer says of the three texts."""
    return float(bits_a_character([(x.clone(), text) for x, text in scored()]))


def read_windows(windows: Callable, *given: int) -> list[tuple[int, int, int]]:
    """Return windows as whole numbers: begin, first to score, end."""
    return [tuple(int(x) for x in window) for window in windows(*given)]


SIZES = ((10, 4, 2), (11, 4, 2), (100, 16, 8), (101, 16, 5), (7, 16, 8), (33, 8, 8))


def for_all_sizes(holds: Callable[..., bool]) -> Callable[[Callable], bool]:
    """Return whether something holds of the windows over texts of several sizes."""

    def asked(windows: Callable) -> bool:
        return all(holds(read_windows(windows, *sizes), *sizes) for sizes in SIZES)

    return asked


def fits(found: Sequence, length: int, size: int, stride: int) -> bool:
    """Return whether each window has room for its tokens and lies in the text."""
    return all(0 <= a <= b < c <= length and c - a <= size for a, b, c in found)


def once(found: Sequence, length: int, size: int, stride: int) -> bool:
    """Return whether each token but the first is scored once."""
    places = [place for _, first, end in found for place in range(first, end)]
    return sorted(places) == [*range(1, length)]


def sees(found: Sequence, length: int, size: int, stride: int) -> bool:
    """Return whether a token has enough tokens in sight, or all there are."""
    return all(
        place - begin >= min(place, size - stride)
        for begin, first, end in found
        for place in range(first, end)
    )


def few(found: Sequence, length: int, size: int, stride: int) -> bool:
    """Return whether there are no more windows than the stride needs."""
    return len(found) <= 1 + -(-max(length - size, 0) // stride)


def mixed(witten_bell: Callable, counts: dict, lower: dict) -> dict[str, float]:
    """Return the shares that an answer gives, as numbers."""
    given = witten_bell(dict(counts), dict(lower))
    return {letter: float(share) for letter, share in given.items()}


def is_mixture(witten_bell: Callable, counts: dict, lower: dict) -> bool:
    """Return whether an answer gives the shares of Witten and Bell."""
    seen, kinds = sum(counts.values()), len(counts)
    wanted = {
        x: (counts.get(x, 0) + kinds * p) / (seen + kinds) if seen else p
        for x, p in lower.items()
    }
    found = mixed(witten_bell, counts, lower)
    return found.keys() == wanted.keys() and all(
        isclose(found[x], wanted[x], rel_tol=1e-6) for x in wanted
    )


def sums_to_one(witten_bell: Callable, counts: dict) -> bool:
    """Return whether the shares sum to one."""
    return isclose(sum(mixed(witten_bell, counts, LOWER).values()), 1, rel_tol=1e-6)


def copies(longest_copy: Callable, written: str, wanted: str) -> bool:
    """Return whether an answer finds this run, or another of its length."""
    found = longest_copy(written, BOOK)
    return len(found) == len(wanted) and found in written and found in BOOK


EXERCISES = {
    "ex-language-by-hand": [
        Property(
            "cut off c first: its part is the upper quarter. Where does it begin, and "
            "what of it is left to a, and of that to b?",
            lambda low, width, bits: close(low, Fraction(13, 16)),
        ),
        Property(
            "the width is the product of the three shares.",
            lambda low, width, bits: close(width, Fraction(1, 32)),
        ),
        Property(
            "a share of a half costs one bit, and a fourth costs two.",
            lambda low, width, bits: close(bits, 5),
        ),
    ],
    "ex-language-currency": [
        Property(
            "return one number above zero.", lambda answer: found_bits(answer) > 0
        ),
        Property(
            "the losses are in nats: how many bits is one nat?",
            lambda answer: not isclose(found_bits(answer), pooled() * log(2)),
        ),
        Property(
            "divide by characters, and not by tokens.",
            lambda answer: not isclose(found_bits(answer), by_tokens()),
        ),
        Property(
            "a long text counts for more than a short one: add up all bits and all "
            "characters first.",
            lambda answer: not isclose(found_bits(answer), mean_of_means()),
        ),
        Property(
            "all bits of all tokens, over all characters of all texts.",
            lambda answer: isclose(found_bits(answer), pooled(), rel_tol=1e-6),
        ),
    ],
    "ex-language-windows": [
        Property(
            "a window begins, scores from a place in it on, and ends, within the text "
            "and with no more tokens than the model reads.",
            for_all_sizes(fits),
        ),
        Property(
            "each token but the very first is scored, and no token twice.",
            for_all_sizes(once),
        ),
        Property(
            "a token sees at least `size - stride` tokens before it, or all that "
            "there are.",
            for_all_sizes(sees),
        ),
        Property("take no more windows than this stride needs.", for_all_sizes(few)),
    ],
    "ex-language-witten-bell": [
        Property(
            "return a share for each letter that the shorter context knows.",
            lambda answer: mixed(answer, FOLLOWED, LOWER).keys() == LOWER.keys(),
        ),
        Property(
            "the shares must sum to one.",
            lambda answer: sums_to_one(answer, FOLLOWED),
        ),
        Property(
            "what is set aside for the shorter context grows with the number of "
            "*different* letters that have followed.",
            lambda answer: is_mixture(answer, FOLLOWED, LOWER),
        ),
        Property(
            "it must hold for other counts as well.",
            lambda answer: all(
                is_mixture(answer, counts, LOWER)
                for counts in ({"u": 1}, {"a": 9, "u": 9}, {"e": 100})
            ),
        ),
        Property(
            "a context that never came says what the shorter one says.",
            lambda answer: is_mixture(answer, {}, LOWER),
        ),
    ],
    "ex-language-copies": [
        Property(
            "return the letters that were copied.",
            lambda answer: isinstance(answer("came", BOOK), str),
        ),
        Property(
            "a copy may begin anywhere in what was written.",
            lambda answer: copies(answer, "XXwent out a", "went out a"),
        ),
        Property(
            "a copy may end anywhere, also within a word.",
            lambda answer: copies(answer, "XXwent ouXX", "went ou"),
        ),
        Property(
            "the letters must stand side by side in the book.",
            lambda answer: copies(answer, "anXdecree", "decree"),
        ),
        Property(
            "of several copies, return the longest, and not the first.",
            lambda answer: copies(
                answer, "come to passXthat there went", "that there went"
            ),
        ),
        Property(
            "where nothing is copied, the copy is empty.",
            lambda answer: copies(answer, "XYZ", ""),
        ),
    ],
    "ex-language-think": [
        Property(
            "answer five times, with 'fair' or 'unfair'.",
            lambda *words: len(words) == 5 and {*words} <= WORDS,
        ),
        Property(
            "a guess among fewer tokens is easier. What does a token of each model "
            "spell?",
            lambda a, b, c, d, e: a == "unfair",
        ),
        Property(
            "bits a character do not ask in which pieces the text came.",
            lambda a, b, c, d, e: b == "fair",
        ),
        Property(
            "who has read the training text, and who starts with nothing?",
            lambda a, b, c, d, e: c == "unfair",
        ),
        Property(
            "a choice that looked at the test has learned from it.",
            lambda a, b, c, d, e: d == "unfair",
        ),
        Property(
            "both may see the same tokens before the one they guess.",
            lambda a, b, c, d, e: e == "fair",
        ),
    ],
}

WINDOWS = [[0, 1, 4], [2, 4, 6], [4, 6, 7]]  # 7 tokens, 4 at a time, 2 apart
BY_HAND = {
    "ex-language-windows": [
        Property("give three windows with three places each.", shaped(WINDOWS)),
        Property(
            "a window begins two tokens after the one before.",
            right_where(WINDOWS, lambda window, place: place == 0),
        ),
        Property(
            "a window holds four tokens, if the text has so many left.",
            right_where(WINDOWS, lambda window, place: place == 2),
        ),
        Property(
            "the very first token is not scored, and each other one once: where did "
            "the window before end?",
            right_where(WINDOWS),
        ),
    ],
}

FIELDS = {
    "ex-language-windows": form_of_rows(WINDOWS),
    "ex-language-by-hand": (Fraction(13, 16), Fraction(1, 32), 5),
    "ex-language-think": 5 * ({"fair", "unfair"},),
}


def close(found: object, wanted: Fraction) -> bool:
    """Return whether a number is this one, up to rounding."""
    return isclose(float(found), float(wanted), rel_tol=1e-6)


def by_tokens() -> float:
    """Return the bits a token of the three texts."""
    losses = torch.cat([losses for losses, _ in scored()])
    return float(losses.mean()) / log(2)


def mean_of_means() -> float:
    """Return the mean of the bits a character of each text."""
    each = [float(losses.sum()) / log(2) / len(text) for losses, text in scored()]
    return sum(each) / len(each)

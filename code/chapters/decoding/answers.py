"""Properties of the answers to the exercises on decoding."""

import math
from collections.abc import Callable, Sequence

from chapters.exercises import Property
from chapters.start import gaussian

SHARES = [0.1, 0.4, 0.05, 0.3, 0.15]
HALVES = [2.0**-n for n in range(1, 13)]  # each half the one before, exactly
Text = tuple[int, ...]
Score = Callable[[Text], Sequence[float]]
# The first token, and what follows each: the best first step is not the best text.
GARDEN = {(): [0.5, 0.3, 0.2], (0,): [0.3, 0.25, 0.45], (1,): [0.2, 0.0, 0.8]}
# Who wrote the texts A to E of `real_texts.suspects`.
WRITERS = ("min-p", "all", "top-k", "greedy", "top-p")


def garden_path(text: Text) -> list[float]:
    """Return the log-probabilities after a text of a table like that of the chapter."""
    shares = GARDEN.get(text, [0.4, 0.3, 0.3])
    return [math.log(share) if share else -math.inf for share in shares]


def flat(text: Text) -> list[float]:
    """Return log-probabilities of twenty tokens, the first a little ahead."""
    return [math.log(0.0595), *[math.log(0.0495)] * 19]


def random_score(seed: int, tokens: int) -> Score:
    """Return a model of a few tokens in which all that came before matters."""

    def score(text: Text) -> list[float]:
        base = tokens + 1
        number = sum((token + 1) * base**place for place, token in enumerate(text))
        logits = 2 * gaussian(tokens, seed=2_000 * seed + number)
        return logits.log_softmax(dim=-1).tolist()

    return score


def followed(score: Score, width: int, length: int) -> Text:
    """Return the text that a beam of a width finds."""
    held = [(0.0, ())]
    for _ in range(length):
        held = sorted(
            (
                (total + nats, (*text, token))
                for total, text in held
                for token, nats in enumerate(score(text))
            ),
            reverse=True,
        )[:width]
    return held[0][1]


def agrees(beam: Callable, width: int, tokens: int = 3) -> bool:
    """Return whether a beam finds what it should, in a few random models."""
    scores = [random_score(seed, tokens) for seed in range(12)]
    return all(tuple(beam(s, width, 4)) == followed(s, width, 4) for s in scores)


def needs_four(beam: Callable) -> bool:
    """Return whether a beam finds a text of three tokens that a width of 3 misses."""
    score = random_score(8, tokens=3)
    return tuple(beam(score, 4, 6)) == followed(score, 4, 6)


def most_asked(beam: Callable, width: int) -> int:
    """Return of how many texts of one length a beam asks the scores at most."""
    asked: list[Text] = []

    def score(text: Text) -> list[float]:
        asked.append(tuple(text))
        return garden_path(text)

    beam(score, width, 4)
    lengths = [len(text) for text in set(asked)]
    return max(lengths.count(length) for length in lengths)


def kept(nucleus: Callable, p: float) -> set[int]:
    """Return what a nucleus keeps of a copy of the shares, which it may change."""
    return nucleus(list(SHARES), p)


def share_of(nucleus: Callable, p: float) -> float:
    """Return the probability of what a nucleus keeps."""
    return sum(SHARES[token] for token in kept(nucleus, p))


EXERCISES = {
    "ex-decoding-by-hand": [
        Property(
            "add up the probabilities, largest first, until .8 is reached.",
            lambda kept, share, ratio: kept == 3,
        ),
        Property(
            "what top-k keeps must sum to one again.",
            lambda kept, share, ratio: abs(share - 4 / 7) < 6e-3,
        ),
        Property(
            "dividing a logit by one half doubles it; what becomes of a ratio of "
            "probabilities?",
            lambda kept, share, ratio: abs(ratio - 16 / 9) < 6e-3,
        ),
    ],
    "ex-decoding-nucleus": [
        Property(
            "the result must be a set of ids of the list.",
            lambda nucleus: (
                isinstance(kept(nucleus, 0.8), set)
                and kept(nucleus, 0.8) <= set(range(5))
            ),
        ),
        Property(
            "what is kept must have at least the probability p; is the last token "
            "missing, or one of probability 0.0005?",
            lambda nucleus: (
                all(
                    share_of(nucleus, p) > p - 1e-9
                    for p in (0.1, 0.39, 0.401, 0.69, 0.701, 0.8, 0.851, 0.94, 0.951)
                )
                and nucleus([0.25, 0.625, 0.125], 1.0) == {0, 1, 2}
                and nucleus(HALVES[::-1], sum(HALVES[:11])) >= {*range(1, 12)}
            ),
        ),
        Property(
            "two tokens of one probability are two: where both are needed, both ids "
            "must come.",
            lambda nucleus: (
                nucleus([0.4, 0.3, 0.3], 0.9) >= {0, 1, 2}
                and nucleus([0.125, 0.375, 0.125, 0.375], 0.625) >= {1, 3}
            ),
        ),
        Property(
            "the set must be the smallest one: of the most probable tokens, and no "
            "more of them than are needed.",
            lambda nucleus: (
                kept(nucleus, 0.69) == {1, 3}
                and kept(nucleus, 0.8) == {1, 3, 4}
                and kept(nucleus, 0.39) == {1}
                and nucleus([0.5, 0.25, 0.25], 0.5) == {0}  # p itself is enough
                and nucleus([0.125, 0.5, 0.25, 0.125], 0.75) == {1, 2}
                and len(nucleus([0.5, 0.5], 0.5)) == 1
            ),
        ),
    ],
    "ex-decoding-beam": [
        Property(
            "the result must be a tuple of as many tokens as were asked for.",
            lambda beam: (
                [
                    (type(text), len(text))
                    for text in (beam(garden_path, 1, n) for n in (1, 3))
                ]
                == [(tuple, 1), (tuple, 3)]
            ),
        ),
        Property(
            "a beam of width 1 must be greedy.",
            lambda beam: agrees(beam, 1),
        ),
        Property(
            "a beam of width 2 must find the text that greedy decoding misses, as in "
            "the chapter's tree.",
            lambda beam: tuple(beam(garden_path, 2, 2)) == (1, 2),
        ),
        Property(
            "it must ask for the scores of at most `width` texts at each step.",
            lambda beam: most_asked(beam, 2) <= 2,
        ),
        Property(
            "it must keep the `width` best of all continuations, whichever text they "
            "continue, and by whichever token, also where there are fewer tokens than "
            "that.",
            lambda beam: (
                agrees(beam, 2)
                and agrees(beam, 3)
                and agrees(beam, 3, tokens=5)
                and needs_four(beam)
            ),
        ),
        Property(
            "add the logarithms: a product of 300 probabilities is too small for a "
            "float, and becomes 0.",
            lambda beam: tuple(beam(flat, 2, 300)) == (0,) * 300,
        ),
    ],
    "ex-decoding-detective": [
        Property(
            "name each of the five rules once: 'greedy', 'top-k', 'top-p', 'min-p' and "
            "'all'.",
            lambda *words: sorted(words) == sorted(WRITERS),
        ),
        Property(
            "one of the rules never takes a second choice; which text has rank 1 only?",
            lambda a, b, c, d, e: d == "greedy",
        ),
        Property(
            "one text has a token that none of the three cuts would have let through.",
            lambda a, b, c, d, e: b == "all",
        ),
        Property(
            "top-k with 5 never goes beyond rank 5.",
            lambda a, b, c, d, e: c == "top-k",
        ),
        Property(
            "min-p with 0.1 keeps nothing below a tenth of the leader's probability; "
            "compare the smallest shares.",
            lambda a, b, c, d, e: (a, e) == ("min-p", "top-p"),
        ),
    ],
    "ex-decoding-same": [
        Property(
            "answer with 'same' or 'may'.",
            lambda *words: len(words) == 4 and set(words) <= {"same", "may"},
        ),
        Property(
            "greedy decoding sees the order of the logits alone.",
            lambda divided, beam, added, order: divided == "same",
        ),
        Property(
            "a temperature is applied at every step, and each step sums to one again: "
            "is the most probable text the same?",
            lambda divided, beam, added, order: beam == "may",
        ),
        Property(
            "what does a softmax make of a number added to all logits?",
            lambda divided, beam, added, order: added == "same",
        ),
        Property(
            "has the nucleus as many tokens before a division by 2 as after it?",
            lambda divided, beam, added, order: order == "may",
        ),
    ],
}

FIELDS = {
    "ex-decoding-by-hand": (3, 4 / 7, 16 / 9),
    "ex-decoding-detective": 5 * ({*WRITERS},),
    "ex-decoding-same": 4 * ({"same", "may"},),
}

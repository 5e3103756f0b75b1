"""Properties of the answers to the exercises on the inside of a language model."""

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.start import gaussian

HEADS, TIME = 3, 7


def attention(seed: int, time: int = TIME, heads: int = HEADS) -> Tensor:
    """Return causal weights of some heads, whose rows sum to one."""
    later = torch.ones(time, time, dtype=torch.bool).triu(1)
    scores = gaussian(heads, time, time, seed=seed)
    return scores.masked_fill(later, -torch.inf).softmax(dim=-1)


def with_weights(places: dict[tuple[int, int], float]) -> Tensor:
    """Return the weights of one head that are zero but in some places."""
    weights = torch.zeros(1, TIME, TIME, dtype=torch.float64)
    for place, weight in places.items():
        weights[0][place] = weight
    return weights


def near(found: object, wanted: object) -> bool:
    """Return whether numbers have one shape and are equal to four decimals."""
    found = torch.as_tensor(found, dtype=torch.float64, device="cpu")
    wanted = torch.as_tensor(wanted, dtype=torch.float64, device="cpu")
    same = found.shape == wanted.shape
    return same and torch.allclose(found, wanted, rtol=0, atol=1e-4)


def weight_before(weights: Tensor) -> Tensor:
    """Return the mean weight on the token before, from the third token on."""
    rows = range(2, weights.size(1))
    return torch.stack([weights[:, t, t - 1] for t in rows]).mean(dim=0)


def two_heads(d_model: int, d_head: int) -> tuple:
    """Return the matrices of a head that writes and of one that asks.

    A value has one feature more than a key.
    """
    d_value = d_head + 1
    first = gaussian(d_model, d_value, seed=1), gaussian(d_value, d_model, seed=2)
    return first, tuple(gaussian(d_model, d_head, seed=seed) for seed in (3, 4))


def rows(d_model: int) -> tuple[Tensor, Tensor]:
    """Return four rows that ask and five that messages are about."""
    return gaussian(4, d_model, seed=5), gaussian(5, d_model, seed=6)


def wanted_scores(d_model: int, d_head: int) -> Tensor:
    """Return the scores between the rows, one at a time."""
    (w_v, w_o), (w_q, w_k) = two_heads(d_model, d_head)
    x, y = rows(d_model)
    scores = torch.zeros(len(x), len(y), dtype=torch.float64)
    for t, asking in enumerate(x):
        for s, about in enumerate(y):
            key = about @ w_v @ w_o @ w_k
            scores[t, s] = (asking @ w_q) @ key / d_head**0.5
    return scores


def given_scores(asks, d_model: int = 6, d_head: int = 2) -> Tensor:
    """Return what an answer makes of the rows."""
    found = asks(*rows(d_model), *two_heads(d_model, d_head))
    return torch.as_tensor(found, dtype=torch.float64)


def ignores_the_writer(asks) -> bool:
    """Return whether the scores stay as they are with another message."""
    x, y = rows(6)
    (w_v, w_o), second = two_heads(6, 2)
    return near(asks(x, y, (w_v, w_o), second), asks(x, y, (-w_v, w_o), second))


def is_a_multiple(asks) -> bool:
    """Return whether the scores are right up to one factor."""
    found, wanted = given_scores(asks), wanted_scores(6, 2)
    factor = (found * wanted).sum() / (wanted * wanted).sum()
    return factor > 0 and near(found, factor * wanted)


def stream() -> Tensor:
    """Return a stream in which the first token has a giant, and one is all zero."""
    rows = gaussian(5, 8, seed=7)
    rows[0, 3], rows[1, 5] = 1000.0, -40.0
    rows[4] = 0
    return rows


def counts_of_steps(eight_bits, x: Tensor) -> Tensor:
    """Return the rounded numbers in steps of each row, without the row of zeros."""
    largest = x[:4].abs().amax(dim=1, keepdim=True)
    found = torch.as_tensor(eight_bits(x.clone()), dtype=torch.float64)
    return 127 * found[:4] / largest


def stands_on_steps(counts: Tensor) -> bool:
    """Return whether numbers are whole, to three decimals."""
    return bool(((counts - counts.round()).abs() < 1e-3).all())


def moves_half_a_step(counts: Tensor, exact: Tensor) -> bool:
    """Return whether no number is farther than half a step from what it was."""
    return bool(((counts - exact).abs() < 0.501).all())


EXERCISES = {
    "ex-inside-before": [
        Property(
            "there must be one number for each head.",
            lambda looks_back: torch.as_tensor(looks_back(attention(1))).shape == (3,),
        ),
        Property(
            "a head that looks one back from each token must get 1; which diagonal "
            "is that?",
            lambda looks_back: near(
                looks_back(with_weights({(t, t - 1): 1.0 for t in range(1, TIME)})), [1]
            ),
        ),
        Property(
            "a head that looks only at the first token must get 0; from which token "
            "on do you count?",
            lambda looks_back: near(
                looks_back(with_weights({(t, 0): 1.0 for t in range(TIME)})), [0]
            ),
        ),
        Property(
            "the third token counts, and so does the last.",
            lambda looks_back: (
                near(looks_back(with_weights({(2, 1): 1.0})), [0.2])
                and near(looks_back(with_weights({(6, 5): 1.0})), [0.2])
            ),
        ),
        Property(
            "it must be the mean over all tokens from the third on, in texts of any "
            "length and for any number of heads.",
            lambda looks_back: all(
                near(looks_back(weights), weight_before(weights))
                for weights in (attention(2), attention(3, 11, 2), attention(4, 5, 6))
            ),
        ),
    ],
    "ex-inside-key": [
        Property(
            "there must be a row for each row of x and a column for each row of y.",
            lambda asks: given_scores(asks).shape == (4, 5),
        ),
        Property(
            "the scores must depend on W_V and W_O; of what is the key made?",
            lambda asks: not ignores_the_writer(asks),
        ),
        Property(
            "the message stands in the key, the row of x in the query, and nothing is "
            "done to the scores but to divide them.",
            is_a_multiple,
        ),
        Property(
            "they must be divided by the root of the number of features of a key.",
            lambda asks: all(
                near(given_scores(asks, *sizes), wanted_scores(*sizes))
                for sizes in ((6, 2), (5, 3), (8, 7))
            ),
        ),
    ],
    "ex-inside-steps": [
        Property(
            "the result must have the shape of x.",
            lambda eight_bits: (
                torch.as_tensor(eight_bits(stream())).shape == stream().shape
            ),
        ),
        Property(
            "the largest size of a row must stay what it is; do you return numbers, "
            "or counts of steps?",
            lambda eight_bits: torch.allclose(
                counts_of_steps(eight_bits, stream()).abs().amax(dim=1),
                torch.tensor(127.0, dtype=torch.float64),
                rtol=1e-4,
            ),
        ),
        Property(
            "every number must be a whole number of its row's steps, the largest size "
            "divided by 127.",
            lambda eight_bits: stands_on_steps(counts_of_steps(eight_bits, stream())),
        ),
        Property(
            "no number may move by more than half a step.",
            lambda eight_bits: moves_half_a_step(
                counts_of_steps(eight_bits, stream()),
                counts_of_steps(lambda x: x, stream()),
            ),
        ),
        Property(
            "a row of small numbers has small steps, and must not be lost.",
            lambda eight_bits: torch.allclose(
                counts_of_steps(eight_bits, 1e-7 * stream()).abs().amax(dim=1),
                torch.tensor(127.0, dtype=torch.float64),
                rtol=1e-4,
            ),
        ),
        Property(
            "a row of zeros must stay zero.",
            lambda eight_bits: near(eight_bits(stream())[4], torch.zeros(8)),
        ),
    ],
    "ex-inside-lucky": [
        Property(
            "the head does not hand on the word, it swaps its two numbers.",
            lambda message, lucky, tiny, found: list(message) == [-2, 1],
        ),
        Property(
            "the question is swapped too: what is the product of a vector with itself?",
            lambda message, lucky, tiny, found: lucky == 5,
        ),
        Property(
            "the message about *Tiny* is (2, -1), and the question is swapped.",
            lambda message, lucky, tiny, found: tiny == -5,
        ),
        Property(
            "the other reader asks with (1, -2): with which of the four messages is "
            "the product largest?",
            lambda message, lucky, tiny, found: found == "tiny",
        ),
    ],
}

FIELDS = {
    "ex-inside-lucky": ([-2, 1], 5, -5, "tiny"),
}

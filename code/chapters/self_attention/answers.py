"""Properties of the answers to the exercises on self-attention."""

import torch
import torch.nn.functional as F
from torch import Tensor

from chapters.calls import calls
from chapters.exercises import Property
from chapters.forms import form_of_rows, right_where, shaped
from chapters.regions import about, either, every
from chapters.start import gaussian

EIGHTHS = 1 / 8, 2 / 8, 5 / 8
HALF_A_DIGIT = 0.005 + 1e-6  # of the second decimal


def is_rounded(found: float, exact: float) -> bool:
    """Return whether a number is the exact one, to two decimals at least."""
    return abs(found - exact) < HALF_A_DIGIT


def draw_attention_inputs(
    d: int = 5, queries: int = 3
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw queries, keys and values whose sizes are all different."""
    return (
        gaussian(2, queries, d, seed=1),
        gaussian(2, 7, d, seed=2),
        gaussian(2, 7, 11, seed=3),
    )


def is_written_out(attend) -> bool:
    """Return whether an answer calls no attention of PyTorch or of the package."""
    return not any(
        "attention" in name for name in calls(attend, *draw_attention_inputs())
    )


def agrees_with_pytorch(attend) -> bool:
    """Return whether an attention function computes what PyTorch computes."""
    return all(
        torch.allclose(
            attend(*draw_attention_inputs(*sizes)),
            F.scaled_dot_product_attention(*draw_attention_inputs(*sizes)),
        )
        for sizes in ((5,), (2,), (5, 7))
    )


def bears_large_scores(attend) -> bool:
    """Return whether an answer computes what PyTorch does where scores are large.

    Only some of the rows have large scores, so that each needs a largest one of its
    own.
    """
    query, key, value = draw_attention_inputs()
    query[:, 1:] *= 1e4
    expected = F.scaled_dot_product_attention(query, key, value)
    return torch.allclose(attend(query, key, value), expected)


def stays_within_values(attend) -> bool:
    """Return whether outputs lie between the smallest and the largest values."""
    query, key, value = draw_attention_inputs()
    out = attend(query, key, value)
    low, high = value.amin(1, keepdim=True), value.amax(1, keepdim=True)
    return bool(((out >= low - 1e-9) & (out <= high + 1e-9)).all())


def ignores_key_order(attend) -> bool:
    """Return whether shuffling keys and values together changes nothing."""
    query, key, value = draw_attention_inputs()
    shuffled = attend(query.clone(), key.flip(1), value.flip(1))
    return torch.allclose(attend(query, key, value), shuffled)


def near_diagonal(length: int, radius: int) -> Tensor:
    """Return True exactly where two positions are at most `radius` apart."""
    position = torch.arange(length)
    return (position[:, None] - position).abs() <= radius


def scores_of_places(look_back, n: int) -> Tensor:
    """Return the scores with which n one-hot places attend to one another."""
    query, key = (torch.as_tensor(found).double() for found in look_back(n))
    return query @ key.mT / query.size(-1) ** 0.5


def weights_of_places(look_back, n: int) -> Tensor:
    """Return the weights with which n one-hot places attend to one another."""
    return F.softmax(scores_of_places(look_back, n), dim=-1)


def least_lead(look_back, n: int) -> float:
    """Return by how much the score of the place before is the largest, at least."""
    scores = scores_of_places(look_back, n)[1:]
    right = torch.eye(n, dtype=torch.bool)[:-1]
    others = scores.masked_fill(right, -torch.inf).amax(dim=-1)
    return (scores[right] - others).min().item()


EXERCISES = {
    "ex-attention-by-hand": [
        Property(
            "there must be three weights and one output.",
            lambda weights, output: (
                len(weights) == 3 and isinstance(output, int | float)
            ),
        ),
        Property(
            "the weights must sum to one.",
            every(about(1, 1, 1, 0, to=1, within=0.0101)),  # 0.13, 0.25, 0.63
        ),
        Property(
            "a score that is larger by ln 2 must double the weight.",
            either(
                (
                    about(1, 0, 0, 0, to=1 / 8, within=HALF_A_DIGIT),
                    about(0, 1, 0, 0, to=2 / 8, within=HALF_A_DIGIT),
                ),
                (about(-2, 1, 0, 0),),
            ),
        ),
        Property(
            "the third weight does not fit its score.",
            lambda weights, output: all(map(is_rounded, weights, EIGHTHS)),
        ),
        Property(
            "the output must be the weighted mean of the three values.",
            either((about(0, 0, 0, 1, to=2),), (about(-8, -4, 0, 1),)),
        ),
    ],
    "ex-attention-code": [
        Property(
            "the result must have the shape (batch, queries, features of a value).",
            lambda attend: attend(*draw_attention_inputs()).shape == (2, 3, 11),
        ),
        Property(
            "each output must lie between the smallest and the largest value of its "
            "feature; do the weights of each query sum to one?",
            stays_within_values,
        ),
        Property(
            "shuffling keys and values together must change nothing.",
            ignores_key_order,
        ),
        Property(
            "the numbers must equal those of PyTorch; is the scale right, and may each "
            "query see all keys?",
            agrees_with_pytorch,
        ),
        Property(
            "large scores must not overflow: subtract the largest one of each row "
            "first, or leave it to `softmax`.",
            bears_large_scores,
        ),
        Property(
            "you must write it out, without the attention of PyTorch or of the book.",
            is_written_out,
        ),
    ],
    "ex-window-mask": [
        Property(
            "the mask must be a Boolean tensor.",
            lambda window: window(5, 1).dtype == torch.bool,
        ),
        Property(
            "the mask must have one row for each query and one column for each key.",
            lambda window: window(5, 1).shape == (5, 5),
        ),
        Property(
            "with radius 0 each position must see itself and nothing else; True says "
            "that it may see.",
            lambda window: torch.equal(window(5, 0), near_diagonal(5, 0)),
        ),
        Property(
            "a position must see all those at most radius away, behind it as well as "
            "ahead, and no others; does your window count both ends?",
            lambda window: all(
                torch.equal(window(*sizes), near_diagonal(*sizes))
                for sizes in ((7, 2), (9, 4), (6, 1), (4, 11))
            ),
        ),
    ],
    "ex-louder-queries": [
        Property(
            "answer with 'sharper', 'flatter' or 'unchanged', once for each change.",
            lambda queries, keys_shift, both: (
                {queries, keys_shift, both} <= {"sharper", "flatter", "unchanged"}
            ),
        ),
        Property(
            "look again at what doubling the queries does to the differences between "
            "the scores of a row.",
            lambda queries, keys_shift, both: queries == "sharper",
        ),
        Property(
            "look again at what one vector, added to every key, adds to the scores of "
            "a row.",
            lambda queries, keys_shift, both: keys_shift == "unchanged",
        ),
        Property(
            "look again at the product of a doubled query and a halved key.",
            lambda queries, keys_shift, both: both == "unchanged",
        ),
    ],
    "ex-look-back": [
        Property(
            "return two matrices with one row for each of the n places, and as many "
            "columns as each other.",
            lambda look_back: all(
                query.shape == key.shape and query.shape[0] == n
                for n in (5, 8)
                for query, key in [look_back(n)]
            ),
        ),
        Property(
            "place 3 must look at place 2 more than at any other; does it look at "
            "itself, or ahead?",
            lambda look_back: weights_of_places(look_back, 5)[2].argmax().item() == 1,
        ),
        Property(
            "every place but the first must look at the one before it, for any n.",
            lambda look_back: all(
                weights_of_places(look_back, n)[1:].argmax(dim=-1).tolist()
                == list(range(n - 1))
                for n in (2, 5, 8)
            ),
        ),
        Property(
            "the weight of the place before must be at least 0.99, also among many "
            "places; the root of the number of columns divides the scores, and "
            "outgrows any factor that is fixed.",
            lambda look_back: (
                all(
                    weights_of_places(look_back, n).diagonal(-1).min() >= 0.99
                    for n in (2, 8, 64, 300)
                )
                and least_lead(look_back, 300) > 0.9 * least_lead(look_back, 64)
            ),
        ),
    ],
}

WINDOW = [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]  # 4, radius 1
BY_HAND = {
    "ex-window-mask": [
        Property("give four rows of four numbers, each 1 or 0.", shaped(WINDOW)),
        Property(
            "each position may attend to itself.",
            right_where(WINDOW, lambda query, key: query == key),
        ),
        Property(
            "the window has two sides: a position also sees the next one.",
            right_where(WINDOW, lambda query, key: key == query + 1),
        ),
        Property(
            "the window has two sides: a position also sees the one before.",
            right_where(WINDOW, lambda query, key: key == query - 1),
        ),
        Property(
            "what is two positions away is outside a radius of 1.", right_where(WINDOW)
        ),
    ],
}

FIELDS = {
    "ex-window-mask": form_of_rows(WINDOW),
    "ex-attention-by-hand": (EIGHTHS, 2),
    "ex-louder-queries": 3 * ({"sharper", "flatter", "unchanged"},),
}

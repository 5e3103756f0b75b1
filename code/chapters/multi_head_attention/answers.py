"""Properties of the answers to the exercises on multi-head attention and masks."""

import torch
from torch import Tensor

from chapters.calls import calls, uses_package
from chapters.exercises import Property
from chapters.forms import form_of_rows, right_where, shaped
from chapters.start import gaussian
from transformer.layers import scaled_dot_product_attention

TIME, D_MODEL = 5, 12
ON_THE_RIGHT = [[7, 8, 9, 0, 0], [7, 8, 9, 5, 6]]
ON_THE_LEFT = [[0, 0, 7, 8, 9], [7, 8, 9, 5, 6]]
IN_BETWEEN = [[7, 0, 0, 8, 9], [0, 6, 0, 5, 0]]
WITH_FOUR = [[7, 0, 9, 4, 4], [0, 8, 4, 4, 4]]  # where 4 is padding, and 0 a word


def inputs(time: int = TIME, d_model: int = D_MODEL) -> list[Tensor]:
    """Return an input and four square matrices."""
    x = gaussian(time, d_model, seed=1)
    return [x, *(gaussian(d_model, d_model, seed=s) / 3 for s in (2, 3, 4, 5))]


def head_by_head(num_heads: int, *sizes: int) -> Tensor:
    """Return multi-head attention with a loop over the heads."""
    x, w_q, w_k, w_v, w_o = inputs(*sizes)
    d_head = x.size(1) // num_heads
    cuts = [slice(start, start + d_head) for start in range(0, x.size(1), d_head)]
    heads = [
        scaled_dot_product_attention(x @ w_q[:, c], x @ w_k[:, c], x @ w_v[:, c])
        for c in cuts
    ]
    return torch.cat([head.values for head in heads], dim=-1) @ w_o


def loops(attend) -> bool:
    """Return whether an answer calls more functions when there are more heads."""
    two, six = (calls(attend, *inputs(), heads) for heads in (2, 6))
    return two != six


def seen(decoder_mask, tokens: list[list[int]] = ON_THE_RIGHT, pad_id=0) -> Tensor:
    """Return the mask that an answer makes, without the axis of the heads."""
    mask = decoder_mask(torch.tensor(tokens), pad_id)
    return mask.expand(2, 1, TIME, TIME)[:, 0]


def to_see(tokens: list[list[int]] = ON_THE_RIGHT, pad_id: int = 0) -> Tensor:
    """Return the right mask, without the axis of the heads."""
    real = torch.tensor(tokens) != pad_id
    return real[:, None].expand(-1, TIME, -1).tril()


def real_rows(mask: Tensor) -> Tensor:
    """Return the rows of the real tokens of a mask for padding on the right."""
    return mask[torch.tensor(ON_THE_RIGHT) != 0]


# Texts in which words come again, at many distances and up to four times.
TEXTS = (
    [2, 0, 3, 1, 2, 0, 3, 1],
    [3, 1, 4, 1, 5, 2, 6, 4, 3, 5],
    [1, 2, 1, 0, 1, 2, 1],
    [1, 1, 0, 2, 2, 2, 1],
)
LONG = [*range(40), 7, *range(40)]


def one_hot(words: list[int]) -> Tensor:
    """Return a row for each word, with a one at its number."""
    return torch.eye(max(words) + 3)[words]


def looked(induction, words: list[int]) -> Tensor:
    """Return the weights that an answer gives."""
    return torch.as_tensor(induction(one_hot(words))).double()


def after_copies(words: list[int]) -> Tensor:
    """Return where to look: a row for each word, true after each earlier copy of it."""
    here = torch.tensor(words)
    before = torch.cat([torch.tensor([-1]), here[:-1]])
    return (here[:, None] == before).tril()


def hits(induction, words: list[int]) -> Tensor:
    """Return the weight on the right words, for each word that has come before."""
    right = after_copies(words)
    return (looked(induction, words) * right).sum(dim=1)[right.any(dim=1)]


def is_shared(induction, words: list[int]) -> bool:
    """Return whether each row gives all its right words the same weight."""
    right, weights = after_copies(words), looked(induction, words)
    rows = [row[places] for row, places in zip(weights, right, strict=True)]
    return all(row.max() - row.min() < 0.05 for row in rows if len(row))


EXERCISES = {
    "ex-mha-by-hand": [
        Property(
            "the first head must be the weighted mean of its values.",
            lambda first, second, output: abs(first - 3.5) < 1e-6,
        ),
        Property(
            "the second head must be the weighted mean of its values.",
            lambda first, second, output: abs(second - 3) < 1e-6,
        ),
        Property(
            "the output must have two features.",
            lambda first, second, output: len(output) == 2,
        ),
        Property(
            "each head must multiply its own row of the output matrix.",
            lambda first, second, output: (
                abs(output[0] - 9.5) < 1e-6 and abs(output[1] - 3) < 1e-6
            ),
        ),
    ],
    "ex-mha-code": [
        Property(
            "the result must have the shape of x, made without a loop over the heads.",
            lambda f: f(*inputs(), 3).shape == (TIME, D_MODEL) and not loops(f),
        ),
        Property(
            "one head must give plain attention, followed by the output matrix.",
            lambda f: torch.allclose(f(*inputs(), 1), head_by_head(1)),
        ),
        Property(
            "three heads must equal a loop over the heads; does each head get a block "
            "of features of every token, or all features of some tokens?",
            lambda f: all(
                torch.allclose(f(*inputs(), heads), head_by_head(heads))
                for heads in (3, 4)
            ),
        ),
        Property(
            "x may be of any size: is a number of tokens or features written out?",
            lambda f: all(
                torch.allclose(f(*inputs(*sizes), heads), head_by_head(heads, *sizes))
                for heads, *sizes in ((2, 7, 22), (5, 3, 10))
            ),
        ),
    ],
    "ex-mha-decoder-mask": [
        Property(
            "the mask must be a Boolean tensor, made without the functions of the "
            "package.",
            lambda f: (
                f(torch.tensor(ON_THE_RIGHT), 0).dtype == torch.bool
                and not uses_package(f, torch.tensor(ON_THE_RIGHT), 0)
            ),
        ),
        Property(
            "the mask must broadcast to (batch, heads, time, time): it has four axes.",
            lambda f: all(
                mask.dim() == 4 and mask.shape[2:] == (time, time)
                for time in (TIME, 1)
                for mask in [f(torch.tensor(ON_THE_RIGHT)[:, :time], 0)]
            ),
        ),
        Property(
            "no position may see a later one.",
            lambda f: not seen(f).triu(diagonal=1).any(),
        ),
        Property(
            "each real token must see itself and all real tokens before it.",
            lambda f: bool((real_rows(seen(f)) >= real_rows(to_see())).all()),
        ),
        Property(
            "no position may see padding.",
            lambda f: not seen(f)[0, :, 3:].any(),
        ),
        Property(
            "a padded position must see the real tokens before it: a row without keys "
            "has no weights.",
            lambda f: torch.equal(seen(f), to_see()),
        ),
        Property(
            "padding is what has the id `pad_id`, whatever number that is.",
            lambda f: torch.equal(seen(f, WITH_FOUR, 4), to_see(WITH_FOUR, 4)),
        ),
        Property(
            "padding must be hidden on the left of a sentence, too.",
            lambda f: torch.equal(seen(f, ON_THE_LEFT), to_see(ON_THE_LEFT)),
        ),
        Property(
            "padding must be hidden between two words as well.",
            lambda f: torch.equal(seen(f, IN_BETWEEN), to_see(IN_BETWEEN)),
        ),
    ],
    "ex-mha-which-mask": [
        Property(
            "answer four times with True or False.",
            lambda *answers: len(answers) == 4 and set(answers) <= {True, False},
        ),
        Property(
            "may a word of the source read the words after it?",
            lambda encoder, padding, cross, right: not encoder,
        ),
        Property(
            "what hides the padding of the source from the encoder, and from the "
            "decoder?",
            lambda encoder, padding, cross, right: padding is cross is True,
        ),
        Property(
            "which tokens stand after the last real one, and who may see them?",
            lambda encoder, padding, cross, right: not right,
        ),
    ],
    "ex-mha-induction": [
        Property(
            "the weights must be a square matrix, a row and a column for each word.",
            lambda f: looked(f, TEXTS[0]).shape == (8, 8),
        ),
        Property(
            "each row must sum to one, also where the word is new.",
            lambda f: all(
                torch.allclose(weights.sum(dim=1), torch.ones(len(weights)).double())
                and (weights >= 0).all()
                for weights in (looked(f, words) for words in TEXTS)
            ),
        ),
        Property(
            "no word may look at a later one.",
            lambda f: not looked(f, TEXTS[0]).triu(diagonal=1).any(),
        ),
        Property(
            "a word that comes again must look at the word after its first copy, and "
            "not at the copy.",
            lambda f: bool((hits(f, TEXTS[0])[:3] > 0.5).all()),
        ),
        Property(
            "the weight must be more than 0.99, in a long text too; are the scores "
            "large enough?",
            lambda f: all(
                (hits(f, words)[:3] > 0.99).all()
                for words in (TEXTS[0], LONG[:40] + LONG[41:])
            ),
        ),
        Property(
            "nothing stands before the first word; what is its key?",
            lambda f: bool((hits(f, TEXTS[0]) > 0.99).all()),
        ),
        Property(
            "copies may stand at any distance.",
            lambda f: bool(
                (hits(f, TEXTS[1]) > 0.99).all() and (hits(f, LONG) > 0.99).all()
            ),
        ),
        Property(
            "where a word follows itself, the word after its copy is the word itself.",
            lambda f: bool((hits(f, TEXTS[3])[:1] > 0.99).all()),
        ),
        Property(
            "where a word has come several times, the words after all its copies must "
            "share the weight.",
            lambda f: all(
                (hits(f, words) > 0.99).all() and is_shared(f, words)
                for words in TEXTS[2:]
            ),
        ),
    ],
}

PADDED = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0]]  # 0, 5, 7, 0
BY_HAND = {
    "ex-mha-decoder-mask": [
        Property("give four rows of four numbers, each 1 or 0.", shaped(PADDED)),
        Property(
            "no position sees a later one.",
            right_where(PADDED, lambda query, key: key > query),
        ),
        Property(
            "the first and the last token are padding, which nobody sees, not even it "
            "itself.",
            right_where(PADDED, lambda query, key: key in (0, 3)),
        ),
        Property(
            "a word sees itself and the words before it.",
            right_where(PADDED, lambda query, key: query < 3),
        ),
        Property(
            "the last row is padding as a query: it may look at the words, and nobody "
            "reads what it finds.",
            right_where(PADDED),
        ),
    ],
}

FIELDS = {
    "ex-mha-decoder-mask": form_of_rows(PADDED),
    "ex-mha-by-hand": (3.5, 3, (9.5, 3)),
    "ex-mha-which-mask": 4 * ({True, False},),
}

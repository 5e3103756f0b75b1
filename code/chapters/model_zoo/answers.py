"""Properties of the answers to the exercises on real models."""

import math

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.forms import right_where, shaped
from chapters.start import gaussian
from transformer.zoo import CONFIGS
from transformer.zoo.gpt_neox import part_of_heads

KINDS = {"marian", "bert", "gpt2", "t5", "llama", "gpt_neox"}
MISTAKES = {"base", "head", "layout", "last norm", "order"}
D_HEAD, D_MODEL = 5, 7
# Heads, groups, and d_head; the last two have fewer rows than columns.
SIZES = ((6, 2, D_HEAD), (10, 5, 3), (4, 1, D_HEAD), (2, 1, 3), (3, 3, 2))


def fused(num_heads: int = 3) -> Tensor:
    """Return a fused matrix as GPT-NeoX stores it, with a few heads."""
    return gaussian(3 * num_heads * D_HEAD, D_MODEL, seed=0)


def takes(read, part: int) -> bool:
    """Return whether an answer takes a part out of each head, of three or of six."""
    return all(
        torch.equal(
            read(fused(heads), heads)[part],
            part_of_heads(part, heads).take(fused(heads)),
        )
        for heads in (3, 6)
    )


def keys(weight: Tensor, heads: int) -> Tensor:
    """Return the keys of a few tokens, head by head: (tokens, heads, d_head)."""
    return (gaussian(4, D_MODEL, seed=1) @ weight.T).unflatten(1, (heads, -1))


def repeated(repeat_heads, heads: int, groups: int, d_head: int) -> Tensor:
    """Return what an answer makes of the key projection of a few groups."""
    return repeat_heads(gaussian(groups * d_head, D_MODEL, seed=2), heads, d_head)


def serves(repeat_heads, head: int, sizes: tuple[int, int, int] = SIZES[0]) -> bool:
    """Return whether a head gets the keys of its group."""
    heads, groups, d_head = sizes
    grouped = gaussian(groups * d_head, D_MODEL, seed=2)
    found = keys(repeated(repeat_heads, *sizes), heads)[:, head]
    return torch.allclose(found, keys(grouped, groups)[:, head // (heads // groups)])


EXERCISES = {
    "ex-zoo-broken": [
        Property(
            "answer with 'base', 'head', 'layout', 'last norm' and 'order', each once, "
            "for A to E.",
            lambda *names: len(names) == 5 and set(names) == MISTAKES,
        ),
        Property(
            "in A and C the first token is exactly right: which mistakes does a token "
            "that sees only itself not feel?",
            lambda a, b, c, d, e: {a, c} == {"base", "layout"},
        ),
        Property(
            "model A still counts and C does not: which of the two mistakes pairs the "
            "wrong features?",
            lambda a, b, c, d, e: (a, c) == ("base", "layout"),
        ),
        Property(
            "in B and D all thirty layers are right: what comes after them?",
            lambda a, b, c, d, e: {b, d} == {"head", "last norm"},
        ),
        Property(
            "model B loses little more than a guess among 49,152 tokens, and D is "
            "worse than guessing: which of the two has learned nothing?",
            lambda a, b, c, d, e: (b, d) == ("head", "last norm"),
        ),
    ],
    "ex-zoo-width": [
        Property(
            "three matrices of this width must hold as many weights as two of width "
            "4 times 4096.",
            lambda width, published: math.isclose(width, 8 / 3 * 4096, abs_tol=0.5),
        ),
        Property(
            "the second number must be the d_ff of llama-2-7b in CONFIGS.",
            lambda width, published: published == CONFIGS["llama-2-7b"].d_ff,
        ),
    ],
    "ex-zoo-fused": [
        Property(
            "the result must be three matrices, each a third of the rows.",
            lambda read: (
                [tuple(part.shape) for part in read(fused(), 3)]
                == [(3 * D_HEAD, D_MODEL)] * 3
            ),
        ),
        Property(
            "with one head the three blocks must follow one another.",
            lambda read: torch.equal(torch.cat(list(read(fused(), 1))), fused()),
        ),
        Property(
            "the queries must hold the first block of each head, in order.",
            lambda read: takes(read, 0),
        ),
        Property(
            "keys and values must hold the second and third block of each head.",
            lambda read: takes(read, 1) and takes(read, 2),
        ),
    ],
    "ex-zoo-repeat": [
        Property(
            "the result must have num_heads * d_head rows.",
            lambda repeat: all(
                repeated(repeat, heads, groups, size).shape == (heads * size, D_MODEL)
                for heads, groups, size in SIZES
            ),
        ),
        Property(
            "the first head must get the keys of the first group.",
            lambda repeat: serves(repeat, 0),
        ),
        Property(
            "neighboring heads must share a group: the second head reads the first "
            "group too.",
            lambda repeat: serves(repeat, 1),
        ),
        Property(
            "every head must get the keys of its group.",
            lambda repeat: all(
                serves(repeat, head, sizes)
                for sizes in SIZES
                for head in range(sizes[0])
            ),
        ),
    ],
    "ex-zoo-who": [
        Property(
            "answer with four of 'marian', 'bert', 'gpt2', 't5', 'llama', 'gpt_neox'.",
            lambda *names: len(names) == 4 and set(names) <= KINDS,
        ),
        Property(
            "the first has segments: which family reads pairs of sentences?",
            lambda first, second, third, fourth: first == "bert",
        ),
        Property(
            "the second has biases and rotates: which family does both?",
            lambda first, second, third, fourth: second == "gpt_neox",
        ),
        Property(
            "the third does not divide its scores: look at scale_attention.",
            lambda first, second, third, fourth: third == "t5",
        ),
        Property(
            "the fourth has gates, no biases and nothing stored for positions.",
            lambda first, second, third, fourth: fourth == "llama",
        ),
    ],
}

REPEATED = [1, 2, 1, 2, 3, 4, 3, 4]
BY_HAND = {
    "ex-zoo-repeat": [
        Property("give the numbers of eight rows.", shaped(REPEATED)),
        Property(
            "a head keeps its two rows together, in their order.",
            right_where(REPEATED, lambda row: row < 2),
        ),
        Property(
            "neighbors share a key head: the first two of the four have the same rows.",
            right_where(REPEATED, lambda row: row < 4),
        ),
        Property(
            "the last two heads have the rows of the second key head.",
            right_where(REPEATED),
        ),
    ],
}

FIELDS = {
    "ex-zoo-repeat": (REPEATED,),
    "ex-zoo-broken": 5 * (MISTAKES,),
    "ex-zoo-width": (8 / 3 * 4096, CONFIGS["llama-2-7b"].d_ff),
    "ex-zoo-who": 4 * (KINDS,),
}

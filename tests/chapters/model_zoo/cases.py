"""Answers to the exercises on real models, right ones and wrong ones."""

from transformer.zoo.gpt_neox import part_of_heads


def by_head(order=(0, 1, 2)):
    """The right answer, or one that takes the parts in another order."""

    def read(stored, num_heads):
        if num_heads == 1:
            return stored.chunk(3)
        return tuple(part_of_heads(part, num_heads).take(stored) for part in order)

    return read


def repeat(weight, num_heads, d_head):
    heads = weight.unflatten(0, (-1, d_head))
    return heads.repeat_interleave(num_heads // len(heads), dim=0).flatten(0, 1)


def tile(weight, num_heads, d_head):
    return weight.repeat(num_heads * d_head // len(weight), 1)


def last_from_first(weight, num_heads, d_head):
    right = repeat(weight, num_heads, d_head)
    right[-d_head:] = right[:d_head]
    return right


RIGHT = [
    ("ex-zoo-width", (10_922.67, 11_008)),
    ("ex-zoo-fused", (by_head(),)),
    ("ex-zoo-repeat", (repeat,)),
    ("ex-zoo-who", ("bert", "gpt_neox", "t5", "llama")),
]

WRONG = [
    ("ex-zoo-width", (16_384, 11_008), "three matrices"),
    ("ex-zoo-width", (10_922.67, 14_336), "llama-2-7b"),
    ("ex-zoo-fused", (lambda stored, heads: stored,), "three matrices"),
    (
        "ex-zoo-fused",
        (lambda stored, heads: stored.chunk(3)[::-1],),
        "with one head",
    ),
    ("ex-zoo-fused", (lambda stored, heads: stored.chunk(3),), "the queries"),
    ("ex-zoo-fused", (by_head((0, 2, 1)),), "keys and values"),
    ("ex-zoo-repeat", (lambda weight, heads, d_head: weight,), "rows"),
    (
        "ex-zoo-repeat",
        (lambda w, heads, d_head: repeat(w, heads, d_head).flip(0),),
        "the first head",
    ),
    ("ex-zoo-repeat", (tile,), "neighboring heads"),
    ("ex-zoo-repeat", (last_from_first,), "every head"),
    ("ex-zoo-who", ("gpt3", "gpt_neox", "t5", "llama"), "answer with"),
    ("ex-zoo-who", ("marian", "gpt_neox", "t5", "llama"), "segments"),
    ("ex-zoo-who", ("bert", "gpt2", "t5", "llama"), "rotates"),
    ("ex-zoo-who", ("bert", "gpt_neox", "marian", "llama"), "divide its scores"),
    ("ex-zoo-who", ("bert", "gpt_neox", "t5", "gpt2"), "gates"),
]

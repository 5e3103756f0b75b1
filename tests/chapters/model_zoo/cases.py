"""Answers to the exercises on real models, right ones and wrong ones."""

import torch

from transformer.zoo.gpt_neox import part_of_heads


def by_head(order=(0, 1, 2)):
    """The right answer, or one that takes the parts in another order."""

    def read(stored, num_heads):
        if num_heads == 1:
            return stored.chunk(3)
        return tuple(part_of_heads(part, num_heads).take(stored) for part in order)

    return read


def cut_to_a_square(weight, num_heads, d_head):
    """Knows models whose heads together are as wide as the stream, or wider."""
    return repeat(weight, num_heads, d_head)[:, : num_heads * d_head]


def repeat(weight, num_heads, d_head):
    heads = weight.unflatten(0, (-1, d_head))
    return heads.repeat_interleave(num_heads // len(heads), dim=0).flatten(0, 1)


def tile(weight, num_heads, d_head):
    return weight.repeat(num_heads * d_head // len(weight), 1)


def last_from_first(weight, num_heads, d_head):
    right = repeat(weight, num_heads, d_head)
    right[-d_head:] = right[:d_head]
    return right


def by_axes(shape, order):
    """Three axes of the rows in another order."""

    def read(stored, num_heads):
        sizes = {"heads": num_heads, "parts": 3, "features": -1}
        heads = stored.unflatten(0, [sizes[name] for name in shape])
        heads = heads.movedim([shape.index(name) for name in order], [0, 1, 2])
        return tuple(heads.flatten(1, 2))

    return read


def with_three_heads(stored, num_heads):
    """The number of heads is read in one case only."""
    return by_head()(stored, 1 if num_heads == 1 else 3)


def parts_for_heads(stored, num_heads):
    """Takes the heads for the parts, which are three as well."""
    if num_heads == 1:
        return stored.chunk(3)
    return tuple(
        stored.unflatten(0, (3, num_heads, -1))[:, part].flatten(end_dim=1)
        for part in range(3)
    )


def repeat_by(count_of):
    """Repeat each head a number of times."""

    def answer(weight, num_heads, d_head):
        heads = weight.unflatten(0, (-1, d_head))
        count = count_of(num_heads, len(heads))
        return heads.repeat_interleave(count, dim=0).flatten(0, 1)

    return answer


def repeat_rows(weight, num_heads, d_head):
    return weight.repeat_interleave(num_heads * d_head // len(weight), dim=0)


def first_group_for_all(weight, num_heads, d_head):
    return weight[:d_head].repeat(num_heads, 1)


def heads_of_five(weight, num_heads, d_head):
    return repeat(weight, num_heads, 5)


def averaged_groups(weight, num_heads, d_head):
    heads = weight.unflatten(0, (-1, d_head)).mean(dim=0)
    return heads.repeat(num_heads, 1)


RIGHT = [
    ("ex-zoo-broken", ("base", "head", "layout", "last norm", "order")),
    ("ex-zoo-broken", ("Base", "Head", "Layout", "Last norm", "Order")),
    ("ex-zoo-width", (10_922.67, 11_008)),
    ("ex-zoo-fused", (by_head(),)),
    ("ex-zoo-repeat", (repeat,)),
    ("ex-zoo-who", ("bert", "gpt_neox", "t5", "llama")),
    ("ex-zoo-repeat", ([1, 2, 1, 2, 3, 4, 3, 4],)),
    ("ex-zoo-repeat", (torch.tensor([1, 2, 1, 2, 3, 4, 3, 4]),)),
    ("ex-zoo-repeat", (["1", 2, 1, "2.0", 3, 4, 3, "8/2"],)),
]

WRONG = [
    ("ex-zoo-broken", ("base", "head", "layout", "base", "order"), "each once"),
    ("ex-zoo-broken", ("base", "head", "layout", "norm", "order"), "each once"),
    ("ex-zoo-broken", ("base", "head", "layout", "last norm"), "each once"),
    ("ex-zoo-broken", ("layout", "head", "base", "last norm", "order"), "A still"),
    ("ex-zoo-broken", ("base", "last norm", "layout", "head", "order"), "guessing"),
    ("ex-zoo-broken", ("base", "head", "layout", "order", "last norm"), "thirty"),
    ("ex-zoo-broken", ("order", "head", "layout", "last norm", "base"), "A and C"),
    ("ex-zoo-broken", ("head", "base", "layout", "last norm", "order"), "A and C"),
    ("ex-zoo-width", (16_384, 11_008), "three matrices"),
    ("ex-zoo-width", (10_922.67, 14_336), "llama-2-7b"),
    ("ex-zoo-width", (8 / 3 * 11_008, 11_008), "three matrices"),
    ("ex-zoo-width", (8_192, 11_008), "three matrices"),
    ("ex-zoo-width", (11_008, 11_008), "three matrices"),
    ("ex-zoo-width", (10_920, 11_008), "three matrices"),
    ("ex-zoo-width", (10_922, 11_008), "three matrices"),  # cut, not rounded
    ("ex-zoo-width", (10_924, 11_008), "three matrices"),
    ("ex-zoo-width", (10_923, 10_923), "llama-2-7b"),
    ("ex-zoo-width", (10_923, 13_824), "llama-2-7b"),
    ("ex-zoo-width", (10_923, 4_096), "llama-2-7b"),
    ("ex-zoo-fused", (lambda stored, heads: stored,), "three matrices"),
    (
        "ex-zoo-fused",
        (lambda stored, heads: stored.chunk(3)[::-1],),
        "with one head",
    ),
    ("ex-zoo-fused", (lambda stored, heads: stored.chunk(3),), "the queries"),
    ("ex-zoo-fused", (by_head((0, 2, 1)),), "keys and values"),
    (
        "ex-zoo-fused",
        (by_axes(("parts", "heads", "features"), ("parts", "heads", "features")),),
        "the queries",
    ),
    (
        "ex-zoo-fused",
        (by_axes(("heads", "features", "parts"), ("parts", "heads", "features")),),
        "with one head",
    ),
    (
        "ex-zoo-fused",
        (by_axes(("heads", "parts", "features"), ("parts", "features", "heads")),),
        "the queries",
    ),
    ("ex-zoo-fused", (with_three_heads,), "the queries"),
    ("ex-zoo-fused", (parts_for_heads,), "the queries"),
    ("ex-zoo-fused", (by_head((1, 0, 2)),), "the queries"),
    ("ex-zoo-fused", (by_head((0, 1, 1)),), "keys and values"),
    ("ex-zoo-repeat", (lambda weight, heads, d_head: weight,), "rows"),
    (
        "ex-zoo-repeat",
        (lambda w, heads, d_head: repeat(w, heads, d_head).flip(0),),
        "the first head",
    ),
    ("ex-zoo-repeat", (tile,), "neighboring heads"),
    ("ex-zoo-repeat", (last_from_first,), "every head"),
    ("ex-zoo-repeat", (repeat_by(lambda heads, groups: 3),), "rows"),
    ("ex-zoo-repeat", (repeat_rows,), "the first head"),
    ("ex-zoo-repeat", (first_group_for_all,), "every head"),
    ("ex-zoo-repeat", (heads_of_five,), "rows"),
    ("ex-zoo-repeat", (averaged_groups,), "the first head"),
    ("ex-zoo-repeat", (cut_to_a_square,), "rows"),
    ("ex-zoo-repeat", (repeat_by(lambda heads, groups: heads),), "rows"),
    ("ex-zoo-who", ("gpt3", "gpt_neox", "t5", "llama"), "answer with"),
    ("ex-zoo-who", ("marian", "gpt_neox", "t5", "llama"), "segments"),
    ("ex-zoo-who", ("bert", "gpt2", "t5", "llama"), "rotates"),
    ("ex-zoo-who", ("bert", "gpt_neox", "marian", "llama"), "divide its scores"),
    ("ex-zoo-who", ("bert", "gpt_neox", "t5", "gpt2"), "gates"),
    ("ex-zoo-who", ("bert", "llama", "t5", "gpt_neox"), "rotates"),
    ("ex-zoo-who", ("bert", "gpt_neox", "t5", "t5"), "gates"),
    ("ex-zoo-repeat", ([1, 2, 3, 4, 1, 2, 3, 4],), "share a key head"),
    ("ex-zoo-repeat", ([1, 1, 2, 2, 3, 3, 4, 4],), "keeps its two rows"),
    ("ex-zoo-repeat", ([1, 3, 1, 3, 2, 4, 2, 4],), "keeps its two rows"),
    ("ex-zoo-repeat", ([1, 2, 1, 2, 1, 2, 1, 2],), "the second key head"),
    ("ex-zoo-repeat", ([1, 2, 1, 2, 3, 3, 4, 4],), "the second key head"),
    ("ex-zoo-repeat", ([1, 2, 2, 1, 3, 4, 4, 3],), "share a key head"),
    ("ex-zoo-repeat", ([1, 2, 3, 4],), "eight rows"),
]

"""Weights in twentieths, packed into few bytes and read again."""

import torch

from bookkit.checking.facts import facts
from chapters.inside.packed import PARTS, in_parts, pack, unpack

WORDS = 7


def drawn_heads(heads, *, sharpness=3.0, seed=0):
    """Draw rows of heads, in parts."""
    torch.manual_seed(seed)
    scores = sharpness * torch.randn(heads, WORDS, WORDS)
    return [
        [in_parts(row[: i + 1].softmax(dim=0)) for i, row in enumerate(head)]
        for head in scores
    ]


def same_heads(heads, row):
    """Make heads that look in the same way at each word."""
    return [[row(i) for i in range(WORDS)] for _ in range(heads)]


def test_missing_parts_go_to_those_that_lost_most():
    assert in_parts(torch.tensor([0.52, 0.23, 0.25])) == [10, 5, 5]
    assert in_parts(torch.tensor([0.51, 0.245, 0.245])) == [10, 5, 5]
    assert in_parts(torch.tensor([1 / 3, 1 / 3, 1 / 3])) == [7, 7, 6]
    assert in_parts(torch.full((8,), 0.125)) == [3, 3, 3, 3, 2, 2, 2, 2]


@facts("sharpness", [0.1, 1.0, 4.0])
def test_parts_add_up_to_the_whole_and_lie_within_a_part(sharpness):
    torch.manual_seed(1)
    for weights in (sharpness * torch.randn(50, 13)).softmax(dim=-1):
        parts = in_parts(weights)
        assert sum(parts) == PARTS
        assert (torch.tensor(parts) / PARTS - weights).abs().max() < 1 / PARTS


def test_rounding_errors_of_a_sum_change_no_part():
    row = torch.tensor([0.7, 0.2, 0.1])
    assert in_parts(row) == in_parts(row * (1 - 1e-7)) == [14, 4, 2]


@facts("sharpness", [0.1, 3.0, 30.0])
def test_what_is_packed_is_read_again(sharpness):
    heads = drawn_heads(11, sharpness=sharpness)
    text = pack(heads)
    assert unpack(text, heads=11, words=WORDS) == heads
    assert set(text) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    )


@facts(
    "row",
    [
        lambda i: [PARTS] + [0] * i,
        lambda i: [0] * i + [PARTS],
        lambda i: in_parts(torch.ones(i + 1)),
    ],
    ids=["first", "itself", "all alike"],
)
def test_heads_that_are_all_alike_are_read_again_and_cost_little(row):
    heads = same_heads(60, row)
    text = pack(heads)
    assert unpack(text, heads=60, words=WORDS) == heads
    assert len(text) < len(pack(drawn_heads(60))) / 2


def test_packing_leaves_the_rows_as_they_are():
    heads, again = drawn_heads(5), drawn_heads(5)
    pack(heads)
    assert heads == again

"""The laws of the machine on one page, for random machines and rows."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.one_page import one_page_transformer as page
from chapters.one_page.changes import changed

seeds = st.integers(0, 2**31)
NO_POSITION = ("return x + sinusoids(x.size(1), x.size(2)).to(x)", "return x")


def machine_and_rows(seed, source=7, target=5, module=page):
    """A machine whose weights are any numbers, and rows without padding."""
    torch.manual_seed(seed)
    model = module.Transformer(13, 22, 2, 17, 2).double()
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.5)
    return model, torch.randint(1, 13, (3, source)), torch.randint(1, 13, (3, target))


@given(seed=seeds, place=st.integers(0, 4))
def test_no_logit_moves_with_a_later_sign(seed, place):
    model, source, target = machine_and_rows(seed)
    other = target.clone()
    other[:, place:] = torch.randint(1, 13, other[:, place:].shape)
    one, two = model(source, target), model(source, other)
    assert torch.equal(one[:, :place], two[:, :place])


@given(seed=seeds, more=st.integers(1, 9))
def test_padding_behind_the_source_counts_for_nothing(seed, more):
    model, source, target = machine_and_rows(seed)
    longer = torch.nn.functional.pad(source, (0, more), value=page.PAD)
    # Sums of other lengths are rounded otherwise.
    assert_close(model(longer, target), model(source, target), rtol=0, atol=1e-9)


@given(seed=seeds)
def test_without_positions_anagrams_are_one_word(seed):
    module = changed(NO_POSITION)
    model, source, target = machine_and_rows(seed, module=module)
    shuffled = source[:, torch.randperm(7)]
    assert_close(model(shuffled, target), model(source, target), rtol=0, atol=1e-9)


@facts("seed", [0, 1, 2])
def test_with_positions_anagrams_differ(seed):
    model, source, target = machine_and_rows(seed)
    moved = model(source.flip(1), target) - model(source, target)
    assert moved.abs().max() > 1e-3


@given(
    seed=seeds,
    rows=st.integers(1, 7),
    columns=st.integers(1, 7),
    heads=st.integers(1, 3),
)
def test_equal_rows_that_are_asked_answer_as_one(seed, rows, columns, heads):
    # Whatever the weights, a mean of equal values is that value.
    torch.manual_seed(seed)
    attention = page.Attention(5 * heads, heads).double()
    x = torch.randn(2, rows, 5 * heads, dtype=torch.float64)
    row = torch.randn(2, 1, 5 * heads, dtype=torch.float64)
    mask = torch.rand(rows, columns) < 0.5
    mask[:, 0] = True
    found = attention(x, row.expand(-1, columns, -1), mask)
    expected = attention.output(attention.value(row)).expand(-1, rows, -1)
    assert_close(found, expected, rtol=0, atol=1e-9)

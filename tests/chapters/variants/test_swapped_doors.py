"""Doors and messages of one text in another: what is put in, and what is judged."""

import pytest
import torch

from chapters.laboratory.language_model import language_model
from chapters.variants.language import gated
from chapters.variants.swapped_doors import (
    CAPITALS,
    NEITHER,
    OWN,
    OWNERS,
    PARTS,
    chances,
    chances_with,
    judge,
    likeliest,
    put,
    share_of_the_loudest,
)


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [ord(letter) % 7 for letter in text[-5:]]

    def decode(self, ids):
        return f" {ids[0]}"


@pytest.fixture(scope="module")
def letters():
    return language_model(seed=0, **gated("silu")).eval(), Letters()


@pytest.mark.parametrize("part", PARTS)
def test_its_own_part_changes_nothing(letters, part):
    own = chances_with(letters, ["river"], part, "river")
    torch.testing.assert_close(own, chances(letters, ["river"]))


@pytest.mark.parametrize("part", PARTS)
def test_the_part_of_another_text_changes_the_chances(letters, part):
    swapped = chances_with(letters, ["river", "banks"], part, "waves")
    assert not torch.allclose(swapped, chances(letters, ["river", "banks"]))


def test_what_a_part_becomes_is_what_is_put_in(letters):
    read = []
    seven = torch.full((1, 5, 170), 7.0)
    down = letters[0].decoder.layers[0].feed_forward.down_projection
    handle = down.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0]))
    with (
        put(letters[0], "doors", lambda *_: seven),
        put(letters[0], "messages", lambda *_: seven),
    ):
        chances(letters, ["river"])
    handle.remove()
    gate = torch.nn.functional.silu(torch.tensor(7.0))
    torch.testing.assert_close(read[0], torch.full_like(seven, 7 * gate.item()))


def test_no_hook_stays_in_the_model(letters):
    chances_with(letters, ["river"], "doors", "banks")
    share_of_the_loudest(letters, "river", 0.1)
    assert not any(m._forward_hooks for m in letters[0].modules())
    assert not any(m._forward_pre_hooks for m in letters[0].modules())


def test_the_likeliest_token_comes_with_its_probability(letters):
    rows = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])
    words, numbers = zip(*likeliest(letters, rows), strict=True)
    assert words == (" 1", " 0")
    assert numbers == pytest.approx((0.7, 0.5))


def test_a_swap_is_judged_by_the_capital_that_is_named(letters, monkeypatch):
    first, second, third = list(CAPITALS)[:3]
    named = [CAPITALS[first], CAPITALS[second], " the", *([CAPITALS[first]] * 5)]
    monkeypatch.setattr(
        "chapters.variants.swapped_doors.likeliest",
        lambda *_: [(word, 1.0) for word in named],
    )
    found = judge(letters, "doors")
    assert found[0, :3].tolist() == [OWNERS, OWN, NEITHER]
    assert found[1, :3].tolist() == [OWN, OWNERS, NEITHER]
    assert third not in named


def test_all_units_hold_all_of_the_squares(letters):
    whole = share_of_the_loudest(letters, "river", 1.0)
    torch.testing.assert_close(whole, torch.ones_like(whole))
    assert (share_of_the_loudest(letters, "river", 0.1) > 0.1).all()

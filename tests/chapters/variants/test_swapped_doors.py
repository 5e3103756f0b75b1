"""Doors and messages of one text in another: what is put in, and what is judged."""

from contextlib import contextmanager

import numpy as np
import pytest
import torch

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import open_model
from chapters.variants.language import gated
from chapters.variants.swapped_doors import (
    CAPITALS,
    MEASUREMENTS,
    NEITHER,
    OWN,
    OWNERS,
    PARTS,
    SENTENCES,
    chances,
    chances_with,
    count_of_followed,
    followed,
    judge,
    kept,
    likeliest,
    nats_with,
    next_word,
    put,
    tally,
    verdicts,
)


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [ord(letter) % 7 for letter in text[-5:]]

    def decode(self, ids):
        return f" {ids[0]}"


@contextmanager
def put_after_pruning(layer, left):
    """Note what a layer is given in the end, after all its hooks."""
    handle = layer.register_forward_hook(lambda _, inputs, __: left.append(inputs[0]))
    yield
    handle.remove()


@pytest.fixture(scope="module")
def letters():
    return language_model(seed=0, **gated("silu")).eval(), Letters()


@facts("part", PARTS)
def test_its_own_part_changes_nothing(letters, part):
    own = chances_with(letters, ["river"], part, "river")
    torch.testing.assert_close(own, chances(letters, ["river"]))


@facts("part", PARTS)
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
    chances_with(letters, ["banks"], "duel", "river")
    nats_with(letters, 0.1)
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


def test_some_owners_are_judged_as_among_all(letters):
    some = [list(CAPITALS)[6], list(CAPITALS)[2]]
    whole = judge(letters, "doors")
    assert judge(letters, "doors", some).tolist() == whole[[6, 2]].tolist()
    for row in range(len(CAPITALS)):
        counts = tally(whole[[row]], [list(CAPITALS)[row]])
        assert sum(counts) == len(CAPITALS) - 1


def test_the_file_holds_every_pair_of_countries_and_of_sentences():
    rows = MEASUREMENTS.read()
    parts = [(row["what"], row["part"]) for row in rows]
    assert parts == [
        *(("judged", part) for part in (*PARTS, "duel")),
        *(("followed", part) for part in (*PARTS, None)),
    ]
    for part in (*PARTS, "duel"):
        assert verdicts(part).shape == (len(CAPITALS), len(CAPITALS))
        assert set(verdicts(part).flatten()) <= {NEITHER, OWN, OWNERS}
    for part in (*PARTS, None):
        assert 0 <= count_of_followed(part) <= len(SENTENCES) * (len(SENTENCES) - 1)


def test_stored_verdicts_are_those_of_the_model():
    smollm = open_model("smollm2-135m")
    owners = [*CAPITALS][:2]
    for part in (*PARTS, "duel"):
        found = judge(smollm, part, owners)
        assert found.tolist() == verdicts(part)[:2].tolist()
    assert followed(smollm, None) == count_of_followed(None)


def test_in_a_duel_the_sentence_keeps_its_messages(letters):
    read = []
    down = letters[0].decoder.layers[1].feed_forward.down_projection
    handle = down.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0]))
    chances_with(letters, ["banks"], "duel", "river")
    handle.remove()
    doors, messages = (
        kept(letters, part, [text])[1]
        for part, text in (("doors", "river"), ("messages", "banks"))
    )
    torch.testing.assert_close(read[-1], torch.nn.functional.silu(doors) * messages)


def test_against_itself_nobody_wins_a_duel(letters):
    own = chances_with(letters, ["river"], "duel", "river")
    torch.testing.assert_close(own, chances(letters, ["river"]))


def test_a_word_is_told_with_its_chance(letters):
    word, chance = likeliest(letters, chances(letters, ["river"]))[0]
    assert next_word(letters, "river") == f"{word!r} {chance:.2f}"
    assert next_word(letters, "banks", "doors", "river") != next_word(letters, "banks")


def test_who_is_not_swapped_is_not_counted():
    found = np.array([[OWNERS, OWN, OWN], [NEITHER, OWNERS, OWNERS], [OWN, OWN, OWN]])
    assert tally(found) == [1, 4, 1]


def test_pairs_that_go_on_as_the_owner_does_are_counted(letters, monkeypatch):
    own = ["a", *("b" for _ in SENTENCES[1:])]
    answers = iter([own, *([own[0]] * len(own) for _ in SENTENCES)])
    monkeypatch.setattr(
        "chapters.variants.swapped_doors.likeliest",
        lambda *_: [(word, 1.0) for word in next(answers)],
    )
    assert followed(letters, "doors") == 9


def test_without_an_exchange_those_count_that_agree_anyway(letters, monkeypatch):
    monkeypatch.setattr(
        "chapters.variants.swapped_doors.likeliest",
        lambda *_: [(word, 1.0) for word in "aabcdefghi"],
    )
    assert followed(letters, None) == 2


def test_with_all_its_units_a_model_loses_nothing(letters):
    whole = nats_with(letters, 1.0)
    assert nats_with(letters, 1.0, chosen="random") == pytest.approx(whole)
    assert nats_with(letters, 0.1) != pytest.approx(whole)


def test_the_loudest_units_stay_and_the_others_are_zero(letters):
    down = letters[0].decoder.layers[0].feed_forward.down_projection
    whole, left = [], []
    handle = down.register_forward_pre_hook(lambda _, inputs: whole.append(inputs[0]))
    with put_after_pruning(down, left):
        nats_with(letters, 0.1)
    handle.remove()
    assert (left[0] != 0).sum(dim=-1).unique().tolist() == [17]
    gone = (whole[0] * (left[0] == 0)).abs().amax(dim=-1)
    quietest = left[0].abs().where(left[0] != 0, torch.inf).amin(dim=-1)
    assert (quietest >= gone).all()

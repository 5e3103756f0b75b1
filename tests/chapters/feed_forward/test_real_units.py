"""Single units of a language model: how loudly they speak, and what they write."""

import pytest
import torch
from torch.testing import assert_close

from chapters.feed_forward.real_units import (
    Unit,
    chances,
    down_projection,
    equal_pushes,
    find_unit,
    origins,
    own_row,
    raised_words,
    strength,
    taken_away,
)
from chapters.laboratory.language_model import language_model

LOUD, QUIET = Unit(layer=2, number=12), Unit(layer=2, number=12, sign=-1)


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [1 + ord(letter) % 7 for letter in text]

    def decode(self, ids):
        return f" {ids[0]}"


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


@pytest.fixture
def gated():
    parts = {"norm": "rms", "gated": True, "activation": "silu", "bias": False}
    return language_model(seed=1, **parts).eval()


def test_strength_is_the_mean_of_what_the_last_token_has(model):
    kept = []
    layer = down_projection(model, LOUD)
    hook = layer.register_forward_pre_hook(lambda _, given: kept.append(given[0]))
    for text in ("abcd", "badc"):
        model(torch.tensor([Letters().encode(text)]))
    hook.remove()
    wanted = sum(hidden[0, -1, 11].item() for hidden in kept) / 2
    assert strength(model, Letters(), ("abcd", "badc"), LOUD) == pytest.approx(wanted)
    turned = strength(model, Letters(), ("abcd", "badc"), QUIET)
    assert turned == pytest.approx(-wanted)


def test_the_unit_that_is_found_tells_the_texts_apart(model):
    def lead(unit):
        loud = strength(model, Letters(), ("ab", "cb"), unit)
        quiet = max(abs(strength(model, Letters(), [x], unit)) for x in ("aa", "bc"))
        row = down_projection(model, unit).weight[:, unit.number - 1]
        return (loud - quiet) * row.norm().item()

    found = find_unit(model, Letters(), ("ab", "cb"), ("aa", "bc"))
    leads = [lead(Unit(layer, 1 + n)) for layer in (1, 2) for n in range(0, 256, 25)]
    assert lead(found) >= max(leads)
    assert strength(model, Letters(), ("ab", "cb"), found) > 0


def test_raised_words_follow_the_row_of_the_unit(model):
    row = down_projection(model, LOUD).weight[:, 11]
    scores = model.head(model.decoder.norm(row[None, None]))[0, 0]
    best, worst = f" {scores.argmax().item()}", f" {scores.argmin().item()}"
    assert raised_words(model, Letters(), LOUD, 3)[0] == best
    assert raised_words(model, Letters(), QUIET, 1) == [worst]


def test_a_unit_whose_row_is_taken_away_writes_nothing(model):
    ids = torch.tensor([Letters().encode("abcabc")])
    projection = down_projection(model, LOUD)
    kept = []
    hook = projection.register_forward_hook(lambda *given: kept.append(given[1:]))
    model(ids)
    hook.remove()
    with taken_away(model, LOUD, own_row(model, LOUD)):
        hook = projection.register_forward_hook(lambda *given: kept.append(given[1:]))
        model(ids)
        hook.remove()
    hidden = kept[0][0][0].clone()
    hidden[..., 11] = 0
    assert_close(kept[1][1], projection(hidden), rtol=1e-4, atol=1e-6)


def test_equal_pushes_are_as_long_as_the_row_and_come_both_ways(model):
    pushes = equal_pushes(model, LOUD, count=7)
    assert pushes.shape == (14, 64)
    length = own_row(model, LOUD).norm()
    assert_close(pushes.norm(dim=-1), length.expand(14))
    assert_close(pushes[:7], -pushes[7:])
    first = down_projection(model, LOUD).weight[:, 256 // 8 - 1]
    assert_close(pushes[0] / length, first / first.norm())


def test_chances_are_probabilities_of_the_words_in_each_case(model):
    words = ["a", "b"]
    whole = chances(model, Letters(), "abab", words)
    ids = torch.tensor([Letters().encode("abab")])
    wanted = model(ids)[0, -1].double().softmax(dim=-1)
    columns = [Letters().encode(word)[0] for word in words]
    assert_close(whole, wanted[None, columns])
    rows = torch.cat((torch.zeros(1, 64), own_row(model, LOUD)))
    cases = chances(model, Letters(), "abab", words, unit=LOUD, rows=rows)
    assert_close(cases[:1], whole)
    assert_close(cases[1:], chances(model, Letters(), "abab", words, unit=LOUD))
    assert (cases[1] - whole[0]).abs().max() > 1e-6


def test_a_word_of_two_tokens_has_the_product_of_their_chances(model):
    whole = chances(model, Letters(), "abab", ["cd"], unit=LOUD)
    first = chances(model, Letters(), "abab", ["c"], unit=LOUD)
    assert_close(whole, first * chances(model, Letters(), "ababc", ["d"], unit=LOUD))


def test_origins_add_up_to_the_first_reading(gated):
    kept = []
    gate = gated.decoder.layers[1].feed_forward.gate_projection
    hook = gate.register_forward_hook(lambda *given: kept.append(given[2][0, -1, 11]))
    for text in ("abcd", "badc"):
        gated(torch.tensor([Letters().encode(text)]))
    hook.remove()
    found = origins(gated, Letters(), ("abcd", "badc"), LOUD)
    assert found.sum().item() == pytest.approx(sum(kept).item() / 2, rel=1e-4)


def test_networks_that_write_nothing_have_no_share(gated):
    with torch.no_grad():
        for layer in gated.decoder.layers:
            layer.feed_forward.down_projection.weight.zero_()
    embedding, attention, networks = origins(gated, Letters(), ("abc",), LOUD).tolist()
    assert networks == 0
    assert embedding != 0
    assert attention != 0


def test_no_hook_stays_in_the_model(model, gated):
    chances(model, Letters(), "ab", ["a"], unit=LOUD)
    strength(model, Letters(), ["ab"], LOUD)
    find_unit(model, Letters(), ["ab"], ["ba"])
    origins(gated, Letters(), ["ab"], LOUD)
    for each in (model, gated):
        for part in each.modules():
            assert not part._forward_pre_hooks
            assert not part._forward_hooks

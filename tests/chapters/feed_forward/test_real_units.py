"""Single units of a language model: how loudly they speak, and what they write."""

import pytest
import torch
from torch.testing import assert_close

from chapters.feed_forward.real_units import (
    Unit,
    chances,
    down_projection,
    find_unit,
    raised_words,
    silenced,
    strength,
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
    leads = [lead(Unit(layer, 1 + n)) for layer in (1, 2) for n in range(0, 256, 5)]
    assert lead(found) >= max(leads)
    assert strength(model, Letters(), ("ab", "cb"), found) > 0


def test_raised_words_follow_the_row_of_the_unit(model):
    row = down_projection(model, LOUD).weight[:, 11]
    scores = model.head(model.decoder.norm(row[None, None]))[0, 0]
    best, worst = f" {scores.argmax().item()}", f" {scores.argmin().item()}"
    assert raised_words(model, Letters(), LOUD, 3)[0] == best
    assert raised_words(model, Letters(), QUIET, 1) == [worst]


def test_a_silenced_unit_no_longer_writes_its_row(model):
    ids = torch.tensor([Letters().encode("abcabc")]).expand(2, -1)
    kept = []
    layer = model.decoder.layers[1].feed_forward
    hook = layer.register_forward_hook(lambda *given: kept.append(given[2]))
    model(ids)
    inputs = []
    reads = down_projection(model, LOUD).register_forward_pre_hook(
        lambda _, given: inputs.append(given[0])
    )
    with silenced(model, [LOUD, Unit(layer=2, number=5)]):
        model(ids)
    hook.remove()
    reads.remove()
    row = down_projection(model, LOUD).weight[:, 11]
    written = inputs[0][0, :, 11, None] * row
    assert_close(kept[0][0] - kept[1][0], written, rtol=1e-4, atol=1e-6)


def test_chances_are_probabilities_of_the_words_in_each_case(model):
    words = ["a", "b"]
    whole = chances(model, Letters(), "abab", words)
    ids = torch.tensor([Letters().encode("abab")])
    wanted = model(ids)[0, -1].double().softmax(dim=-1)
    columns = [Letters().encode(word)[0] for word in words]
    assert_close(whole, wanted[None, columns])
    cases = chances(model, Letters(), "abab", words, without=[LOUD, LOUD])
    assert cases.shape == (2, 2)
    assert_close(cases[0], cases[1])


def test_no_hook_stays_in_the_model(model):
    chances(model, Letters(), "ab", ["a"], without=[LOUD])
    strength(model, Letters(), ["ab"], LOUD)
    find_unit(model, Letters(), ["ab"], ["ba"])
    assert not down_projection(model, LOUD)._forward_pre_hooks

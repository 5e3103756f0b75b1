"""A cache whose keys and values are rounded, and the file of its losses."""

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.long_texts import few_bits
from chapters.long_texts.few_bits import (
    MEASUREMENTS,
    loss_with,
    round_cache,
    rounded,
)
from chapters.long_texts.windows import texts

IDS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0, norm="rms").eval()


def test_steps_are_those_of_the_largest_size():
    found = rounded(torch.tensor([[7.0, 1.4, -0.4], [0.7, 0.0, 0.0]]), 4)
    assert_close(found, torch.tensor([[7.0, 1.0, 0.0], [0.7, 0.0, 0.0]]))


@facts("bits", [3, 5, 8])
def test_no_number_moves_by_more_than_half_a_step(bits):
    x = torch.randn(11, 17)
    step = x.abs().amax(dim=-1, keepdim=True) / (2 ** (bits - 1) - 1)
    assert ((rounded(x, bits) - x).abs() <= step / 2 + 1e-6).all()


def test_only_keys_or_values_are_rounded(model):
    for keys, values in ((4, 16), (16, 4)):
        cache, plain = model.new_cache(1), model.new_cache(1)
        round_cache(cache, keys=keys, values=values)
        with torch.no_grad():
            model(torch.tensor([IDS]), cache=cache)
            model(torch.tensor([IDS]), cache=plain)
        held, whole = (next(iter(c)).self_attention for c in (cache, plain))
        time = len(IDS)
        same = [
            torch.equal(one[:, :, :time], two[:, :, :time])
            for one, two in ((held.keys, whole.keys), (held.values, whole.values))
        ]
        assert same == [keys == 16, values == 16]


def test_without_rounding_the_loss_is_that_of_the_model(model, monkeypatch):
    monkeypatch.setattr(few_bits, "FROM", 3)
    logits = model(torch.tensor([IDS]))[0, 2:-1]
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor(IDS[3:]))
    found = loss_with(model, IDS, keys=16, values=16)
    assert found == pytest.approx(loss.item(), abs=1e-6)


def test_the_file_has_each_text_with_each_setting():
    rows = MEASUREMENTS.read()
    settings = [(row["keys"], row["values"]) for row in rows]
    assert settings == 3 * [(16, 16), (8, 8), (6, 6), (4, 4), (3, 3), (4, 16), (16, 4)]
    assert list(dict.fromkeys(row["text"] for row in rows)) == [*texts(Letters())]


class Letters:
    """A tokenizer that takes each letter for a token."""

    def encode(self, text):
        return [ord(letter) for letter in text]

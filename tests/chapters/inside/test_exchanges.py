"""What partners exchange: heads, held networks and columns, and the file of them."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.inside import boats, exchanges
from chapters.inside.exchanges import (
    ASKERS,
    COLUMNS,
    CUT,
    HELD,
    MEASUREMENTS,
    MODEL,
    PAIR,
    SWAPPED,
    hidden_units,
    names_other,
    others,
    told,
    turned,
    with_columns_exchanged,
    with_networks_held,
)
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import open_model


class Letters:
    """A tokenizer with a token for each word."""

    def encode(self, text):
        return [1 + sum(map(ord, word.strip(".,"))) % 19 for word in text.split()]


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


def test_the_others_of_a_layer_are_its_heads_without_the_team():
    found = others((2, 3), [(2, 1), (3, 9), (4, 1)])
    assert len(found) == 16
    assert not {(2, 1), (3, 9)} & set(found)
    assert {layer for layer, _ in found} == {2, 3}


def test_the_likeliest_word_is_compared_with_the_noun_of_the_other_boat():
    right, other = boats.nouns(Letters()).T
    logits = torch.zeros(len(other), 20)  # token 0 is no word
    logits[[0, 3], other[[0, 3]]] = 1
    apart = (right != other).nonzero()[-1]
    logits[apart, right[apart]] = 1
    assert names_other(Letters(), logits) == 2


def test_hidden_units_are_what_the_last_matrix_of_a_network_reads(model):
    stream = boats.unchanged(model, Letters())[1]
    down, hidden = hidden_units(model, stream, layer=2)
    assert down is model.decoder.layers[1].feed_forward.down_projection
    assert hidden.shape == (*stream.shape[:2], down.in_features)
    assert not down._forward_pre_hooks


def changed_logits(monkeypatch, change, **how):
    """Return the logits that a change leads to."""
    seen = []
    monkeypatch.setattr(exchanges, "names_other", lambda _, x: seen.append(x) or 0)
    change(**how)
    return seen[0]


def test_a_network_that_is_held_writes_what_it_wrote_before(model, monkeypatch):
    written = []
    last = model.decoder.layers[1].feed_forward.down_projection
    with last.register_forward_hook(lambda _, __, output: written.append(output)):
        boats.answers(model, Letters())
        for held in ([2], []):
            changed_logits(
                monkeypatch,
                with_networks_held,
                model=model,
                tokenizer=Letters(),
                swapped=[(1, 1), (1, 2)],
                held=held,
            )
    before, *_, held, free = written
    torch.testing.assert_close(held, before)
    assert not torch.allclose(free, before)


def test_all_columns_exchanged_are_the_text_of_the_partner(model, monkeypatch):
    stream = boats.unchanged(model, Letters())[1]
    found = changed_logits(
        monkeypatch,
        with_columns_exchanged,
        model=model,
        tokenizer=Letters(),
        depth=1,
        columns=[*range(stream.size(1))],
    )
    whole = exchanges.next_logits(model, stream, depth=1)
    torch.testing.assert_close(found, whole.roll(len(whole) // 2, 0))


def test_the_file_has_every_change_with_its_fields():
    rows = MEASUREMENTS.read()
    heads, rest = rows[: 1 + len(CUT) + len(SWAPPED)], rows[1 + len(CUT + SWAPPED) :]
    assert all(set(row) == {"off", "swapped", *boats.Told._fields} for row in heads)
    assert [set(row) for row in rest] == (
        [{"swapped", "held", "names_other"}] * len(HELD)
        + [{"depth", "columns", "names_other"}] * len(COLUMNS)
    )
    told()
    assert all(told(off=team).names_right <= 24 for team in CUT)
    assert all(told(swapped=team).names_other <= 24 for team in SWAPPED)
    assert all(turned(swapped=team, held=held) <= 24 for team, held in HELD)
    assert all(turned(depth=n, columns=at) <= 24 for n, at in COLUMNS)


@facts("change", [{}, {"off": CUT[0]}, {"swapped": ASKERS}])
def test_stored_heads_are_those_of_the_model(change):
    found = boats.answers(*open_model(MODEL), **change)
    assert found == pytest.approx(told(**change), abs=2e-3)


def test_stored_networks_and_columns_are_those_of_the_model():
    smollm = open_model(MODEL)
    held = {"swapped": PAIR, "held": [18]}
    assert with_networks_held(*smollm, **held) == turned(**held)
    at = {"depth": 18, "columns": [21]}
    assert with_columns_exchanged(*smollm, **at) == turned(**at)

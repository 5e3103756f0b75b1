"""Two tasks that need the same look, for models with and without a network."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.feed_forward.mirror import (
    LENGTH,
    MODELS,
    STUDY,
    SYMBOLS,
    Mirror,
    measured,
    right_answers,
)


def test_both_tasks_look_at_the_mirrored_symbol():
    tokens = torch.tensor([[1, 2, 7, 3]])
    assert right_answers("reverse", tokens).tolist() == [[3, 7, 2, 1]]
    assert right_answers("add", tokens).tolist() == [[4, 1, 1, 4]]


@facts(
    "name, layers",
    [
        ("attention", ["SelfAttention"]),
        ("two attentions", ["SelfAttention", "SelfAttention"]),
        ("attention + network", ["SelfAttention", "PositionwiseFeedForward"]),
        ("fixed", ["FixedAttention"]),
        ("fixed + network", ["FixedAttention", "PositionwiseFeedForward"]),
        ("attention, positions small", ["SelfAttention"]),
    ],
)
def test_a_mirror_model_has_the_layers_of_its_name(name, layers):
    model = Mirror(**MODELS[name])
    assert [type(layer).__name__ for layer in model.layers] == layers
    assert model(torch.randint(SYMBOLS, (3, LENGTH))).shape == (3, LENGTH, SYMBOLS)


def test_fixed_attention_sees_the_mirrored_symbol_alone():
    model = Mirror(attentions=0, feed_forward=True).double()
    tokens = torch.randint(SYMBOLS, (1, LENGTH))
    changed = tokens.clone()
    changed[0, 2] = (tokens[0, 2] + 1) % SYMBOLS
    moved = (model(tokens) != model(changed)).any(dim=-1)[0]
    assert moved.nonzero().flatten().tolist() == [2, LENGTH - 3]


@facts("wide, std", [(True, 0.7), (False, 0.02)])
def test_symbols_and_positions_start_at_the_sizes_of_their_names(wide, std):
    model = Mirror(attentions=1, wide_positions=wide)
    table = model.position.embedding.weight
    symbols = model.tokens(torch.arange(SYMBOLS))
    assert table.std().item() == pytest.approx(std, rel=0.15)
    assert symbols.std().item() == pytest.approx(1.0, abs=0.2)


def test_a_training_learns_to_fetch_and_repeats():
    found = measured("reverse, attention", 3e-3, 100, 1)
    torch.rand(3)
    assert measured("reverse, attention", 3e-3, 100, 1) == found
    assert found["right"] > 0.5
    stored = {"variant", "learning_rate", "steps", "seed", "seconds"}
    assert {*found} | stored == {*STUDY.rows[0]}

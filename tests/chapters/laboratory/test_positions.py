"""Models that are told in different ways where a token stands, and their trainings."""

from types import SimpleNamespace

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.laboratory import positions
from chapters.laboratory.language_model import LENGTH, language_model, nats
from chapters.laboratory.positions import (
    BIAS_FACTOR,
    BLOCK,
    KEY_FACTOR,
    LENGTHS,
    SCALINGS,
    SCHEMES,
    STUDY,
    TABLE_STD,
    ChosenDistances,
    LastRowReused,
    Windowed,
    measured,
    parameters,
    probe_errors,
    scaled,
    train,
)
from transformer.layers import (
    RelativeKeys,
    RelativePositionBias,
    RotaryEmbedding,
    rotary_frequencies,
)

RELATIVE = ["none", "rotary", "alibi", "relative", "relative_keys", "rotary + alibi"]


def fresh(scheme, seed=5):
    choices = {"scale_embeddings": True} | SCHEMES[scheme]
    return language_model(seed=seed, **choices).double().eval()


def part(model, kind):
    return next(module for module in model.modules() if isinstance(module, kind))


def letters(count, seed):
    generator = torch.Generator("cpu").manual_seed(seed)
    return torch.randint(1, 22, (1, count), generator=generator)


def size(x):
    return x.square().mean().sqrt().item()


@facts("scheme", ["sinusoidal", "learned"])
def test_what_is_added_to_tokens_starts_at_a_matching_size(scheme):
    embedding = fresh(scheme).embedding
    zeros = torch.zeros(1, LENGTH, 64).double()
    assert size(embedding.tokens(letters(2_000, 3))) == pytest.approx(1, abs=0.1)
    assert size(embedding.positions(zeros)) == pytest.approx(TABLE_STD, abs=0.02)


@facts(
    "scheme, kind, factor",
    [
        ("relative", RelativePositionBias, BIAS_FACTOR),
        ("relative_keys", RelativeKeys, KEY_FACTOR),
    ],
)
def test_what_is_added_to_scores_starts_alike_and_moves_faster(scheme, kind, factor):
    fast = part(fresh(scheme), kind).embedding
    choices = {name: x for name, x in SCHEMES[scheme].items() if name != "change"}
    slow = part(language_model(seed=5, **choices).double(), kind).embedding
    before = fast.weight.detach().clone()
    torch.testing.assert_close(before, slow.weight)
    (learned,) = fast.parameters()
    with torch.no_grad():
        learned += 0.01
    moved = fast.weight - before
    torch.testing.assert_close(moved, torch.full_like(before, factor / 100))


def test_planes_that_turn_once_in_training_are_kept():
    expected = rotary_frequencies(16)
    expected[3:] = 0.0
    kept = part(fresh("slow planes still"), RotaryEmbedding).frequencies[8:]
    torch.testing.assert_close(kept, expected)


def test_a_scaled_model_has_the_same_weights_and_slower_rotations():
    model = fresh("rotary").float()
    other = scaled(model, "linear", 4.0)
    for name, weight in model.state_dict().items():
        assert other.state_dict()[name].equal(weight)
    slower = part(other, RotaryEmbedding).frequencies
    torch.testing.assert_close(slower * 4, part(model, RotaryEmbedding).frequencies)


@facts("scaling", SCALINGS)
def test_scaling_by_one_changes_nothing(scaling):
    model, tokens = fresh("rotary").float(), letters(19, 4)
    assert torch.equal(scaled(model, scaling, 1.0)(tokens), model(tokens))


def test_positions_beyond_the_table_get_its_last_row():
    layer = LastRowReused(torch.arange(6.0).view(3, 2))
    added = layer(torch.zeros(1, 5, 2))[0]
    assert added.tolist() == [[0, 1], [2, 3], [4, 5], [4, 5], [4, 5]]
    assert layer(torch.zeros(1, 1, 2), start=7)[0, 0].tolist() == [4, 5]


def test_a_short_training_repeats_to_the_last_bit_and_reads_any_length():
    (first, _), (again, _) = (train("learned", seed=3, steps=8) for _ in range(2))
    tokens = letters(LENGTH + 7, seed=1)
    assert torch.equal(first(tokens), again(tokens))
    assert parameters(first) == parameters(fresh("none")) + LENGTH * 64


def shown_keys(model):
    """Return the mask that a model which hides keys gives its decoder."""
    masks = []
    model.model = SimpleNamespace(
        embedding=lambda tokens: tokens,
        decoder=lambda x, mask: masks.append(mask),
        head=lambda x: x,
    )
    model(letters(7, seed=1))
    return masks[0]


def test_a_window_shows_the_nearest_keys_alone():
    near = torch.ones(7, 7, dtype=torch.bool).triu(-2).tril()
    assert torch.equal(shown_keys(Windowed(None, window=3)), near)


def test_the_last_entry_says_it_of_all_farther_keys():
    every = torch.ones(7, 7, dtype=torch.bool).tril()
    hidden = torch.ones(7, 7, dtype=torch.bool).tril(-1).triu(-1)
    seen = torch.tensor([True, False, True])
    assert torch.equal(shown_keys(ChosenDistances(None, seen)), every & ~hidden)


@facts("scheme", SCHEMES)
@torch.no_grad()
def test_a_window_as_long_as_the_text_changes_nothing(scheme):
    model, tokens = fresh(scheme), letters(29, seed=2)
    same = Windowed(model, window=29)(tokens)
    torch.testing.assert_close(same, model(tokens), rtol=0, atol=1e-12)


@facts("scheme", RELATIVE)
@torch.no_grad()
def test_a_windowed_relative_model_ignores_where_the_text_stands(scheme):
    model, text = Windowed(fresh(scheme), window=5), letters(13, seed=2)
    after = torch.cat((letters(17, seed=3), text), dim=1)
    # Two layers see 2 (5 - 1) + 1 = 9 letters.
    near = model(text)[:, 8:] - model(after)[:, 25:]
    assert near.abs().max() < 1e-11


def test_a_probe_reads_the_position_where_it_was_added():
    errors = probe_errors(fresh("sinusoidal"))
    assert len(errors) == 3
    assert errors[0] < 1 < 10 < probe_errors(fresh("none"))[0]


def test_a_curve_ends_with_the_loss_of_the_longest_texts():
    last = LENGTH // BLOCK
    for row in STUDY.rows:
        assert len(row["curve"]) == max(LENGTHS) // BLOCK
        assert sum(row["curve"][-last:]) / last == pytest.approx(row["512"], abs=1e-3)


@facts("scheme", ["rotary", "alibi"])
def test_a_measurement_has_the_fields_of_the_file(monkeypatch, scheme):
    model = fresh(scheme).float()
    monkeypatch.setattr(positions, "train", lambda *_, **__: (model, 2.5))
    monkeypatch.setattr(positions, "LENGTHS", (64, 128, 192))
    row = measured(scheme, 1e-3, 200, 0)
    stored = next(row for row in STUDY.rows if row["variant"] == scheme)
    setting = {"variant", "steps", "learning_rate", "seed", "seconds"}
    assert setting | {*row} - {"192"} == {*stored} - {"256", "512"}
    assert row["nats"] == nats(model)


def test_a_training_that_diverged_is_not_measured_further(monkeypatch):
    model = fresh("alibi").float()
    monkeypatch.setattr(positions, "train", lambda *_, **__: (model, float("inf")))
    assert {*measured("alibi", 1.0, 200, 0)} == {"validation", "parameters"}

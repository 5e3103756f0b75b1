"""The translator of number words whose parts can be exchanged, and its recipe."""

import pytest
import torch
from torch import nn

from chapters.laboratory.translator import (
    new_translator,
    numbers,
    scores,
    share_right,
    train_translator,
)
from transformer.data import Pair, english, french
from transformer.models import count_parameters

SHORT = {"seed": 5, "steps": 3, "warm_up": 2, "below": 1_000}


def test_the_pairs_held_out_are_not_learned():
    task = numbers(1_000)
    assert len(task.held_out) == len(task.splits.test) == 200
    assert not {*task.splits.test} & {*task.splits.train}
    assert Pair(english(80), french(80)) in task.splits.train


def test_a_fresh_translator_has_the_sizes_of_the_command_line():
    model = new_translator(seed=0)
    assert count_parameters(model) == 237_696
    assert model.embedding.tokens.embedding.weight.dtype == torch.float32


def test_parameters_depend_on_the_seed_alone():
    first, again, other = (
        new_translator(seed=seed, below=1_000).state_dict() for seed in (3, 3, 4)
    )
    assert all(first[name].equal(again[name]) for name in first)
    assert not all(first[name].equal(other[name]) for name in first)


def test_a_change_exchanges_parts_before_training():
    def without_final_norm(model):
        model.decoder.norm = nn.Identity()

    trained = train_translator(**SHORT, change=without_final_norm)
    assert isinstance(trained.model.decoder.norm, nn.Identity)


def test_training_is_the_same_again_with_dropout():
    losses = [train_translator(**SHORT, dropout=0.3).losses for _ in range(2)]
    assert len(losses[0]) == 3
    assert list(losses[0]) == list(losses[1])


def test_training_leaves_the_random_numbers_of_others_alone():
    torch.manual_seed(11)
    expected = torch.rand(3)
    torch.manual_seed(11)
    train_translator(**SHORT, dropout=0.3)
    assert torch.rand(3).equal(expected)


def test_label_smoothing_raises_the_loss_of_the_first_step_little():
    plain, smoothed = (
        train_translator(**SHORT, smoothing=share).losses[0] for share in (0.0, 0.1)
    )
    assert plain != pytest.approx(smoothed, abs=1e-6)
    assert plain == pytest.approx(smoothed, rel=0.2)


def test_a_training_that_diverges_says_so():
    trained = train_translator(**SHORT | {"warm_up": 0, "steps": 9}, learning_rate=1e30)
    assert trained.diverged
    assert len(trained.losses) < 9
    assert not trained.model.training


@pytest.fixture(scope="module")
def trained():
    return train_translator(seed=0, steps=120, warm_up=20, below=1_000)


def test_numbers_below_a_thousand_are_learned_in_seconds(trained):
    assert scores(trained.model, below=1_000).token_accuracy > 0.85
    assert share_right(trained.model, below=1_000) > 0.5


def test_the_share_right_is_of_the_pairs_that_are_given(trained):
    model = trained.model
    right = next(
        pair
        for pair in numbers(1_000).splits.test
        if share_right(model, [pair], below=1_000) == 1
    )
    pairs = [right, Pair(right.source, f"{right.target} mille"), right]
    assert share_right(model, pairs, below=1_000) == pytest.approx(2 / 3)

"""The trainings of the chapter on skips and norms, and the file of their results."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from chapters.laboratory.language_model import language_model
from chapters.layer_norm.experiments import (
    CHANGES,
    MEASUREMENTS,
    CirculatingNorm,
    TokenBatchNorm,
    fresh_run,
    measured,
    settings,
    token_difference,
    train_letters,
)
from chapters.layer_norm.shaken_norms import (
    KINDS,
    Shaken,
    plain_network,
    teacher_task,
    train_watched,
)
from transformer.layers import LayerNorm, ResidualConnection

SHORT = {"layers": 1, "steps": 22, "batch": 2, "seed": 3}


def kinds_in(part):
    model = language_model(seed=0, change=CHANGES[part])
    return [type(module) for module in model.modules()]


def test_each_change_exchanges_every_part_of_its_kind():
    assert kinds_in("all").count(LayerNorm) == 5  # two a layer, and the final one
    for part in ("no norms", "batch norms", "circulating norms"):
        assert LayerNorm not in kinds_in(part)
    assert kinds_in("batch norms").count(TokenBatchNorm) == 5
    assert kinds_in("circulating norms").count(CirculatingNorm) == 5


def test_without_a_skip_the_change_alone_is_left():
    model = language_model(seed=0, change=CHANGES["no skips"])
    wrapped = model.decoder.layers[0].feed_forward_residual
    x = torch.randn(2, 3, 64, generator=torch.Generator().manual_seed(0))
    assert isinstance(wrapped.residual, ResidualConnection)
    assert torch.equal(wrapped(x, torch.sin), torch.sin(wrapped.residual.norm(x)))


def test_the_token_batch_norm_normalizes_each_feature_over_all_tokens():
    x = torch.randn(3, 5, 7, generator=torch.Generator().manual_seed(0))
    y = TokenBatchNorm(7)(x)
    assert y.shape == x.shape
    assert_close(y.mean(dim=(0, 1)), torch.zeros(7), rtol=0, atol=1e-6)


def test_shaking_is_for_training_alone():
    x, norm = torch.ones(5, 7), Shaken(nn.Identity())
    assert not torch.equal(norm(x), norm(x))
    assert torch.equal(norm.eval()(x), x)


@pytest.mark.parametrize("kind", KINDS)
def test_every_plain_network_gives_four_scores(kind):
    assert plain_network(kind)(torch.zeros(3, 16)).shape == (3, 4)


def test_a_watched_training_repeats_and_tells_its_drift():
    runs = [train_watched("layer", learning_rate=0.1, seed=1, steps=30) for _ in "ab"]
    assert runs[0] == runs[1]
    assert runs[0]["drift"] > 0


def test_the_teacher_knows_four_classes():
    x, labels = teacher_task()
    assert x.shape == (4096, 16)
    assert labels.unique().tolist() == [0, 1, 2, 3]


def test_a_fresh_run_tells_of_every_layer():
    letters = torch.arange(22).view(2, 11)
    stream, lengths = fresh_run("no skips", letters, layers=3, seed=1)
    assert stream.shape == (3, 2, 10, 64)
    assert set(lengths) == {"feed-forward", "query", "value"}
    assert all(
        (of_kind > 0).all() and of_kind.shape == (3,) for of_kind in lengths.values()
    )


def test_the_token_difference_is_zero_for_equal_and_one_for_orthogonal_tokens():
    equal, apart = torch.ones(1, 2, 3, 3), torch.eye(3).expand(1, 2, 3, 3)
    difference = token_difference(torch.cat([2 * equal, apart]))
    assert_close(difference, torch.tensor([0.0, 1.0]))


@pytest.mark.parametrize("part", CHANGES)
def test_a_training_tells_its_losses(part):
    found = train_letters(part, **SHORT)
    assert set(found) == {
        "nats",
        "nats_in_training_mode",
        "train",
        "highest",
        "diverged",
    }
    assert found["highest"] >= found["train"] > 0


def test_layer_norm_has_no_training_mode():
    found = measured(part="all", **SHORT)
    assert found["nats"] == found["nats_in_training_mode"]


def test_the_file_holds_each_training_once():
    rows = MEASUREMENTS.read()
    assert [
        {name: row[name] for name in setting}
        for row, setting in zip(rows, settings(), strict=True)
    ] == settings()

"""Bytes and losses of a model in fewer bits, and the file of its times."""

import math

import pytest
import torch
from torch import nn

from chapters.cost_and_scale.fewer_bits import (
    MEASUREMENTS,
    bytes_of,
    mean_loss,
    writes,
)
from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer


class Even(nn.Module):
    """Expects every token of five alike."""

    def forward(self, ids):
        return torch.zeros(*ids.shape, 5, dtype=torch.bfloat16)


def test_shared_bytes_count_once():
    first, second = nn.Linear(3, 5, bias=False), nn.Linear(3, 5, bias=False)
    second.weight = first.weight
    model = nn.Sequential(first, second)
    assert bytes_of(model) == first.weight.nbytes
    assert bytes_of(nn.Sequential(nn.BatchNorm1d(7))) == sum(
        t.nbytes for t in nn.BatchNorm1d(7).state_dict().values()
    )


def test_one_who_knows_nothing_pays_the_logarithm():
    assert mean_loss(Even(), [[1, 2, 3], [0, 4]]) == pytest.approx(math.log(5))


def test_long_texts_weigh_by_their_tokens():
    class Sure(nn.Module):
        def forward(self, ids):
            return 100.0 * nn.functional.one_hot(ids, 2)

    repeats, changes = [1, 1, 1, 1], [0, 1]
    assert mean_loss(Sure(), [repeats, changes]) == pytest.approx(100 / 4)


def test_tokens_are_read_one_by_one():
    config = TransformerConfig(
        vocab_size=7, d_model=8, num_heads=2, num_encoder_layers=0, num_decoder_layers=1
    )
    model, seen = DecoderOnlyTransformer(config), []
    model.decoder.register_forward_hook(
        lambda part, given, out: seen.append(out.shape[1])
    )
    writes(model, torch.tensor([1, 2, 3]))()
    assert seen == [1, 1, 1]


def test_the_file_holds_the_time_of_each_kind():
    rows = {row["kind"]: row["ms"] for row in MEASUREMENTS.read()}
    assert list(rows) == ["float32", "bfloat16", "int8"]
    assert rows["int8"] < rows["float32"]

"""The translator of the page in eight bits."""

import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.translator import new_translator, numbers, share_right
from chapters.live import pack


def test_a_row_is_off_by_half_a_level_at_most():
    matrix = torch.randn(5, 7, generator=torch.Generator().manual_seed(0)).float()
    levels, scales = pack.quantize(matrix)
    assert levels.dtype == torch.int8
    assert levels.abs().amax(dim=1).tolist() == [127] * 5
    off = (levels * scales[:, None] - matrix).abs()
    assert (off <= scales[:, None] / 2 * 1.0001).all()


def test_a_row_of_zeros_stays_zero():
    levels, scales = pack.quantize(torch.zeros(2, 3))
    assert not (levels * scales[:, None]).any()


def test_each_row_has_a_scale_of_its_own():
    levels, scales = pack.quantize(torch.tensor([[1.27, 0.0], [0.0, -12.7]]))
    assert_close(scales, torch.tensor([0.01, 0.1]))
    assert levels.tolist() == [[127, 0], [0, -127]]


def test_what_was_packed_comes_back():
    model = new_translator(seed=1)
    loaded = pack.load(pack.pack(model, numbers().tokenizer.vocabulary))
    for name, tensor in model.state_dict().items():
        near = tensor.abs().amax().item() / 127
        off = (loaded.state_dict()[name] - tensor).abs().max().item()
        assert off <= (near if tensor.dim() > 1 else 0)


def test_the_file_is_of_the_vocabulary_of_today():
    words = pack.read_weights()["vocabulary"][4:]
    assert tuple(words) == numbers().tokenizer.vocabulary


def test_nearly_every_number_is_translated_right():
    model = pack.load(pack.read_weights())
    assert share_right(model, numbers().splits.test[:500]) >= 0.99


def test_the_table_is_held_once():
    packed = pack.read_weights()
    assert pack.TIED not in packed["tensors"]
    model = pack.load(packed)
    assert model.head.projection.weight is model.embedding.tokens.embedding.weight


@facts("field", pack.FIELDS)
def test_the_file_says_what_the_model_is(field):
    assert pack.read_weights()["config"][field] == getattr(
        pack.load(pack.read_weights()).config, field
    )

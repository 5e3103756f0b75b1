"""Parameters in eight bits, in the file and back."""

import json

import pytest
import torch
from torch.testing import assert_close

from transformer.config import TransformerConfig
from transformer.layers.int8 import Int8Linear
from transformer.models import (
    DecoderOnlyTransformer,
    Transformer,
    load_model,
    save_model,
)
from transformer.models.packed import pack, unpack

SIZES = {"vocab_size": 23, "d_model": 10, "d_ff": 14, "num_heads": 5}
CONFIG = TransformerConfig.decoder_only(**SIZES, num_decoder_layers=2, position="none")


def test_a_matrix_by_hand():
    matrix = torch.tensor([[1.27, -0.635, 0.0], [0.0, 0.0, 0.0]])
    packed = pack({"w": matrix, "b": torch.tensor([0.3])})
    assert packed["w"].tolist() == [[127, -64, 0], [0, 0, 0]]
    assert packed["w"].dtype == torch.int8
    assert_close(packed["w.row_scale"], torch.tensor([[0.01], [1.0]]))
    expected = torch.tensor([[1.27, -0.64, 0.0], [0.0, 0.0, 0.0]])
    assert_close(unpack(packed)["w"], expected)
    assert unpack(packed)["b"].item() == pytest.approx(0.3)


def test_what_was_packed_twice_has_the_same_bytes():
    torch.manual_seed(0)
    packed = pack({"w": torch.randn(31, 17), "v": torch.randn(13, 5) * 1e-3})
    again = pack(unpack(packed))
    for name in ("w", "v"):
        assert torch.equal(packed[name], again[name])


def test_no_entry_moves_by_more_than_half_a_step():
    torch.manual_seed(0)
    matrix = torch.randn(31, 17)
    found = unpack(pack({"w": matrix}))["w"]
    step = matrix.abs().amax(dim=1, keepdim=True) / 127
    assert ((found - matrix).abs() <= step * (0.5 + 1e-5)).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: DecoderOnlyTransformer(CONFIG),
        lambda: Transformer(TransformerConfig(**SIZES, tie_embeddings=False)),
    ],
)
def test_a_model_comes_back_as_its_bytes_say(make, tmp_path):
    model = make()
    save_model(model, tmp_path, bits=8)
    found = load_model(tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["bits"] == 8
    expected = unpack(pack({n: x.detach() for n, x in model.named_parameters()}))
    parameters = dict(found.named_parameters())
    assert parameters.keys() == expected.keys()
    for name, numbers in parameters.items():
        assert_close(numbers.detach(), expected[name], rtol=0, atol=0)
    tied = found.config.tie_embeddings
    assert (len(parameters) < len(found.state_dict())) == tied


def test_the_file_takes_about_a_byte_for_each_parameter(tmp_path):
    sizes = SIZES | {"vocab_size": 997, "d_model": 40, "d_ff": 60}
    config = TransformerConfig.decoder_only(**sizes, num_decoder_layers=2)
    model = DecoderOnlyTransformer(config)
    model.save(tmp_path, bits=8)
    count = sum(p.numel() for p in model.parameters())
    assert (tmp_path / "model.safetensors").stat().st_size < 1.3 * count


def test_it_computes_what_a_quantized_map_computes(tmp_path):
    model = DecoderOnlyTransformer(CONFIG)
    save_model(model, tmp_path, bits=8)
    linear = model.decoder.layers[0].feed_forward.down_projection
    found = load_model(tmp_path).decoder.layers[0].feed_forward.down_projection
    assert_close(found.weight, Int8Linear(linear).weight, rtol=0, atol=0)


def test_other_bits_and_infinite_weights_are_refused(refuses, tmp_path):
    model = DecoderOnlyTransformer(CONFIG)
    refuses(lambda: save_model(model, tmp_path, bits=4), ValueError, "bits", "got 4")
    model.embedding.tokens.embedding.weight.data[2, 3] = torch.inf
    refuses(lambda: save_model(model, tmp_path, bits=8), ValueError, "finite", "got 1")
    assert not any(tmp_path.iterdir())


def test_a_description_of_other_bits_is_refused(refuses, tmp_path):
    save_model(DecoderOnlyTransformer(CONFIG), tmp_path, bits=8)
    path = tmp_path / "config.json"
    described = json.loads(path.read_text())
    path.write_text(json.dumps(described | {"bits": 5}))
    refuses(lambda: load_model(tmp_path), ValueError, "bits must be 8")
    path.write_text(json.dumps(described | {"bits": None}))
    refuses(lambda: load_model(tmp_path), ValueError, "parameters of the model")

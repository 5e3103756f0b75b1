"""A model knows on which device its parameters are."""

from dataclasses import replace

import pytest
import torch

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)

CONFIG = TransformerConfig(
    vocab_size=13,
    num_encoder_layers=1,
    num_decoder_layers=1,
    d_model=6,
    d_ff=5,
    num_heads=2,
)
KINDS = {
    "encoder-decoder": lambda: Transformer(CONFIG),
    "decoder": lambda: DecoderOnlyTransformer(replace(CONFIG, num_encoder_layers=0)),
    "encoder": lambda: EncoderOnlyTransformer(replace(CONFIG, num_decoder_layers=0)),
}
# PyTorch's own warning.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")


EACH_KIND = facts("make", KINDS.values(), ids=[*KINDS])


@EACH_KIND
def test_a_model_tells_the_type_of_its_parameters(make):
    model = make()
    assert model.dtype == torch.float32
    assert model.bfloat16().dtype == torch.bfloat16


@EACH_KIND
def test_tied_weights_are_still_one_after_the_meta_device(make):
    model = make()
    count = len([*model.parameters()])
    for moved in (model.to("meta"), model.to_empty(device="cpu"), model.double()):
        assert len([*moved.parameters()]) == count
        head = moved.head.output if hasattr(moved.head, "output") else moved.head
        embedding = getattr(moved, "target_embedding", None) or moved.embedding
        assert head.projection.weight is embedding.tokens.embedding.weight


@EACH_KIND
def test_a_model_is_where_it_is_made(make):
    model = make()
    assert model.device == torch.device("cpu")
    assert isinstance(model.device, torch.device)


@EACH_KIND
def test_it_is_where_it_is_made_on_another_device(make):
    with torch.device("meta"):
        made = make()
    assert made.device == torch.device("meta")


@EACH_KIND
def test_the_device_changes_when_the_model_is_moved(make):
    model = make()
    assert model.device.type == "cpu"
    assert model.to("meta").device.type == "meta"


@EACH_KIND
def test_it_stays_where_it_is_when_the_default_device_changes(make):
    model = make()
    with torch.device("meta"):
        assert model.device.type == "cpu"


@EACH_KIND
def test_only_parameters_count(make):
    model = make()
    model.register_buffer("table", torch.zeros(3, device="meta"))
    assert model.device.type == "cpu"


@pytest.mark.compiled
def test_a_compiled_model_tells_it_too():
    assert torch.compile(KINDS["decoder"]()).device.type == "cpu"


@EACH_KIND
def test_a_model_in_pieces_is_refused(make, refuses):
    model = make()
    model.head.to("meta")
    refuses(
        lambda: model.device,
        ValueError,
        "the parameters of a model.*got cpu and meta; move",
    )


# Checks read sizes, which are tensors while a model is traced.
@EACH_KIND
@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
def test_the_property_is_no_state_and_can_be_traced(make):
    model = make()
    assert "device" not in model.state_dict()
    assert "device" not in vars(model)
    tokens = torch.tensor([[3, 5, 2], [4, 1, 6]])
    given = (tokens, tokens) if hasattr(model, "decode") else (tokens,)
    traced = torch.jit.trace(model.eval(), given)
    torch.testing.assert_close(traced(*given), model(*given))

"""What other libraries make a method is a function here, and a model says which."""

import copy

import pytest
import torch

import transformer
from bookkit.checking.facts import facts
from transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
    TransformerConfig,
)

SIZES = {"vocab_size": 13, "d_model": 12, "d_ff": 17, "num_heads": 3}
MODELS = {
    Transformer: {"num_encoder_layers": 1, "num_decoder_layers": 1},
    DecoderOnlyTransformer: {"num_encoder_layers": 0, "num_decoder_layers": 1},
    EncoderOnlyTransformer: {"num_encoder_layers": 1, "num_decoder_layers": 0},
}
ELSEWHERE = {
    "generate": r"transformer\.generate\(model, ids, max_new_tokens=20\)",
    "predict": r"transformer\.generate\(model, ids, max_new_tokens=20\)",
    "sample": r"transformer\.sample\(model, ids, max_new_tokens=20\)",
    "fit": r"transformer\.Trainer\(model, loss=loss, optimizer=optimizer\)",
    "num_parameters": r"transformer\.count_parameters\(model\)",
    "save": r"transformer\.save_model\(model, folder\)",
    "save_pretrained": r"transformer\.save_model\(model, folder\)",
    "load": r"transformer\.load_model\(folder\), or transformer\.zoo\.load\(name\)",
    "from_pretrained": r"transformer\.load_model\(folder\), or transformer\.zoo\.load",
}


EACH_KIND = facts("kind", MODELS)


def build(kind):
    return kind(TransformerConfig(**SIZES, **MODELS[kind]))


@EACH_KIND
@facts("name", ELSEWHERE)
def test_a_model_names_the_function(name, kind):
    model = build(kind)
    said = rf"^{type(model).__name__} has no attribute '{name}', because models only"
    with pytest.raises(
        AttributeError, match=rf"{said} compute; write {ELSEWHERE[name]}"
    ):
        getattr(model, name)
    assert not hasattr(model, name)


@EACH_KIND
@facts("name", ["from_pretrained", "load"])
def test_a_class_names_the_function_that_makes_a_model(name, kind):
    with pytest.raises(
        AttributeError, match=f"{kind.__name__} has .*{ELSEWHERE[name]}"
    ):
        getattr(kind, name)
    assert not hasattr(kind, name)


@EACH_KIND
def test_a_wrapper_says_the_same(kind):
    model = build(kind)
    with pytest.raises(AttributeError, match=ELSEWHERE["generate"]):
        torch.compile(model, backend="eager").generate  # noqa: B018


def test_every_function_that_is_named_is_there():
    for said in ELSEWHERE.values():
        for call in said.replace("\\", "").split(", or "):
            found = transformer
            for part in call.partition("(")[0].split(".")[1:]:
                found = getattr(found, part)
            assert callable(found)


@EACH_KIND
def test_any_other_name_is_refused_as_by_pytorch(kind):
    model = build(kind)
    with pytest.raises(AttributeError, match="object has no attribute 'nothing'"):
        model.nothing  # noqa: B018


@EACH_KIND
def test_a_method_of_a_subclass_and_a_copy_are_found(kind):
    model = build(kind)
    model.generate = len
    assert model.generate is len
    same = copy.deepcopy(model)
    assert same.generate is len
    assert same.embedding is not model.embedding

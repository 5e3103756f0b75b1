"""A saved model is made again, and what is no saved model is refused."""

import json
import os
import sys
import tracemalloc
from dataclasses import replace

import pytest
import torch
from safetensors import SafetensorError
from torch import nn

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
    load_model,
    save_model,
)

SIZES = {"vocab_size": 23, "d_model": 10, "d_ff": 14, "num_heads": 5}
ENCODER = TransformerConfig(**SIZES, num_encoder_layers=1, num_decoder_layers=0)
DECODER = TransformerConfig(
    **SIZES, num_encoder_layers=0, num_decoder_layers=2, position="rotary", norm="rms"
)
BOTH = TransformerConfig(**SIZES, num_encoder_layers=1, num_decoder_layers=1)


def decoder():
    return DecoderOnlyTransformer(DECODER)


@facts(
    "make",
    [
        decoder,
        lambda: decoder().bfloat16(),
        lambda: Transformer(BOTH),
        lambda: EncoderOnlyTransformer(ENCODER),
        lambda: EncoderOnlyTransformer(ENCODER, head="pooler"),
        lambda: EncoderOnlyTransformer(ENCODER, head=None),
    ],
)
def test_a_model_is_made_again(make, tmp_path):
    model = make()
    save_model(model, tmp_path / "deep" / "folder")
    found = load_model(tmp_path / "deep" / "folder")
    assert (type(found), type(found.head)) == (type(model), type(model.head))
    assert found.config == model.config
    assert not found.training
    before, after = model.state_dict(), found.state_dict()
    assert before.keys() == after.keys()
    for name, numbers in before.items():
        assert numbers.dtype == after[name].dtype
        assert torch.equal(numbers, after[name])


def test_tied_weights_stay_tied(tmp_path):
    save_model(decoder(), tmp_path)
    found = load_model(tmp_path)
    assert found.head.projection.weight is found.embedding.tokens.embedding.weight


def test_a_wrapped_model_is_saved_without_its_wrapper(tmp_path):
    model = decoder()
    save_model(nn.DataParallel(model), tmp_path)
    assert type(load_model(tmp_path)) is DecoderOnlyTransformer


def test_loading_draws_no_random_numbers_and_goes_to_the_device(
    tmp_path, draws_nothing
):
    save_model(decoder(), tmp_path)
    with draws_nothing():
        found = load_model(tmp_path, device="cpu")
    assert next(found.parameters()).device.type == "cpu"


def test_a_model_that_is_there_is_replaced(tmp_path):
    save_model(Transformer(BOTH), tmp_path)
    save_model(decoder(), tmp_path)
    assert type(load_model(tmp_path)) is DecoderOnlyTransformer
    assert {path.name for path in tmp_path.iterdir()} == {
        "config.json",
        "model.safetensors",
    }


def save_as_before(model, folder):
    """Save a model as it was done before there were checksums."""
    save_model(model, folder)
    found = json.loads((folder / "config.json").read_text())
    del found["checksum"]
    (folder / "config.json").write_text(json.dumps(found))


@facts("save", [save_model, save_as_before])
@facts("renamed", [0, 1])
def test_a_kill_between_the_files_is_noticed(
    save, renamed, tmp_path, monkeypatch, refuses
):
    save(decoder(), tmp_path)
    other = DecoderOnlyTransformer(replace(DECODER, num_heads=1))  # of the same shapes
    left = [os.replace] * renamed
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *paths: left.pop()(*paths))
        with pytest.raises(IndexError):
            save_model(other, tmp_path)
    if not renamed:
        assert load_model(tmp_path).config == DECODER
        return
    message = "model.safetensors .*SHA-256"
    refuses(lambda: load_model(tmp_path), ValueError, message)


def test_weights_that_were_exchanged_are_refused(tmp_path, refuses):
    for name in ("one", "other"):
        save_model(decoder(), tmp_path / name)
    weights = tmp_path / "one" / "model.safetensors"
    weights.replace(tmp_path / "other" / "model.safetensors")
    message = "model.safetensors .*SHA-256"
    refuses(lambda: load_model(tmp_path / "other"), ValueError, message)


def test_a_folder_from_before_there_were_checksums_is_read(tmp_path):
    save_as_before(decoder(), tmp_path)
    assert load_model(tmp_path).config == DECODER


def test_a_model_of_several_types_is_not_saved(tmp_path, refuses):
    model = decoder().bfloat16()
    model.decoder.layers[1].float()
    message = "parameters .*got torch.bfloat16 and torch.float32"
    refuses(lambda: save_model(model, tmp_path / "folder"), ValueError, message)
    assert [*tmp_path.iterdir()] == []


def test_a_published_name_leads_to_the_zoo(tmp_path, refuses):
    said = r'folder .*got nothing; .*save_model .*transformer\.zoo\.load\("gpt2"\)'
    refuses(lambda: load_model(tmp_path / "gpt2"), FileNotFoundError, said)


@facts("name", ["config.json", "model.safetensors"])
def test_a_missing_file_is_named(name, tmp_path, refuses):
    save_model(decoder(), tmp_path)
    (tmp_path / name).unlink()
    message = f"folder .*got none with {name}; pass"
    refuses(lambda: load_model(tmp_path), FileNotFoundError, message)


@facts(
    "before, after, reason",
    [
        ("{", "", "Extra data"),
        ("version 1", "version 2", "format 'tested-transformer model, version 2'"),
        ("DecoderOnlyTransformer", "Linear", "'Linear'"),
        ('"head": null', '"head": "tail"', "format .* and head 'tail'"),
        ("float32", "load", "to.. received"),
        ("float32", "float31", "module 'torch' has no attribute 'float31'"),
        ("num_heads", "n_heads", "unexpected keyword argument 'n_heads'"),
        ('"num_heads": 5', '"num_heads": 3', "num_heads must divide d_model"),
    ],
)
def test_another_description_is_refused(before, after, reason, tmp_path, refuses):
    save_model(decoder(), tmp_path)
    path = tmp_path / "config.json"
    path.write_text(path.read_text().replace(before, after, 1))
    message = f"config.json .*{reason}"
    refuses(lambda: load_model(tmp_path), ValueError, message)


def save_as_if(folder, change):
    """Save a model with a configuration that is not its own."""
    save_model(decoder(), folder)
    path = folder / "config.json"
    found = json.loads(path.read_text())
    found["config"] |= change
    path.write_text(json.dumps(found))


@facts(
    "change, reason",
    [
        ({"d_ff": 15}, "size mismatch for decoder"),
        ({"num_decoder_layers": 1}, "Unexpected key"),
        ({"num_decoder_layers": 3}, "Missing key"),
    ],
)
def test_parameters_of_another_model_are_refused(change, reason, tmp_path, refuses):
    save_as_if(tmp_path, change)
    message = f"model.safetensors .*{reason}"
    refuses(lambda: load_model(tmp_path), ValueError, message)


@facts(
    "change, said",
    [
        ({"num_decoder_layers": 10**9}, "a tensor for each layer"),
        ({"d_ff": 2**40}, "model.safetensors .*instead"),
        ({"d_ff": 2**63 - 1}, "config.json .*save_model"),
        ({"d_ff": 2**63}, "config.json .*d_ff .*at most 9223372036854775807"),
    ],
)
def test_sizes_that_are_not_true_take_no_memory(change, said, tmp_path, refuses):
    save_as_if(tmp_path, change)
    tracemalloc.start()
    refuses(lambda: load_model(tmp_path), ValueError, f".*{said}")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000


def test_a_description_that_nests_without_end_is_refused(tmp_path, refuses):
    save_model(decoder(), tmp_path)
    (tmp_path / "config.json").write_text(2_000 * "[" + 2_000 * "]")
    message = "config.json .*nested too deep"
    refuses(lambda: load_model(tmp_path), ValueError, message)


def test_a_full_disk_keeps_the_model_that_is_there(tmp_path, monkeypatch):
    save_model(decoder(), tmp_path)
    before = (tmp_path / "model.safetensors").read_bytes()

    def full(*arguments):
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr("safetensors.torch.save_file", full)
    with pytest.raises(OSError, match=r"^\[Errno 28\] No space left on device: '"):
        save_model(decoder(), tmp_path)
    assert (tmp_path / "model.safetensors").read_bytes() == before


def test_a_pickle_is_refused_and_never_run(tmp_path, malicious_pickle, refuses):
    content, trace = malicious_pickle
    save_model(decoder(), tmp_path)
    (tmp_path / "model.safetensors").write_bytes(content)
    message = "model.safetensors"
    refuses(lambda: load_model(tmp_path), ValueError, message)
    assert not trace.exists()


def test_the_package_must_be_installed(tmp_path, monkeypatch, refuses):
    save_model(decoder(), tmp_path)
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    needs = 'model needs safetensors, .*: pip install "tested-transformer\\[hub]"$'
    refuses(lambda: save_model(decoder(), tmp_path), ImportError, "saving a " + needs)
    refuses(lambda: load_model(tmp_path), ImportError, "loading a " + needs)
    monkeypatch.setitem(sys.modules, "safetensors", None)
    refuses(lambda: load_model(tmp_path), ImportError, "loading a " + needs)

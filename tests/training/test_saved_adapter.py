"""An adapter on the disk: the same when it comes back, and only to its own model."""

import json

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer
from transformer.training import (
    AdapterError,
    attach_adapter,
    list_adapter,
    load_adapter,
    merge_adapter,
    read_adapter,
    save_adapter,
)
from transformer.training.saved_adapter import DESCRIPTION, WEIGHTS

CONFIG = TransformerConfig.decoder_only(
    vocab_size=13, max_len=29, num_decoder_layers=2, d_model=12, d_ff=17, num_heads=3
)
TOKENS = torch.tensor([[5, 7, 3, 11], [4, 1, 9, 2]])


def base(seed=0, **changes):
    torch.manual_seed(seed)
    config = TransformerConfig(**{**vars(CONFIG), **changes})
    return DecoderOnlyTransformer(config).eval()


@pytest.fixture
def saved(tmp_path):
    """A folder with an adapter, and the model that it has learned on."""
    model = attach_adapter(base(), rank=5, alpha=3.0, dropout=0.25)
    for name, part in model.named_parameters():
        if name.endswith("up"):
            torch.nn.init.normal_(part)
    save_adapter(model, tmp_path / "adapter")
    return tmp_path / "adapter", model


def test_it_comes_back_to_the_base_alone(saved):
    folder, model = saved
    assert {path.name for path in folder.iterdir()} == {DESCRIPTION, WEIGHTS}
    numbers = sum(part.bytes for part in list_adapter(model))
    assert numbers < (folder / WEIGHTS).stat().st_size < numbers + 2000
    again = load_adapter(base(), folder)
    assert torch.equal(again(TOKENS), model(TOKENS))  # without dropout, as it came
    assert list_adapter(again) == list_adapter(model)
    said = [str(part) for part in again.modules()]
    assert said == [str(part) for part in model.modules()]
    learning = [name for name, x in again.named_parameters() if x.requires_grad]
    assert learning == [n for n, x in model.named_parameters() if x.requires_grad]


def test_it_comes_to_a_base_in_half_precision_and_to_a_compiled_layer(saved):
    folder, model = saved
    half = load_adapter(base().bfloat16(), folder)
    assert_close(half(TOKENS).float(), model(TOKENS), rtol=0.05, atol=0.05)
    again = base()
    again.decoder.layers[0] = torch.compile(again.decoder.layers[0], backend="eager")
    assert list_adapter(load_adapter(again, read_adapter(folder))) == list_adapter(
        model
    )


def merged(folder):
    model = load_adapter(base(), folder)
    merge_adapter(model)
    return model


@facts(
    "make, said",
    [
        (lambda folder: base(seed=1), r"query_projection \(other numbers"),
        (merged, r"query_projection \(other numbers .* after a merge"),
        (lambda folder: base().half(), "other numbers .* in float16"),
        (lambda folder: base(num_decoder_layers=1), r"layers\.1.*got NoneType"),
        (lambda folder: base(d_model=24), r"matrices of shapes .*\(24, 5\)"),
        (lambda folder: base(d_model=4, num_heads=2), "rank must be at most 4, got 5"),
    ],
)
def test_another_model_is_refused_and_left_as_it_came(make, said, saved, refuses):
    model = make(saved[0])
    learning = [x.requires_grad for x in model.parameters()]
    refuses(
        lambda: load_adapter(model, saved[0]),
        AdapterError,
        f"the adapter must be of this model.*{said}",
        "load the model",
    )
    assert [x.requires_grad for x in model.parameters()] == learning


def test_it_is_not_attached_twice(saved, refuses):
    model = load_adapter(base(), saved[0])
    refuses(lambda: load_adapter(model, saved[0]), ValueError, "no adapter yet, got")


def changed(folder, **changes):
    said = json.loads((folder / DESCRIPTION).read_text())
    (folder / DESCRIPTION).write_text(json.dumps({**said, **changes}))


@facts(
    "spoil, said",
    [
        (lambda folder: (folder / WEIGHTS).unlink(), "No such file"),
        (lambda folder: (folder / WEIGHTS).write_bytes(b"code"), "SHA-256 checksum"),
        (lambda folder: changed(folder, format="peft"), "format 'peft'"),
        (lambda folder: changed(folder, maps={}), "the matrices"),
        (lambda folder: changed(folder, maps={"a": {}}), "the matrices"),
        (lambda folder: changed(folder, maps=7), "not iterable"),
        (lambda folder: (folder / DESCRIPTION).write_text("[]"), "indices must be"),
    ],
)
def test_files_that_were_changed_are_refused(spoil, said, saved, refuses, tmp_path):
    folder, model = saved
    save_adapter(model, folder)  # whole again
    spoil(folder)
    refuses(lambda: read_adapter(folder), AdapterError, "folder of an adapter", said)


def test_settings_that_were_changed_are_refused(saved, refuses):
    maps = json.loads((saved[0] / DESCRIPTION).read_text())["maps"]
    for wrong in ({}, {"alpha": "a"}, {"dropout": 2}, {"base": None}):
        spoiled = {n: {**m, **wrong} if wrong else {} for n, m in maps.items()}
        changed(saved[0], maps=spoiled)
        refuses(lambda: load_adapter(base(), saved[0]), AdapterError, "of this model")


def test_a_file_of_code_is_not_run(saved, malicious_pickle, refuses):
    from transformer.files import checksum

    content, trace = malicious_pickle
    (saved[0] / WEIGHTS).write_bytes(content)
    changed(saved[0], checksum=checksum(saved[0] / WEIGHTS))
    refuses(lambda: read_adapter(saved[0]), AdapterError, "folder of an adapter")
    assert not trace.exists()

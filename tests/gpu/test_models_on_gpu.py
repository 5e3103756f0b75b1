"""Every model gives on the device what it gives on the CPU, gradients included."""

import copy
import os
from dataclasses import replace

import pytest
import torch

from bookkit.checking.facts import facts, some
from transformer.config import CHOICES, TransformerConfig
from transformer.data import Batch
from transformer.decoding import beam_search, greedy_decode, sample
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from transformer.training import LabelSmoothingLoss, Trainer, adam

BASE = TransformerConfig(
    vocab_size=31,
    max_len=29,
    num_encoder_layers=2,
    num_decoder_layers=2,
    d_model=24,
    d_ff=37,
    num_heads=6,
    pad_id=0,
)
PRE = {"norm_placement": "pre", "final_norm": True, "scale_embeddings": False}
ROTARY = {**PRE, "norm": "rms", "position": "rotary", "tie_embeddings": False}
LLAMA = {**ROTARY, "num_kv_heads": 2, "gated": True, "activation": "silu"}
STRETCHED = {"rotary_factor": 2.0, "rotary_original_len": 11}
VARIANTS = {
    "2017": {},
    "bert": {"position": "learned", "norm_embeddings": True, "activation": "gelu"},
    "t5": {**PRE, "position": "relative", "norm": "rms", "scale_attention": False},
    "llama": LLAMA,
    "interleaved": {**ROTARY, "rotary_layout": "interleaved", "rotary_fraction": 0.5},
    "linear": {**ROTARY, "rotary_scaling": "linear", "rotary_factor": 2.0},
    "ntk": {**ROTARY, "rotary_scaling": "ntk", "rotary_factor": 2.0},
    "yarn": {**ROTARY, "rotary_scaling": "yarn", **STRETCHED},
    "gpt-oss": {**LLAMA, "rotary_scaling": "yarn_unrounded", **STRETCHED},
    "llama 3.1": {**LLAMA, "rotary_scaling": "llama3", **STRETCHED},
    "shaw": {"position": "relative_keys", "relative_max_distance": 3},
    "alibi": {**PRE, "position": "alibi", "parallel_residual": True},
    "no positions": {"position": "none", "activation": "squared_relu"},
}
ON_GPU = os.environ.get("DEVICE") == "cuda"
EACH_VARIANT = facts("variant", VARIANTS if ON_GPU else some(VARIANTS, 6))
MODELS = {
    DecoderOnlyTransformer: {"num_encoder_layers": 0},
    EncoderOnlyTransformer: {"num_decoder_layers": 0},
    Transformer: {},
}
WRITERS = [DecoderOnlyTransformer, Transformer]
# float64 in another order of sums; float32 loses half of its digits in two layers.
CLOSE = {torch.float64: 1e-10, torch.float32: 2e-3}


@pytest.fixture
def tokens():
    """Three texts of different lengths, padded on the right with the id 0."""
    real = torch.arange(7) < torch.tensor([[7], [3], [5]])
    return torch.randint(1, 31, (3, 7)).masked_fill(~real, 0)


def configured(variant, kind):
    """Describe a small model of a kind in one of the variants."""
    return replace(BASE, **VARIANTS[variant], **MODELS[kind])


def pair(variant, kind, device, dtype=torch.float64):
    """Build a model on the CPU, every parameter random, and a copy on the device."""
    model = kind(configured(variant, kind)).to(dtype).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3, generator=generator)
    return model, copy.deepcopy(model).to(device)


def reads(kind, tokens):
    """The arguments of a model: a source and a target, or one text."""
    return (tokens.flip(0), tokens) if kind is Transformer else (tokens,)


def moved(arguments, device):
    return tuple(argument.to(device) for argument in arguments)


@EACH_VARIANT
@facts("dtype", CLOSE, ids=str)
@facts("kind", MODELS)
def test_logits_are_the_same(tokens, device, variant, kind, dtype):
    ours, theirs = pair(variant, kind, device, dtype)
    given = reads(kind, tokens)
    expected, found = ours(*given), theirs(*moved(given, device))
    assert found.device.type == device.type
    torch.testing.assert_close(found.cpu(), expected, rtol=0, atol=CLOSE[dtype])


@EACH_VARIANT
@facts("kind", MODELS)
def test_gradients_are_the_same(tokens, device, variant, kind):
    ours, theirs = pair(variant, kind, device)
    given = reads(kind, tokens)
    ours(*given).square().mean().backward()
    theirs(*moved(given, device)).square().mean().backward()
    for expected, found in zip(ours.parameters(), theirs.parameters(), strict=True):
        if expected.grad is None:
            assert found.grad is None
        else:
            torch.testing.assert_close(
                found.grad.cpu(), expected.grad, rtol=0, atol=1e-10
            )


@EACH_VARIANT
@facts("kind", WRITERS)
def test_one_step_of_training_ends_in_the_same_parameters(
    tokens, device, variant, kind
):
    models = pair(variant, kind, device)
    source = tokens.flip(0) if kind is Transformer else None
    batch = Batch(source=source, target=tokens)
    records = []
    for model, place in zip(models, ("cpu", device), strict=True):
        trainer = Trainer(
            model.train(),
            loss=LabelSmoothingLoss(),
            optimizer=adam(model),
            schedule=lambda step: 1e-2,
        )
        records.append(trainer.step(batch.to(place)).loss)
    assert records[1] == pytest.approx(records[0], abs=1e-10)
    for expected, found in zip(*(m.parameters() for m in models), strict=True):
        # Adam divides a gradient by its own size: one near zero may turn its sign.
        apart = (found.cpu() - expected).abs()
        assert (apart > 1e-6).float().mean() < 0.01


DECODERS = {
    "greedy": greedy_decode,
    "beam": lambda *args, **how: beam_search(*args, beam_width=3, **how).tokens,
    "sampling": lambda *args, **how: sample(*args, seed=0, top_p=0.9, **how),
}


@EACH_VARIANT
@facts("use_cache", [True, False], ids=["cache", "no cache"])
@pytest.mark.parametrize("decode", DECODERS.values(), ids=DECODERS)
@pytest.mark.parametrize("kind", WRITERS)
def test_the_same_tokens_are_decoded(tokens, device, variant, kind, decode, use_cache):
    ours, theirs = pair(variant, kind, device)
    how = {"max_new_tokens": 11, "eos_id": 2, "use_cache": use_cache}
    how |= {"bos_id": 1} if kind is Transformer else {}
    found = decode(theirs, tokens.to(device), **how)
    assert found.device.type == device.type
    assert torch.equal(found.cpu(), decode(ours, tokens, **how))


@EACH_VARIANT
@facts("kind", MODELS)
def test_a_model_that_is_made_on_the_device_stays_there(tokens, device, variant, kind):
    given = moved(reads(kind, tokens), device)
    with device:
        logits = kind(configured(variant, kind))(*given)
    assert logits.device.type == device.type
    assert logits.isfinite().all()


@facts("name", ["position", "norm", "norm_placement", "rotary_scaling"])
def test_every_choice_is_among_the_variants(name):
    found = {getattr(configured(one, Transformer), name) for one in VARIANTS}
    assert found == set(CHOICES[name])

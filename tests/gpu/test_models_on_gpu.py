"""Every model gives on the device what it gives on the CPU, gradients included."""

import pytest
import torch

from transformer.config import CHOICES
from transformer.data import Batch
from transformer.decoding import beam_search, greedy_decode, sample
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from transformer.training import LabelSmoothingLoss, Trainer, adam

MODELS = {
    DecoderOnlyTransformer: {"num_encoder_layers": 0},
    EncoderOnlyTransformer: {"num_decoder_layers": 0},
    Transformer: {},
}
WRITERS = [DecoderOnlyTransformer, Transformer]
# float64 in another order of sums; float32 loses half of its digits in two layers.
CLOSE = {torch.float64: 1e-10, torch.float32: 2e-3}


def reads(kind, tokens):
    """The arguments of a model: a source and a target, or one text."""
    return (tokens.flip(0), tokens) if kind is Transformer else (tokens,)


def moved(arguments, device):
    return tuple(argument.to(device) for argument in arguments)


@pytest.mark.parametrize("dtype", CLOSE, ids=str)
@pytest.mark.parametrize("kind", MODELS)
def test_logits_are_the_same(pair, tokens, device, kind, dtype):
    ours, theirs = pair(kind, dtype, **MODELS[kind])
    given = reads(kind, tokens)
    expected, found = ours(*given), theirs(*moved(given, device))
    assert found.device.type == device.type
    torch.testing.assert_close(found.cpu(), expected, rtol=0, atol=CLOSE[dtype])


@pytest.mark.parametrize("kind", MODELS)
def test_gradients_are_the_same(pair, tokens, device, kind):
    ours, theirs = pair(kind, **MODELS[kind])
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


@pytest.mark.parametrize("kind", WRITERS)
def test_one_step_of_training_ends_in_the_same_parameters(pair, tokens, device, kind):
    models = pair(kind, **MODELS[kind])
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


@pytest.mark.parametrize("use_cache", [True, False], ids=["cache", "no cache"])
@pytest.mark.parametrize("decode", DECODERS.values(), ids=DECODERS)
@pytest.mark.parametrize("kind", WRITERS)
def test_the_same_tokens_are_decoded(pair, tokens, device, kind, decode, use_cache):
    ours, theirs = pair(kind, **MODELS[kind])
    how = {"max_new_tokens": 11, "eos_id": 2, "use_cache": use_cache}
    how |= {"bos_id": 1} if kind is Transformer else {}
    found = decode(theirs, tokens.to(device), **how)
    assert found.device.type == device.type
    assert torch.equal(found.cpu(), decode(ours, tokens, **how))


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_that_is_made_on_the_device_stays_there(
    choices, configured, tokens, device, kind
):
    config = configured(**choices, **MODELS[kind])
    given = moved(reads(kind, tokens), device)
    with device:
        logits = kind(config)(*given)
    assert logits.device.type == device.type
    assert logits.isfinite().all()


@pytest.mark.parametrize(
    "name", ["position", "norm", "norm_placement", "rotary_scaling"]
)
def test_every_choice_is_among_the_variants(variants, configured, name):
    found = {getattr(configured(**choices), name) for choices in variants}
    assert found == set(CHOICES[name])

"""The bytes of a model, against those that PyTorch holds."""

from contextlib import nullcontext
from dataclasses import replace

import torch
import torch.nn.functional as F
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch.nn.attention import SDPBackend, sdpa_kernel

from bookkit.checking.facts import facts
from chapters.cost_and_scale.held_bytes import peak_bytes, saved_bytes
from transformer.config import TransformerConfig
from transformer.costs import cache_bytes, parameter_budget, training_bytes
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)

SMALL = TransformerConfig(
    vocab_size=211,
    max_len=128,
    num_encoder_layers=0,
    num_decoder_layers=2,
    d_model=64,
    d_ff=256,
    num_heads=4,
)
PRE = {"norm_placement": "pre", "final_norm": True}
ENCODER = {"num_encoder_layers": 2, "num_decoder_layers": 0}
BOTH = {"num_encoder_layers": 1, "num_decoder_layers": 1}
MANY = {**BOTH, "num_heads": 16, "vocab_size": 13}  # heads, so that scores count
TARGET, SOURCE = {"target": 96}, {"source": 96}
# Fields, lengths, and whether a fused kernel computes attention.
KINDS = {
    "decoder": ({}, TARGET, True),
    "decoder by the formula": ({}, TARGET, False),
    "gpt2": ({**PRE, "position": "learned", "activation": "gelu"}, TARGET, True),
    "llama": (
        {
            **PRE,
            "position": "rotary",
            "norm": "rms",
            "gated": True,
            "activation": "silu",
            "num_kv_heads": 2,
            "tie_embeddings": False,
        },
        TARGET,
        True,
    ),
    "neox": ({**PRE, "parallel_residual": True, "position": "none"}, TARGET, True),
    "bert": ({**ENCODER, "norm_embeddings": True}, SOURCE, True),
    "bert with gelu": ({**ENCODER, "activation": "gelu"}, SOURCE, True),
    "bert by the formula": ({**ENCODER, "activation": "gelu"}, SOURCE, False),
    "both": (BOTH, SOURCE | {"target": 64}, True),
    "both by the formula": (BOTH, SOURCE | {"target": 64}, False),
    "a long source": (BOTH, {"source": 127, "target": 7}, True),
    "a long source by the formula": (MANY, {"source": 113, "target": 17}, False),
    "a long target": (BOTH, {"source": 7, "target": 127}, True),
    "a long target by the formula": (MANY, {"source": 17, "target": 113}, False),
    "t5": ({**BOTH, "position": "relative"}, SOURCE | TARGET, False),
    "few tokens": ({}, {"target": 8}, True),
    "few tokens, untied": ({"tie_embeddings": False}, {"target": 8}, True),
    "few words": ({"vocab_size": 13}, TARGET, True),
    "grouped heads": ({"num_kv_heads": 2}, TARGET, True),
    "one key head by the formula": (
        {**BOTH, "num_kv_heads": 1, "num_heads": 8},
        SOURCE | {"target": 64},
        False,
    ),
    "wide heads": ({"num_kv_heads": 2, "d_head": 20, "d_ff": 32}, TARGET, True),
    "gates without positions": (
        {**PRE, "norm": "rms", "gated": True, "activation": "silu", "position": "none"},
        TARGET,
        True,
    ),
}


@facts("kind", KINDS)
def test_the_bytes_of_a_training_step_are_within_a_tenth_of_the_peak(kind):
    fields, lengths, fused = KINDS[kind]
    sizes = {"batch": 2, "fused": fused, **lengths}
    config = replace(SMALL, **fields)
    peak = peak_bytes(config, **sizes)
    assert abs(training_bytes(config, **sizes).total - peak) < 0.1 * peak


@facts("kind", ["decoder", "bert", "few tokens"])
def test_the_peak_is_lower_without_gradients_of_an_earlier_batch(kind):
    fields, lengths, _ = KINDS[kind]
    config = replace(SMALL, **fields)
    peak = peak_bytes(config, batch=2, **lengths)
    assert peak_bytes(config, batch=2, **lengths, held=False) < peak


@given(
    layers=st.integers(1, 3),
    d_model=st.sampled_from([24, 40, 64]),
    vocab_size=st.sampled_from([13, 211]),
    batch=st.integers(1, 3),
    target=st.sampled_from([31, 127]),
    fused=st.booleans(),
)
# Few features, and positions enough for the mask that all sequences share to count.
@example(layers=3, d_model=24, vocab_size=13, batch=3, target=127, fused=True)
@settings(max_examples=10, deadline=None)
def test_sizes_do_not_spoil_the_bound(
    layers, d_model, vocab_size, batch, target, fused
):
    fields = {"num_decoder_layers": layers, "vocab_size": vocab_size}
    config = replace(SMALL, **fields, d_model=d_model, d_ff=4 * d_model)
    sizes = {"batch": batch, "target": target, "fused": fused}
    peak = peak_bytes(config, **sizes)
    assert abs(training_bytes(config, **sizes).total - peak) < 0.1 * peak


@facts("fused", [True, False])
@facts(
    "kind, model",
    [
        *((kind, DecoderOnlyTransformer) for kind in ("decoder", "gpt2", "neox")),
        ("few words", DecoderOnlyTransformer),
        ("grouped heads", DecoderOnlyTransformer),
        ("one key head by the formula", Transformer),
        ("wide heads", DecoderOnlyTransformer),
        ("gates without positions", DecoderOnlyTransformer),
        ("bert", EncoderOnlyTransformer),
        ("bert with gelu", EncoderOnlyTransformer),
        ("both", Transformer),
    ],
)
def test_activations_are_what_the_backward_pass_keeps(kind, model, fused):
    fields, lengths, _ = KINDS[kind]
    config = replace(SMALL, **fields)
    model = model(config)
    inputs = [torch.zeros(2, length, dtype=torch.long) for length in lengths.values()]

    def loss():
        return F.cross_entropy(model(*inputs).flatten(0, 1), inputs[-1].flatten())

    # Beside them it keeps ids, log-probabilities, and the sum of weights of the loss.
    rest = 4 * inputs[-1].numel() * config.vocab_size + 4
    rest += sum(tokens.nbytes for tokens in inputs)
    sizes = {"batch": 2, "fused": fused, **lengths}
    with nullcontext() if fused else sdpa_kernel(SDPBackend.MATH):
        found = saved_bytes(loss)
    assert found == training_bytes(config, **sizes).activations + rest


def test_a_layer_by_hand():
    config = replace(SMALL, **ENCODER, num_heads=8)
    one, three = (
        training_bytes(replace(config, num_encoder_layers=n), batch=2, source=7)
        for n in (1, 3)
    )
    kept = 2 * (12 * 7 * 64 + 8 * 7 + 4 * 7)
    assert three.activations - one.activations == 2 * 4 * kept
    assert one.gradients == one.parameters == one.moments // 2
    assert (
        one.parameters
        == 4 * parameter_budget(replace(config, num_encoder_layers=1)).total
    )


@facts("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_every_part_takes_the_bytes_of_its_numbers(dtype):
    single, other = (
        training_bytes(SMALL, batch=2, target=7, dtype=dtype).parts
        for dtype in (torch.float32, dtype)
    )
    assert other == {n: size // 4 * dtype.itemsize for n, size in single.items()}


def test_what_passes_by_hand():
    batch, target, vocab, width = 2, 7, 211, 64
    found = training_bytes(SMALL, batch=batch, target=target).passing
    assert found == 4 * (2 * batch * target * 256 + vocab * width)  # d_ff is 256
    many = training_bytes(SMALL, batch=3, target=128).passing
    assert many == 4 * 3 * 3 * 128 * vocab
    one = training_bytes(SMALL, target=1)  # the gradients of a table, and their sum
    assert one.passing == 4 * 3 * vocab * width - one.activations
    untied = training_bytes(replace(SMALL, tie_embeddings=False), target=1)
    assert untied.passing == 4 * vocab * width - untied.activations  # they have gone


@facts("source, target", [(113, 79), (79, 113)])
def test_the_scores_that_pass_by_hand(source, target):
    config = replace(SMALL, **MANY)
    sizes = {"batch": 3, "source": source, "target": target}
    found = training_bytes(config, **sizes, fused=False).passing
    scores = 2 * 3 * 16 * target * 113  # of the longer one, at the end of the decoder
    network = 3 * target * (64 + 64 + 2 + 256)  # its input, norm and hidden features
    table = 13 * 64  # its gradient waits for that of the input
    assert found == 4 * (scores - network + table)


def test_a_cache_has_room_for_what_the_configuration_allows():
    assert cache_bytes(SMALL) == cache_bytes(SMALL, max_len=SMALL.max_len)


@given(
    both=st.booleans(),
    num_kv_heads=st.sampled_from([None, 1, 2]),
    d_head=st.sampled_from([None, 10]),
    dtype=st.sampled_from([torch.float64, torch.bfloat16]),
)
@settings(max_examples=12, deadline=None)
def test_a_cache_takes_the_bytes_of_its_keys_and_values(
    both, num_kv_heads, d_head, dtype
):
    fields = {"num_kv_heads": num_kv_heads, "d_head": d_head}
    config = replace(SMALL, **fields, **(BOTH if both else {}))
    with torch.device("meta"):
        model = (Transformer if both else DecoderOnlyTransformer)(config)
        whose = torch.zeros(2, 7, 64) if both else 2
        cache = model.new_cache(whose, max_len=13, dtype=dtype)
    parts = [part for layer in cache for part in layer if part is not None]
    held = sum(part.keys.nbytes + part.values.nbytes for part in parts)
    setting = {"batch": 2, "max_len": 13, "source": 7 if both else None}
    assert cache_bytes(config, **setting, dtype=dtype) == held


@facts("window, sink_tokens", [(3, 0), (3, 2), ((3, None), 2), (5, 9)], ids=str)
def test_a_cache_of_windows_takes_the_bytes_of_what_is_in_sight(window, sink_tokens):
    fields = {"window": window, "sink_tokens": sink_tokens, "num_decoder_layers": 3}
    config = replace(SMALL, **fields)
    with torch.device("meta"):
        cache = DecoderOnlyTransformer(config).new_cache(2, max_len=13)
    parts = [layer.self_attention for layer in cache]
    held = sum(part.keys.nbytes + part.values.nbytes for part in parts)
    assert cache_bytes(config, batch=2, max_len=13) == held


REFUSED = {
    "target must be given": lambda: training_bytes(SMALL),
    "source must be .*num_encoder_layers=0; leave it out": lambda: training_bytes(
        SMALL, target=3, source=3
    ),
    "source must be .*source=3 and num_encoder_layers=0": lambda: cache_bytes(
        SMALL, source=3
    ),
    "max_len must be at least 1, got 0": lambda: cache_bytes(SMALL, max_len=0),
}
WRONG = {
    "batch must be a whole": lambda: training_bytes(SMALL, target=3, batch=1.5),
    "dtype must be a floating": lambda: cache_bytes(SMALL, dtype=torch.int8),
    "dtype must be .*int64": lambda: training_bytes(SMALL, target=3, dtype=torch.int64),
}


@facts("text", REFUSED)
def test_what_does_not_fit_is_refused(refuses, text):
    refuses(REFUSED[text], ValueError, text)


@facts("text", WRONG)
def test_what_is_of_the_wrong_kind_is_refused(refuses, text):
    refuses(WRONG[text], TypeError, text)

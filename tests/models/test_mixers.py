"""Decoders whose layers keep states, some of them or all, keep the laws."""

from dataclasses import asdict, replace

import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.blocks import Decoder, DecoderLayer
from transformer.blocks.parts import MIXERS as BUILT
from transformer.config import MIXERS, TransformerConfig
from transformer.costs import (
    cache_bytes,
    forward_flops,
    parameter_budget,
    step_flops,
    training_bytes,
)
from transformer.decoding import generate, speculative_sample
from transformer.layers import MultiHeadAttention
from transformer.models import (
    DecoderOnlyTransformer,
    Transformer,
    attention_maps,
    load_model,
    save_model,
)

# Sums of at most a hundred products in float64, through two layers.
EXACT = {"rtol": 1e-9, "atol": 1e-9}
PATTERNS = {
    **{name: {"mixers": name} for name in MIXERS if name != "softmax"},
    "in turn": {"mixers": "delta softmax"},
    "with rotation": {"mixers": "mamba2 softmax", "position": "rotary"},
    "with distances": {"mixers": "softmax gated", "position": "relative"},
    "post": {"mixers": "gated_delta linear", "norm_placement": "post"},
    "parallel": {"mixers": "retention", "parallel_residual": True},
    "alone": {"mixers": "mamba2", "feed_forward": False},
    "grouped": {"mixers": "linear delta", "num_kv_heads": 2, "attention_bias": True},
    "half": {"mixers": "mamba2 linear", "initialization": "depth_scaled"},
}
EACH_PATTERN = facts("choices", PATTERNS.values(), ids=[*PATTERNS])
KINDS = {
    "linear": ("elu", "none", False),
    "retention": ("identity", "fixed", False),
    "gated": ("identity", "gate", False),
    "delta": ("identity", "none", True),
    "gated_delta": ("identity", "gate", True),
}
SOME = ("in turn", "mamba2", "gated_delta", "post")
SOME_PATTERNS = facts("choices", [PATTERNS[name] for name in SOME], ids=SOME)
TOKENS = torch.tensor([[5, 7, 3, 11, 2, 8], [4, 1, 9, 6, 12, 3]])


def configure(**choices):
    fields = {"vocab_size": 13, "max_len": 23, "num_decoder_layers": 2, "d_model": 16}
    fields |= {"d_ff": 11, "num_heads": 4, "position": "none", "norm_placement": "pre"}
    fields |= {"num_encoder_layers": 0, "state_size": 5, "state_groups": 2, "pad_id": 0}
    return TransformerConfig(**fields | choices)


def build(kind=DecoderOnlyTransformer, **choices):
    model = kind(configure(**choices)).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.5 * torch.randn_like(parameter)
    return model


def test_every_name_can_be_built():
    assert set(BUILT) == set(MIXERS) - {"softmax"}
    built = {name: BUILT[name](configure()) for name in KINDS}
    found = {name: (x.feature_map, x.decay, x.delta) for name, x in built.items()}
    assert found == KINDS


def test_layers_take_the_mixers_in_turn():
    decoder = build(num_decoder_layers=6, mixers="delta mamba2 softmax").decoder
    kinds = [type(layer.self_attention).__name__ for layer in decoder.layers]
    assert kinds == 2 * ["LinearAttention", "Mamba2Mixer", "MultiHeadAttention"]
    assert [layer.self_attention.delta for layer in decoder.layers[::3]] == [True] * 2


@EACH_PATTERN
@torch.no_grad()
def test_a_cache_and_padding_change_nothing(choices):
    model = build(**choices)
    whole = model(TOKENS)
    changed = TOKENS.clone()
    changed[:, 4:] = (changed[:, 4:] + 3) % 12 + 1
    assert_close(model(changed)[:, :4], whole[:, :4], **EXACT)
    assert not torch.allclose(model(changed)[:, 4:], whole[:, 4:])
    cache = model.new_cache(2)
    parts = [model(TOKENS[:, a:b], cache=cache) for a, b in ((0, 3), (3, 4), (4, 6))]
    assert_close(torch.cat(parts, dim=1), whole, **EXACT)
    behind = torch.nn.functional.pad(TOKENS, (0, 2))
    assert_close(model(behind)[:, :6], whole, **EXACT)
    if model.config.position != "none":
        return
    before, cache = torch.nn.functional.pad(TOKENS, (3, 0)), model.new_cache(2)
    assert_close(model(before, cache=cache)[:, 3:], whole, **EXACT)
    later = model(torch.cat((TOKENS, TOKENS), dim=1))[:, 6:]
    assert_close(model(TOKENS, cache=cache), later, **EXACT)


@SOME_PATTERNS
def test_each_way_of_writing_is_the_same_with_a_cache_and_without(choices):
    model = build(**choices)
    prompts = TOKENS.masked_fill(torch.arange(6) >= torch.tensor([[6], [4]]), 0)
    for way in ({"top_k": 4, "seed": 0}, {"beam_width": 3}):
        kept, anew = (
            generate(model, prompts, max_new_tokens=4, use_cache=use, **way)
            for use in (True, False)
        )
        assert torch.equal(kept, anew)


@SOME_PATTERNS
def test_guesses_that_are_refused_leave_no_trace_in_a_state(choices):
    model, draft = build(**choices), build(**choices)
    found = speculative_sample(model, draft, TOKENS, max_new_tokens=6, top_k=1, seed=0)
    assert torch.equal(found.tokens, generate(model, TOKENS, max_new_tokens=6))
    assert found.accepted.sum() < found.proposed.sum()


@EACH_PATTERN
def test_saved_and_loaded_it_is_the_same(choices, tmp_path):
    model = build(**choices)
    save_model(model, tmp_path)
    loaded = load_model(tmp_path)
    assert loaded.config == model.config
    assert torch.equal(loaded(TOKENS), model(TOKENS))


def test_a_configuration_of_old_describes_the_model_it_described():
    new = {"mixers", "feed_forward", "state_size", "state_groups", "convolution_size"}
    old = TransformerConfig.decoder_only(vocab_size=13, position="rotary")
    said = {name: x for name, x in asdict(old).items() if name not in new}
    assert TransformerConfig(**said) == old
    attention = build().decoder.layers[1].self_attention
    assert isinstance(attention, MultiHeadAttention)


def test_a_decoder_with_states_reads_a_memory_too():
    model = build(Transformer, num_encoder_layers=1, mixers="delta softmax")
    layer = model.encoder.layers[0]
    assert isinstance(layer.self_attention, MultiHeadAttention)
    with torch.no_grad():
        whole, other = (model(source, TOKENS) for source in (TOKENS, TOKENS.flip(0)))
        assert not torch.allclose(whole, other)
        memory = model.encode(TOKENS)
        cache = model.new_cache(memory)
        parts = TOKENS.split([3, 1, 2], dim=1)
        found = [model.decode(part, memory, cache=cache) for part in parts]
    assert_close(torch.cat(found, dim=1), whole, **EXACT)


@EACH_PATTERN
def test_every_parameter_learns(choices):
    model = build(**choices).train()
    model(TOKENS).square().sum().backward()
    for name, parameter in model.named_parameters():
        if not name.endswith("key_projection.bias"):  # softmax drops it
            assert parameter.grad.abs().max() > 0, name


def test_only_layers_with_softmax_have_weights_to_show(refuses):
    with attention_maps(model := build(mixers="delta softmax")) as maps:
        model(TOKENS)
    assert list(maps) == ["decoder.layers.1.self_attention"]
    without = build(mixers="delta")
    refuses(
        lambda: attention_maps(without).__enter__(), ValueError, "must have attention"
    )


def test_matrices_onto_the_residual_stream_start_smaller():
    sizes = {"d_model": 64, "init_std": 0.02, "initialization": "depth_scaled"}
    config = configure(mixers="mamba2 linear", **sizes)
    for layer in DecoderOnlyTransformer(config).decoder.layers:
        found = layer.self_attention.output_projection.weight.std()
        assert 0.9 < found / (0.02 / 2) < 1.1  # four branches


@facts(
    "fields, words",
    [
        ({"mixers": "lstm"}, "each of mixers must be one of.*got 'lstm'"),
        ({"mixers": "delta Softmax"}, "each of mixers.*got 'Softmax'.*'softmax'"),
        ({"mixers": ""}, "mixers must be one of.*got ''"),
        ({"mixers": None}, "mixers must be one of.*got None"),
        ({"mixers": "delta delta softmax"}, "in whole turns, got 3 mixers and num_dec"),
        (
            {"mixers": "delta", "position": "rotary"},
            "rotary positions.*got mixers='delta'",
        ),
        ({"state_size": 0}, "state_size.*at least 1.*got 0"),
        (
            {"parallel_residual": True, "feed_forward": False},
            "parallel_residual=True must come with True for feed_forward",
        ),
        (
            {"mixers": "delta", "num_encoder_layers": 1, "num_decoder_layers": 0},
            "of the decoder, got mixers='delta'",
        ),
    ],
)
def test_mixers_that_contradict_the_rest_are_refused(fields, words, refuses):
    refuses(lambda: configure(**fields), ValueError, words)


@facts(
    "fields, words",
    [
        ({"state_groups": 3}, "num_groups must divide.*got num_heads=4"),
        ({"convolution_size": 1}, "kernel_size must be at least 2, got 1"),
    ],
)
def test_a_mixer_of_mamba_that_cannot_be_is_refused_by_its_layer(
    fields, words, refuses
):
    config = configure(mixers="mamba2", **fields)
    refuses(lambda: DecoderOnlyTransformer(config), ValueError, words)


@facts("choices", [{"mixers": "delta"}, {"feed_forward": False}])
def test_what_knows_only_layers_of_old_says_so(choices, refuses):
    config = configure(**choices)
    refuses(lambda: DecoderLayer(config), ValueError, "a layer by itself.*got mixers")
    for count in (parameter_budget, cache_bytes):
        refuses(lambda count=count: count(config), ValueError, "costs are counted of")
    for count in (forward_flops, training_bytes):
        refuses(
            lambda count=count: count(config, target=3), ValueError, "costs are counted"
        )
    refuses(lambda: step_flops(config, held=3), ValueError, "costs are counted of")


def test_a_mask_that_hides_more_than_padding_is_refused(refuses):
    decoder = Decoder(replace(configure(mixers="delta"), pad_id=None))
    window = torch.ones(6, 6, dtype=torch.bool).triu(-2)
    x = torch.randn(2, 6, 16)
    refuses(lambda: decoder(x, mask=window), ValueError, r"mask must.*got \(6, 6\)")

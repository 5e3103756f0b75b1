"""The decoder and its layer."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from bookkit.checking.facts import facts, refusals
from transformer.blocks import (
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    ParallelLayer,
)
from transformer.config import CHOICES, TransformerConfig
from transformer.layers import LayerCache, RotaryEmbedding, alibi_bias, causal_mask

SMALL = TransformerConfig(
    vocab_size=7, max_len=11, num_decoder_layers=3, d_model=6, d_ff=5, num_heads=2
)
REAL = torch.tensor([[True] * 3 + [False] * 2, [True] * 5])


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def test_a_post_norm_layer_written_out(randomize):
    layer = randomize(DecoderLayer(SMALL, cross_attention=True))
    x, memory, mask = draw(2, 7, 6), draw(2, 5, 6), causal_mask(7)
    x1 = layer.self_attention_residual.norm(
        x + layer.self_attention(x, x, x, mask=mask).values
    )
    x2 = layer.cross_attention_residual.norm(
        x1 + layer.cross_attention(x1, memory, memory).values
    )
    expected = layer.feed_forward_residual.norm(x2 + layer.feed_forward(x2))
    assert_close(layer(x, memory, mask=mask), expected)


def test_the_memory_is_not_normalized_in_a_pre_norm_layer(randomize):
    config = replace(SMALL, norm_placement="pre")
    layer = randomize(DecoderLayer(config, cross_attention=True))
    x, memory = draw(2, 7, 6), draw(2, 5, 6)
    y = layer.self_attention_residual.norm(x)
    x1 = x + layer.self_attention(y, y, y).values
    y1 = layer.cross_attention_residual.norm(x1)
    x2 = x1 + layer.cross_attention(y1, memory, memory).values
    expected = x2 + layer.feed_forward(layer.feed_forward_residual.norm(x2))
    assert_close(layer(x, memory), expected)


def test_a_parallel_layer_written_out(randomize):
    config = replace(SMALL, norm_placement="pre", parallel_residual=True)
    layer, x = randomize(ParallelLayer(config)), draw(2, 7, 6)
    y = layer.self_attention_residual.norm(x)
    attended = layer.self_attention(y, y, y).values
    fed = layer.feed_forward(layer.feed_forward_residual.norm(x))
    assert_close(layer(x), x + attended + fed)


def test_a_parallel_layer_adds_what_it_takes_from_the_memory(randomize):
    config = replace(SMALL, norm_placement="pre", parallel_residual=True)
    layer = randomize(ParallelLayer(config, cross_attention=True))
    x, memory = draw(2, 7, 6), draw(2, 5, 6)
    y = layer.self_attention_residual.norm(x)
    z = layer.cross_attention_residual.norm(x)
    attended = layer.self_attention(y, y, y).values
    read = layer.cross_attention(z, memory, memory).values
    fed = layer.feed_forward(layer.feed_forward_residual.norm(x))
    assert_close(layer(x, memory), x + attended + read + fed)


@facts("dtype", [torch.float64, torch.float32])
@facts("masked", [False, True])
def test_parity_with_the_layer_of_pytorch(config, twin, masked, dtype, parity):
    theirs = twin.reference(nn.TransformerDecoderLayer, config)
    ours = DecoderLayer(config, cross_attention=True).double()
    twin.copy_from(ours, theirs)
    ours, theirs = ours.to(dtype), theirs.to(dtype)
    x, memory, direction = (draw(2, time, 30).to(dtype) for time in (7, 5, 7))
    memory_mask = REAL[:, None, None] if masked else None
    mine = ours(x, memory, mask=causal_mask(7), memory_mask=memory_mask)
    reference = theirs(
        x,
        memory,
        tgt_mask=~causal_mask(7),  # there, True means blocked
        memory_key_padding_mask=~REAL if masked else None,
    )
    compared = parity(ours, theirs)
    compared.values(mine, reference, **twin.close[dtype])
    for output in (mine, reference):
        output.backward(direction)
    twin.check_gradients(compared, ours, theirs, twin.close[dtype])


@facts("dtype", [torch.float64, torch.float32])
@pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # it speaks of speed
def test_parity_with_the_whole_transformer_of_pytorch(config, twin, dtype, parity):
    sizes = (config.d_model, config.num_heads, 2, 2, config.d_ff)
    theirs = nn.Transformer(
        *sizes,
        dropout=0.0,
        activation=config.activation,
        batch_first=True,
        norm_first=config.norm_placement == "pre",
    ).double()
    config = replace(config, final_norm=True)  # PyTorch always has these two
    encoder, decoder = Encoder(config).double(), Decoder(config, cross_attention=True)
    decoder = decoder.double()
    for ours, reference in ((encoder, theirs.encoder), (decoder, theirs.decoder)):
        for mine, other in zip(ours.layers, reference.layers, strict=True):
            twin.copy_from(mine, other)
    for module in (encoder, decoder, theirs):
        module.to(dtype)
    source, target, direction = (draw(2, time, 30).to(dtype) for time in (5, 7, 7))
    reference = theirs(source, target, tgt_mask=~causal_mask(7), tgt_is_causal=True)
    mine, close = decoder(target, encoder(source)), twin.close[dtype]
    compared = parity("transformer.blocks.Encoder and Decoder", theirs)
    compared.values(mine, reference, **close)
    for output in (mine, reference):
        output.backward(direction)
    for ours, other in ((encoder, theirs.encoder), (decoder, theirs.decoder)):
        for layer, twin_layer in zip(ours.layers, other.layers, strict=True):
            twin.check_gradients(compared, layer, twin_layer, close)


def test_the_stack_makes_the_causal_mask(randomize):
    decoder, x = randomize(Decoder(SMALL)), draw(2, 7, 6)
    expected = x
    for layer in decoder.layers:
        expected = layer(expected, mask=causal_mask(7))
    assert_close(decoder(x), expected)


def test_a_mask_is_added_to_the_causal_one(randomize):
    decoder, x = randomize(Decoder(SMALL)), draw(2, 5, 6)
    expected = x
    for layer in decoder.layers:
        expected = layer(expected, mask=causal_mask(5) & REAL[:, None, None])
    assert_close(decoder(x, mask=REAL[:, None, None]), expected)


def test_the_relative_bias_of_a_decoder_looks_back_only():
    decoder = Decoder(replace(SMALL, position="relative"))
    positions = torch.arange(5)
    bias = decoder.position_bias(positions, positions)[0]  # (heads, target, source)
    ahead = causal_mask(5).logical_not()
    assert torch.equal(bias[:, ahead], bias[:, :1, 0].expand(2, 10))  # as distance 0
    assert not torch.equal(bias[:, 4, 0], bias[:, 4, 4])


@facts("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_linear_bias_is_made_in_the_dtype_of_the_vectors(dtype):
    config = replace(SMALL, position="alibi", d_model=12, num_heads=12)
    decoder, seen = Decoder(config).to(dtype), []  # 12: not all slopes are exact
    decoder.layers[1].register_forward_pre_hook(
        lambda *call: seen.append(call[2]["bias"]), with_kwargs=True
    )
    decoder(torch.ones(2, 7, 12, dtype=dtype))
    expected = alibi_bias(12, torch.arange(7), torch.arange(7), dtype=dtype)
    assert len(seen) == 1
    assert_close(seen[0], expected, rtol=0, atol=0)


def test_a_new_cache_has_the_sizes_of_the_model():
    config = replace(SMALL, d_model=12, num_heads=6, num_kv_heads=3, d_head=4)
    decoder = Decoder(config, cross_attention=True).double()
    cache = decoder.new_cache(2, source=5)
    own, crossed = cache[0]
    assert len(cache) == 3
    assert own.keys.shape == (2, 3, 11, 4)
    assert crossed.keys.shape == (2, 3, 5, 4)
    assert own.keys.dtype == torch.float64
    assert decoder.new_cache(2, max_len=7)[0].cross_attention is None


@facts("kind", [Encoder, Decoder])
def test_turns_are_computed_once_a_call_by_one_rotation(kind, randomize, monkeypatch):
    config = replace(SMALL, d_head=4, position="rotary", num_encoder_layers=3)
    stack, x = randomize(kind(config)), draw(2, 5, 6)
    expected, turned = stack(x), []
    rotation = RotaryEmbedding.rotation
    monkeypatch.setattr(
        RotaryEmbedding,
        "rotation",
        lambda self, *given: turned.append(self) or rotation(self, *given),
    )
    for layer in stack.layers:  # as if each were alone
        layer.register_forward_pre_hook(
            lambda layer, args, how: (args, {**how, "positions": None}),
            with_kwargs=True,
        )
    assert_close(stack(x), expected, rtol=0, atol=0)
    assert len(turned) == 3
    for layer in stack.layers:
        layer._forward_pre_hooks.clear()
    stack(x)
    assert len(turned) == 4


def test_a_layer_with_another_rotation_turns_by_its_own(randomize):
    config = replace(SMALL, d_head=4, position="rotary")
    decoder, other = randomize(Decoder(config)), RotaryEmbedding(4, base=7.0)
    decoder.layers[1].self_attention.rotary = other
    x = draw(2, 5, 6)
    first, second, third = decoder.layers
    expected = third(
        second(first(x, is_causal=True), is_causal=True), mask=causal_mask(5)
    )
    assert_close(decoder(x), expected)
    second.self_attention.rotary = first.self_attention.rotary
    assert not torch.allclose(decoder(x), expected)


def test_a_layer_is_built_for_its_arrangement_of_branches(refuses):
    parallel = replace(SMALL, norm_placement="pre", parallel_residual=True)
    wrong = [(DecoderLayer, parallel), (EncoderLayer, parallel), (ParallelLayer, SMALL)]
    for kind, config in wrong:
        refuses(
            partial(kind, config), ValueError, "parallel_residual.*build a Parallel"
        )


@facts("source", [5, 7])  # as long as the target, and longer
@facts("parallel", [False, True])
@facts("position", CHOICES["position"])
@torch.no_grad()
def test_a_memory_is_read_as_a_set(position, parallel, source, randomize):
    # The positions of source and target have nothing to do with each other.
    choices = {"norm_placement": "pre", "parallel_residual": parallel}
    config = replace(SMALL, d_head=4, position=position, **choices)
    decoder = randomize(Decoder(config, cross_attention=True))
    x, memory, order = draw(2, 5, 6), draw(2, source, 6), torch.randperm(source)
    expected = decoder(x, memory)
    assert_close(decoder(x, memory[:, order]), expected, rtol=0, atol=1e-12)
    assert not torch.allclose(decoder(x, memory + 1), expected)  # but it is read
    cache, found = decoder.new_cache(2, source=source), []
    for chunk in (x[:, :2], x[:, 2:3], x[:, 3:]):
        found.append(decoder(chunk, memory[:, order], cache=cache))
    assert_close(torch.cat(found, dim=1), expected, rtol=0, atol=1e-12)


@torch.no_grad()
def test_the_memory_is_projected_only_once(randomize):
    decoder = randomize(Decoder(SMALL, cross_attention=True))
    x, memory = draw(2, 4, 6), draw(2, 5, 6)
    cache = decoder.new_cache(2, source=5)
    first = decoder(x[:, :1], memory, cache=cache)
    rest = decoder(x[:, 1:], cache=cache)  # no memory: the cache holds what it gave
    whole = decoder(x, memory)
    assert_close(torch.cat((first, rest), dim=1), whole, rtol=0, atol=1e-12)


REFUSED = {
    "a longer memory": (
        ValueError,
        "the cache has room for a memory of 5 positions, got one of 6; make a cache",
        {"memory": (2, 6, 6)},
    ),
    "another batch": (
        ValueError,
        "all sequences must have one batch size",
        {"memory": (1, 5, 6)},
    ),
    "no memory": (
        ValueError,
        "a layer with cross-attention must have a memory",
        {"memory": None},
    ),
}


@facts("case", REFUSED.values(), ids=[*REFUSED])
@torch.no_grad()
def test_a_refused_step_leaves_every_cache_as_it_was(case, refuses, randomize):
    error, message, wrong = case
    decoder = randomize(Decoder(SMALL, cross_attention=True))
    x, memory, cache = draw(2, 3, 6), draw(2, 5, 6), decoder.new_cache(2, source=5)
    options = {"memory": memory, "cache": cache}
    options["memory"] = wrong["memory"] and draw(*wrong["memory"])
    refuses(lambda: decoder(x, **options), error, message)
    for own, crossed in cache:
        assert own.length == crossed.length == 0
        assert not own.keys.any()
    assert_close(decoder(x, memory, cache=cache), decoder(x, memory))


@torch.no_grad()
def test_a_step_that_fails_halfway_leaves_the_cache_as_it_was(randomize):
    decoder = randomize(Decoder(SMALL, cross_attention=True))
    x, memory, cache = draw(2, 4, 6), draw(2, 5, 6), decoder.new_cache(2, source=5)
    decoder(x[:, :1], memory, cache=cache)

    def fail(*_):
        raise RuntimeError("halfway")

    handle = decoder.layers[1].register_forward_pre_hook(fail)
    with pytest.raises(RuntimeError, match="halfway"):
        decoder(draw(2, 2, 6), memory, cache=cache)
    handle.remove()
    assert (cache.length, cache.memory.length) == (1, 5)
    rest = decoder(x[:, 1:], memory, cache=cache)
    assert_close(rest, decoder(x, memory)[:, 1:], rtol=0, atol=1e-12)


@torch.no_grad()
def test_a_cache_belongs_to_one_memory(refuses):
    decoder = Decoder(SMALL, cross_attention=True)
    cache = decoder.new_cache(2, source=5)
    decoder(torch.ones(2, 1, 6), torch.ones(2, 5, 6), cache=cache)
    refuses(
        lambda: decoder(torch.ones(2, 1, 6), torch.ones(2, 4, 6), cache=cache),
        ValueError,
        r"the cache was filled from a memory of 5 positions, got one of 4; make a new "
        r"cache",
    )
    assert cache.length == 1


def test_dropout_acts_on_each_branch_of_a_decoder_layer(randomize):
    config = replace(SMALL, norm_placement="pre", dropout=0.5)
    x, memory = draw(1, 7, 6), draw(1, 5, 6)
    for kept in ("self_attention", "cross_attention", "feed_forward"):
        layer = randomize(DecoderLayer(config, cross_attention=True))
        for name, parameter in layer.named_parameters():
            writes = "output_projection" in name or "down_projection" in name
            if writes and not name.startswith(f"{kept}."):
                torch.nn.init.zeros_(parameter)
        change = layer(x, memory) - x
        assert 0.2 < (change == 0).double().mean() < 0.8, kept
        assert (layer.eval()(x, memory) != x).all(), kept


X, MEMORY = torch.ones(2, 7, 6), torch.ones(2, 5, 6)
SEVERAL = Decoder(SMALL).new_cache(2).own


@torch.no_grad()
def overflow():
    decoder = Decoder(SMALL)
    cache = decoder.new_cache(2, max_len=8)
    decoder(X, cache=cache)
    decoder(X, cache=cache)


@torch.no_grad()
def several_memories():
    config = replace(SMALL, num_decoder_layers=2)  # as many as there are sequences
    decoder = Decoder(config, cross_attention=True)
    cache = decoder.new_cache(2, max_len=14, source=5)
    decoder(X, MEMORY, cache=cache)
    decoder.layers[0](X, cache=LayerCache(cache[0].self_attention, cache.memory))


BAD_INPUTS = {
    TypeError: {
        "mask.*got torch.float32": lambda: Decoder(SMALL)(X, mask=torch.zeros(7, 7)),
    },
    ValueError: {
        "a decoder.*got num_decoder_layers=0": lambda: Decoder(
            replace(SMALL, num_decoder_layers=0)
        ),
        "a layer without.*takes no memory, got one; leave": lambda: Decoder(SMALL)(
            X, MEMORY
        ),
        "a layer with cross-attention.*got none; pass": lambda: Decoder(
            SMALL, cross_attention=True
        )(X),
        r"all sequences.*got 2 of x, 1 of memory": lambda: DecoderLayer(
            SMALL, cross_attention=True
        )(X, MEMORY[:1]),
        "a layer without.*no memory_mask, got one; leave": lambda: Decoder(SMALL)(
            X, memory_mask=REAL
        ),
        "a decoder without.*memory to hold, got source=5; leave": lambda: Decoder(
            replace(SMALL, num_decoder_layers=1)
        ).new_cache(2, source=5),
        "the cache.*got 3 layers in KVCache": lambda: DecoderLayer(SMALL)(
            X, cache=LayerCache(SEVERAL)
        ),
        "the cache.*got 2 layers in KVCache": several_memories,
        "the cache.*3.*got 2; use": lambda: Decoder(SMALL)(
            X, cache=Decoder(replace(SMALL, num_decoder_layers=2)).new_cache(2)
        ),
        r"the cache.*got 7 more for KVCache\(7 of 8 positions held": overflow,
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)

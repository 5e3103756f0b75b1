"""Windowed attention: what is out of sight does not count, what is near does."""

import torch
from torch.testing import assert_close
from transformers import GptOssConfig
from transformers.models.gpt_oss.modeling_gpt_oss import GptOssAttention

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    KVCache,
    MultiHeadAttention,
    RelativeKeys,
    RollingKVCache,
    RotaryEmbedding,
    WindowedAttention,
    causal_mask,
    window_mask,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}
BATCH, TIME, D_MODEL, HEADS, D_HEAD = 2, 17, 12, 3, 4


def double(module):
    """A module in float64 in which every parameter is random."""
    module = module.double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


def draw(*shape, grad=False):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=grad)


def build(**options):
    rotary = RotaryEmbedding(D_HEAD, base=50.0) if options.pop("turned", True) else None
    return double(WindowedAttention(D_MODEL, HEADS, rotary=rotary, **options))


def heads_of(layer, x):
    """Queries, keys and values of the first row, (heads, time, d_head)."""
    parts = (layer.query_projection, layer.key_projection, layer.value_projection)
    rows = [part(x)[0].unflatten(-1, (-1, D_HEAD)).transpose(0, 1) for part in parts]
    return [row.repeat_interleave(HEADS // row.size(0), dim=0) for row in rows]


# By hand


def test_a_sink_takes_its_share_of_the_weight_by_hand():
    layer = build(turned=False, learned_sinks=True, bias=False)
    with torch.no_grad():
        layer.query_projection.weight.zero_()  # all scores are 0
        sinks = torch.tensor([1.0, 2.0, 0.0], dtype=torch.float64).log()
        layer.sink_scores.copy_(sinks)
    x = draw(1, 2, D_MODEL)
    _, weights = layer(x, x, x, need_weights=True)
    expected = torch.tensor([1 / 3, 1 / 4, 1 / 2], dtype=x.dtype)[:, None, None]
    assert_close(weights[0], expected.expand(HEADS, 2, 2), **EXACT)


def test_a_window_of_one_sees_its_own_value_alone():
    layer, x = build(window=1), draw(BATCH, TIME, D_MODEL)
    expected = layer.output_projection(layer.value_projection(x))
    assert_close(layer(x, x, x).values, expected, **EXACT)


# The equation, written as loops


def streamed(layer, x):
    """Section 3.2 of Xiao et al. word by word: positions are places in the cache.

    The cache holds keys before their rotation. At each step those of the first tokens
    and of the last ones are turned by where they stand in it.
    """
    query, key, value = heads_of(layer, x)
    k, w, rows = layer.sink_tokens, layer.window, []
    for t in range(x.size(1)):
        recent = range(max(k, t - w + 1), t + 1)
        held = [*range(min(k, t + 1)), *recent] if t >= k else [*range(t + 1)]
        places = torch.arange(len(held))
        turned = layer.rotary(key[:, held], places)
        asked = layer.rotary(query[:, [t]], places[-1:])
        scores = (asked @ turned.transpose(-2, -1)) * D_HEAD**-0.5  # (heads, 1, held)
        rows.append(scores.softmax(dim=-1) @ value[:, held])
    merged = torch.cat(rows, dim=1).transpose(0, 1).flatten(start_dim=1)
    return layer.output_projection(merged)


@facts("window, sink_tokens", [(1, 0), (3, 0), (3, 1), (2, 4), (5, 2), (31, 2)])
@facts("need_weights", [False, True])
def test_it_is_the_cache_of_streaming_llm(window, sink_tokens, need_weights):
    layer = build(window=window, sink_tokens=sink_tokens, num_kv_heads=1)
    x = draw(1, TIME, D_MODEL)
    found = layer(x, x, x, need_weights=need_weights).values[0]
    assert_close(found, streamed(layer, x), **EXACT)


@facts("window, sink_tokens", [(None, 0), (3, 0), (3, 2)])
@facts("need_weights", [False, True])
def test_weights_are_those_of_the_formula(window, sink_tokens, need_weights):
    options = {"window": window, "sink_tokens": sink_tokens, "learned_sinks": True}
    layer, x = build(turned=False, **options), draw(1, TIME, D_MODEL)
    query, key, value = heads_of(layer, x)
    scores = (query @ key.transpose(-2, -1)) * D_HEAD**-0.5
    mask = causal_mask(TIME)
    if window:
        mask = window_mask(TIME, window=window, sink_tokens=sink_tokens)
    numbers = scores.exp() * mask  # (heads, time, time)
    total = numbers.sum(dim=-1, keepdim=True) + layer.sink_scores.exp()[:, None, None]
    mixed = (numbers / total) @ value
    found = layer(x, x, x, is_causal=True, need_weights=need_weights)
    expected = layer.output_projection(mixed.transpose(0, 1).flatten(start_dim=1))
    assert_close(found.values[0], expected, **EXACT)
    if need_weights:
        assert_close(found.weights[0], numbers / total, **EXACT)


# Against multi-head attention


@facts("window", [None, 17, 19])
def test_a_window_as_wide_as_the_text_changes_nothing(window, monkeypatch):
    layer, plain = build(window=window), MultiHeadAttention(D_MODEL, HEADS).double()
    plain.load_state_dict(layer.state_dict())
    plain.rotary = layer.rotary
    x = draw(BATCH, TIME, D_MODEL)
    expected = plain(x, x, x, is_causal=True).values
    name = "transformer.layers.windowed_attention.window_mask"
    monkeypatch.setattr(name, None)  # no mask is made
    name = "transformer.layers.multi_head_attention.causal_mask"
    monkeypatch.setattr(name, None)  # and the fused kernel is asked without one
    assert torch.equal(layer(x, x, x, is_causal=True).values, expected)


@facts("window, sink_tokens", [(3, 0), (5, 2)])
@facts("learned_sinks", [False, True])
def test_both_paths_agree_with_gradients(window, sink_tokens, learned_sinks):
    options = {"sink_tokens": sink_tokens, "learned_sinks": learned_sinks}
    layer = build(window=window, num_kv_heads=1, **options)
    x, direction = draw(BATCH, TIME, D_MODEL, grad=True), draw(BATCH, TIME, D_MODEL)
    results = []
    for need_weights in (True, False):
        values, _ = layer(x, x, x, need_weights=need_weights)
        wanted = (x, *layer.parameters())
        results.append((values, torch.autograd.grad(values, wanted, direction)))
    assert_close(results[0], results[1], **EXACT)
    if learned_sinks:
        assert results[0][1][-5].abs().min() > 1e-6  # the gradient of the sinks


@facts("window, sink_tokens, spare", [(3, 0, 0), (3, 2, 0), (5, 1, 2), (31, 0, 0)])
@facts("split", [[1] * TIME, [TIME], [5, 1, 7, 1, 3], [9, 8]], ids=str)
@facts("given", [None, "mask", "bias"])
@torch.no_grad()
def test_a_rolling_cache_equals_the_band_mask(
    window, sink_tokens, spare, split, given, monkeypatch
):
    layer = build(window=window, sink_tokens=sink_tokens, learned_sinks=True)
    x = draw(BATCH, TIME, D_MODEL)
    options = {}
    if given == "mask":  # some tokens are padding
        options = {"mask": torch.rand(BATCH, 1, 1, TIME) < 0.7}
    elif given == "bias":
        options = {"bias": draw(1, HEADS, TIME, TIME)}
    whole = layer(x, x, x, **options).values
    sizes = {"window": window, "sink_tokens": sink_tokens, "spare": spare}
    cache = RollingKVCache(BATCH, HEADS, 101, D_HEAD, dtype=x.dtype, **sizes)
    pieces, start = [], 0
    for piece in x.split(split, dim=1):
        end = start + piece.size(1)
        part = {"mask": (..., slice(end)), "bias": (..., slice(start, end), slice(end))}
        own = {name: rows[part[name]] for name, rows in options.items()}
        pieces.append(layer(piece, piece, piece, cache=cache, **own).values)
        start = end
    assert_close(torch.cat(pieces, dim=1), whole, **EXACT)


@torch.no_grad()
def test_distances_are_those_of_the_text_when_a_cache_forgets():
    layer = build(turned=False, window=4, relative_keys=RelativeKeys(4, max_distance=2))
    x, pieces = draw(BATCH, TIME, D_MODEL), []
    cache = RollingKVCache(BATCH, HEADS, 101, D_HEAD, window=4, dtype=x.dtype)
    for piece in x.split([3, 1, 7, 1, 5], dim=1):
        pieces.append(layer(piece, piece, piece, cache=cache).values)
    assert_close(torch.cat(pieces, dim=1), layer(x, x, x).values, **EXACT)


@torch.no_grad()
def test_one_step_needs_no_mask(monkeypatch):
    layer, x = build(window=3, sink_tokens=2), draw(BATCH, TIME, D_MODEL)
    options = {"window": 3, "sink_tokens": 2, "dtype": x.dtype}
    cache = RollingKVCache(BATCH, HEADS, 101, D_HEAD, **options)
    expected = layer(x, x, x).values
    layer(*3 * [x[:, :-1]], cache=cache)
    monkeypatch.setattr("transformer.layers.windowed_attention.window_mask", None)
    found = layer(*3 * [x[:, -1:]], cache=cache).values
    assert_close(found, expected[:, -1:], **EXACT)


def test_a_query_that_sees_nothing_gets_zeros_with_and_without_a_sink():
    x, mask = draw(1, 5, D_MODEL), torch.ones(5, 5).bool()
    mask[3] = False
    for learned_sinks in (False, True):
        layer = build(window=2, learned_sinks=learned_sinks)
        layer.output_projection = torch.nn.Identity()
        assert layer(x, x, x, mask=mask).values[0, 3].abs().max() == 0


# Against gpt-oss


def tiny_gpt_oss(layer_type, dtype):
    """Attention of gpt-oss, every parameter random; scores do not leave the dtype."""
    config = GptOssConfig(
        hidden_size=12,
        head_dim=4,
        num_attention_heads=6,
        num_key_value_heads=3,
        num_hidden_layers=1,
        sliding_window=3,
        layer_types=[layer_type],
    )
    config._attn_implementation = "eager"
    return double(GptOssAttention(config, layer_idx=0)).to(dtype).eval()


@facts("dtype, tolerance", [(torch.float32, 1e-5), (torch.float64, 1e-12)], ids=str)
@facts("layer_type, window", [("sliding_attention", 3), ("full_attention", None)])
def test_sinks_equal_those_of_gpt_oss(layer_type, window, dtype, tolerance, parity):
    theirs = tiny_gpt_oss(layer_type, dtype)
    rotary = RotaryEmbedding(4, base=50.0)
    sizes = {"num_kv_heads": 3, "d_head": 4, "rotary": rotary}
    ours = WindowedAttention(12, 6, window=window, learned_sinks=True, **sizes)
    named = {f"{x}_projection": f"{x[0]}_proj" for x in ("query", "key", "value")}
    named |= {"output_projection": "o_proj"}
    ours = ours.to(dtype)
    given = dict(theirs.named_parameters())
    pairs = {"sink_scores": "sinks"}
    for mine, other in named.items():
        pairs |= {f"{mine}.{leaf}": f"{other}.{leaf}" for leaf in ("weight", "bias")}
    ours.load_state_dict({mine: given[other] for mine, other in pairs.items()})
    x = draw(BATCH, 11, 12).to(dtype)
    turns = rotary.rotation(torch.arange(11), dtype)
    halves = [part[None, :, :2] for part in (turns.cosine, turns.sine)]
    halves[1] = -halves[1]  # theirs tells the sine, ours the sign of the first half too
    seen = causal_mask(11) if window is None else window_mask(11, window=window)
    hidden = torch.zeros(11, 11, dtype=dtype).masked_fill(~seen, -torch.inf)
    expected, _ = theirs(x, tuple(halves), hidden[None, None])
    found = ours(x, x, x, is_causal=True).values
    compared, bounds = parity(ours, theirs), {"rtol": tolerance, "atol": tolerance}
    compared.values(found, expected, **bounds)
    direction = 0.1 * torch.randn_like(expected)
    for values in (found, expected):
        (values * direction).sum().backward()
    for mine, other in pairs.items():
        gradient = dict(ours.named_parameters())[mine].grad
        compared.gradients(gradient, given[other].grad, **bounds)


# What does not fit


@torch.no_grad()
def attend(x, **options):
    layer = WindowedAttention(D_MODEL, HEADS, window=3)
    return layer(x, x, x, **options)


BAD_INPUTS = {
    ValueError: {
        "window.*at least 1.*got 0": lambda: build(window=0),
        "sink_tokens.*at least 0.*got -1": lambda: build(window=3, sink_tokens=-1),
        "first tokens.*got sink_tokens=2 and window=None; set": lambda: build(
            sink_tokens=2
        ),
        "sink tokens.*got relative_keys.*take rotary": lambda: build(
            turned=False,
            window=3,
            sink_tokens=2,
            relative_keys=RelativeKeys(4, max_distance=2),
        ),
        "num_kv_heads.*got num_heads=3 and num_kv_heads=2": lambda: build(
            num_kv_heads=2
        ),
        r"mask must broadcast.*\(2, 3, 5, 5\), got \(5, 3\)": lambda: attend(
            torch.ones(2, 5, D_MODEL), mask=torch.ones(5, 3).bool()
        ),
        "the cache.*got 6 more for KVCache.0 of 5": lambda: attend(
            torch.ones(2, 6, D_MODEL), cache=KVCache(2, HEADS, 5, D_HEAD)
        ),
    },
    TypeError: {
        r"window.*got 2.5 \(float\)": lambda: build(window=2.5),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)


def test_it_shows_its_settings():
    shown = repr(build(window=3, sink_tokens=2))
    assert "num_heads=3, num_kv_heads=3, scale=0.5, dropout=0.0, window=3" in shown
    assert "sink_tokens=2" in shown

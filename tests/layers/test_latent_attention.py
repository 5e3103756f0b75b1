"""Latent attention: one short vector holds the keys and values of all heads."""

import math

import torch
from torch import nn
from torch.testing import assert_close
from transformers import DeepseekV3Config
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3Attention

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    KVCache,
    LatentCache,
    MultiHeadLatentAttention,
    RotaryEmbedding,
    causal_mask,
)

EXACT = {"rtol": 1e-11, "atol": 1e-11}
BATCH, TIME = 2, 11
D_MODEL, HEADS, D_LATENT, D_HEAD, D_ROTARY, D_VALUE = 13, 3, 7, 5, 4, 2
VARIANTS = {
    "plain queries": {},
    "latent queries": {"query_latent": 6},
    "biases": {"bias": True, "query_latent": 6},
    "as wide a value": {"d_value": None},
    "another scale": {"scale": 0.3},
}
EACH_VARIANT = facts("choices", VARIANTS.values(), ids=[*VARIANTS])


def double(module):
    module = module.double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


def draw(*shape, grad=False):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=grad)


def build(**choices):
    rotary = RotaryEmbedding(D_ROTARY, base=50.0, layout="interleaved")
    sizes = {"d_latent": D_LATENT, "d_head": D_HEAD, "d_value": D_VALUE}
    sizes |= {"rotary": rotary, **choices}
    return double(MultiHeadLatentAttention(D_MODEL, HEADS, **sizes))


def attend(layer, x, **options):
    return layer(x, x, x, **options)


# By hand


def test_one_number_holds_the_key_and_the_value_by_hand():
    rotary = RotaryEmbedding(2)
    sizes = {"d_latent": 1, "d_head": 1, "rotary": rotary, "scale": 1.0}
    layer = MultiHeadLatentAttention(1, 1, **sizes).double()
    with torch.no_grad():
        layer.query_projection.weight.copy_(torch.tensor([[1.0], [0.0], [0.0]]))
        layer.latent_projection.weight.copy_(torch.tensor([[1.0], [0.0], [0.0]]))
        layer.latent_norm = nn.Identity()
        layer.unpack_projection.weight.copy_(torch.tensor([[2.0], [10.0]]))
        layer.output_projection.weight.fill_(1.0)
    x = torch.tensor([[[0.0], [math.log(3.0) / 2]]]).double()  # keys 0 and log 3
    x[0, 0, 0], ask = 0.0, x.clone()
    found = attend(layer, ask, need_weights=True)
    score = x[0, 1, 0] * 2 * x[0, 1, 0]  # query times key
    share = score.exp() / (1 + score.exp())
    assert_close(found.weights[0, 0, 0], torch.tensor([0.5, 0.5]).double(), **EXACT)
    assert_close(found.weights[0, 0, 1, 1], share, **EXACT)
    assert_close(found.values[0, 1, 0], share * 10 * x[0, 1, 0], **EXACT)


def test_the_equation_written_as_loops():
    layer, x = build(), draw(1, TIME, D_MODEL)
    found = attend(layer, x, is_causal=True, need_weights=True)
    packed = x[0] @ layer.latent_projection.weight.T
    latent = layer.latent_norm(packed[:, :D_LATENT])
    places = torch.arange(TIME)
    shared = layer.rotary(packed[:, D_LATENT:], places)
    asked = (x[0] @ layer.query_projection.weight.T).unflatten(1, (HEADS, -1))
    unpack = layer.unpack_projection.weight.unflatten(0, (HEADS, -1))
    rows = []
    for t in range(TIME):
        mixed = []
        for head in range(HEADS):
            still = asked[t, head, :D_HEAD]
            turned = layer.rotary(asked[t : t + 1, head, D_HEAD:], places[t : t + 1])
            key_of, value_of = unpack[head, :D_HEAD], unpack[head, D_HEAD:]
            scores = torch.stack(
                [
                    still @ key_of @ latent[s] + turned[0] @ shared[s]
                    for s in range(t + 1)
                ]
            )
            weights = (scores / (D_HEAD + D_ROTARY) ** 0.5).softmax(dim=0)
            assert_close(found.weights[0, head, t, : t + 1], weights, **EXACT)
            mixed.append(value_of @ (weights @ latent[: t + 1]))
        rows.append(torch.cat(mixed))
    expected = layer.output_projection(torch.stack(rows))
    assert_close(found.values[0], expected, **EXACT)


# Two forms


@EACH_VARIANT
@facts("need_weights", [False, True])
@facts("hidden", ["nothing", "future", "padding"])
def test_plain_and_absorbed_form_are_equal_with_gradients(
    choices, need_weights, hidden
):
    layer, x = build(**choices), draw(BATCH, TIME, D_MODEL, grad=True)
    told = {"future": {"is_causal": True}}.get(hidden, {})
    if hidden == "padding":
        told = {"mask": torch.rand(BATCH, 1, 1, TIME) < 0.6}
    direction, results = draw(BATCH, TIME, D_MODEL), []
    for layer.absorbed in (False, True):
        found = attend(layer, x, need_weights=need_weights, **told)
        wanted = (x, *layer.parameters())
        gradients = torch.autograd.grad(found.values, wanted, direction)
        results.append([found.values, *gradients])
        if need_weights:
            results[-1].append(found.weights)
    assert_close(results[0], results[1], **EXACT)


def test_in_absorbed_form_nothing_is_unpacked(monkeypatch):
    layer, x = build(absorbed=True), draw(BATCH, TIME, D_MODEL)
    expected = attend(layer, x).values
    monkeypatch.setattr(layer.unpack_projection, "forward", None)
    assert torch.equal(attend(layer, x).values, expected)


class Adapted(nn.Module):
    """A linear map and a small one beside it, as LoRA has it."""

    def __init__(self, linear):
        super().__init__()
        self.linear, self.other = (
            linear,
            nn.Linear(linear.in_features, linear.out_features, bias=False),
        )

    def forward(self, x):
        return self.linear(x) + self.other(x)


def test_the_forms_are_equal_when_what_unpacks_was_replaced():
    layer, x = build(), draw(BATCH, TIME, D_MODEL)
    before = attend(layer, x).values
    layer.unpack_projection = double(Adapted(layer.unpack_projection))
    plain = attend(layer, x).values
    layer.absorbed = True
    assert_close(attend(layer, x).values, plain, **EXACT)
    assert not torch.allclose(plain, before)


# The cache


def cache_of(batch=BATCH, max_len=TIME, **options):
    return LatentCache(
        batch, max_len, D_LATENT, D_ROTARY, dtype=torch.float64, **options
    )


@EACH_VARIANT
@facts("absorbed", [None, False, True])
@facts("split", [[1] * TIME, [TIME], [4, 1, 6]], ids=str)
@torch.no_grad()
def test_cached_equals_uncached_also_in_chunks(choices, absorbed, split):
    layer, x = build(absorbed=absorbed, **choices), draw(BATCH, TIME, D_MODEL)
    cache, pieces = cache_of(), []
    for piece in x.split(split, dim=1):
        time = piece.size(1)
        mask = causal_mask(time, cache.length + time)
        pieces.append(attend(layer, piece, mask=mask, cache=cache).values)
    expected = attend(layer, x, is_causal=True).values
    assert_close(torch.cat(pieces, dim=1), expected, **EXACT)


@torch.no_grad()
def test_a_cache_holds_the_latent_vector_and_the_rotated_key_alone():
    layer, x, cache = build(), draw(BATCH, TIME, D_MODEL), cache_of()
    attend(layer, x, cache=cache)
    packed = layer.latent_projection(x)
    assert torch.equal(cache.keys[:, 0], layer.latent_norm(packed[..., :D_LATENT]))
    turned = layer.rotary(packed[..., D_LATENT:], torch.arange(TIME))
    assert_close(cache.values[:, 0], turned, **EXACT)
    numbers = cache.keys.numel() + cache.values.numel()
    assert numbers == BATCH * TIME * (D_LATENT + D_ROTARY)


@torch.no_grad()
def test_it_unpacks_the_first_piece_and_none_of_the_later_ones(monkeypatch):
    layer, x, cache = build(), draw(BATCH, TIME, D_MODEL), cache_of()
    attend(layer, x[:, :7], cache=cache, is_causal=True)
    monkeypatch.setattr(layer, "_attend_plain", None)
    attend(layer, x[:, 7:8], cache=cache)
    assert cache.length == 8


def test_several_layers_and_rows_share_one_store():
    cache = cache_of(num_layers=3)
    part = cache.layer(1)
    latent, shared = draw(BATCH, 1, 4, D_LATENT), draw(BATCH, 1, 4, D_ROTARY)
    part.update(latent, shared)
    cache.length = 4
    cache.select(torch.tensor([1, 1, 0]))
    found = cache.layer(1).held()
    assert torch.equal(found[0], latent[[1, 1, 0]])
    assert torch.equal(found[1], shared[[1, 1, 0]])
    cache.truncate(2)
    assert cache.layer(1).held()[0].shape == (3, 1, 2, D_LATENT)


# Against DeepSeek-V3


def tiny_deepseek(dtype, **choices):
    sizes = {"kv_lora_rank": 7, "qk_nope_head_dim": 5, "qk_rope_head_dim": 4}
    sizes |= {"v_head_dim": 3, "hidden_size": 13, "num_attention_heads": 3}
    sizes |= {"num_key_value_heads": 3, "num_hidden_layers": 1, **choices}
    config = DeepseekV3Config(**sizes)
    config._attn_implementation = "sdpa"
    layer = double(DeepseekV3Attention(config, layer_idx=0))
    for norm in (layer.q_a_layernorm, layer.kv_a_layernorm):
        if norm is not None:  # theirs computes in float32
            norm.forward = exact_norm(norm)
    return layer.to(dtype).eval()


def exact_norm(norm):
    def forward(x):
        mean = x.square().mean(dim=-1, keepdim=True)
        return norm.weight * x * (mean + norm.variance_epsilon).rsqrt()

    return forward


STORED = {
    "latent_projection": "kv_a_proj_with_mqa",
    "latent_norm": "kv_a_layernorm",
    "unpack_projection": "kv_b_proj",
    "output_projection": "o_proj",
}
DIRECT = STORED | {"query_projection": "q_proj"}
LATENT = {"query_latent.linear": "q_a_proj", "query_latent.norm": "q_a_layernorm"}
LATENT |= STORED | {"query_projection": "q_b_proj"}


@facts("dtype, tolerance", [(torch.float32, 1e-5), (torch.float64, 1e-12)], ids=str)
@facts("query_latent, bias", [(None, False), (6, False), (6, True)])
@facts("interleaved", [True, False])
@facts("absorbed", [False, True])
def test_it_equals_that_of_deepseek(
    dtype, tolerance, query_latent, bias, interleaved, absorbed, parity
):
    given = {"q_lora_rank": query_latent, "attention_bias": bias}
    theirs = tiny_deepseek(dtype, **given, rope_interleave=interleaved)
    layout = "interleaved" if interleaved else "half"
    ours = MultiHeadLatentAttention(
        13,
        3,
        d_latent=7,
        d_head=5,
        d_value=3,
        rotary=RotaryEmbedding(4, base=50.0, layout=layout),
        query_latent=query_latent,
        bias=bias,
        absorbed=absorbed,
    ).to(dtype)
    names = DIRECT if query_latent is None else LATENT
    stored = dict(theirs.named_parameters())
    pairs = {
        name: f"{names[name.rpartition('.')[0]]}.{name.rpartition('.')[2]}"
        for name, _ in ours.named_parameters()
    }
    assert set(pairs.values()) == set(stored)
    ours.load_state_dict({mine: stored[other] for mine, other in pairs.items()})
    x = (0.3 * draw(BATCH, TIME, 13)).to(dtype)
    turns = RotaryEmbedding(4, base=50.0).rotation(torch.arange(TIME), dtype)
    sine = torch.cat((-turns.sine[:, :2], turns.sine[:, 2:]), dim=-1)
    seen = causal_mask(TIME)[None, None]
    expected, _ = theirs(x, (turns.cosine[None], sine[None]), seen)
    found = attend(ours, x, is_causal=True).values
    compared, bounds = parity(ours, theirs), {"rtol": tolerance, "atol": tolerance}
    compared.values(found, expected, **bounds)
    direction = 0.1 * torch.randn_like(expected)
    for values in (found, expected):
        (values * direction).sum().backward()
    for mine, other in pairs.items():
        gradient = dict(ours.named_parameters())[mine].grad
        compared.gradients(gradient, stored[other].grad, **bounds)


# What does not fit


@torch.no_grad()
def other_cache():
    cache = KVCache(BATCH, HEADS, TIME, D_HEAD, dtype=torch.float64)
    attend(build(), draw(BATCH, TIME, D_MODEL), cache=cache)


BAD_INPUTS = {
    ValueError: {
        "scale.*above 0.*got 0": lambda: build(scale=0.0),
        "dropout.*below 1.*got 1": lambda: build(dropout=1.0),
        "latent attention.*got another key or value; pass": lambda: build()(
            *(draw(BATCH, TIME, D_MODEL) for _ in range(3))
        ),
        r"key.*num_kv_heads=3.*d_head=5.*got \(2, 1, 11, 7\)": other_cache,
        r"value.*d_head=4.*got \(2, 1, 3, 5\)": lambda: cache_of().update(
            draw(2, 1, 3, D_LATENT), draw(2, 1, 3, 5)
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)


def test_it_shows_its_settings():
    shown = "num_heads=3, d_latent=7, d_head=5, d_rotary=4, d_value=2"
    assert shown in repr(build())

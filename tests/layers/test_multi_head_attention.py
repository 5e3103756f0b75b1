"""Multi-head attention, by its five witnesses."""

from copy import deepcopy

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close
from transformers import BertConfig, LlamaConfig
from transformers.models.bert.modeling_bert import BertSelfAttention
from transformers.models.llama.modeling_llama import LlamaAttention

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    KVCache,
    MultiHeadAttention,
    RelativeKeys,
    RotaryEmbedding,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}

sizes = st.integers(1, 9)
seeds = st.integers(0, 2**31)


def draw(*shape, grad=False):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=grad)


def some_mask(*shape):
    """A random mask in which every query may attend to the first key."""
    mask = torch.rand(*shape) < 0.5
    mask[..., 0] = True
    return mask


def double(module):
    """A module in float64 in which every parameter, biases too, is random."""
    module = module.double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


def copy_into_torch(ours, theirs):
    """Give torch.nn.MultiheadAttention our parameters."""
    inputs = (ours.query_projection, ours.key_projection, ours.value_projection)
    state = {
        "in_proj_weight": torch.cat([layer.weight for layer in inputs]),
        "out_proj.weight": ours.output_projection.weight,
    }
    if ours.output_projection.bias is not None:
        state["in_proj_bias"] = torch.cat([layer.bias for layer in inputs])
        state["out_proj.bias"] = ours.output_projection.bias
    theirs.load_state_dict(state)


@facts("need_weights", [False, True])
@facts("with_bias", [False, True])
@facts("with_mask", [False, True])
def test_a_causal_call_is_one_with_a_causal_mask(with_mask, with_bias, need_weights):
    attention = double(MultiHeadAttention(12, 3, num_kv_heads=1))
    x = draw(2, 7, 12, grad=True)
    mask = some_mask(2, 1, 7, 7) if with_mask else None
    how = {
        "need_weights": need_weights,
        "bias": draw(2, 3, 7, 7) if with_bias else None,
    }
    causal = causal_mask(7) if mask is None else causal_mask(7) & mask
    expected = attention(x, x, x, mask=causal, **how)
    found = attention(x, x, x, mask=mask, is_causal=True, **how)
    assert_close(found, expected, **EXACT)
    gradients = [
        torch.autograd.grad(y.values.square().sum(), [x, *attention.parameters()])
        for y in (found, expected)
    ]
    assert_close(*gradients, **EXACT)


@facts("start", [1, 4, 6])
@torch.no_grad()
def test_a_causal_chunk_behind_a_cache_sees_all_before_it(start):
    attention = double(MultiHeadAttention(12, 3, rotary=RotaryEmbedding(4)))
    x, cache = draw(2, 7, 12), KVCache(2, 3, 7, 4, dtype=torch.float64)
    parts = (x[:, :start], x[:, start:])
    steps = [attention(y, y, y, cache=cache, is_causal=True).values for y in parts]
    whole = attention(x, x, x, is_causal=True).values
    assert_close(torch.cat(steps, dim=1), whole, **EXACT)


def test_no_mask_is_made_where_the_kernel_needs_none(monkeypatch):
    asked = []
    fused = nn.functional.scaled_dot_product_attention

    def watched(*args, **options):
        asked.append((options["attn_mask"], options["is_causal"]))
        return fused(*args, **options)

    monkeypatch.setattr(nn.functional, "scaled_dot_product_attention", watched)
    attention, x = MultiHeadAttention(12, 3), torch.randn(2, 7, 12)
    attention(x, x, x, is_causal=True)
    attention(x, x, x)
    assert asked == [(None, True), (None, False)]


@facts("num_kv_heads", [1, 2, 3, 6])
def test_multi_head_shapes_with_distinct_sizes(num_kv_heads):
    attention = MultiHeadAttention(30, 6, num_kv_heads=num_kv_heads)
    values, weights = attention(
        torch.randn(2, 7, 30),
        torch.randn(2, 11, 30),
        torch.randn(2, 11, 30),
        need_weights=True,
    )
    assert values.shape == (2, 7, 30)
    assert weights.shape == (2, 6, 7, 11)
    assert attention.key_projection.out_features == num_kv_heads * 5


def test_head_size_may_differ_from_the_share_of_d_model():
    attention = MultiHeadAttention(7, 3, d_head=5)
    x = torch.randn(2, 11, 7)
    assert attention(x, x, x).values.shape == (2, 11, 7)
    assert attention.query_projection.out_features == 15


def test_parameter_count_does_not_depend_on_the_number_of_heads():
    counts = {
        sum(p.numel() for p in MultiHeadAttention(512, heads).parameters())
        for heads in (1, 2, 4, 8, 16)
    }
    assert counts == {1_050_624}


@given(time=sizes, seed=seeds)
def test_self_attention_without_a_mask_is_permutation_equivariant(time, seed):
    torch.manual_seed(seed)
    attention = double(MultiHeadAttention(6, 3))
    x, order = draw(2, time, 6), torch.randperm(time)
    permuted = attention(x[:, order], x[:, order], x[:, order]).values
    assert_close(permuted, attention(x, x, x).values[:, order], **EXACT)


@facts("need_weights", [True, False])
@facts("num_kv_heads", [1, 3, 6])
@facts("split", [1, 4, 6])
def test_future_tokens_do_not_change_the_past(split, num_kv_heads, need_weights):
    attention = MultiHeadAttention(12, 6, num_kv_heads=num_kv_heads)
    x = torch.randn(2, 7, 12)
    changed = x.clone()
    changed[:, split:] = 100 * torch.randn(2, 7 - split, 12)
    options = {"mask": causal_mask(7), "need_weights": need_weights}
    before, after = (attention(y, y, y, **options).values for y in (x, changed))
    assert torch.equal(before[:, :split], after[:, :split])  # to the last bit
    assert not torch.equal(before[:, split], after[:, split])  # it sees itself


@facts("need_weights", [True, False])
def test_padded_keys_never_matter(need_weights):
    attention = MultiHeadAttention(12, 3)
    tokens = torch.tensor([[5, 6, 7, 0, 0], [5, 6, 7, 8, 9]])
    x = torch.randn(2, 5, 12)
    changed = x.clone()
    changed[0, 3:] = 1e6
    options = {"mask": padding_mask(tokens, 0), "need_weights": need_weights}
    before = attention(x, x, x, **options).values
    after = attention(x, changed, changed, **options).values
    assert torch.equal(before, after)


@facts("num_kv_heads", [1, 2, 3, 6])
@facts("mask", [None, causal_mask(7)])
def test_fused_and_formula_agree_in_every_head_layout(num_kv_heads, mask):
    attention = double(MultiHeadAttention(12, 6, num_kv_heads=num_kv_heads))
    x = draw(2, 7, 12, grad=True)
    wanted = (x, *attention.parameters())
    direction = draw(2, 7, 12)
    results = []
    for need_weights in (True, False):
        values, _ = attention(x, x, x, mask=mask, need_weights=need_weights)
        results.append((values, torch.autograd.grad(values, wanted, direction)))
    assert_close(results[0], results[1], **EXACT)


def test_merged_projections_equal_one_attention_per_head():
    attention = double(MultiHeadAttention(12, 3, bias=False))
    x = draw(5, 12)
    total = 0
    for i in range(3):
        block = slice(4 * i, 4 * i + 4)
        head, _ = scaled_dot_product_attention(
            x @ attention.query_projection.weight[block].T,
            x @ attention.key_projection.weight[block].T,
            x @ attention.value_projection.weight[block].T,
            need_weights=True,
        )
        total = total + head @ attention.output_projection.weight[:, block].T
    assert_close(attention(x[None], x[None], x[None]).values[0], total, **EXACT)


def test_grouped_heads_equal_full_heads_with_repeated_projections():
    grouped = double(MultiHeadAttention(12, 6, num_kv_heads=2))
    full = double(MultiHeadAttention(12, 6))
    with torch.no_grad():
        for name in ("query_projection", "output_projection"):
            getattr(full, name).load_state_dict(getattr(grouped, name).state_dict())
        for name in ("key_projection", "value_projection"):
            few, many = getattr(grouped, name), getattr(full, name)
            for heads_of, into in ((few.weight, many.weight), (few.bias, many.bias)):
                heads = heads_of.unflatten(0, (2, 2)).repeat_interleave(3, dim=0)
                into.copy_(heads.flatten(0, 1))
    x = draw(2, 7, 12)
    assert_close(grouped(x, x, x).values, full(x, x, x).values, **EXACT)


def test_dropout_acts_in_training_only_and_keeps_the_mean():
    attention = MultiHeadAttention(8, 2, dropout=0.5).double()
    x = draw(1, 5, 8)
    attention.eval()
    calm = attention(x, x, x).values
    assert torch.equal(calm, attention(x, x, x).values)
    attention.train()
    noisy = torch.stack([attention(x, x, x).values for _ in range(4000)])
    assert not torch.equal(noisy[0], noisy[1])
    deviation = (noisy.mean(dim=0) - calm) / (noisy.std(dim=0) / 4000**0.5)
    assert deviation.abs().max() < 5  # standard errors


@facts("dtype", [torch.float32, torch.bfloat16])
def test_autocast_takes_either_dtype(dtype):
    attention, x = MultiHeadAttention(8, 2), torch.randn(2, 5, 8, dtype=dtype)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert attention(x, x, x).values.dtype == torch.bfloat16


def test_projections_start_xavier_uniform_and_without_bias():
    attention = MultiHeadAttention(64, 4, num_kv_heads=2)
    for projection in attention.children():
        bound = (6 / sum(projection.weight.shape)) ** 0.5
        assert projection.weight.abs().max() <= bound
        # of thousands of uniform draws the largest comes close to the bound
        assert projection.weight.abs().max() > 0.99 * bound
        assert not projection.bias.any()


@facts("bias", [True, False])
@facts("masked", [True, False])
@facts("need_weights", [True, False])
def test_parity_with_the_module_of_pytorch(bias, masked, need_weights, parity):
    ours = double(MultiHeadAttention(30, 5, bias=bias))
    theirs = nn.MultiheadAttention(30, 5, bias=bias, batch_first=True).double()
    copy_into_torch(ours, theirs)
    query, source = draw(2, 7, 30, grad=True), draw(2, 11, 30, grad=True)
    mask = some_mask(7, 11) if masked else None
    our_values, our_weights = ours(
        query, source, source, mask=mask, need_weights=need_weights
    )
    their_values, their_weights = theirs(
        query,
        source,
        source,
        attn_mask=None if mask is None else ~mask,  # there True means blocked
        average_attn_weights=False,
    )
    compared = parity(ours, theirs)
    compared.values(our_values, their_values, **EXACT)
    if need_weights:
        compared.values(our_weights, their_weights, **EXACT)
    direction = draw(2, 7, 30)
    compared.gradients(
        torch.autograd.grad(our_values, (query, source), direction, retain_graph=True),
        torch.autograd.grad(their_values, (query, source), direction),
        **EXACT,
    )
    projections = (ours.query_projection, ours.key_projection, ours.value_projection)
    ours.zero_grad()
    our_values.backward(direction)
    theirs(query, source, source, attn_mask=None if mask is None else ~mask)[
        0
    ].backward(direction)
    stacked = torch.cat([layer.weight.grad for layer in projections])
    compared.gradients(stacked, theirs.in_proj_weight.grad, **EXACT)


def test_parity_with_hugging_face_bert(parity):
    config = BertConfig(
        hidden_size=30, num_attention_heads=5, attn_implementation="eager"
    )
    theirs = double(BertSelfAttention(config).eval())
    ours = double(MultiHeadAttention(30, 5))
    for layer in ("query", "key", "value"):
        state = getattr(theirs, layer).state_dict()
        getattr(ours, f"{layer}_projection").load_state_dict(state)
    nn.init.eye_(ours.output_projection.weight)  # BERT's lives in another module
    nn.init.zeros_(ours.output_projection.bias)
    x, direction = draw(2, 7, 30, grad=True), draw(2, 7, 30)
    allowed = padding_mask(torch.tensor([[1] * 7, [1] * 4 + [0] * 3]), 0)
    additive = torch.zeros(allowed.shape).double().masked_fill(~allowed, -1e300)
    their_values = theirs(x, additive)[0]
    our_values = ours(x, x, x, mask=allowed).values
    compared = parity(ours, theirs)
    compared.values(our_values, their_values, **EXACT)
    compared.gradients(
        torch.autograd.grad(our_values, x, direction),
        torch.autograd.grad(their_values, x, direction),
        **EXACT,
    )


@facts("num_kv_heads", [1, 2, 6])
def test_parity_with_hugging_face_llama_in_grouped_heads(num_kv_heads, parity):
    config = LlamaConfig(
        hidden_size=36,
        num_attention_heads=6,
        num_key_value_heads=num_kv_heads,
        attn_implementation="sdpa",  # the eager one computes softmax in float32
    )
    theirs = double(LlamaAttention(config, layer_idx=0).eval())
    ours = double(MultiHeadAttention(36, 6, num_kv_heads=num_kv_heads, bias=False))
    names = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "o_proj"}
    for own, other in names.items():
        state = getattr(theirs, other).state_dict()
        getattr(ours, f"{own}_projection").load_state_dict(state)
    x, direction = draw(2, 7, 36, grad=True), draw(2, 7, 36)
    no_rotation = (torch.ones(1, 7, 6).double(), torch.zeros(1, 7, 6).double())
    additive = torch.zeros(7, 7).double().masked_fill(~causal_mask(7), -1e360)
    their_values, _ = theirs(x, no_rotation, attention_mask=additive)
    our_values = ours(x, x, x, mask=causal_mask(7), need_weights=True).values
    compared = parity(ours, theirs)
    compared.values(our_values, their_values, **EXACT)
    compared.gradients(
        torch.autograd.grad(our_values, x, direction),
        torch.autograd.grad(their_values, x, direction),
        **EXACT,
    )


# Positions and caches

VARIANTS = {
    "multi-head": lambda: MultiHeadAttention(12, 6),
    "grouped": lambda: MultiHeadAttention(12, 6, num_kv_heads=2),
    "multi-query": lambda: MultiHeadAttention(12, 6, num_kv_heads=1, bias=False),
    "rotary": lambda: MultiHeadAttention(12, 3, rotary=RotaryEmbedding(4)),
    "partly rotary": lambda: MultiHeadAttention(
        16, 2, num_kv_heads=1, rotary=RotaryEmbedding(8, fraction=0.5)
    ),
    "relative keys": lambda: MultiHeadAttention(
        12, 3, relative_keys=RelativeKeys(4, max_distance=2)
    ),
}


EACH_VARIANT = facts("build", VARIANTS.values(), ids=[*VARIANTS])


def width(attention):
    return attention.query_projection.in_features


def new_cache(attention, max_len, batch=2):
    weight = attention.key_projection.weight
    kv_heads = attention.num_kv_heads
    d_head = weight.size(0) // kv_heads
    return KVCache(batch, kv_heads, max_len, d_head, dtype=weight.dtype)


def attend_in_chunks(attention, x, chunks, **options):
    """Feed a sequence piece by piece into a cache; return all values."""
    cache, values = new_cache(attention, max_len=x.size(1)), []
    for piece in x.split(chunks, dim=1):
        mask = causal_mask(piece.size(1), cache.length + piece.size(1))
        attended = attention(piece, piece, piece, mask=mask, cache=cache, **options)
        values.append(attended.values)
    return torch.cat(values, dim=1)


@EACH_VARIANT
@facts("need_weights", [True, False])
@facts("chunks", [[1] * 7, [7], [4, 3], [1, 4, 2]], ids=str)
def test_cached_equals_uncached_also_in_chunks(build, chunks, need_weights):
    attention = double(build())
    x = draw(2, 7, width(attention))
    whole = attention(x, x, x, mask=causal_mask(7), need_weights=need_weights).values
    with torch.no_grad():
        pieces = attend_in_chunks(attention, x, chunks, need_weights=need_weights)
    assert_close(pieces, whole, **EXACT)


@EACH_VARIANT
def test_every_variant_is_causal_to_the_last_bit(build):
    attention = double(build())
    x = draw(2, 7, width(attention))
    changed = x.clone()
    changed[:, 4:] = 100 * draw(2, 3, width(attention))
    mask = causal_mask(7)
    before, after = (attention(y, y, y, mask=mask).values for y in (x, changed))
    assert torch.equal(before[:, :4], after[:, :4])


@EACH_VARIANT
def test_every_variant_agrees_on_both_paths_with_gradients(build):
    attention = double(build())
    x = draw(2, 7, width(attention), grad=True)
    wanted, direction = (x, *attention.parameters()), draw(2, 7, width(attention))
    results = []
    for need_weights in (True, False):
        values, _ = attention(x, x, x, mask=causal_mask(7), need_weights=need_weights)
        results.append((values, torch.autograd.grad(values, wanted, direction)))
    assert_close(results[0], results[1], **EXACT)


@EACH_VARIANT
@facts("need_weights", [True, False])
@torch.no_grad()
def test_a_factor_on_the_scores_is_one_on_the_queries(build, need_weights):
    attention = double(build())
    x, larger = draw(2, 7, width(attention)), deepcopy(attention)
    larger.scale = 3 * attention.scale
    expected = larger(x, x, x, need_weights=need_weights).values
    for parameter in attention.query_projection.parameters():
        parameter *= 3
    found = attention(x, x, x, need_weights=need_weights).values
    assert_close(found, expected, **EXACT)


def test_cross_attention_from_a_cache_equals_cross_attention():
    attention = double(MultiHeadAttention(12, 6, num_kv_heads=3))
    x, memory, mask = draw(2, 5, 12), draw(2, 7, 12), some_mask(2, 1, 1, 7)
    cache = new_cache(attention, max_len=7)
    whole = attention(x, memory, memory, mask=mask).values
    with torch.no_grad():
        first = attention(x[:, :1], memory, memory, mask=mask, cache=cache).values
        rest = attention(x[:, 1:], None, None, mask=mask, cache=cache).values
    assert cache.length == 7
    assert_close(torch.cat((first, rest), dim=1), whole, **EXACT)


@facts("scale, factor", [(None, 3**-0.5), (1.0, 1), (0.7, 0.7)])
def test_relative_keys_give_the_scores_of_equation_four_of_shaw(scale, factor):
    keys = RelativeKeys(3, max_distance=2)
    attention = double(MultiHeadAttention(6, 2, scale=scale, relative_keys=keys))
    x = draw(1, 5, 6)
    _, weights = attention(x, x, x, need_weights=True)
    table = attention.relative_keys.embedding.weight
    query = attention.query_projection(x).view(5, 2, 3)
    key = attention.key_projection(x).view(5, 2, 3)
    scores = torch.empty(2, 5, 5, dtype=torch.float64)
    for t in range(5):
        for s in range(5):
            vector = key[s] + table[max(-2, min(2, s - t)) + 2]  # (heads, d_head)
            scores[:, t, s] = (query[t] * vector).sum(dim=-1) * factor
    assert_close(weights[0], scores.softmax(dim=-1), **EXACT)


def test_with_relative_keys_what_is_not_there_is_as_what_is_masked():
    keys = RelativeKeys(3, max_distance=2)
    attention = double(MultiHeadAttention(6, 2, relative_keys=keys))
    query, key = draw(1, 7, 6), draw(1, 7, 6)
    mask = (torch.arange(7) < 3).expand(7, 7)
    found = attention(query, key[:, :3], key[:, :3])  # fewer keys than queries
    assert_close(found.values, attention(query, key, key, mask=mask).values, **EXACT)


@settings(max_examples=20)
@given(start=st.integers(0, 500), seed=seeds)
def test_rotary_attention_depends_on_distances_only(start, seed):
    torch.manual_seed(seed)
    attention = double(MultiHeadAttention(12, 3, rotary=RotaryEmbedding(4)))
    x = draw(1, 5, 12)
    cache = new_cache(attention, max_len=start + 5, batch=1)
    cache.length = start  # as if `start` positions had passed
    unseen = torch.arange(start + 5) >= start
    mask = causal_mask(5, start + 5) & unseen
    with torch.no_grad():
        moved = attention(x, x, x, mask=mask, cache=cache).values
    assert_close(
        moved, attention(x, x, x, mask=causal_mask(5)).values, rtol=0, atol=1e-9
    )


def test_a_refused_call_leaves_the_cache_as_it_was(refuses):
    attention = double(MultiHeadAttention(12, 3))
    x, cache = draw(2, 5, 12), new_cache(attention, max_len=9)
    with torch.no_grad():
        attention(x, x, x, cache=cache)
        before = [part.clone() for part in cache.held()]
        calls = {
            "mask must broadcast": {"mask": causal_mask(5)},
            "bias must broadcast": {"bias": draw(5, 5)},
            "the cache must have room for all positions": {},
        }
        for message, options in calls.items():
            refuses(
                lambda o=options: attention(x, x, x, cache=cache, **o),
                ValueError,
                message,
            )
    assert cache.length == 5
    assert all(map(torch.equal, cache.held(), before))


@facts("learning", ["key", "value", "key_projection", "value_projection"])
def test_what_a_cache_would_hold_must_not_need_a_gradient(learning, refuses):
    attention = double(MultiHeadAttention(12, 3)).requires_grad_(False)
    x, cache = draw(2, 5, 12), new_cache(attention, max_len=5)
    given = {"key": draw(2, 5, 12), "value": draw(2, 5, 12)}
    (given | dict(attention.named_children()))[learning].requires_grad_()
    name = learning.removesuffix("_projection")
    refuses(
        lambda: attention(x, **given, cache=cache),
        ValueError,
        f"{name} must not need a gradient, got one that does",
    )
    assert cache.length == 0


@EACH_VARIANT
def test_copies_and_saved_parameters_give_the_same_values(build):
    attention = double(build())
    x = draw(2, 5, width(attention))
    values = attention(x, x, x).values
    assert torch.equal(deepcopy(attention)(x, x, x).values, values)
    other = deepcopy(attention)
    double(other)
    other.load_state_dict(attention.state_dict())
    assert torch.equal(other(x, x, x).values, values)


HELD = KVCache(2, 2, 3, 4)
HELD.update(torch.ones(2, 2, 3, 4), torch.ones(2, 2, 3, 4))
LAYERS = KVCache(2, 2, 3, 4, num_layers=2)
LAYERS.length = 3

BAD_INPUTS = {
    TypeError: {
        r"dropout.*got '0.1' \(str\)": lambda: MultiHeadAttention(8, 2, dropout="0.1"),
    },
    ValueError: {
        r"all sequences.*got 1 of query, 2 of key": lambda: MultiHeadAttention(8, 2)(
            torch.ones(1, 5, 8), *2 * [torch.ones(2, 5, 8)]
        ),
        "num_heads.*got d_model=3 and num_heads=2; change": lambda: MultiHeadAttention(
            3, 2
        ),
        "num_kv_heads.*got num_heads=6 and num_kv_heads=4": lambda: MultiHeadAttention(
            30, 6, num_kv_heads=4
        ),
        r"value.*\(batch, time, d_model\).*got \(5, 8\)": lambda: MultiHeadAttention(
            8, 2
        )(*2 * [torch.ones(1, 5, 8)], torch.ones(5, 8)),
        r"query.*got \(3, 2, 5, 8\)": lambda: MultiHeadAttention(8, 2)(
            *3 * [torch.ones(3, 2, 5, 8)]
        ),
        "scale.*above 0.*got -1": lambda: MultiHeadAttention(8, 2, scale=-1.0),
        r"mask.*\(target, source\).*got shape \(2, 5, 5\); for": lambda: (
            MultiHeadAttention(8, 2)(
                *3 * [torch.ones(2, 5, 8)], mask=causal_mask(5).expand(2, 5, 5)
            )
        ),
        r"query.*got \(5, 8\); add": lambda: MultiHeadAttention(8, 2)(
            *3 * [torch.ones(5, 8)]
        ),
        "key and value.*got neither; pass": lambda: MultiHeadAttention(8, 2)(
            torch.ones(1, 5, 8), None, None
        ),
        "key and value must.*got neither; pass": lambda: MultiHeadAttention(8, 2)(
            torch.ones(1, 5, 8), None, None, cache=KVCache(1, 2, 3, 4)
        ),
        "query and cache.*got 1 and 2; make": lambda: MultiHeadAttention(8, 2)(
            torch.ones(1, 5, 8), None, None, cache=HELD
        ),
        "key and value.*source positions, got 5 and 3; pass": lambda: (
            MultiHeadAttention(8, 2)(*2 * [torch.ones(1, 5, 8)], torch.ones(1, 3, 8))
        ),
        "key.*got none; pass": lambda: MultiHeadAttention(8, 2)(
            torch.ones(1, 5, 8), *2 * [torch.ones(1, 0, 8)]
        ),
        "rotary.*d_head=4.*got 6; make": lambda: MultiHeadAttention(
            8, 2, rotary=RotaryEmbedding(6)
        ),
        "relative_keys.*d_head=4.*got 3": lambda: MultiHeadAttention(
            8, 2, relative_keys=RelativeKeys(3, max_distance=2)
        ),
        "rotated queries and keys.*got 3 queries and 5 keys; pass": lambda: (
            MultiHeadAttention(8, 2, rotary=RotaryEmbedding(4))(
                torch.ones(1, 3, 8), *2 * [torch.ones(1, 5, 8)]
            )
        ),
        "the cache.*got 2 layers in KVCache": lambda: MultiHeadAttention(8, 2)(
            *3 * [torch.ones(1, 3, 8)], cache=LAYERS
        ),
        "the cache must.*got 2 layers in KVCache": lambda: MultiHeadAttention(8, 2)(
            torch.ones(2, 1, 8), None, None, cache=LAYERS
        ),
        "key.*got one that does; .*": lambda: MultiHeadAttention(8, 2)(
            *3 * [torch.ones(1, 3, 8)], cache=KVCache(1, 2, 3, 4)
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)

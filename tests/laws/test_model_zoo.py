"""Laws of the chapter on real models: what may be rearranged without any change."""

from dataclasses import replace

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.layers import MultiHeadAttention, RotaryEmbedding
from transformer.layers.rotation import interleaved_to_half
from transformer.models import DecoderOnlyTransformer
from transformer.zoo.gpt2 import TRANSPOSED, third
from transformer.zoo.gpt_neox import part_of_heads

SEEDS = st.integers(0, 2**20)


def drawn(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


@given(seed=SEEDS, pairs=st.integers(1, 6), base=st.floats(2.0, 1e6))
def test_reordered_queries_and_keys_have_the_same_scores(seed, pairs, base):
    order = interleaved_to_half(2 * pairs)
    q, k = drawn(seed, 7, 2 * pairs), drawn(seed + 1, 7, 2 * pairs)
    rotate = {
        layout: RotaryEmbedding(2 * pairs, base=base, layout=layout)
        for layout in ("interleaved", "half")
    }
    at = torch.arange(7)
    expected = rotate["interleaved"](q, at) @ rotate["interleaved"](k, at).T
    found = rotate["half"](q[:, order], at) @ rotate["half"](k[:, order], at).T
    assert_close(found, expected)


@given(seed=SEEDS, inner=st.integers(1, 7), outer=st.integers(1, 7))
def test_a_transposed_store_computes_the_same_map(seed, inner, outer):
    stored, x = drawn(seed, inner, outer), drawn(seed + 1, 3, inner)
    layer = torch.nn.functional.linear(x, TRANSPOSED.take(stored))
    assert_close(layer, x @ stored)


@given(seed=SEEDS, heads=st.integers(1, 4), d_head=st.integers(1, 5))
def test_the_parts_of_a_fused_matrix_are_its_blocks(seed, heads, d_head):
    size = heads * d_head
    stored, x = drawn(seed, 5, 3 * size), drawn(seed + 1, 3, 5)
    by_kind = [x @ third(part).take(stored).T for part in range(3)]
    assert_close(torch.cat(by_kind, dim=1), x @ stored)
    by_head = [x @ part_of_heads(part, heads).take(stored.T).T for part in range(3)]
    merged = torch.stack([part.unflatten(1, (heads, d_head)) for part in by_head], 2)
    assert_close(merged.flatten(1), x @ stored)


@given(seed=SEEDS, groups=st.integers(1, 3), share=st.integers(1, 4))
def test_grouped_heads_are_repeated_heads(seed, groups, share):
    heads, d_head, d_model = groups * share, 3, 7
    torch.manual_seed(seed)
    sizes = {"d_head": d_head, "bias": True}
    few = MultiHeadAttention(d_model, heads, num_kv_heads=groups, **sizes).double()
    full = MultiHeadAttention(d_model, heads, **sizes).double()
    weights = few.state_dict()
    for name in ("key_projection", "value_projection"):
        for leaf in ("weight", "bias"):
            parts = weights[f"{name}.{leaf}"].unflatten(0, (groups, d_head))
            weights[f"{name}.{leaf}"] = parts.repeat_interleave(share, 0).flatten(0, 1)
    full.load_state_dict(weights)
    x = drawn(seed, 2, 5, d_model)
    assert_close(few(x, x, x).values, full(x, x, x).values)


READS = ("query_projection", "key_projection", "value_projection")
READS += ("up_projection", "gate_projection")
BASE = TransformerConfig(
    vocab_size=23,
    max_len=13,
    num_encoder_layers=0,
    num_decoder_layers=2,
    d_model=20,
    d_ff=28,
    num_heads=4,
    position="learned",
    attention_bias=True,
)
STYLES = {
    "post-norm": {},
    "pre-norm": {"norm_placement": "pre", "final_norm": True},
    "rms, gated, grouped": {
        "norm": "rms",
        "norm_placement": "pre",
        "final_norm": True,
        "gated": True,
        "num_kv_heads": 2,
        "tie_embeddings": False,
    },
    "parallel, rotary": {
        "norm_placement": "pre",
        "parallel_residual": True,
        "position": "rotary",
        "rotary_fraction": 0.8,
    },
}


@facts("style", STYLES.values(), ids=[*STYLES])
@given(seed=SEEDS)
def test_reordering_the_stream_changes_no_logit(style, seed):
    torch.manual_seed(seed)
    model = DecoderOnlyTransformer(replace(BASE, **style)).double().eval()
    for parameter in model.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    tokens = torch.randint(23, (3, 11))
    expected = model(tokens)
    order, done = torch.randperm(20), set()
    for name, parameter in model.named_parameters():
        if parameter.data_ptr() in done:
            continue  # output weights that are the embeddings
        done.add(parameter.data_ptr())
        module, leaf = name.split(".")[-2:]
        if module in READS and leaf == "bias":
            continue
        if module in READS or "embedding" in name or name == "head.projection.weight":
            parameter.data = parameter.data[:, order]
        else:
            parameter.data = parameter.data[order]
    model.head.projection.weight.data = (
        model.embedding.tokens.embedding.weight.data
        if model.config.tie_embeddings
        else model.head.projection.weight.data
    )
    assert not torch.equal(order, torch.arange(20))
    assert_close(model(tokens), expected, rtol=1e-9, atol=1e-9)

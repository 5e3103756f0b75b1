"""Attention with any two of its options at once, against loops over heads."""

from dataclasses import dataclass

import torch
from allpairspy import AllPairs
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import (
    KVCache,
    MultiHeadAttention,
    RelativeKeys,
    RotaryEmbedding,
    causal_mask,
)

BATCH, TIME, D_MODEL, HEADS = 3, 7, 20, 4
OPTIONS = {
    "num_kv_heads": [None, 2, 1],
    "d_head": [None, 6],
    "bias": [True, False],
    "scale": [None, 0.3],
    "positions": [None, "rotary", "interleaved", "relative"],
    "mask": [None, "causal", "of each head", "nothing for one"],
    "added": [None, "one for all", "of each head"],
    "cached": [False, True],
    "need_weights": [True, False],
}


@dataclass
class Case:
    """An attention, and what it is called with."""

    layer: MultiHeadAttention
    x: torch.Tensor
    mask: torch.Tensor | None
    added: torch.Tensor | None


def build(options):
    torch.manual_seed(0)
    d_head = options["d_head"] or D_MODEL // HEADS
    d_head += d_head % 2  # which can be rotated
    positions = {
        None: {},
        "rotary": {"rotary": RotaryEmbedding(d_head, base=50.0)},
        "interleaved": {"rotary": RotaryEmbedding(d_head, layout="interleaved")},
        "relative": {"relative_keys": RelativeKeys(d_head, max_distance=3)},
    }
    kept = {name: options[name] for name in ("num_kv_heads", "bias", "scale")}
    layer = MultiHeadAttention(
        D_MODEL, HEADS, d_head=d_head, **kept, **positions[options["positions"]]
    ).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(std=0.5)
    causal = causal_mask(TIME)
    of_heads = torch.rand(BATCH, HEADS, TIME, TIME) < 0.6
    blind = causal.clone()
    blind[4] = False
    masks = {
        None: None,
        "causal": causal,
        "of each head": of_heads,
        "nothing for one": blind[None, None],
    }
    added = {
        None: None,
        "one for all": torch.randn(TIME, TIME).double(),
        "of each head": torch.randn(1, HEADS, TIME, TIME).double(),
    }
    x = torch.randn(BATCH, TIME, D_MODEL).double()
    return Case(layer, x, masks[options["mask"]], added[options["added"]])


def by_loops(case):
    """The formula of the docstring, a head and a query at a time."""
    layer, x = case.layer, case.x
    query, key, value = (
        torch.nn.functional.linear(x, part.weight, part.bias)
        for part in (
            layer.query_projection,
            layer.key_projection,
            layer.value_projection,
        )
    )
    d_head = query.size(-1) // HEADS
    full = (BATCH, HEADS, TIME, TIME)
    mask = None if case.mask is None else case.mask.expand(full)
    added = None if case.added is None else case.added.expand(full)
    weights, mixed = torch.zeros(full).double(), torch.zeros_like(query)
    for head in range(HEADS):
        group = head * layer.num_kv_heads // HEADS
        own, shared = (slice(n * d_head, (n + 1) * d_head) for n in (head, group))
        q, k, v = query[..., own], key[..., shared], value[..., shared]
        if layer.rotary is not None:
            q, k = (layer.rotary(part, torch.arange(TIME)) for part in (q, k))
        scores = q @ k.transpose(1, 2)
        if layer.relative_keys is not None:
            for t in range(TIME):
                for s in range(TIME):
                    row = max(-3, min(3, s - t)) + 3
                    vector = layer.relative_keys.embedding.weight[row]
                    scores[:, t, s] += q[:, t] @ vector
        scores = scores * (d_head**-0.5 if layer.scale is None else layer.scale)
        if added is not None:
            scores = scores + added[:, head]
        if mask is not None:
            scores = scores.masked_fill(~mask[:, head], -torch.inf)
        weights[:, head] = scores.softmax(dim=-1).nan_to_num(0.0)
        mixed[..., own] = weights[:, head] @ v
    output = layer.output_projection
    return mixed @ output.weight.T + (
        0 if output.bias is None else output.bias
    ), weights


def called(case, *, cached, need_weights):
    """The layer, at once or with a cache in three parts."""
    if not cached:
        return case.layer(
            *3 * [case.x], mask=case.mask, bias=case.added, need_weights=need_weights
        )
    d_head = case.layer.key_projection.out_features // case.layer.num_kv_heads
    cache = KVCache(BATCH, case.layer.num_kv_heads, TIME, d_head, dtype=torch.float64)
    values, weights = [], []
    for start, end in ((0, 3), (3, 4), (4, TIME)):
        part = case.x[:, start:end]
        mask, bias = (
            given if given is None else given[..., start:end, :end]
            for given in (case.mask, case.added)
        )
        found = case.layer(
            *3 * [part], mask=mask, bias=bias, cache=cache, need_weights=need_weights
        )
        values.append(found.values)
        if need_weights:
            row = torch.zeros(BATCH, HEADS, end - start, TIME).double()
            row[..., :end] = found.weights
            weights.append(row)
    return torch.cat(values, dim=1), torch.cat(weights, dim=2) if weights else None


CASES = [dict(zip(OPTIONS, row, strict=True)) for row in AllPairs(OPTIONS.values())]


@facts("options", CASES)
@torch.no_grad()
def test_any_two_options_meet_and_give_what_loops_give(options):
    case = build(options)
    if options["cached"]:  # what comes later is not there yet
        case.mask = causal_mask(TIME) if case.mask is None else case.mask
        case.mask = case.mask & causal_mask(TIME)
    expected, weights = by_loops(case)
    values, found = called(
        case, cached=options["cached"], need_weights=options["need_weights"]
    )
    assert_close(values, expected, rtol=1e-10, atol=1e-10)
    if options["need_weights"]:
        assert_close(found, weights, rtol=1e-10, atol=1e-10)


def test_all_pairs_are_among_the_cases():
    assert len(CASES) <= 24
    names = list(OPTIONS)
    for a in names:
        for b in names[names.index(a) + 1 :]:
            met = {(repr(case[a]), repr(case[b])) for case in CASES}
            assert len(met) == len(OPTIONS[a]) * len(OPTIONS[b])

"""The laws of long texts: what a window reaches, and what a cache must keep."""

from dataclasses import replace
from itertools import pairwise

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.decoding import generate, speculative_sample
from transformer.layers import (
    RotaryEmbedding,
    finish,
    merge,
    partial_attention,
    scaled_dot_product_attention,
)
from transformer.models import DecoderOnlyTransformer

EXACT = {"rtol": 1e-10, "atol": 1e-10}
VOCAB, TIME = 13, 29
BASE = TransformerConfig.decoder_only(
    vocab_size=VOCAB,
    max_len=TIME,
    num_decoder_layers=2,
    d_model=12,
    d_ff=17,
    num_heads=3,
    position="rotary",
    norm_placement="pre",
    tie_embeddings=False,
    scale_embeddings=False,
)


def model_of(**choices):
    """A model in float64 whose every parameter is random."""
    torch.manual_seed(0)
    model = DecoderOnlyTransformer(replace(BASE, **choices)).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.4 * torch.randn_like(parameter)
    return model


# Windows of the layers, and how far back they reach together.
REACHES = [
    ({"num_decoder_layers": 1, "window": 1}, 0),
    ({"num_decoder_layers": 1, "window": 5}, 4),
    ({"num_decoder_layers": 3, "window": 1}, 0),
    ({"num_decoder_layers": 3, "window": 4}, 9),
    ({"num_decoder_layers": 5, "window": 3}, 10),
    ({"num_decoder_layers": 3, "window": (2, 6)}, 1 + 5 + 1),
    ({"num_decoder_layers": 2, "window": 4, "parallel_residual": True}, 6),
]


@facts("choices, reach", REACHES, ids=str)
@torch.no_grad()
def test_layers_reach_back_the_sum_of_their_windows_and_no_further(choices, reach):
    model = model_of(**choices)
    tokens = torch.randint(VOCAB, (1, TIME))
    last = model(tokens)[0, -1]
    for back in range(TIME):
        changed = tokens.clone()
        changed[0, TIME - 1 - back] = (changed[0, TIME - 1 - back] + 1) % VOCAB
        same = torch.equal(model(changed)[0, -1], last)
        assert same is (back > reach), back


@torch.no_grad()
def test_the_first_tokens_are_within_reach_of_every_position():
    model, tokens = model_of(window=2, sink_tokens=3), torch.randint(VOCAB, (1, TIME))
    last = model(tokens)[0, -1]
    felt = []
    for place in range(TIME):
        changed = tokens.clone()
        changed[0, place] = (changed[0, place] + 1) % VOCAB
        felt.append(not torch.equal(model(changed)[0, -1], last))
    # Two layers, one position each, and what the first tokens themselves have seen.
    assert [t for t, is_felt in enumerate(felt) if is_felt] == [0, 1, 2, 26, 27, 28]


WINDOWS = {
    "one": {"window": 1},
    "three": {"window": 3, "num_kv_heads": 1},
    "in turn": {"window": (4, None, 2), "num_decoder_layers": 4},
    "first tokens": {"window": 3, "sink_tokens": 2},
    "first tokens, in turn": {"window": (2, None), "sink_tokens": 4},
    "local rotation": {"window": (3, None), "local_rotary_base": 50.0},
    "sinks": {"window": 3, "learned_sinks": True},
    "sinks alone": {"learned_sinks": True},
    "distances": {"window": 3, "position": "relative_keys"},
    "buckets": {"window": 3, "position": "relative"},
    "slopes": {"window": (3, None), "position": "alibi"},
    "no positions": {"window": 5, "position": "none", "sink_tokens": 1},
    "side by side": {"window": 3, "parallel_residual": True},
}
EACH_WINDOW = facts("choices", WINDOWS.values(), ids=[*WINDOWS])


SPLITS = ([1] * TIME, [TIME], [9, 8, 1, 1, 10], [2, 5, 1, 3, 1, 17])


@EACH_WINDOW
@torch.no_grad()
def test_a_cache_that_forgets_equals_the_band_mask(choices):
    model, tokens = model_of(**choices), torch.randint(VOCAB, (3, TIME))
    whole = model(tokens)
    for lengths in SPLITS:
        cache = model.new_cache(3)
        pieces = [model(x, cache=cache) for x in tokens.split(lengths, dim=1)]
        assert_close(torch.cat(pieces, dim=1), whole, **EXACT)


@EACH_WINDOW
@facts("side", ["left", "right"])
@torch.no_grad()
def test_padding_does_not_matter_to_a_cache_that_forgets(choices, side):
    model, tokens = model_of(**choices), torch.randint(VOCAB, (3, TIME))
    real = torch.arange(TIME) < torch.tensor([[TIME], [7], [4]])
    real = real.flip(1) if side == "left" else real
    cache, pieces = model.new_cache(3), []
    for piece, mask in zip(
        tokens.split([8, 1, 1, 7, 1, 11], dim=1),
        real.split([8, 1, 1, 7, 1, 11], dim=1),
        strict=True,
    ):
        pieces.append(model(piece, mask=mask, cache=cache))
    whole = model(tokens, mask=real)
    assert_close(torch.cat(pieces, dim=1)[real], whole[real], **EXACT)


@EACH_WINDOW
@torch.no_grad()
def test_every_way_of_writing_is_the_same_with_a_cache_that_forgets(choices):
    model = model_of(**choices)
    prompts = torch.randint(1, VOCAB, (3, 7))
    mask = torch.arange(7) < torch.tensor([[7], [3], [5]])
    for way in ({}, {"top_k": 4, "seed": 0}, {"beam_width": 3}):
        options = {"max_new_tokens": 7, "mask": mask, "eos_id": 2, **way}
        kept, anew = (
            generate(model, prompts, use_cache=use, **options) for use in (True, False)
        )
        assert torch.equal(kept, anew)


@facts("choices", [WINDOWS["three"], WINDOWS["first tokens, in turn"]], ids=str)
@facts("lookahead", [2, 7])
@torch.no_grad()
def test_guesses_can_be_taken_back_from_a_cache_that_forgets(choices, lookahead):
    model, prompt = model_of(**choices), torch.randint(1, VOCAB, (1, 7))
    draft = model_of(**choices)
    for parameter in draft.parameters():
        parameter += 0.1 * torch.randn_like(parameter)
    options = {"max_new_tokens": 13, "top_k": 1}
    found = speculative_sample(
        model, draft, prompt, lookahead=lookahead, seed=0, **options
    )
    assert torch.equal(found.tokens, generate(model, prompt, max_new_tokens=13))
    assert 0 < found.accepted.sum() < found.proposed.sum()


@facts(
    "window, sink_tokens, places",
    [(5, 0, [5, 5, 5]), (5, 2, [7, 7, 7]), ((5, None), 2, [7, TIME, 7])],
    ids=str,
)
def test_a_layer_holds_no_more_than_it_shows(window, sink_tokens, places):
    model = model_of(window=window, sink_tokens=sink_tokens, num_decoder_layers=3)
    cache = model.new_cache(2)
    found = [layer.self_attention.keys.size(2) for layer in cache]
    assert (found, cache.max_len) == (places, TIME)


# Tiles


def pieces_of(scores, value, cuts):
    """What is known after each of some pieces of a row of scores alone."""
    bounds = [0, *sorted(cuts), scores.size(-1)]
    query = torch.ones(1, 1, dtype=torch.float64)
    return [
        partial_attention(query, scores[0, a:b, None], value[a:b], scale=1.0)
        for a, b in pairwise(bounds)
        if a < b
    ]


rows = st.lists(st.floats(-700, 700), min_size=1, max_size=13)
cuts = st.lists(st.integers(1, 12), max_size=5)


@given(numbers=rows, cuts=cuts)
def test_after_each_tile_the_triple_is_softmax_over_what_was_seen(numbers, cuts):
    scores = torch.tensor([numbers], dtype=torch.float64)
    value = torch.randn(len(numbers), 3, dtype=torch.float64)
    cuts = [cut for cut in cuts if cut < len(numbers)]
    known, seen = None, 0
    for piece in pieces_of(scores, value, cuts):
        known = piece if known is None else merge(known, piece)
        seen = next(cut for cut in sorted({*cuts, len(numbers)}) if cut > seen)
        assert known.maximum.item() == max(numbers[:seen])
        weights = scores[:, :seen].softmax(dim=-1)
        assert_close(finish(known), weights @ value[:seen], rtol=1e-11, atol=1e-11)
        log_sum = known.maximum + known.total.log()
        expected = scores[:, :seen].logsumexp(dim=-1, keepdim=True)
        assert_close(log_sum, expected, rtol=1e-12, atol=1e-12)


@given(numbers=rows, cuts=cuts, data=st.data())
def test_tiles_merge_in_any_order(numbers, cuts, data):
    scores = torch.tensor([numbers], dtype=torch.float64)
    value = torch.randn(len(numbers), 3, dtype=torch.float64)
    heap = pieces_of(scores, value, [cut for cut in cuts if cut < len(numbers)])
    while len(heap) > 1:  # any two, in any order, with any brackets
        order = data.draw(st.permutations(range(len(heap))))
        one, other, *rest = (heap[place] for place in order)
        heap = [merge(one, other), *rest]
    expected = scores.softmax(dim=-1) @ value
    assert_close(finish(heap[0]), expected, rtol=1e-11, atol=1e-11)


# A matrix that moves


@given(heads=st.integers(1, 3), d_head=st.integers(1, 7), d_latent=st.integers(1, 5))
def test_matrices_of_keys_and_values_move_to_the_query_and_the_mix(
    heads, d_head, d_latent
):
    like = {"dtype": torch.float64}
    latent = torch.randn(1, 11, d_latent, **like)
    query = torch.randn(heads, 2, d_head, **like)
    for_keys, for_values = torch.randn(2, heads, d_head, d_latent, **like)
    expected = scaled_dot_product_attention(
        query, latent @ for_keys.mT, latent @ for_values.mT
    ).values
    shared = latent.expand(heads, -1, -1)
    scale = d_head**-0.5
    mix = scaled_dot_product_attention(query @ for_keys, shared, shared, scale=scale)
    assert_close(mix.values @ for_values.mT, expected, rtol=1e-11, atol=1e-11)


@given(t=st.integers(0, 40), s=st.integers(0, 40))
def test_a_rotation_in_between_makes_the_matrix_depend_on_the_distance(t, s):
    rotary, like = RotaryEmbedding(6), {"dtype": torch.float64}
    query, matrix = torch.randn(1, 6, **like), torch.randn(6, 3, **like)
    latent = torch.randn(1, 3, **like)
    turned = [
        rotary(x, torch.tensor([place]))
        for x, place in ((query, t), (latent @ matrix.T, s))
    ]
    by_distance = rotary(query, torch.tensor([t - s])) @ matrix @ latent.T
    assert_close(turned[0] @ turned[1].T, by_distance, rtol=1e-10, atol=1e-10)
    # Neighbors would need the same, and no vector but zero stays when it is turned.
    other = rotary(query, torch.tensor([t - s + 1])) @ matrix
    assert not torch.allclose(other, rotary(query, torch.tensor([t - s])) @ matrix)

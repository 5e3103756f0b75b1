"""Decoders with any two choices of a configuration at once keep the laws."""

import torch
from allpairspy import AllPairs
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.decoding import generate
from transformer.models import DecoderOnlyTransformer, load_model, save_model

# Sums of at most 24 products in float64, through two layers.
EXACT = {"rtol": 1e-9, "atol": 1e-9}
OPTIONS = {
    "position": [
        *("sinusoidal", "learned", "rotary", "relative"),
        *("relative_keys", "alibi", "none"),
    ],
    "norm": ["layer", "rms"],
    "placing": ["post", "pre", "pre, parallel"],
    "final_norm": [False, True],
    "norm_embeddings": [False, True],
    "activation": ["relu", "silu"],
    "gated": [False, True],
    "bias": [True, False],
    "attention_bias": [False, True],
    "num_kv_heads": [None, 2, 1],
    "d_head": [None, 6],
    "scale_embeddings": [True, False],
    "scale_attention": [True, False],
    "tied": ["tied", "tied and scaled", "apart"],
    "logits_bias": [False, True],
    "pad_id": [None, 0],
    "window": [None, 3, (2, None)],
    "learned_sinks": [False, True],
    "query_key_norm": [False, True],
    "norm_branches": [False, True],
}
CASES = [dict(zip(OPTIONS, row, strict=True)) for row in AllPairs(OPTIONS.values())]


def build(options):
    """A small model, every parameter of which is random."""
    torch.manual_seed(0)
    chosen = dict(options)
    placement, _, parallel = chosen.pop("placing").partition(", ")
    tied = chosen.pop("tied")
    chosen["norm_branches"] &= placement == "pre"
    config = TransformerConfig(
        vocab_size=13,
        max_len=19,
        num_encoder_layers=0,
        num_decoder_layers=2,
        d_model=16,
        d_ff=11,
        num_heads=4,
        relative_buckets=8,
        relative_max_distance=7,
        norm_placement=placement,
        parallel_residual=bool(parallel),
        tie_embeddings=tied != "apart",
        scale_tied_logits=tied == "tied and scaled",
        **chosen,
    )
    model = DecoderOnlyTransformer(config).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return model


TOKENS = torch.tensor([[5, 7, 3, 11, 2, 8], [4, 1, 9, 6, 12, 3]])


@facts("options", CASES)
@torch.no_grad()
def test_any_two_choices_keep_the_laws(options, tmp_path):
    model = build(options)
    whole = model(TOKENS)
    # The past does not know the future.
    changed = TOKENS.clone()
    changed[:, 4:] = (changed[:, 4:] + 3) % 12 + 1
    assert torch.equal(model(changed)[:, :4], whole[:, :4])
    assert not torch.allclose(model(changed)[:, 4:], whole[:, 4:])
    # A cache changes nothing.
    cache = model.new_cache(2)
    parts = [model(TOKENS[:, a:b], cache=cache) for a, b in ((0, 3), (3, 4), (4, 6))]
    assert_close(torch.cat(parts, dim=1), whole, **EXACT)
    # Nor does padding behind a text.
    padded = torch.nn.functional.pad(TOKENS, (0, 2))
    mask = padded != 0
    assert_close(model(padded, mask=mask)[:, :6], whole, **EXACT)
    # Each way of writing is the same with a cache and without.
    for way in ({}, {"top_k": 4, "seed": 0}, {"beam_width": 3}):
        kept, anew = (
            generate(model, TOKENS, max_new_tokens=4, use_cache=use, **way)
            for use in (True, False)
        )
        assert torch.equal(kept, anew)
    save_model(model, tmp_path)
    assert torch.equal(load_model(tmp_path)(TOKENS), whole)


def test_all_pairs_of_choices_are_among_the_cases():
    names = list(OPTIONS)
    for a in names:
        for b in names[names.index(a) + 1 :]:
            met = {(case[a], case[b]) for case in CASES}
            assert len(met) == len(OPTIONS[a]) * len(OPTIONS[b])
    assert len(CASES) <= 30

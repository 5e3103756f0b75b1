"""The laws of the chapter on decoding, for random models, texts and distributions."""

from itertools import product

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.decoding import (
    acceptance,
    apply_temperature,
    beam_search,
    keep_top_k,
    keep_top_p,
    residual,
)

EXACT = {"rtol": 1e-10, "atol": 1e-10}
SEEDS = st.integers(0, 999)


def numbers(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


@given(seed=SEEDS, temperature=st.floats(0.05, 20), k=st.integers(1, 23))
@settings(max_examples=50)
def test_no_filter_changes_which_token_is_the_most_probable(seed, temperature, k):
    logits = numbers(seed, 5, 23)
    best = logits.argmax(dim=-1)
    assert torch.equal(logits.softmax(dim=-1).argmax(dim=-1), best)
    assert torch.equal(apply_temperature(logits, temperature).argmax(dim=-1), best)
    assert torch.equal(keep_top_k(logits, k).argmax(dim=-1), best)
    assert torch.equal(keep_top_p(logits, k / 23).argmax(dim=-1), best)


@facts("alpha", [0.0, 0.6, 1.0, 2.5])
@facts("seed", range(5))
def test_a_beam_one_step_short_of_all_texts_is_exact(seed, alpha, markov):
    table = (2 * numbers(seed, 3, 3)).softmax(dim=-1)
    scores = []
    for text in product(range(3), repeat=4):
        text = text[: text.index(0) + 1] if 0 in text else text
        steps = zip((1, *text), text, strict=False)
        total = sum(table[before, token].log().item() for before, token in steps)
        scores.append(total / ((5 + len(text)) / 6) ** alpha)
    found = beam_search(
        markov(table),
        torch.tensor([[1]]),
        beam_width=3**3,
        max_new_tokens=4,
        length_penalty=alpha,
        eos_id=0,
        use_cache=False,
    )
    assert abs(found.scores.item() - max(scores)) < 1e-9


@facts("size", [1, 2, 5])
def test_cached_logits_are_recomputed_ones(decoder_only, size):
    tokens = torch.randint(13, (3, 11))
    cache = decoder_only.eval().new_cache(3, max_len=11)
    with torch.no_grad():
        steps = [decoder_only(part, cache=cache) for part in tokens.split(size, dim=1)]
        assert_close(torch.cat(steps, dim=1), decoder_only(tokens), **EXACT)


def test_without_causality_a_cache_would_be_wrong(new_decoder_only):
    model = new_decoder_only().eval()
    seeing = {"mask": None, "is_causal": False}
    for layer in model.decoder.layers:
        layer.self_attention.register_forward_pre_hook(
            lambda module, inputs, choices: (inputs, choices | seeing),
            with_kwargs=True,
        )
    tokens, cache = torch.randint(13, (3, 11)), model.new_cache(3)
    with torch.no_grad():
        steps = [model(part, cache=cache) for part in tokens.split(1, dim=1)]
        gap = (torch.cat(steps, dim=1) - model(tokens)).abs()
    assert gap[:, :-1].max() > 1e-3


@given(seed=SEEDS, sharpness=st.floats(0.1, 8))
@settings(max_examples=50)
def test_speculation_keeps_the_distribution_of_the_model(seed, sharpness):
    p, q = (sharpness * numbers(seed, 2, 7, 19)).softmax(dim=-1)
    accepted = q * acceptance(p, q)
    refused = 1 - accepted.sum(dim=-1, keepdim=True)
    assert_close(accepted, torch.minimum(p, q), **EXACT)
    assert_close(accepted + refused * residual(p, q), p, **EXACT)

"""The laws of the chapter on the encoder and the decoder, for random choices."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.blocks import Decoder, Encoder
from transformer.config import TransformerConfig
from transformer.models import Transformer

EXACT = {"rtol": 1e-9, "atol": 1e-9}
SEEDS = st.integers(0, 99)
SOURCE, TARGET, D_MODEL, VOCAB = 5, 7, 12, 13
CHOICES = {
    "2017": {},
    "pre-norm": {"norm_placement": "pre", "final_norm": True},
    "gated, shared keys": {"gated": True, "num_kv_heads": 1, "norm": "rms"},
    "relative": {"position": "relative"},
    "rotary, parallel": {
        "position": "rotary",
        "parallel_residual": True,
        "norm_placement": "pre",
        "final_norm": True,
    },
}
ALL_CHOICES = facts("choices", CHOICES.values(), ids=[*CHOICES])


def config(**choices):
    return TransformerConfig(
        vocab_size=VOCAB,
        max_len=16,
        num_encoder_layers=2,
        num_decoder_layers=2,
        d_model=D_MODEL,
        d_ff=17,
        num_heads=3,
        **choices,
    )


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def tokens(seed, length):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(VOCAB, (2, length), generator=generator)


def model(seed, **choices):
    torch.manual_seed(seed)
    return Transformer(config(**choices)).double().eval()


@ALL_CHOICES
@given(start=st.integers(1, TARGET - 1), seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_a_later_target_changes_no_earlier_logit_to_the_last_bit(choices, start, seed):
    transformer, source = model(seed, **choices), tokens(seed, SOURCE)
    target, other = tokens(seed + 1, TARGET), tokens(seed + 1, TARGET)
    other[:, start:] = (other[:, start:] + 1) % VOCAB
    before, after = transformer(source, target), transformer(source, other)
    assert torch.equal(before[:, :start], after[:, :start])
    assert not torch.allclose(before[:, start:], after[:, start:])


@ALL_CHOICES
@given(seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_one_pass_gives_the_logits_of_every_beginning(choices, seed):
    transformer, target = model(seed, **choices), tokens(seed, TARGET)
    memory = transformer.encode(tokens(seed + 1, SOURCE))
    together = transformer.decode(target, memory)
    for end in range(1, TARGET + 1):
        alone = transformer.decode(target[:, :end], memory)
        assert_close(alone[:, -1], together[:, end - 1], **EXACT)


@ALL_CHOICES
@given(token=st.integers(1, TARGET - 1), seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_logits_know_the_token_that_they_give_only_without_shift(choices, token, seed):
    transformer, source = model(seed, **choices), tokens(seed, SOURCE)
    target, other = tokens(seed + 1, TARGET), tokens(seed + 1, TARGET)
    other[:, token] = (other[:, token] + 1) % VOCAB
    shifted = [
        transformer(source, row[:, :-1])[:, token - 1] for row in (target, other)
    ]
    unshifted = [transformer(source, row)[:, token] for row in (target, other)]
    assert torch.equal(*shifted)
    assert not torch.allclose(*unshifted)


@ALL_CHOICES
@given(real=st.integers(1, SOURCE), seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_hidden_source_tokens_change_nothing_and_may_be_left_out(choices, real, seed):
    transformer, target = model(seed, **choices), tokens(seed, TARGET)
    source, other = tokens(seed + 1, SOURCE), tokens(seed + 2, SOURCE)
    other[:, :real] = source[:, :real]
    mask = torch.arange(SOURCE).expand(2, -1) < real
    masked = transformer(source, target, source_mask=mask)
    assert torch.equal(transformer(other, target, source_mask=mask), masked)
    assert_close(transformer(source[:, :real], target), masked, **EXACT)


@ALL_CHOICES
@given(order=st.permutations(range(SOURCE)), seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_a_decoder_does_not_know_the_order_of_its_memory(choices, order, seed):
    torch.manual_seed(seed)
    decoder = Decoder(config(**choices), cross_attention=True).double().eval()
    x, memory = draw(seed, 2, TARGET, D_MODEL), draw(seed + 1, 2, SOURCE, D_MODEL)
    mask = torch.arange(SOURCE) < 3
    before = decoder(x, memory, memory_mask=mask[None, None, None])
    after = decoder(x, memory[:, order], memory_mask=mask[order][None, None, None])
    assert_close(before, after, **EXACT)


@facts("choices", [{}, CHOICES["pre-norm"]])
@given(order=st.permutations(range(SOURCE)), seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_an_encoder_without_positions_commutes_with_a_permutation(choices, order, seed):
    torch.manual_seed(seed)
    encoder = Encoder(config(position="none", **choices)).double().eval()
    x = draw(seed, 2, SOURCE, D_MODEL)
    assert_close(encoder(x[:, order]), encoder(x)[:, order], **EXACT)


@facts("name", sorted({*CHOICES} - {"relative"}))
@given(seed=SEEDS)
@settings(max_examples=4, deadline=None)
def test_an_encoder_with_a_causal_mask_is_a_decoder_without_memory(name, seed):
    torch.manual_seed(seed)
    encoder = Encoder(config(**CHOICES[name])).double().eval()
    decoder = Decoder(config(**CHOICES[name])).double().eval()
    decoder.load_state_dict(encoder.state_dict())
    x = draw(seed, 2, TARGET, D_MODEL)
    causal = torch.ones(TARGET, TARGET, dtype=torch.bool).tril()
    assert_close(encoder(x, mask=causal), decoder(x), **EXACT)
    assert not torch.allclose(encoder(x), decoder(x))

"""The laws of the Transformer, for every variant of it."""

import io
from copy import deepcopy

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from bookkit.checking.facts import NIGHT, facts
from transformer.layers import MultiHeadAttention
from transformer.models import Transformer

# Sums of at most 24 products in float64, through two layers.
EXACT = {"rtol": 1e-10, "atol": 1e-10}


def others(tokens):
    """Tokens that differ from the given ones at every place."""
    return (tokens + 5) % 12 + 1


@st.composite
def sentences(draw, shortest=2):
    """Two sequences of tokens, and a place inside them."""
    time = draw(st.integers(shortest, 12))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    tokens = torch.randint(1, 13, (2, time), generator=generator)
    return tokens, draw(st.integers(1, time - 1))


def from_place(tokens, place):
    """The same tokens before a place, others from there on."""
    return torch.cat((tokens[:, :place], others(tokens)[:, place:]), dim=1)


def padded(tokens, place, side):
    """Real tokens: the first sequence has some padding, the second none."""
    place_of = torch.arange(tokens.size(1))
    first = place_of < place if side == "right" else place_of >= place
    return torch.stack((first, torch.ones_like(first)))


few = settings(max_examples=10 if NIGHT else 5)


# Causality


@few
@given(sentence=sentences())
def test_future_tokens_do_not_change_the_past(decoder_only, sentence):
    tokens, place = sentence
    before = decoder_only(tokens)
    after = decoder_only(from_place(tokens, place))
    assert torch.equal(before[:, :place], after[:, :place])  # to the last bit
    assert not torch.equal(before[:, place], after[:, place])


@few
@given(sentence=sentences())
def test_future_target_tokens_do_not_change_the_past(seq2seq, sentence):
    tokens, place = sentence
    before = seq2seq(tokens, tokens)
    after = seq2seq(tokens, from_place(tokens, place))
    assert torch.equal(before[:, :place], after[:, :place])


def test_every_source_token_reaches_every_target_position(seq2seq, tokens):
    source = tokens.clone()
    source[:, 6] = others(tokens)[:, 6]
    before, after = seq2seq(tokens, tokens), seq2seq(source, tokens)
    assert (before != after).any(dim=-1).all()


def test_an_encoder_sees_in_both_directions(encoder_only, tokens):
    for place in (0, 6):
        changed = tokens.clone()
        changed[:, place] = others(tokens)[:, place]
        assert (encoder_only(tokens) != encoder_only(changed)).any(dim=-1).all()


# Padding

REAL = torch.tensor([[True, True, True, True, False, False, False], [True] * 7])
sides = st.sampled_from(["left", "right"])


@few
@given(sentence=sentences(), side=sides)
def test_padded_tokens_never_matter_in_an_encoder(encoder_only, sentence, side):
    tokens, place = sentence
    real = padded(tokens, place, side)
    changed = torch.where(real, tokens, others(tokens))
    before, after = (encoder_only(x, mask=real) for x in (tokens, changed))
    assert torch.equal(before[real], after[real])


@few
@given(sentence=sentences(), side=sides)
def test_padded_tokens_never_matter_in_a_decoder(decoder_only, sentence, side):
    tokens, place = sentence
    real = padded(tokens, place, side)
    changed = torch.where(real, tokens, others(tokens))
    before, after = (decoder_only(x, mask=real) for x in (tokens, changed))
    assert torch.equal(before[real], after[real])


@few
@given(sentence=sentences(), side=sides)
def test_padded_tokens_never_matter_in_source_and_target(seq2seq, sentence, side):
    tokens, place = sentence
    real = padded(tokens, place, side)
    changed = torch.where(real, tokens, others(tokens))
    masks = {"source_mask": real, "target_mask": real}
    before, after = (seq2seq(x, x, **masks) for x in (tokens, changed))
    assert torch.equal(before[real], after[real])


def test_more_padding_changes_nothing(encoder_only, tokens):
    longer = torch.cat((tokens, torch.ones(2, 3, dtype=torch.long)), dim=1)
    real = torch.arange(10).expand(2, 10) < 7
    assert_close(encoder_only(longer, mask=real)[:, :7], encoder_only(tokens), **EXACT)


def test_a_sequence_of_padding_alone_gives_no_nan(decoder_only, encoder_only, tokens):
    nothing = torch.tensor([[False] * 7, [True] * 7])
    for model in (deepcopy(decoder_only), deepcopy(encoder_only)):
        logits = model(tokens, mask=nothing)
        logits.sum().backward()
        assert logits.isfinite().all()
        assert all(p.grad.isfinite().all() for p in model.parameters())


# Position


def test_without_positions_an_encoder_is_permutation_equivariant(encoder_only, tokens):
    order = torch.randperm(7)
    straight, permuted = encoder_only(tokens)[:, order], encoder_only(tokens[:, order])
    if encoder_only.config.position == "none":
        assert_close(permuted, straight, **EXACT)
    else:
        assert (permuted - straight).abs().max() > 1e-3


@few
@given(sentence=sentences(), by=st.integers(3, 12))
def test_relative_positions_know_distances_only(decoder_only, sentence, by):
    tokens, _ = sentence
    moved = torch.cat((torch.ones(2, by, dtype=torch.long), tokens), dim=1)
    real = (torch.arange(moved.size(1)) >= by).expand(moved.shape)
    before, after = decoder_only(tokens), decoder_only(moved, mask=real)[:, by:]
    if decoder_only.config.position in ("sinusoidal", "learned"):
        assert (after - before).abs().max() > 1e-3
    else:
        assert_close(after, before, **EXACT)


# Caches


@few
@given(sentence=sentences(), sizes=st.lists(st.integers(1, 4), min_size=1))
def test_cached_equals_uncached_in_any_chunks(decoder_only, sentence, sizes):
    tokens, _ = sentence
    cache, logits = decoder_only.new_cache(2, max_len=tokens.size(1)), []
    with torch.no_grad():
        while cache.length < tokens.size(1):
            size = sizes[len(logits) % len(sizes)]
            piece = tokens[:, cache.length : cache.length + size]
            logits.append(decoder_only(piece, cache=cache))
        assert_close(torch.cat(logits, dim=1), decoder_only(tokens), **EXACT)


@torch.no_grad()
def test_cached_equals_uncached_after_a_padded_prompt(decoder_only, tokens):
    real = REAL.flip(1)  # padding on the left, as for generation
    cache = decoder_only.new_cache(2)
    first = decoder_only(tokens[:, :5], mask=real[:, :5], cache=cache)
    rest = [decoder_only(tokens[:, t, None], cache=cache) for t in (5, 6)]
    logits = torch.cat((first, *rest), dim=1)
    assert_close(logits[real], decoder_only(tokens, mask=real)[real], **EXACT)


@facts("chunks", [[1] * 7, [4, 1, 2]], ids=str)
@torch.no_grad()
def test_cached_decoding_equals_uncached_decoding(seq2seq, tokens, chunks):
    memory = seq2seq.encode(tokens, source_mask=REAL)
    cache = seq2seq.new_cache(memory)
    logits = [
        seq2seq.decode(x, memory, source_mask=REAL, cache=cache)
        for x in tokens.split(chunks, dim=1)
    ]
    whole = seq2seq(tokens, tokens, source_mask=REAL)
    assert_close(torch.cat(logits, dim=1), whole, **EXACT)


# One model, several ways to run it


def ask_for_weights(model, seen):
    """A copy in which each attention computes by the formula; collect its weights."""
    model = deepcopy(model)

    def before(module, arguments, options):
        return arguments, {**options, "need_weights": True}

    def after(module, arguments, output):
        seen.append(output.weights)

    for module in model.modules():
        if isinstance(module, MultiHeadAttention):
            module.register_forward_pre_hook(before, with_kwargs=True)
            module.register_forward_hook(after)
    return model


def test_fused_and_formula_agree_and_rows_of_weights_sum_to_one(
    seq2seq, decoder_only, tokens
):
    masks = {"source_mask": REAL, "target_mask": REAL.flip(1)}
    for model, run, kinds in (
        (seq2seq, lambda model: model(tokens, tokens, **masks), 3),
        (decoder_only, lambda model: model(tokens, mask=REAL.flip(1)), 1),
    ):
        weights = []
        assert_close(run(ask_for_weights(model, weights)), run(model), **EXACT)
        assert len(weights) == 2 * kinds  # two layers
        for rows in weights:
            sums = rows.sum(dim=-1)
            nothing_seen = rows.eq(0).all(dim=-1)
            assert_close(sums, (~nothing_seen).to(sums.dtype), **EXACT)


def test_every_parameter_gets_a_gradient(seq2seq, decoder_only, encoder_only, tokens):
    for model, inputs in (
        (deepcopy(seq2seq), (tokens, tokens)),
        (deepcopy(decoder_only), (tokens,)),
        (deepcopy(encoder_only), (tokens,)),
    ):
        logits = model(*inputs)
        (logits * torch.randn_like(logits)).sum().backward()
        # The key biases alone cancel in the softmax; positions beyond the
        # sequence and tokens that do not occur have no part in the result.
        silent = [
            name
            for name, parameter in model.named_parameters()
            if parameter.grad is None or not parameter.grad.any()
        ]
        assert silent == []


def test_pre_norm_layers_that_write_nothing_are_the_identity(seq2seq, tokens):
    pre_norm = seq2seq.config.norm_placement == "pre"
    model = deepcopy(seq2seq)
    for name, parameter in model.named_parameters():
        if "output_projection" in name or "down_projection" in name:
            nn.init.zeros_(parameter)
    x = model.embedding(tokens)
    for layer in model.encoder.layers:
        assert torch.equal(layer(x), x) == pre_norm  # post-norm normalizes it
    for layer in model.decoder.layers:
        assert torch.equal(layer(x, x), x) == pre_norm
    if pre_norm:
        assert torch.equal(model.encoder(x), model.encoder.norm(x))
        assert torch.equal(model.decoder(x, x), model.decoder.norm(x))


def test_saved_and_loaded_models_give_identical_outputs(
    seq2seq, decoder_only, encoder_only, tokens
):
    for model, inputs in (
        (seq2seq, (tokens, tokens)),
        (decoder_only, (tokens,)),
        (encoder_only, (tokens,)),
    ):
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        file.seek(0)
        other = type(model)(model.config).double().eval()
        other.load_state_dict(torch.load(file, weights_only=True))
        assert torch.equal(other(*inputs), model(*inputs))


def test_copies_share_nothing_but_keep_their_ties(seq2seq, tokens):
    copy = deepcopy(seq2seq)
    assert torch.equal(copy(tokens, tokens), seq2seq(tokens, tokens))
    tied = copy.head.projection.weight is copy.embedding.tokens.embedding.weight
    assert tied == seq2seq.config.tie_embeddings
    mine, theirs = (
        {p.data_ptr() for p in model.parameters()} for model in (copy, seq2seq)
    )
    assert not mine & theirs


@facts("dtype", [torch.bfloat16, torch.float16])
def test_autocast_changes_little(decoder_only, tokens, dtype):
    model = deepcopy(decoder_only).float()
    with torch.no_grad(), torch.autocast("cpu", dtype=dtype):
        rough = model(tokens).float()
    fine = model(tokens)
    # Eight bits of mantissa through two layers: a few per cent of the spread.
    assert (rough - fine).abs().mean() < 0.05 * fine.std()


@torch.no_grad()
def test_a_cache_works_under_autocast(decoder_only, tokens):
    model = deepcopy(decoder_only).float()
    cache = model.new_cache(2, max_len=7, dtype=torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        whole = model(tokens)
        pieces = [model(x, cache=cache) for x in tokens.split([4, 1, 2], dim=1)]
    # The same products in other groups: a few per cent in eight bits of mantissa.
    difference = (torch.cat(pieces, dim=1) - whole).float().abs().mean()
    assert difference < 0.05 * whole.float().std()


def test_models_can_be_built_without_memory(config):
    with torch.device("meta"):
        model = Transformer(config)
    assert all(parameter.is_meta for parameter in model.parameters())
    logits = model(*2 * [torch.ones(2, 7, dtype=torch.long, device="meta")])
    assert logits.shape == (2, 7, 13)


def test_a_batch_without_rows_has_logits_and_gradients_without_rows(seq2seq, tokens):
    logits = seq2seq(tokens[:0], tokens[:0, :5])
    assert logits.shape == (0, 5, 13)
    logits.sum().backward()
    assert all(not p.grad.any() for p in seq2seq.parameters() if p.grad is not None)
    seq2seq.zero_grad()

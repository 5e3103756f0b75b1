"""What the doors of the models let in, and what they refuse."""

import re
from dataclasses import replace

import torch

from bookkit.checking.facts import facts, refusals
from transformer.config import TransformerConfig
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
    mean_pooling,
)

CONFIG = TransformerConfig(
    vocab_size=13,
    max_len=11,
    num_encoder_layers=1,
    num_decoder_layers=2,
    d_model=6,
    d_ff=5,
    num_heads=2,
    pad_id=0,
)
LANGUAGE = replace(CONFIG, num_encoder_layers=0)
READER = replace(CONFIG, num_decoder_layers=0)
SOURCE = torch.tensor([[3, 1, 4, 0, 0], [1, 5, 9, 2, 6]])
TARGET = torch.tensor([[5, 3, 0], [5, 8, 9]])


def test_shapes_with_distinct_primes():
    model = Transformer(CONFIG)
    assert model.encode(SOURCE).shape == (2, 5, 6)
    assert model(SOURCE, TARGET).shape == (2, 3, 13)
    assert DecoderOnlyTransformer(LANGUAGE)(SOURCE).shape == (2, 5, 13)
    assert EncoderOnlyTransformer(READER)(SOURCE).shape == (2, 5, 13)
    assert EncoderOnlyTransformer(READER, head="pooler")(SOURCE).shape == (2, 6)
    assert EncoderOnlyTransformer(READER, head=None)(SOURCE).shape == (2, 5, 6)


def test_the_padding_token_makes_the_mask():
    model = Transformer(CONFIG)
    given = model(SOURCE, TARGET, source_mask=SOURCE != 0, target_mask=TARGET != 0)
    assert torch.equal(model(SOURCE, TARGET), given)
    unmasked = Transformer(replace(CONFIG, pad_id=None))
    unmasked.load_state_dict(model.state_dict())
    assert not torch.equal(unmasked(SOURCE, TARGET), given)


def test_forward_is_encode_then_decode():
    model = Transformer(CONFIG)
    memory = model.encode(SOURCE)
    decoded = model.decode(TARGET, memory, source_mask=SOURCE != 0)
    assert torch.equal(model(SOURCE, TARGET), decoded)


def test_an_encoder_without_head_returns_its_hidden_states():
    model = EncoderOnlyTransformer(READER, head=None)
    assert torch.equal(model(SOURCE), model.encode(SOURCE))


def test_the_head_may_read_the_last_position_alone():
    model = DecoderOnlyTransformer(LANGUAGE).double()
    last = model.head(model.hidden_states(SOURCE)[:, -1:])
    torch.testing.assert_close(last, model(SOURCE)[:, -1:], rtol=0, atol=1e-12)


@torch.no_grad()
def test_a_refused_step_leaves_the_cache_as_it_was(refuses):
    model = DecoderOnlyTransformer(LANGUAGE)
    cache = model.new_cache(2)
    model(SOURCE, cache=cache)
    steps = {
        "token ids must lie from 0 to 12": torch.tensor([[13], [1]]),
        "the cache must have room for all positions": SOURCE.repeat(1, 2),
        "the cache and the tokens must have one batch size": SOURCE[:1],
        "tokens must be integer ids": SOURCE.double(),
    }
    for message, tokens in steps.items():
        kind = TypeError if tokens.is_floating_point() else ValueError
        refuses(lambda t=tokens: model(t, cache=cache), kind, message)
    assert cache.length == 5
    new = torch.tensor([[7], [8]])
    whole = model(torch.cat((SOURCE, new), dim=1))[:, -1:]
    torch.testing.assert_close(model(new, cache=cache), whole)


MASKED = {
    "encoder-only": lambda mask: EncoderOnlyTransformer(READER)(SOURCE, mask=mask),
    "pooling": lambda mask: mean_pooling(torch.ones(2, 5, 6), mask),
    "encode and decode": lambda mask: Transformer(CONFIG)(
        SOURCE, TARGET, source_mask=mask
    ),
    "decode": lambda mask: Transformer(CONFIG).decode(
        TARGET, torch.ones(2, 5, 6), source_mask=mask
    ),
}


@facts("shape", [(1, 5), (2, 1), (1, 1), (5,)], ids=str)
@facts("call", MASKED.values(), ids=[*MASKED])
def test_a_mask_is_not_repeated_for_other_sequences_or_positions(call, shape, refuses):
    call(torch.ones(2, 5, dtype=torch.bool))
    refuses(
        lambda: call(torch.ones(shape, dtype=torch.bool)),
        ValueError,
        rf".*mask .*must have shape \(2, 5\) on cpu, got {re.escape(str(shape))} on",
    )


BAD_INPUTS = {
    TypeError: {
        "source.*got torch.float64": lambda: Transformer(CONFIG)(
            SOURCE.double(), TARGET
        ),
        "the mask of source.*got torch.float32": lambda: Transformer(CONFIG)(
            SOURCE, TARGET, source_mask=torch.ones(2, 5)
        ),
        "the mask of tokens.*got list; write": lambda: DecoderOnlyTransformer(LANGUAGE)(
            SOURCE,
            mask=[[True] * 5] * 2,
            cache=DecoderOnlyTransformer(LANGUAGE).new_cache(2),
        ),
    },
    ValueError: {
        "an encoder.*got num_encoder_layers=0; .*": lambda: Transformer(LANGUAGE),
        "a decoder.*got num_decoder_layers=0; .*": lambda: Transformer(READER),
        "a decoder-only model.*got num_encoder_layers=1": lambda: (
            DecoderOnlyTransformer(CONFIG)
        ),
        "an encoder-only model.*got num_decoder_layers=2": lambda: (
            EncoderOnlyTransformer(CONFIG)
        ),
        "head.*got 'classifier'": lambda: EncoderOnlyTransformer(
            READER, head="classifier"
        ),
        r"target.*\(batch, time\).*got \(3,\); add": lambda: Transformer(CONFIG)(
            SOURCE, TARGET[0]
        ),
        "all sequences.*got 1 of x, 2 of memory": lambda: Transformer(CONFIG)(
            SOURCE, TARGET[:1]
        ),
        r"memory.*\(batch, time, d_model\).*got \(2, 5\)": lambda: Transformer(
            CONFIG
        ).decode(TARGET, SOURCE),
        "token ids.*0.*12.*got ids from 7 to 16; check": lambda: EncoderOnlyTransformer(
            READER
        )(SOURCE + 7),
        "positions.*below max_len=11.*got 15 positions from 0 on; shorten": lambda: (
            DecoderOnlyTransformer(LANGUAGE)(SOURCE.repeat(1, 3))
        ),
        r"the mask of tokens.*\(2, 5\).*got \(2, 3\) on cpu": lambda: (
            EncoderOnlyTransformer(READER)(SOURCE, mask=TARGET != 0)
        ),
        r"the mask of source.*\(2, 5\).*got \(2, 3\) on cpu": lambda: Transformer(
            CONFIG
        ).decode(TARGET, torch.ones(2, 5, 6), source_mask=TARGET != 0),
        "memory.*got none; pass": lambda: Transformer(CONFIG).decode(
            TARGET, torch.ones(2, 0, 6)
        ),
        "key.*got one that does; .*": lambda: DecoderOnlyTransformer(LANGUAGE)(
            SOURCE, cache=DecoderOnlyTransformer(LANGUAGE).new_cache(2)
        ),
        "segments and tokens.*got meta and cpu; move": lambda: EncoderOnlyTransformer(
            replace(READER, num_segments=2)
        )(SOURCE, segments=torch.zeros_like(SOURCE, device="meta")),
        r"the mask of tokens.*\(2, 5\).*got \(2, 5\) on meta": lambda: (
            EncoderOnlyTransformer(READER)(SOURCE, mask=(SOURCE != 0).to("meta"))
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)

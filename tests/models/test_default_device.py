"""Models compute where their parameters and tokens are, whatever the default device."""

import torch
from torch.testing import assert_close

ELSEWHERE = torch.device("meta")  # what is made there has no numbers


@torch.no_grad()
def test_an_encoder(encoder_only, tokens):
    real = torch.ones_like(tokens).bool()
    real[0, 4:] = False
    expected = encoder_only(tokens, mask=real)
    with ELSEWHERE:
        found = encoder_only(tokens, mask=real)
    assert torch.equal(found, expected)


@torch.no_grad()
def test_a_decoder_and_its_cache(decoder_only, tokens):
    expected = decoder_only(tokens)
    with ELSEWHERE:
        assert torch.equal(decoder_only(tokens), expected)
        cache = decoder_only.new_cache(2)
        first = decoder_only(tokens[:, :4], cache=cache)
        rest = decoder_only(tokens[:, 4:], cache=cache)
    assert_close(torch.cat((first, rest), dim=1), expected)


@torch.no_grad()
def test_an_encoder_decoder_and_its_cache(seq2seq, tokens):
    expected = seq2seq(tokens, tokens)
    with ELSEWHERE:
        assert torch.equal(seq2seq(tokens, tokens), expected)
        memory = seq2seq.encode(tokens)
        cache = seq2seq.new_cache(memory)
        first = seq2seq.decode(tokens[:, :4], memory, cache=cache)
        rest = seq2seq.decode(tokens[:, 4:], memory, cache=cache)
    assert_close(torch.cat((first, rest), dim=1), expected)

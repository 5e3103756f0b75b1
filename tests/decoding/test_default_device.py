"""Texts are searched where the model is, whatever the default device."""

from functools import partial

import pytest
import torch
from torch.testing import assert_close

from transformer.decoding import (
    beam_search,
    generate,
    greedy_decode,
    sample,
    speculative_sample,
)

SHAPED = {"top_k": 7, "top_p": 0.9, "repetition_penalty": 1.2, "seed": 0}


def speculate(model, tokens, **options):
    return speculative_sample(model, model, tokens, seed=0, **options)


SEARCHES = {
    "greedy": greedy_decode,
    "greedy without a cache": partial(greedy_decode, use_cache=False),
    "generation": partial(generate, top_k=7, seed=0),
    "beam": partial(beam_search, beam_width=3),
    "sampling": partial(sample, **SHAPED),
    "sampling without a cache": partial(sample, use_cache=False, **SHAPED),
    "speculation": speculate,
}


@pytest.fixture(params=SEARCHES.values(), ids=SEARCHES)
def search(request, batch):
    """A search that begins with texts of different lengths and ends at an id."""
    options = {"mask": batch.mask, "eos_id": 5, "max_new_tokens": 3}
    return partial(request.param, tokens=batch.tokens, **options)


def check(search):
    expected = search()
    with torch.device("meta"):  # what is made there has no numbers
        found = search()
    assert_close(found, expected, rtol=0, atol=0)


def test_a_text_goes_on(search, new_decoder_only):
    check(partial(search, new_decoder_only()))


def test_a_text_is_translated(search, new_seq2seq):
    check(partial(search, new_seq2seq(), bos_id=2))

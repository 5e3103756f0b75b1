"""What decoding refuses, and with which words."""

import pytest
import torch

from transformer.decoding import (
    Continuation,
    acceptance,
    beam_search,
    draw,
    greedy_decode,
    length_divisor,
    mark_seen,
    residual,
    sample,
    speculative_sample,
)
from transformer.decoding.sampling import random_source

PROMPT = torch.tensor([[3, 5, 2], [4, 1, 6]])


def mask(*rows):
    return {"mask": torch.tensor(rows).bool()}


# What is passed to greedy_decode with a decoder-only model.
GREEDY = {
    "no new tokens": (
        {"max_new_tokens": 0},
        ValueError,
        r"max_new_tokens must be at least 1, got 0",
    ),
    "half a token": (
        {"max_new_tokens": 0.5},
        TypeError,
        r"max_new_tokens must be a whole number, got 0.5",
    ),
    "a start of a prompt": (
        {"bos_id": 1},
        ValueError,
        r"a decoder-only model starts from its prompt, got bos_id=1; put that token",
    ),
    "an unknown end": (
        {"eos_id": 13},
        ValueError,
        r"eos_id must be below vocab_size=13, got 13; pass an id that the model",
    ),
    "a negative end": (
        {"eos_id": -1},
        ValueError,
        r"eos_id must be at least 0, got -1",
    ),
    "an end that is no id": (
        {"eos_id": "end"},
        TypeError,
        r"eos_id must be a whole number, got 'end'",
    ),
    "a cache that is none": (
        {"use_cache": 1},
        TypeError,
        r"use_cache must be True or False, got 1",
    ),
    "padding on the left": (
        mask([1, 1, 1], [0, 1, 1]),
        ValueError,
        r"prompts must hold real tokens first and padding after them, got other "
        r"places in row 1; pad on the right, and pass mask= if",
    ),
    "a hole": (
        mask([1, 0, 1], [1, 1, 1]),
        ValueError,
        r"prompts must hold real tokens first .* in row 0",
    ),
    "an empty prompt": (
        mask([1, 1, 1], [0, 0, 0]),
        ValueError,
        r"prompts must hold real tokens first .* in row 1",
    ),
    "a mask of another shape": (
        mask([1, 1], [1, 1]),
        ValueError,
        r"the mask of tokens must have shape \(2, 3\)",
    ),
    "too long a text": (
        {"max_new_tokens": 28},
        ValueError,
        r"a model with sinusoidal positions must have one for each token it reads, "
        r"got 3 \+ 28 - 1 tokens for max_len=29; shorten the prompt or lower",
    ),
    "an unknown token": (
        {"tokens": PROMPT + 10},
        ValueError,
        r"token ids must lie from 0 to 12, got ids from 11 to 16",
    ),
    "one text without a batch": (
        {"tokens": PROMPT[0]},
        ValueError,
        r"tokens must have shape \(batch, time\)",
    ),
    "no texts": (
        {"tokens": PROMPT[:0]},
        ValueError,
        r"the number of texts must be at least 1, got 0",
    ),
}


@pytest.mark.parametrize("case", GREEDY.values(), ids=GREEDY)
def test_bad_input_is_refused_with_what_to_do(case, new_decoder_only, refuses):
    options, error, message = case
    model, options = new_decoder_only(), {"max_new_tokens": 3, **options}
    tokens = options.pop("tokens", PROMPT)
    refuses(lambda: greedy_decode(model, tokens, **options), error, message)


def test_an_encoder_decoder_must_know_how_a_target_starts(new_seq2seq, refuses):
    model = new_seq2seq()
    refuses(
        lambda: greedy_decode(model, PROMPT, max_new_tokens=3),
        ValueError,
        r"an encoder-decoder must have a token that starts its target, got "
        r"bos_id=None; pass the id with which targets began in training, such as "
        r"BOS_ID of transformer\.data\.$",
    )
    refuses(
        lambda: greedy_decode(model, PROMPT, max_new_tokens=3, bos_id=17),
        ValueError,
        r"bos_id must be below vocab_size=13, got 17",
    )


def test_a_text_for_ids_is_told_before_what_else_is_missing(new_seq2seq, refuses):
    refuses(
        lambda: greedy_decode(new_seq2seq(), "ninety-seven", max_new_tokens=3),
        TypeError,
        r"tokens must be ids, got the text 'ninety-seven'; turn it into ids with",
    )


@pytest.mark.parametrize("decode", [greedy_decode, sample])
def test_other_models_are_refused(decode, refuses):
    refuses(
        lambda: decode(torch.nn.Linear(2, 3), PROMPT, max_new_tokens=3),
        TypeError,
        r"model must be a Transformer or DecoderOnlyTransformer, got Linear",
    )


SAMPLING = {
    "no temperature": (
        {"temperature": 0.0},
        ValueError,
        r"temperature must be above 0, got 0; .* token, use greedy_decode\.$",
    ),
    "a negative temperature": (
        {"temperature": -1.0},
        ValueError,
        r"temperature must be finite and above 0, got -1",
    ),
    "a temperature in words": (
        {"temperature": "hot"},
        TypeError,
        r"temperature must be a number, got 'hot'",
    ),
    "False for a temperature": (
        {"temperature": False},
        TypeError,
        r"temperature must be a number, got False",
    ),
    "no tokens to draw from": ({"top_k": 0}, ValueError, r"top_k must be at least 1"),
    "no probability": (
        {"top_p": 0.0},
        ValueError,
        r"top_p must be finite and above 0, got 0",
    ),
    "too much probability": (
        {"top_p": 1.5},
        ValueError,
        r"top_p must be at most 1, got 1.5; pass a probability such as 0.9",
    ),
    "no penalty": (
        {"repetition_penalty": 0.0},
        ValueError,
        r"repetition_penalty must be finite and above 0, got 0",
    ),
    "two sources": (
        {"seed": 3, "generator": torch.Generator()},
        ValueError,
        r"random numbers must come from one place, got a generator and seed=3; pass",
    ),
    "a generator that is none": (
        {"generator": 3},
        TypeError,
        r"generator must be a Generator, got int",
    ),
    "a fractional seed": (
        {"seed": 0.5},
        TypeError,
        r"seed must be a whole number, got 0.5",
    ),
    "a negative seed": ({"seed": -1}, ValueError, r"seed must be at least 0, got -1"),
    "a seed of too many bits": (
        {"seed": 2**64},
        ValueError,
        r"seed must be below 2\*\*64, got one of 65 bits; pass a smaller",
    ),
}


@pytest.mark.parametrize("case", SAMPLING.values(), ids=SAMPLING)
def test_bad_settings_of_sampling_are_refused(case, new_decoder_only, refuses):
    options, error, message = case
    model = new_decoder_only()
    refuses(lambda: sample(model, PROMPT, max_new_tokens=3, **options), error, message)


def test_a_generator_on_another_device_is_refused(refuses):
    class Elsewhere(torch.Generator):
        device = torch.device("meta")

    refuses(
        lambda: random_source(Elsewhere(), None),
        ValueError,
        r"random numbers are drawn on the CPU, .* got a generator on meta; make one",
    )


BEAM = {
    "no beam": ({"beam_width": 0}, ValueError, r"beam_width must be at least 1, got 0"),
    "no results": ({"num_results": 0}, ValueError, r"num_results must be at least 1"),
    "more results than texts": (
        {"num_results": 4},
        ValueError,
        r"num_results must be at most beam_width=3, got 4; widen the beam or ask",
    ),
    "a negative length penalty": (
        {"length_penalty": -1.0},
        ValueError,
        r"length_penalty, if not 0, must be finite and above 0, got -1",
    ),
    "True for a length penalty": (
        {"length_penalty": True},
        TypeError,
        r"length_penalty, if not 0, must be a number, got True",
    ),
    "an unknown end": ({"eos_id": 13}, ValueError, r"eos_id must be below vocab_size"),
}


@pytest.mark.parametrize("case", BEAM.values(), ids=BEAM)
def test_bad_settings_of_a_beam_are_refused(case, new_decoder_only, refuses):
    options, error, message = case
    options = {"beam_width": 3, "max_new_tokens": 3, **options}
    model = new_decoder_only()
    refuses(lambda: beam_search(model, PROMPT, **options), error, message)


def test_a_draft_that_does_not_fit_is_refused(new_decoder_only, new_seq2seq, refuses):
    model, options = new_decoder_only(), {"max_new_tokens": 3}
    drafts = {
        r"the model .* one kind, got DecoderOnlyTransformer and Transformer; "
        r"pass two": (
            new_seq2seq(),
            TypeError,
        ),
        r"the model .* one vocabulary, got vocab_size=13 and 17; take a draft with "
        r"the same": (
            new_decoder_only(vocab_size=17),
            ValueError,
        ),
        r"draft must be a Transformer or DecoderOnlyTransformer, got NoneType": (
            None,
            TypeError,
        ),
    }
    for message, (draft, error) in drafts.items():
        refuses(
            lambda draft=draft: speculative_sample(model, draft, PROMPT, **options),
            error,
            message,
        )
    refuses(
        lambda: speculative_sample(None, model, PROMPT, **options),
        TypeError,
        r"model must be a Transformer or DecoderOnlyTransformer, got NoneType",
    )


SPECULATION = {
    "no guesses": ({"lookahead": 0}, ValueError, r"lookahead must be at least 1"),
    "no new tokens": ({"max_new_tokens": 0}, ValueError, r"max_new_tokens must be at"),
    "no temperature": (
        {"temperature": 0},
        ValueError,
        r"temperature must be .*use greedy_decode",
    ),
    "an unknown end": ({"eos_id": 13}, ValueError, r"eos_id must be below vocab_size"),
    "no texts": ({"tokens": PROMPT[:0]}, ValueError, r"the number of texts must be"),
    "a hole": (mask([1, 0, 1], [1, 1, 1]), ValueError, r"prompts must hold real"),
}


@pytest.mark.parametrize("case", SPECULATION.values(), ids=SPECULATION)
def test_bad_settings_of_speculation_are_refused(case, new_decoder_only, refuses):
    options, error, message = case
    options = {"max_new_tokens": 3, "tokens": PROMPT, **options}
    model = new_decoder_only()
    refuses(lambda: speculative_sample(model, model, **options), error, message)


HALF = torch.full((2, 2), 0.5)
PARTS = {
    "distributions over different tokens": (
        lambda: acceptance(HALF, torch.ones(2, 3) / 3),
        ValueError,
        r"target and draft .*over the same tokens, got shapes \(2, 2\) and \(2, 3\); "
        r"keep the vocabulary",
    ),
    "a single number": (
        lambda: residual(torch.tensor(1.0), torch.tensor(1.0)),
        ValueError,
        r"target and draft .*over the same tokens, got shapes \(\) and \(\)",
    ),
    "distributions of different dtypes": (
        lambda: residual(HALF, HALF.double()),
        TypeError,
        r"target and draft must have one dtype, got torch.float32 and torch.float64",
    ),
    "an integer target": (
        lambda: acceptance(HALF.long(), HALF),
        TypeError,
        r"target must hold floating-point numbers",
    ),
    "an integer draft": (
        lambda: acceptance(HALF, HALF.long()),
        TypeError,
        r"draft must hold floating-point numbers",
    ),
    "one distribution without a batch": (
        lambda: draw(HALF[0], torch.zeros(2)),
        ValueError,
        r"probabilities must have shape \(batch, vocab\), got \(2,\)",
    ),
    "too few random numbers": (
        lambda: draw(HALF, torch.zeros(1)),
        ValueError,
        r"uniform must hold one number for each row, got shape \(1,\) for 2 rows; draw",
    ),
    "random numbers of another dtype": (
        lambda: draw(HALF, torch.zeros(2).double()),
        TypeError,
        r"probabilities and uniform must have one dtype",
    ),
    "random integers": (
        lambda: draw(HALF, torch.zeros(2).long()),
        TypeError,
        r"uniform must hold floating-point numbers",
    ),
    "marks of one text without a batch": (
        lambda: mark_seen(PROMPT[0], 13),
        ValueError,
        r"tokens must have shape \(batch, time\), got \(3,\); add a missing batch",
    ),
    "marks of unknown tokens": (
        lambda: mark_seen(PROMPT, 5),
        ValueError,
        r"token ids must lie from 0 to 4, got ids from 1 to 6",
    ),
    "marks in no vocabulary": (
        lambda: mark_seen(PROMPT, 0),
        ValueError,
        r"vocab_size must be at least 1, got 0",
    ),
    "a length that is rewarded": (
        lambda: length_divisor(5, -0.5),
        ValueError,
        r"length_penalty, if not 0, must be finite and above 0, got -0.5",
    ),
}


@pytest.mark.parametrize("case", PARTS.values(), ids=PARTS)
def test_bad_input_of_the_parts_is_refused(case, refuses):
    refuses(*case)


def test_a_text_takes_no_more_and_gives_no_more_than_it_holds(
    new_decoder_only, refuses
):
    text = Continuation(new_decoder_only(), PROMPT, max_new_tokens=1)
    text.append(torch.tensor([1, 2]))
    refuses(
        lambda: text.append(torch.tensor([1, 2])),
        ValueError,
        r"a text must have room for what is appended, got one token more than "
        r"max_new_tokens=1; make",
    )
    refuses(
        lambda: text.truncate(5),
        ValueError,
        r"a text must be truncated to what it holds, got length=5 for 4 tokens; pass 4",
    )
    refuses(lambda: text.truncate(0), ValueError, r"length must be at least 1, got 0")

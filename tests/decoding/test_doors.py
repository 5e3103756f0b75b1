"""What decoding refuses, and with which words."""

import torch

from bookkit.checking.facts import facts
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
GREEDY = [
    ({"max_new_tokens": 0}, ValueError, "max_new_tokens.*got 0"),
    ({"max_new_tokens": 0.5}, TypeError, "max_new_tokens.*got 0.5"),
    (
        {"bos_id": 1},
        ValueError,
        r"a decoder-only model starts from its prompt, got bos_id=1; put that token",
    ),
    ({"eos_id": 13}, ValueError, "eos_id.*got 13.*pass an id"),
    ({"eos_id": -1}, ValueError, "eos_id.*got -1"),
    ({"eos_id": "end"}, TypeError, "eos_id.*got 'end'"),
    (mask([1, 1, 1], [0, 1, 1]), ValueError, "prompts.*got other places in row 1"),
    (
        mask([1, 0, 1], [1, 1, 1]),
        ValueError,
        r"prompts must hold real tokens first .* in row 0",
    ),
    (
        mask([1, 1, 1], [0, 0, 0]),
        ValueError,
        r"prompts must hold real tokens first .* in row 1",
    ),
    (mask([1, 1], [1, 1]), ValueError, r"the mask of tokens must have shape \(2, 3\)"),
    (
        {"max_new_tokens": 28},
        ValueError,
        r".*sinusoidal positions.*got 3 \+ 28 - 1 tokens for max_len=29.*shorten",
    ),
    ({"tokens": PROMPT + 10}, ValueError, "token ids.*got ids from 11 to 16"),
    ({"tokens": PROMPT[0]}, ValueError, r"tokens must have shape \(batch, time\)"),
    ({"tokens": PROMPT[:0]}, ValueError, "the number of texts.*got 0"),
]


@facts("options, error, message", GREEDY)
def test_bad_input_is_refused_with_what_to_do(
    options, error, message, new_decoder_only, refuses
):
    model, options = new_decoder_only(), {"max_new_tokens": 3, **options}
    tokens = options.pop("tokens", PROMPT)
    refuses(lambda: greedy_decode(model, tokens, **options), error, message)


def test_an_encoder_decoder_must_know_how_a_target_starts(new_seq2seq, refuses):
    model = new_seq2seq()
    refuses(
        lambda: greedy_decode(model, PROMPT, max_new_tokens=3),
        ValueError,
        "an encoder-decoder.*got bos_id=None.*BOS_ID",
    )
    refuses(
        lambda: greedy_decode(model, PROMPT, max_new_tokens=3, bos_id=17),
        ValueError,
        "bos_id.*got 17",
    )


@facts("decode", [greedy_decode, sample])
def test_other_models_are_refused(decode, refuses):
    refuses(
        lambda: decode(torch.nn.Linear(2, 3), PROMPT, max_new_tokens=3),
        TypeError,
        "model.*got Linear",
    )


SAMPLING = [
    ({"temperature": 0.0}, ValueError, "temperature.*got 0.*greedy_decode"),
    ({"temperature": -1.0}, ValueError, "temperature.*got -1"),
    ({"temperature": "hot"}, TypeError, "temperature.*got 'hot'"),
    ({"temperature": False}, TypeError, "temperature.*got False"),
    ({"top_k": 0}, ValueError, r"top_k must be at least 1"),
    ({"top_p": 0.0}, ValueError, "top_p.*got 0"),
    ({"top_p": 1.5}, ValueError, "top_p.*got 1.5.*pass a probability"),
    ({"repetition_penalty": 0.0}, ValueError, "repetition_penalty.*got 0"),
    (
        {"seed": 3, "generator": torch.Generator()},
        ValueError,
        "random numbers.*got a generator and seed=3.*pass",
    ),
    ({"seed": 0.5}, TypeError, "seed.*got 0.5"),
    ({"seed": -1}, ValueError, "seed.*got -1"),
]


@facts("options, error, message", SAMPLING)
def test_bad_settings_of_sampling_are_refused(
    options, error, message, new_decoder_only, refuses
):
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


BEAM = [
    ({"beam_width": 0}, ValueError, "beam_width.*got 0"),
    ({"num_results": 0}, ValueError, r"num_results must be at least 1"),
    ({"num_results": 4}, ValueError, "num_results.*got 4.*widen the beam"),
    ({"length_penalty": -1.0}, ValueError, "length_penalty, if not 0,.*got -1"),
    ({"length_penalty": True}, TypeError, "length_penalty, if not 0,.*got True"),
    ({"eos_id": 13}, ValueError, r"eos_id must be below vocab_size"),
]


@facts("options, error, message", BEAM)
def test_bad_settings_of_a_beam_are_refused(
    options, error, message, new_decoder_only, refuses
):
    options = {"beam_width": 3, "max_new_tokens": 3, **options}
    model = new_decoder_only()
    refuses(lambda: beam_search(model, PROMPT, **options), error, message)


def test_a_draft_that_does_not_fit_is_refused(new_decoder_only, new_seq2seq, refuses):
    model, options = new_decoder_only(), {"max_new_tokens": 3}
    drafts = {
        "the model.*got DecoderOnlyTransformer and Transformer": (
            new_seq2seq(),
            TypeError,
        ),
        "the model.*got vocab_size=13 and 17.*draft": (
            new_decoder_only(vocab_size=17),
            ValueError,
        ),
        "model must be.*got NoneType": (None, TypeError),
        r"model must.*got Linear without config and new_cache": (
            torch.nn.Linear(2, 2),
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
        "model.*got NoneType",
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


@facts("case", SPECULATION.values(), ids=[*SPECULATION])
def test_bad_settings_of_speculation_are_refused(case, new_decoder_only, refuses):
    options, error, message = case
    options = {"max_new_tokens": 3, "tokens": PROMPT, **options}
    model = new_decoder_only()
    refuses(lambda: speculative_sample(model, model, **options), error, message)


HALF = torch.full((2, 2), 0.5)
PARTS = [
    (
        lambda: acceptance(HALF, torch.ones(2, 3) / 3),
        ValueError,
        r"target and draft.*got shapes \(2, 2\) and \(2, 3\)",
    ),
    (
        lambda: residual(torch.tensor(1.0), torch.tensor(1.0)),
        ValueError,
        r"target and draft .*over the same tokens, got shapes \(\) and \(\)",
    ),
    (
        lambda: acceptance(HALF.long(), HALF),
        TypeError,
        r"target must hold floating-point numbers",
    ),
    (
        lambda: acceptance(HALF, HALF.long()),
        TypeError,
        r"draft must hold floating-point numbers",
    ),
    (lambda: draw(HALF[0], torch.zeros(2)), ValueError, r"probabilities.*got \(2,\)"),
    (
        lambda: draw(HALF, torch.zeros(1)),
        ValueError,
        r"uniform.*got shape \(1,\) for 2 rows.*draw",
    ),
    (
        lambda: draw(HALF, torch.zeros(2).long()),
        TypeError,
        r"uniform must hold floating-point numbers",
    ),
    (lambda: mark_seen(PROMPT, 5), ValueError, "token ids.*got ids from 1 to 6"),
    (lambda: mark_seen(PROMPT, 0), ValueError, "vocab_size.*got 0"),
    (
        lambda: length_divisor(5, -0.5),
        ValueError,
        "length_penalty, if not 0,.*got -0.5",
    ),
    (
        lambda: length_divisor(3, torch.ones(2)),
        TypeError,
        r"length_penalty.*got tensor.*\(Tensor\); pass",
    ),
]


@facts("call, error, message", PARTS)
def test_bad_input_of_the_parts_is_refused(call, error, message, refuses):
    refuses(call, error, message)


def test_a_text_takes_no_more_and_gives_no_more_than_it_holds(
    new_decoder_only, refuses
):
    text = Continuation(new_decoder_only(), PROMPT, max_new_tokens=1)
    text.append(torch.tensor([1, 2]))
    refuses(
        lambda: text.append(torch.tensor([1, 2])),
        ValueError,
        "a text.*got one token more than max_new_tokens=1.*make",
    )
    refuses(
        lambda: text.truncate(5),
        ValueError,
        "a text.*got length=5 for 4 tokens.*pass 4",
    )
    refuses(lambda: text.truncate(0), ValueError, "length.*got 0")

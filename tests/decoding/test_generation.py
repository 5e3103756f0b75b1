"""`generate` goes on in the way that is asked for, and drops nothing that is said."""

import jaxtyping
import numpy as np
import torch

import transformer
from bookkit.checking.facts import facts
from transformer.data import Pair, WordTokenizer, encode_pairs, encode_texts
from transformer.decoding import beam_search, generate, greedy_decode, sample
from transformer.decoding.texts import as_batch

PROMPT = torch.tensor([[3, 5, 2], [4, 1, 6]])
# After 0 the token 1 is likelier, and after 2 another 2: 0.6 * 0.4 < 0.4 * 0.9.
FORK = torch.tensor([[0.0, 0.6, 0.4], [0.4, 0.3, 0.3], [0.05, 0.05, 0.9]])


def test_by_hand_the_likeliest_token_and_the_likeliest_text(markov):
    model, start = markov(FORK), torch.tensor([[0]])
    options = {"max_new_tokens": 2, "use_cache": False}
    assert generate(model, start, **options).tolist() == [[1, 0]]
    assert generate(model, start, beam_width=2, **options).tolist() == [[2, 2]]


# The id 3 ends a text: 0.4 at once, 0.6 * 0.63 after a 1. (7 / 6) ** 0.6 turns it.
SHORT_OR_LONG = torch.tensor(
    [[0, 0.6, 0, 0.4], [0, 0, 0.37, 0.63], [0.25] * 4, [0.25] * 4]
)


@facts(
    "way, best",
    [
        ({"length_penalty": 0.0}, [[3]]),
        ({"length_penalty": 0.6}, [[1, 3]]),
        ({}, [[1, 3]]),
    ],
)
def test_by_hand_the_length_penalty_is_that_of_the_search(markov, way, best):
    options = {"max_new_tokens": 2, "eos_id": 3, "beam_width": 2, "use_cache": False}
    found = generate(markov(SHORT_OR_LONG), torch.tensor([[0]]), **options, **way)
    assert found.tolist() == best


@facts("way", [{"temperature": 1.0}, {"top_k": 3}, {"top_p": 1.0}])
def test_by_hand_what_is_drawn_has_its_probability(markov, way):
    start = torch.zeros(5003, 1, dtype=torch.long)
    options = {"max_new_tokens": 1, "seed": 0, "use_cache": False}
    found = generate(markov(FORK), start, **options, **way)
    shares = torch.bincount(found[:, 0], minlength=3) / len(start)
    # Five standard deviations of a share of 5003 draws.
    torch.testing.assert_close(shares, FORK[0], rtol=0, atol=0.035)


def test_a_list_goes_to_where_the_model_is(new_decoder_only):
    ids, mask = as_batch([3, 5, 2], new_decoder_only().to("meta"))
    assert (ids.shape, ids.device.type, mask) == ((1, 3), "meta", None)


@facts("kind", [np.int64, np.int32, np.uint8])
def test_ids_may_be_those_of_numpy(kind, new_decoder_only):
    model, options = new_decoder_only(), {"max_new_tokens": 2, "temperature": 0}
    expected = generate(model, PROMPT, **options)
    batch = PROMPT.numpy().astype(kind)
    assert torch.equal(generate(model, batch, **options), expected)
    uneven = [batch[0], batch[1, :2]]
    rows = [row.tolist() for row in uneven]
    found = generate(model, uneven, **options)
    assert torch.equal(found, generate(model, rows, **options))


def test_an_array_of_one_axis_may_be_a_column_and_is_refused(new_decoder_only, refuses):
    model = new_decoder_only()
    refuses(lambda: generate(model, np.array([3, 5])), ValueError, r"got \(2,\)")


def test_numbers_of_a_way_may_be_those_of_numpy(new_decoder_only, monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    model, drawn = new_decoder_only(), {"temperature": 0.5, "seed": 7}
    narrow = {"temperature": np.float32(0.5), "seed": np.int64(7)}
    found = generate(model, PROMPT, max_new_tokens=np.int64(2), **narrow)
    assert torch.equal(found, generate(model, PROMPT, max_new_tokens=2, **drawn))
    one = generate(model, [*np.array([3, 5, 2])], max_new_tokens=2)
    assert torch.equal(one, generate(model, PROMPT[:1], max_new_tokens=2))


WAYS = {
    "greedy": ({}, greedy_decode),
    "beam": ({"beam_width": 3}, beam_search),
    "beam, lengths": ({"beam_width": 3, "length_penalty": 2.0}, beam_search),
    "beam, no lengths": ({"beam_width": 3, "length_penalty": 0.0}, beam_search),
    "drawn": ({"temperature": 1.0, "seed": 7}, sample),
    "drawn, hot": ({"temperature": 3.0, "seed": 7}, sample),
    "top k": ({"top_k": 3, "seed": 7}, sample),
    "top p": ({"top_p": 0.8, "seed": 0}, sample),
    "min p": ({"min_p": 0.3, "seed": 0}, sample),
    "all filters": (
        {
            "temperature": 2.0,
            "top_k": 5,
            "top_p": 0.9,
            "repetition_penalty": 1.5,
            "seed": 0,
        },
        sample,
    ),
}


def check_that_it_is(way, options, decode, model, batch):
    """Ends, masks, caches and starts too reach the function that decodes."""
    found = generate(model, batch.tokens, **options, **way)
    expected = decode(model, batch.tokens, **options, **way)
    assert torch.equal(found, getattr(expected, "tokens", expected).view_as(found))


@facts(
    "way, decode, use_cache",
    [
        *((*way, True) for way in WAYS.values()),
        *((*WAYS[name], False) for name in ("greedy", "beam", "drawn")),
    ],
)
def test_it_is_the_function_of_that_way(
    way, decode, use_cache, new_decoder_only, batch
):
    options = {"max_new_tokens": 4, "eos_id": 5, "use_cache": use_cache}
    options["mask"] = batch.mask
    check_that_it_is(way, options, decode, new_decoder_only(pad_id=0), batch)


@facts("way, decode", WAYS.values(), ids=[*WAYS])
def test_an_encoder_decoder_answers_its_source(way, decode, new_seq2seq, batch):
    options = {"max_new_tokens": 4, "eos_id": 5, "bos_id": 2, "mask": batch.mask}
    check_that_it_is(way, options, decode, new_seq2seq(), batch)


def test_no_beam_is_greedy(new_decoder_only):
    options = {"max_new_tokens": 5}
    model = new_decoder_only()
    found = generate(model, PROMPT, beam_width=1, **options)
    assert torch.equal(found, greedy_decode(model, PROMPT, **options))


def test_a_generator_is_drawn_from(new_decoder_only):
    model, options = new_decoder_only(), {"max_new_tokens": 5, "temperature": 1.0}
    source = torch.Generator().manual_seed(7)
    first, second = (
        generate(model, PROMPT, generator=source, **options) for _ in range(2)
    )
    assert torch.equal(first, generate(model, PROMPT, seed=7, **options))
    assert not torch.equal(first, second)


def test_one_row_for_each_prompt_and_one_column_for_each_new_token(new_decoder_only):
    prompts = torch.randint(1, 13, (5, 3))
    for way in ({}, {"temperature": 1.0}, {"beam_width": 2}):
        found = generate(new_decoder_only(), prompts, max_new_tokens=7, **way)
        assert (found.shape, found.dtype) == ((5, 7), torch.int64)


@facts("way", [{}, {"top_k": 3, "seed": 2}, {"beam_width": 2}])
def test_the_model_comes_back_as_it_was(new_decoder_only, way):
    model = new_decoder_only(dropout=0.5).train()
    found = [generate(model, PROMPT, max_new_tokens=5, **way) for _ in range(2)]
    assert torch.equal(*found)  # no dropout
    assert model.training


def test_it_stands_at_the_top():
    assert transformer.generate is generate


REFUSED = [
    (
        {"temperature": 0.7, "top_k": 3, "beam_width": 2},
        "there.*got temperature and top_k .* and beam_width=2.*leave one out",
    ),
    (
        {"seed": 0, "beam_width": 2},
        r"there must be one way of decoding, got seed for sampling and beam_width=2",
    ),
    ({"watch": print, "beam_width": 2}, "watch.*got beam_width=2.*a beam"),
    ({"seed": 0}, r"seed.*got no temperature, top_k, top_p or min_p.*temperature=1\.0"),
    ({"generator": torch.Generator()}, "generator.*got no temperature"),
    (
        {"repetition_penalty": 1.2, "seed": 3},
        "repetition_penalty and seed.*got no temperature",
    ),
    ({"length_penalty": 0.0}, "length_penalty.*got beam_width=1.*beam_width=4"),
    ({"length_penalty": 0.6, "top_p": 0.9}, "length_penalty.*got beam_width=1"),
    ({"beam_width": 0}, "beam_width.*got 0"),
    ({"beam_width": 0, "temperature": 1.0}, "beam_width.*got 0"),
    ({"temperature": -1.0}, "temperature.*got -1"),
    ({"top_k": 0}, "top_k.*got 0"),
    ({"top_p": 0.0}, "top_p.*got 0"),
    ({"beam_width": 2, "length_penalty": -1.0}, "length_penalty, if not 0,.*got -1"),
    ({"max_new_tokens": 0}, r"max_new_tokens must be at least 1"),
    ({"bos_id": 1}, r"a decoder-only model starts from its"),
    ({"eos_id": 13}, "eos_id.*got 13"),
]


@facts("options, message", REFUSED)
def test_options_that_mean_nothing_are_refused(
    options, message, new_decoder_only, refuses
):
    model, options = new_decoder_only(), {"max_new_tokens": 3, **options}
    refuses(lambda: generate(model, PROMPT, **options), ValueError, message)


@facts("way", [{}, {"temperature": 1.0}, {"beam_width": 2}])
def test_a_cache_is_used_or_not_in_each_way(way, new_decoder_only, refuses):
    model, options = new_decoder_only(), {"max_new_tokens": 3, "use_cache": False}
    message = "compile=True needs the cache, got use_cache=False"
    call = lambda: generate(model, PROMPT, compile=True, **options, **way)  # noqa: E731
    refuses(call, ValueError, message)


@facts("way", [{}, {"top_k": 3, "seed": 2}, {"beam_width": 2}])
def test_a_list_of_ids_is_one_text_and_lists_are_a_batch(way, new_decoder_only):
    model, options = new_decoder_only(), {"max_new_tokens": 5, **way}
    for lists in (PROMPT[0].tolist(), tuple(PROMPT[0].tolist())):
        found = generate(model, lists, **options)
        assert torch.equal(found, generate(model, PROMPT[:1], **options))
    found = generate(torch.nn.DataParallel(model), PROMPT.tolist(), **options)
    assert torch.equal(found, generate(model, PROMPT, **options))


def test_a_list_of_ids_is_a_source_too(new_seq2seq):
    model, options = new_seq2seq(), {"max_new_tokens": 5, "bos_id": 1}
    found = generate(model, [3, 5, 2], **options)
    assert torch.equal(found, generate(model, PROMPT[:1], **options))


TOKENS = [
    (
        "Once",
        TypeError,
        r"must be ids, which are whole numbers, got 'O'; turn .*\.encode",
    ),
    (["Once"], TypeError, r"ids, which are whole numbers, got 'Once'; turn te"),
    ([2.5], TypeError, r"ids, which are whole numbers, got 2\.5; turn text"),
    ([[True]], TypeError, r"ids, which are whole numbers, got True; turn"),
    ([[2], 3], TypeError, r"a list of ids, or of such lists, got \[\[2\], 3\]"),
    ([], ValueError, r"at least one id for each text, got \[\]; begin"),
    ([[]], ValueError, r"at least one id for each text, got \[\[\]\]"),
    ([[1, 2], []], ValueError, r"at least one id for each text"),
    (PROMPT[0], ValueError, r"must have shape \(batch, time\), .*, got \(3,"),
]


@facts("tokens, error, message", TOKENS)
def test_what_is_no_list_of_ids_is_refused(
    tokens, error, message, new_decoder_only, refuses
):
    model, message = new_decoder_only(), f"tokens .*{message}"
    refuses(lambda: generate(model, tokens, max_new_tokens=3), error, message)


@facts("way", [{}, {"temperature": 1.0}, {"beam_width": 2}])
def test_other_models_are_refused(way, refuses):
    refuses(
        lambda: generate(torch.nn.Linear(2, 3), PROMPT, max_new_tokens=3, **way),
        TypeError,
        "model.*got Linear",
    )


@facts("way", [{}, {"temperature": 1.0, "seed": 0}])
def test_what_is_watched_is_what_is_returned(markov, way):
    table = torch.tensor([[0.1, 0.6, 0.3], [0.3, 0.3, 0.4], [0.7, 0.2, 0.1]]).double()
    start, seen = torch.zeros(5, 1, dtype=torch.long), []
    found = generate(
        markov(table),
        start,
        max_new_tokens=7,
        use_cache=False,
        watch=lambda tokens: seen.append(tokens.clone()),
        **way,
    )
    assert torch.equal(torch.stack(seen, dim=1), found)


# Conventions


def test_a_temperature_of_zero_takes_the_most_probable_token(new_decoder_only):
    model, options = new_decoder_only(), {"max_new_tokens": 5}
    expected = generate(model, PROMPT, **options)
    for more in ({}, {"top_k": 13}, {"top_p": 1.0}, {"seed": 3}):
        found = generate(model, PROMPT, temperature=0, **more, **options)
        assert torch.equal(found, expected)
    penalized = {"repetition_penalty": 5.0, **options}
    found = generate(model, PROMPT, temperature=0.0, **penalized)
    assert torch.equal(found, generate(model, PROMPT, top_k=1, seed=0, **penalized))
    assert not torch.equal(found, expected)


@facts("pad_id", [None, 0])
@facts("way", [{}, {"top_k": 3, "seed": 2}, {"beam_width": 2}])
def test_lists_of_different_lengths_are_a_batch(way, pad_id, new_decoder_only):
    model, options = new_decoder_only(pad_id=pad_id), {"max_new_tokens": 4}
    lists = [[3, 5, 2], [4], [1, 6]]
    found = generate(model, lists, **options, **way)
    if "seed" not in way:
        alone = [generate(model, ids, **options, **way) for ids in lists]
        assert torch.equal(found, torch.cat(alone))
    real = torch.tensor([[1, 1, 1], [1, 0, 0], [1, 1, 0]]).bool()
    padded = torch.tensor([[3, 5, 2], [4, 0, 0], [1, 6, 0]])
    assert torch.equal(found, generate(model, padded, mask=real, **options, **way))


WORDS = WordTokenizer.fit(["one two three four five six seven eight nine"])


def test_a_text_goes_on_as_its_ids_do(new_decoder_only):
    model, options = new_decoder_only(), {"max_new_tokens": 4, "seed": 1, "top_k": 5}
    texts = ["one two", "nine"]
    read = [ids[:-1] for _, ids in encode_texts(texts, WORDS)]  # without their end
    rows = generate(model, read, eos_id=2, **options)
    found = generate(model, texts, tokenizer=WORDS, **options)
    assert found == [WORDS.decode(row) for row in rows.tolist()]
    assert generate(model, "one", tokenizer=WORDS) == model.generate(
        "one", tokenizer=WORDS
    )


def test_a_text_is_translated_as_its_ids_are(new_seq2seq):
    model = new_seq2seq()
    (example,) = encode_pairs([Pair("one two", "")], WORDS)
    assert example.source[-1] == 2
    ids = generate(model, example.source, bos_id=1, eos_id=2, max_new_tokens=6)
    found = generate(model, "one two", tokenizer=WORDS, max_new_tokens=6)
    assert found == WORDS.decode(ids[0].tolist())


class Letters:
    """A tokenizer of somebody else, whose text ends with one of two ids."""

    end_ids = (3, 5)

    def encode(self, text):
        return [ord(letter) - ord("a") for letter in text]

    def decode(self, ids):
        return "".join(chr(id + ord("a")) for id in ids)


def test_a_tokenizer_may_tell_what_ends_a_text(new_decoder_only):
    model, letters = new_decoder_only(), Letters()
    options = {"max_new_tokens": 6, "temperature": 2.0, "seed": 4}
    ids = generate(model, [[0, 1]], **options)[0].tolist()
    text = generate(model, "ab", tokenizer=letters, **options)
    end = min((ids.index(id) for id in (3, 5) if id in ids), default=6)
    assert text == letters.decode(ids[:end])
    other = {"tokenizer": letters, "eos_id": ids[1]}
    assert generate(model, "ab", **other, **options) == letters.decode(ids[:1])

"""A text grows in the same way with and without a cache, alone and in a batch."""

import copy
from functools import partial
from unittest.mock import Mock

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.decoding import (
    Continuation,
    beam_search,
    greedy_decode,
    sample,
    speculative_sample,
)
from transformer.decoding import continuation as module

# Sums of at most 17 products in float64, through two layers, in another order.
EXACT = {"rtol": 1e-10, "atol": 1e-10}


def grown(continuation, columns):
    """Append given tokens; return the logits before each."""
    logits = []
    for chosen in columns:
        logits.append(continuation.next_logits()[:, 0])
        continuation.append(chosen)
    return torch.stack(logits, dim=1)


@pytest.fixture
def columns():
    return torch.randint(1, 13, (9, 3))


@torch.no_grad()
@facts("use_cache", [True, False])
def test_the_logits_are_those_of_the_whole_prompt(decoder_only, columns, use_cache):
    prompt = torch.randint(1, 13, (3, 5))
    options = {"max_new_tokens": 9, "use_cache": use_cache}
    found = grown(Continuation(decoder_only, prompt, **options), columns)
    whole = decoder_only(torch.cat((prompt, columns.T), dim=1))
    assert_close(found, whole[:, 4:-1], **EXACT)


@torch.no_grad()
@facts("use_cache", [True, False])
def test_the_logits_are_those_of_the_whole_target(seq2seq, batch, columns, use_cache):
    continuation = Continuation(
        seq2seq,
        batch.tokens,
        mask=batch.mask,
        bos_id=1,
        max_new_tokens=9,
        use_cache=use_cache,
    )
    found = grown(continuation, columns)
    target = torch.cat((torch.ones(3, 1).long(), columns.T), dim=1)
    whole = seq2seq(batch.tokens, target, source_mask=batch.mask)
    assert_close(found, whole[:, :-1], **EXACT)


@torch.no_grad()
@facts("use_cache", [True, False])
def test_a_prompt_in_a_batch_is_read_as_if_it_were_alone(
    decoder_only, batch, columns, use_cache
):
    options = {"max_new_tokens": 4, "use_cache": use_cache}
    together = Continuation(decoder_only, batch.tokens, mask=batch.mask, **options)
    found = grown(together, columns[:8])  # 4 more for the shortest, 3 instead of 7
    for row, prompt in enumerate(batch.rows):
        alone = Continuation(decoder_only, prompt[None], **options)
        first = len(prompt) - 3  # its own prompt goes on until then
        expected = grown(alone, columns[first : first + 4, row, None])
        assert_close(found[row, first : first + 4], expected[0], **EXACT)
        assert torch.equal(together.new_tokens()[row], alone.new_tokens()[0])


@torch.no_grad()
def test_padding_that_is_chosen_is_padding_while_other_prompts_go_on(
    new_decoder_only, batch
):
    options = {"mask": batch.mask, "max_new_tokens": 4}
    text = Continuation(new_decoder_only(pad_id=0), batch.tokens, **options)
    text.append(torch.tensor([0, 0, 0]))  # the prompts have 7, 3 and 5 tokens
    assert text.real[:, 3].tolist() == [True, False, True]


@torch.no_grad()
def test_selected_rows_go_on_as_they_were(decoder_only, batch, columns):
    options = {"mask": batch.mask, "max_new_tokens": 7}
    continuation = Continuation(decoder_only, batch.tokens, **options)
    straight = Continuation(decoder_only, batch.tokens, **options)
    rows = torch.tensor([2, 0, 2, 1])
    grown(continuation, columns[:3])
    continuation.select(rows)
    found = grown(continuation, columns[3:8, rows])
    assert_close(found, grown(straight, columns[:8])[rows, 3:], **EXACT)


@torch.no_grad()
def test_selected_rows_keep_their_source(seq2seq, batch, columns):
    options = {"mask": batch.mask, "bos_id": 1, "max_new_tokens": 9}
    continuation = Continuation(seq2seq, batch.tokens, **options)
    straight = Continuation(seq2seq, batch.tokens, **options)
    rows = torch.tensor([2, 0, 2, 1])
    grown(continuation, columns[:3])
    continuation.select(rows)
    found = grown(continuation, columns[3:, rows])
    assert_close(found, grown(straight, columns)[rows, 3:], **EXACT)


@torch.no_grad()
def test_forgotten_tokens_leave_no_trace(seq2seq, batch, columns):
    options = {"bos_id": 1, "max_new_tokens": 9}
    continuation = Continuation(seq2seq, batch.tokens, **options)
    grown(continuation, columns[:6])
    continuation.truncate(3)
    continuation.append(columns[7])
    other = Continuation(seq2seq, batch.tokens, **options)
    grown(other, [columns[0], columns[1], columns[7]])
    assert_close(continuation.next_logits(), other.next_logits(), **EXACT)
    assert torch.equal(continuation.new_tokens(), other.new_tokens())


@torch.no_grad()
@facts("dtype", [torch.uint8, torch.int8, torch.int32])
def test_a_source_of_bytes_may_get_a_target_of_larger_ids(new_seq2seq, batch, dtype):
    model, columns = new_seq2seq(vocab_size=307), torch.randint(257, 307, (3, 3))
    options = {"mask": batch.mask, "bos_id": 301, "max_new_tokens": 3}
    found, expected = (
        Continuation(model, source, **options)
        for source in (batch.tokens.to(dtype), batch.tokens)
    )
    assert_close(grown(found, columns), grown(expected, columns), **EXACT)
    assert torch.equal(found.tokens, expected.tokens)
    assert found.tokens[:, 0].tolist() == [301] * 3


def test_a_cache_has_room_for_what_will_be_read(new_decoder_only, new_seq2seq):
    tokens, options = torch.ones(2, 5).long(), {"max_new_tokens": 3}
    text = Continuation(new_decoder_only(), tokens, **options)
    translation = Continuation(new_seq2seq(), tokens, bos_id=1, **options)
    assert text.cache.max_len == 5 + 3
    assert translation.cache.max_len == 1 + 3


@facts("use_cache", [True, False])
@facts("search", [greedy_decode, sample, partial(beam_search, beam_width=2)])
def test_a_cache_is_made_where_it_is_asked_for(
    new_decoder_only, monkeypatch, search, use_cache
):
    model = new_decoder_only()
    asked = Mock(wraps=model.new_cache)
    monkeypatch.setattr(model, "new_cache", asked)
    search(model, torch.ones(2, 5).long(), max_new_tokens=3, use_cache=use_cache)
    assert asked.called is use_cache


@torch.no_grad()
def test_several_tokens_are_scored_at_once(decoder_only, columns):
    prompt = torch.randint(1, 13, (3, 5))
    options = {"max_new_tokens": 9}
    one, many = (Continuation(decoder_only, prompt, **options) for _ in range(2))
    logits = grown(one, columns[:5])
    grown(many, columns[:2])
    many.append(columns[2])
    many.append(columns[3])
    assert_close(many.next_logits(3), logits[:, 2:], **EXACT)


@torch.no_grad()
def test_the_source_is_read_once(new_seq2seq, batch, columns):
    model, calls = new_seq2seq(), []
    model.encoder.register_forward_hook(lambda *_: calls.append(1))
    options = {"bos_id": 1, "max_new_tokens": 9, "use_cache": False}
    grown(Continuation(model, batch.tokens, **options), columns)
    assert calls == [1]


@torch.no_grad()
def test_with_a_cache_each_token_is_read_once(new_decoder_only, batch, columns):
    model, read = new_decoder_only(), []
    model.embedding.register_forward_hook(
        lambda module, arguments, result: read.append(arguments[0].size(1))
    )
    grown(Continuation(model, batch.tokens, max_new_tokens=9), columns)
    assert read == [7] + 8 * [1]


@torch.no_grad()
@facts("use_cache", [True, False])
def test_padding_is_told_by_its_id(new_decoder_only, batch, columns, use_cache):
    model, plain = new_decoder_only(pad_id=0), new_decoder_only()
    options = {"max_new_tokens": 5, "use_cache": use_cache}
    found = grown(Continuation(model, batch.tokens, **options), columns)
    marked = Continuation(plain, batch.tokens, mask=batch.mask, **options)
    assert_close(found, grown(marked, columns), **EXACT)


@torch.no_grad()
@facts("use_cache", [True, False])
def test_a_mask_may_say_that_the_padding_id_is_a_real_token(
    new_decoder_only, columns, use_cache
):
    model, plain = new_decoder_only(pad_id=0), new_decoder_only()
    prompt, real = torch.tensor([[0, 5, 0, 7, 0]]), torch.arange(5)[None] < 4
    options = {"mask": real, "max_new_tokens": 9, "use_cache": use_cache}
    found = grown(Continuation(model, prompt, **options), columns[:, :1])
    expected = grown(Continuation(plain, prompt, **options), columns[:, :1])
    assert_close(found, expected, **EXACT)


@torch.no_grad()
@facts("use_cache", [True, False])
def test_a_mask_may_say_so_behind_the_end_of_a_shorter_prompt(
    new_decoder_only, batch, columns, use_cache
):
    model, plain = new_decoder_only(pad_id=0), new_decoder_only()
    prompts = batch.tokens * (torch.arange(7) % 2)  # every other token is the id 0
    options = {"mask": batch.mask, "max_new_tokens": 5, "use_cache": use_cache}
    found = grown(Continuation(model, prompts, **options), columns)
    expected = grown(Continuation(plain, prompts, **options), columns)
    assert_close(found, expected, **EXACT)


@torch.no_grad()
@facts("marked", [True, False])
def test_a_padding_token_that_was_chosen_stays_hidden(new_decoder_only, marked):
    model, prompt = new_decoder_only(pad_id=0), torch.tensor([[3, 5, 2]])
    mask = torch.ones(1, 3).bool() if marked else None
    chosen = torch.tensor([[4], [0], [6], [7]])
    continuation = Continuation(model, prompt, mask=mask, max_new_tokens=5)
    found = grown(continuation, chosen)
    expected = model(torch.cat((prompt, chosen.T), dim=1))[:, 2:-1]
    assert_close(found, expected, **EXACT)


@torch.no_grad()
def test_a_cache_has_the_dtype_of_autocast(new_decoder_only, batch, columns):
    model = new_decoder_only().float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        continuation = Continuation(model, batch.tokens, max_new_tokens=5)
        logits = grown(continuation, columns[:5])
    assert continuation.cache[0].self_attention.keys.dtype == torch.bfloat16
    assert logits.isfinite().all()


def with_bias(model, **places):
    """A model whose logits are moved by numbers, by the id of the token."""

    def moved(head, inputs, logits):
        logits = logits.clone()
        for place, number in places.items():
            logits[..., int(place[1:])] += number
        return logits

    model = copy.deepcopy(model)
    model.head.register_forward_hook(moved)
    return model


def speculated(model, prompt, **options):
    return speculative_sample(model, model, prompt, seed=1, **options)


DECODERS = {
    "greedy": greedy_decode,
    "beam of one": partial(beam_search, beam_width=1),
    "beam": partial(beam_search, beam_width=3),
    "sample": partial(sample, seed=1),
    "top-k": partial(sample, seed=1, top_k=2),
    "nucleus": partial(sample, seed=1, top_p=0.5),
    "min-p": partial(sample, seed=1, min_p=0.5),
    "speculative": speculated,
}
FEW = {"max_new_tokens": 3, "eos_id": 0}


@facts("decode", DECODERS.values(), ids=[*DECODERS])
@facts("number", [torch.nan, torch.inf])
def test_scores_that_are_not_finite_are_never_decoded(
    new_decoder_only, refuses, decode, number
):
    spoiled = with_bias(new_decoder_only(), t5=number)
    call = partial(decode, spoiled, torch.tensor([[1, 2, 3]]), **FEW)
    refuses(call, FloatingPointError, "finite", f"got {number}")


@facts("decode", DECODERS.values(), ids=[*DECODERS])
def test_a_token_may_be_forbidden_but_not_all(new_decoder_only, refuses, decode):
    prompt, never = torch.tensor([[1, 2, 3]]), -torch.inf
    found = decode(with_bias(new_decoder_only(), t5=never), prompt, **FEW)[0]
    assert 5 not in found.flatten().tolist()
    all_of_them = {f"t{id}": never for id in range(13)}
    spoiled = with_bias(new_decoder_only(), **all_of_them)
    call = partial(decode, spoiled, prompt, **FEW)
    refuses(call, FloatingPointError, "finite", "got -inf")


def test_one_row_that_is_not_finite_is_enough(new_decoder_only, refuses):
    spoiled = new_decoder_only()
    with torch.no_grad():
        spoiled.embedding.tokens.embedding.weight[2] = torch.nan
    prompts = torch.tensor([[1, 3], [1, 2]])
    call = partial(greedy_decode, spoiled, prompts, **FEW)
    refuses(call, FloatingPointError, "finite", "got nan")


@pytest.fixture
def compiled(monkeypatch):
    """The shapes that compiled steps read; each is computed as it stands."""
    shapes = []

    def step(model, new, **given):
        shapes.append(tuple(new.shape))
        return module.last_logits(model, new, **given)

    monkeypatch.setattr(module, "compiled_logits", lambda: step)
    return shapes


@facts("time", [1, 5])
def test_steps_that_read_one_token_after_others_are_compiled(
    new_decoder_only, compiled, time
):
    compiled.clear()
    model, prompt = new_decoder_only(), torch.randint(1, 13, (3, time))
    plain = greedy_decode(model, prompt, max_new_tokens=7)
    assert compiled == []
    found = greedy_decode(model, prompt, max_new_tokens=7, compile=True)
    assert torch.equal(found, plain)
    assert compiled == [(3, 1)] * 6  # the first step reads the prompt


def test_where_steps_cannot_be_compiled_the_text_goes_on(new_decoder_only, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("No working compiler.\nIn line 7.")

    monkeypatch.setattr(module, "compiled_logits", lambda: broken)
    model, prompt = new_decoder_only(), torch.randint(1, 13, (3, 5))
    said = r"^compile=True must have .* got RuntimeError: No working compiler; install"
    with pytest.warns(UserWarning, match=said) as warned:
        found = greedy_decode(model, prompt, max_new_tokens=7, compile=True)
    assert len(warned) == 1
    assert torch.equal(found, greedy_decode(model, prompt, max_new_tokens=7))

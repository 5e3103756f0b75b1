"""Greedy decoding takes the most probable token, row by row until its end."""

import torch

from bookkit.checking.facts import facts
from transformer.decoding import greedy_decode


@torch.no_grad()
def by_hand(model, text, new, *given):
    """Append the most probable token of the whole text, again and again."""
    start = text.size(1)
    for _ in range(new):
        logits = model(*given, text)[:, -1]
        text = torch.cat((text, logits.argmax(dim=-1, keepdim=True)), dim=1)
    return text[:, start:]


def check_that_texts_differ(model, batch, **options):
    """One model that always says the same would pass every test of this folder."""
    tokens, options = torch.randint(1, 13, (31, 5)), {"max_new_tokens": 5, **options}
    texts = greedy_decode(model, tokens, **options)
    assert len(texts.unique()) > 3
    assert len(texts.unique(dim=0)) > 6
    masked = greedy_decode(model, batch.tokens, mask=batch.mask, **options)
    assert not torch.equal(masked, greedy_decode(model, batch.tokens, **options))


def test_the_models_of_these_tests_listen_to_their_prompts(decoder_only, batch):
    check_that_texts_differ(decoder_only, batch)


def test_the_models_of_these_tests_listen_to_their_sources(seq2seq, batch):
    check_that_texts_differ(seq2seq, batch, bos_id=2)


@facts("use_cache", [True, False])
def test_each_token_is_the_most_probable_one(decoder_only, use_cache):
    prompt = torch.randint(1, 13, (3, 5))
    found = greedy_decode(
        decoder_only.eval(), prompt, max_new_tokens=5, use_cache=use_cache
    )
    assert torch.equal(found, by_hand(decoder_only, prompt, 5))


@facts("use_cache", [True, False])
def test_each_target_token_is_the_most_probable_one(seq2seq, use_cache):
    source = torch.randint(1, 13, (3, 5))
    options = {"bos_id": 2, "max_new_tokens": 5, "use_cache": use_cache}
    found = greedy_decode(seq2seq.eval(), source, **options)
    start = torch.full((3, 1), 2)
    assert torch.equal(found, by_hand(seq2seq, start, 5, source))


def test_a_row_of_a_batch_is_decoded_as_if_it_were_alone(decoder_only, batch):
    options = {"max_new_tokens": 5}
    together = greedy_decode(decoder_only, batch.tokens, mask=batch.mask, **options)
    for row, prompt in zip(together, batch.rows, strict=True):
        assert torch.equal(row, greedy_decode(decoder_only, prompt[None], **options)[0])


def test_padding_of_the_source_does_not_matter(seq2seq, batch):
    options = {"bos_id": 2, "max_new_tokens": 3}
    together = greedy_decode(seq2seq, batch.tokens, mask=batch.mask, **options)
    for row, source in zip(together, batch.rows, strict=True):
        assert torch.equal(row, greedy_decode(seq2seq, source[None], **options)[0])


def test_the_padding_of_the_configuration_is_found(new_seq2seq, batch):
    model, plain = new_seq2seq(pad_id=0), new_seq2seq()
    options = {"bos_id": 2, "max_new_tokens": 7}
    found = greedy_decode(model, batch.tokens, **options)
    marked = greedy_decode(plain, batch.tokens, mask=batch.mask, **options)
    assert torch.equal(found, marked)


# A chain 1 -> 2 -> 3 -> 4 -> 4; the id 4 ends a text.
CHAIN = torch.full((5, 5), 0.05) + 0.75 * torch.eye(5)[[0, 2, 3, 4, 4]]


def test_each_row_ends_where_its_own_end_comes(markov):
    found = greedy_decode(
        markov(CHAIN),
        torch.tensor([[3], [1], [2]]),
        max_new_tokens=11,
        eos_id=4,
        use_cache=False,
    )
    assert found.tolist() == [[4, 4, 4], [2, 3, 4], [3, 4, 4]]


def test_after_its_end_a_row_is_filled_with_padding(new_decoder_only, batch):
    model = new_decoder_only(pad_id=0)
    free = greedy_decode(model, batch.tokens, max_new_tokens=7)
    eos = int(free[1, 1])
    found = greedy_decode(model, batch.tokens, max_new_tokens=7, eos_id=eos)
    for row, expected in zip(found, free.tolist(), strict=True):
        end = expected.index(eos) + 1 if eos in expected else 7
        filled = expected[:end] + (7 - end) * [0]
        assert row.tolist() == filled[: found.size(1)]
    assert (found[1, 2:] == 0).all()


def test_an_end_inside_a_prompt_ends_nothing(markov):
    found = greedy_decode(
        markov(CHAIN),
        torch.tensor([[1, 0, 0, 0], [1, 4, 4, 1]]),
        mask=torch.tensor([[True, False, False, False], [True] * 4]),
        max_new_tokens=2,
        eos_id=4,
        use_cache=False,
    )
    assert found.tolist() == [[2, 3], [2, 3]]


def test_it_stops_when_all_rows_have_ended(new_decoder_only):
    model, prompt, calls = new_decoder_only(), torch.tensor([[3, 5]]), []
    eos = int(greedy_decode(model, prompt, max_new_tokens=1))
    model.decoder.register_forward_hook(lambda *_: calls.append(1))
    found = greedy_decode(model, prompt, max_new_tokens=17, eos_id=eos)
    assert (found.tolist(), len(calls)) == ([[eos]], 1)


def test_the_last_token_needs_no_position(new_decoder_only):
    model = new_decoder_only(position="learned", max_len=11)
    assert greedy_decode(model, torch.ones(1, 5).long(), max_new_tokens=7).size(1) == 7


def test_a_model_without_a_table_goes_beyond_its_length(new_decoder_only):
    model = new_decoder_only(position="alibi", max_len=11)
    found = greedy_decode(model, torch.ones(1, 5).long(), max_new_tokens=17)
    assert found.size(1) == 17


def test_of_equal_logits_the_smallest_id_wins(markov):
    model = markov(torch.tensor([[0.1, 0.3, 0.3, 0.3]] * 4))
    options = {"max_new_tokens": 3, "use_cache": False}
    found = greedy_decode(model, torch.tensor([[0]]), **options)
    assert found.tolist() == [[1, 1, 1]]


@facts("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_the_greater_of_two_logits_wins_however_close_they_are(markov, dtype):
    model = markov(torch.eye(3))
    small = torch.finfo(dtype).eps / 4  # the probabilities round to the same number
    model.table = torch.tensor([[0, small, 2 * small]] * 3, dtype=dtype)
    options = {"max_new_tokens": 2, "use_cache": False}
    assert greedy_decode(model, torch.tensor([[0]]), **options).tolist() == [[2, 2]]


def test_decoding_leaves_a_model_in_training_and_needs_no_dropout(new_decoder_only):
    model, prompt = new_decoder_only(dropout=0.5).train(), torch.tensor([[3, 5, 2]])
    first, second = (greedy_decode(model, prompt, max_new_tokens=7) for _ in range(2))
    assert model.training
    assert torch.equal(first, second)


@facts("dtype", [torch.int32, torch.uint8])
def test_ids_may_have_any_integer_type(new_decoder_only, dtype):
    model, prompt = new_decoder_only(), torch.tensor([[3, 5, 2]])
    found = greedy_decode(model, prompt.to(dtype), max_new_tokens=3)
    assert torch.equal(found, greedy_decode(model, prompt, max_new_tokens=3))


def test_it_works_under_inference_mode(new_seq2seq, batch):
    options = {"bos_id": 1, "max_new_tokens": 3}
    expected = greedy_decode(new_seq2seq(), batch.tokens, **options)
    with torch.inference_mode():
        found = greedy_decode(new_seq2seq(), batch.tokens, **options)
    assert torch.equal(found, expected)


def test_each_of_several_tokens_ends_a_text(decoder_only, batch):
    options = {"mask": batch.mask, "max_new_tokens": 7}
    free = greedy_decode(decoder_only, batch.tokens, **options).tolist()
    ends = [free[0][2], free[1][4]]
    found = greedy_decode(decoder_only, batch.tokens, eos_id=ends, **options).tolist()
    fill = decoder_only.config.pad_id
    fill = ends[0] if fill is None else fill
    for row, whole in zip(found, free, strict=True):
        end = next((n for n, id in enumerate(whole, 1) if id in ends), 7)
        assert row[:end] == whole[:end]
        assert set(row[end:]) <= {fill}

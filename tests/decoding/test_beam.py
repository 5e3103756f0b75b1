"""Beam search finds what exhaustive search finds, and no less than it should."""

from itertools import product

import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.decoding import beam_search, greedy_decode, length_divisor

# Sums of at most 17 products in float64, through two layers, in another order.
EXACT = {"rtol": 1e-10, "atol": 1e-10}


@facts("length, expected", [(1, 1.0), (5, 1.359), (10, 1.733), (20, 2.354)])
def test_the_length_divisor_by_hand(length, expected):
    assert abs(length_divisor(length, 0.6) - expected) < 5e-4
    assert length_divisor(length, 0.0) == 1.0


# 0 is the start, 1 = A, 2 = B; the best continuation has .4 after A, .9 after B.
GARDEN_PATH = torch.tensor(
    [
        [0.0, 0.5, 0.4, 0.1, 0.0],
        [0.0, 0.2, 0.2, 0.2, 0.4],
        [0.0, 0.1, 0.0, 0.9, 0.0],
        [0.2, 0.2, 0.2, 0.2, 0.2],
        [0.2, 0.2, 0.2, 0.2, 0.2],
    ],
    dtype=torch.float64,
)


def test_a_beam_finds_the_text_that_greedy_decoding_misses(markov):
    options = {"max_new_tokens": 2, "use_cache": False}
    model, start = markov(GARDEN_PATH), torch.tensor([[0]])
    narrow, wide = (
        beam_search(model, start, beam_width=width, length_penalty=0.0, **options)
        for width in (1, 2)
    )
    assert narrow.tokens.tolist() == [[[1, 4]]]
    assert wide.tokens.tolist() == [[[2, 3]]]
    assert abs(narrow.scores.exp().item() - 0.20) < 1e-7
    assert abs(wide.scores.exp().item() - 0.36) < 1e-7


@torch.no_grad()
def every_text(model, prompt, vocab, longest, eos, alpha):
    """All texts that end or are full, best first, with their scores."""
    found = []
    for text in product(range(vocab), repeat=longest):
        end = text.index(eos) + 1 if eos in text else longest
        if any(token != eos for token in text[end:]):
            continue  # one copy of each text that ends early
        whole = torch.cat((prompt, torch.tensor([text])), dim=1)
        steps = model(whole).log_softmax(dim=-1)[0, prompt.size(1) - 1 : -1]
        total = steps.gather(1, torch.tensor(text)[:, None])[:end].sum()
        found.append((total.item() / ((5 + end) / 6) ** alpha, list(text)))
    return sorted(found, reverse=True)


@facts("alpha", [0.0, 0.6, 3.0])
def test_a_beam_that_holds_all_texts_searches_exhaustively(new_decoder_only, alpha):
    model = new_decoder_only(vocab_size=4, position="alibi").eval()
    prompt = torch.tensor([[3, 1], [2, 3]])
    options = {"length_penalty": alpha, "eos_id": 0, "num_results": 7}
    found = beam_search(model, prompt, beam_width=64, max_new_tokens=3, **options)
    for row in range(2):
        best = every_text(model, prompt[row, None], 4, 3, 0, alpha)[:7]
        assert_close(
            found.scores[row],
            torch.tensor([score for score, _ in best], dtype=torch.float64),
            **EXACT,
        )
        assert found.tokens[row].tolist() == [text for _, text in best]


def beam_by_loops(table, start, *, width, new, alpha, ends):
    """The scores and texts of a beam, best first, step by step and without stopping."""
    beam, kept = [(0.0, [start])], []
    for _ in range(new):
        going = [(s + p, [*y, v]) for s, y in beam for v, p in enumerate(table[y[-1]])]
        going.sort(reverse=True)
        kept += [x for x in going[:width] if x[1][-1] in ends]
        beam = [x for x in going if x[1][-1] not in ends][:width]
    scored = [(s / ((4 + len(y)) / 6) ** alpha, y[1:]) for s, y in kept + beam]
    return sorted(scored, reverse=True)


@facts("width", [2, 3, 5])
@facts("alpha", [0.0, 0.6, 2.0])
@facts("heat", [0.5, 2.0])
@facts("ends", [(3,), (3, 5, 6)])
def test_a_beam_is_the_one_written_as_loops(markov, width, alpha, heat, ends):
    # Each end is likely after each token, so that several texts end in a step.
    for seed in range(5):
        generator = torch.Generator().manual_seed(seed)
        logits = torch.randn(7, 7, generator=generator, dtype=torch.float64) * heat
        logits[:, list(ends)] += 1.5
        table = logits.log_softmax(dim=-1)
        sizes = {"width": width, "new": 5, "alpha": alpha, "ends": ends}
        texts = beam_by_loops(table.tolist(), 0, **sizes)[:width]
        found = beam_search(
            markov(table.exp()),
            torch.tensor([[0]]),
            beam_width=width,
            max_new_tokens=5,
            length_penalty=alpha,
            eos_id=ends,
            num_results=width,
            use_cache=False,
        )
        scores, texts = zip(*texts, strict=True)
        expected = torch.tensor(scores, dtype=torch.float64)
        assert_close(found.scores[0], expected, **EXACT)
        for tokens, text in zip(found.tokens[0].tolist(), texts, strict=True):
            assert tokens == (text + 5 * [3])[: len(tokens)]


def test_many_ends_leave_room_for_what_goes_on(markov):
    # Of 1 and of 2 three ends are likelier than what goes on: [1, 1, 3] wins by length.
    ends = [0.0, 0.07, 0.0, 0.32, 0.31, 0.3]
    table = [[0, 0.6, 0.4, 0, 0, 0], ends, [ends[n] for n in (0, 2, 1, 3, 4, 5)]]
    table += [[1 / 6] * 6] * 3
    found = beam_search(
        markov(table),
        torch.tensor([[0]]),
        beam_width=2,
        max_new_tokens=3,
        length_penalty=10.0,
        eos_id=[3, 4, 5],
        use_cache=False,
    )
    assert found.tokens.tolist() == [[[1, 1, 3]]]


@facts("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_what_a_narrow_model_says_is_added_up_in_float64(markov, dtype):
    model = markov(torch.rand(7, 7, generator=torch.Generator().manual_seed(0)))
    model.table = model.table.to(dtype)
    steps = model.table.double().log_softmax(dim=-1).tolist()
    best = beam_by_loops(steps, 0, width=3, new=5, alpha=0.6, ends=())[:3]
    options = {"beam_width": 3, "num_results": 3, "use_cache": False}
    found = beam_search(model, torch.tensor([[0]]), max_new_tokens=5, **options)
    assert found.tokens[0].tolist() == [text for _, text in best]
    expected = torch.tensor([score for score, _ in best], dtype=torch.float64)
    assert_close(found.scores[0], expected, **EXACT)


def test_equal_texts_come_in_the_order_of_their_ids(markov):
    # An unstable sort would shuffle more than 16.
    model = markov(torch.full((29, 29), 1 / 29))
    options = {"beam_width": 23, "num_results": 23, "use_cache": False}
    found = beam_search(model, torch.tensor([[1]]), max_new_tokens=1, **options)
    assert found.tokens.flatten().tolist() == [*range(23)]


def test_a_text_that_its_length_will_help_is_not_given_up(markov):
    # At each step four tokens are alike; 0 ends the text.
    model, start = markov(torch.full((4, 4), 0.25)), torch.tensor([[1]])
    options = {"eos_id": 0, "length_penalty": 4.0, "use_cache": False}
    found = beam_search(model, start, beam_width=4, max_new_tokens=3, **options)
    chance = torch.tensor(0.25).double().log().item()
    # The text of one token leads, and halfway each longer one seems to be behind.
    assert 2 * chance / (7 / 6) ** 4 < chance < 3 * chance / (8 / 6) ** 4
    assert abs(found.scores.item() - 3 * chance / (8 / 6) ** 4) < 1e-12
    assert found.tokens.size(-1) == 3


def test_more_results_than_there_are_texts_are_missing(new_decoder_only):
    found = beam_search(
        new_decoder_only(vocab_size=3, pad_id=2),
        torch.tensor([[1]]),
        beam_width=9,
        max_new_tokens=2,
        eos_id=0,
        num_results=9,
    )
    # One text ends at once; the two other first tokens have three continuations.
    assert found.scores[0, :7].isfinite().all()
    assert (found.scores[0, 7:] == -torch.inf).all()
    assert found.tokens[0, 7:].tolist() == [[2, 2], [2, 2]]


@facts("alpha", [0.0, 0.6, 2.0])
@facts("eos", [0, 8, 9])
def test_a_beam_of_one_is_greedy(new_decoder_only, batch, alpha, eos):
    model = new_decoder_only(position="relative_keys")
    options = {"mask": batch.mask, "max_new_tokens": 5, "eos_id": eos}
    expected = greedy_decode(model, batch.tokens, **options)
    options |= {"length_penalty": alpha, "beam_width": 1}
    found = beam_search(model, batch.tokens, **options)
    assert torch.equal(found.tokens[:, 0], expected)


def test_a_beam_of_one_is_greedy_on_ties(markov):
    model = markov(torch.tensor([[0.1, 0.3, 0.3, 0.3]] * 4))
    options = {"max_new_tokens": 3, "use_cache": False}
    found = beam_search(model, torch.tensor([[0]]), beam_width=1, **options)
    assert found.tokens.tolist() == [[[1, 1, 1]]]


def test_of_equal_texts_the_smallest_ids_win(markov):
    model = markov(torch.full((4, 4), 0.25))
    options = {"max_new_tokens": 2, "use_cache": False, "num_results": 3}
    found = beam_search(model, torch.tensor([[0]]), beam_width=3, **options)
    assert found.tokens.tolist() == [[[0, 0], [0, 1], [0, 2]]]


def test_without_a_cache_the_same_is_found(decoder_only, batch):
    options = {"beam_width": 4, "max_new_tokens": 5, "num_results": 2}
    options |= {"mask": batch.mask, "eos_id": 4}
    found = beam_search(decoder_only, batch.tokens, **options)
    other = beam_search(decoder_only, batch.tokens, use_cache=False, **options)
    assert torch.equal(found.tokens, other.tokens)
    assert_close(found.scores, other.scores, **EXACT)


def test_without_a_cache_the_same_target_is_found(seq2seq, batch):
    options = {"beam_width": 3, "max_new_tokens": 5, "num_results": 2, "bos_id": 1}
    options |= {"mask": batch.mask, "eos_id": 4}
    found = beam_search(seq2seq, batch.tokens, **options)
    other = beam_search(seq2seq, batch.tokens, use_cache=False, **options)
    assert torch.equal(found.tokens, other.tokens)
    assert_close(found.scores, other.scores, **EXACT)


@facts("eos", range(0, 13, 3))
def test_a_row_is_searched_as_if_it_were_alone(new_decoder_only, batch, eos):
    model = new_decoder_only(position="relative_keys", relative_max_distance=5)
    options = {"beam_width": 3, "max_new_tokens": 5, "num_results": 2, "eos_id": eos}
    together = beam_search(model, batch.tokens, mask=batch.mask, **options)
    for row, prompt in enumerate(batch.rows):
        alone = beam_search(model, prompt[None], **options)
        width = alone.tokens.size(2)
        assert torch.equal(together.tokens[row, :, :width], alone.tokens[0])
        assert (together.tokens[row, :, width:] == eos).all()
        assert_close(together.scores[row], alone.scores[0], **EXACT)


def test_padding_of_the_source_does_not_matter(new_seq2seq, batch):
    seq2seq = new_seq2seq(position="relative")
    options = {"beam_width": 3, "max_new_tokens": 3, "bos_id": 1}
    together = beam_search(seq2seq, batch.tokens, mask=batch.mask, **options)
    for row, source in enumerate(batch.rows):
        alone = beam_search(seq2seq, source[None], **options)
        assert torch.equal(together.tokens[row], alone.tokens[0])


@torch.no_grad()
@facts("eos", range(0, 13, 3))
def test_scores_are_those_of_the_texts(new_seq2seq, batch, eos):
    model, options = new_seq2seq().eval(), {"eos_id": eos, "bos_id": 1}
    options |= {"beam_width": 3, "max_new_tokens": 5, "num_results": 3}
    found = beam_search(model, batch.tokens, **options)
    assert (found.scores.diff(dim=1) <= 0).all()
    for texts, scores, source in zip(*found, batch.tokens, strict=True):
        target = torch.cat((torch.ones(3, 1).long(), texts), dim=1)
        steps = model(source.expand(3, 7), target[:, :-1]).log_softmax(dim=-1)
        real = (texts == eos).cumsum(1) - (texts == eos).long() == 0
        sums = (steps.gather(2, texts[..., None])[..., 0] * real).sum(dim=1)
        assert_close(
            scores, sums / ((5.0 + real.sum(dim=1).double()) / 6) ** 0.6, **EXACT
        )


@facts("alpha", [0.0, 0.6, 2.0])
def test_it_stops_as_soon_as_nothing_can_win(markov, alpha):
    # After 0 the text ends (id 2) with .9; else it goes on for ever.
    model, calls = markov([[0.1, 0.0, 0.9], [0.3, 0.3, 0.4], [0.3, 0.3, 0.4]]), []
    model.head.register_forward_hook(lambda *_: calls.append(1))
    found = beam_search(
        model,
        torch.tensor([[0]]),
        beam_width=2,
        max_new_tokens=11,
        length_penalty=alpha,
        eos_id=2,
        use_cache=False,
    )
    # log .9 against log .1 / lp(11): only the greatest exponent leaves it open.
    assert found.tokens.tolist() == [[[2]]]
    assert len(calls) == 1


def test_a_longer_text_may_win_by_its_length(markov):
    # 1 is certain to go on to 1; 2 ends. log .5 at once, log .5 / lp(5) at the end.
    table = [[0.0, 0.5, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    options = {"max_new_tokens": 5, "eos_id": 2, "use_cache": False, "beam_width": 2}
    model, start = markov(table), torch.tensor([[0]])
    plain, rewarded = (
        beam_search(model, start, length_penalty=alpha, **options)
        for alpha in (0.0, 0.6)
    )
    assert plain.tokens[0, 0, 0] in (1, 2)  # equal scores
    assert rewarded.tokens.tolist() == [[[1, 1, 1, 1, 1]]]
    assert abs(rewarded.scores.item() + 0.693147 / 1.358655) < 1e-6


def test_an_end_among_the_second_best_is_not_taken(markov):
    # The beam of two holds 0 and 1; the end (2) is third, and stays outside.
    table = [[0.5, 0.4, 0.1], [0.5, 0.4, 0.1], [0.0, 0.0, 1.0]]
    found = beam_search(
        markov(table),
        torch.tensor([[0]]),
        beam_width=2,
        max_new_tokens=5,
        length_penalty=0.0,
        eos_id=2,
        num_results=2,
        use_cache=False,
    )
    assert (found.tokens != 2).all()


def test_a_prompt_is_read_once_for_all_texts_of_its_beam(new_decoder_only, batch):
    model, read = new_decoder_only(), []
    model.embedding.register_forward_hook(
        lambda module, arguments, result: read.append(tuple(arguments[0].shape))
    )
    beam_search(model, batch.tokens, beam_width=5, max_new_tokens=3)
    assert read == [(3, 7), (15, 1), (15, 1)]


def test_a_vocabulary_of_one_token_is_enough(new_decoder_only):
    model = new_decoder_only(vocab_size=1)
    options = {"beam_width": 3, "max_new_tokens": 2, "num_results": 3}
    found = beam_search(model, torch.tensor([[0]]), **options)
    assert found.scores[0, 0] == 0
    assert (found.scores[0, 1:] == -torch.inf).all()

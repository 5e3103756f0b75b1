"""What is drawn has the wanted distribution, and the same seed draws the same."""

import torch
from scipy.stats import chisquare
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.decoding import Continuation, Shaping, draw, greedy_decode, sample
from transformer.decoding.sampling import _chooser, random_source

ROWS = 5003
NEXT = torch.tensor([0.31, 0.05, 0.23, 0.0, 0.41], dtype=torch.float64)


def probabilities_of_chance(tokens, expected):
    """The p-value of the found tokens, none of which may be impossible."""
    counts = tokens.bincount(minlength=len(expected))
    possible = expected > 0
    assert (counts[~possible] == 0).all()
    expected = expected[possible] * len(tokens)
    return chisquare(counts[possible].numpy(), expected.numpy()).pvalue


# Settings, and what must remain of NEXT, not yet divided by its sum.
SETTINGS = {
    "plain": ({}, NEXT),
    "hot": ({"temperature": 2.0}, NEXT.sqrt()),
    "cold": ({"temperature": 0.5}, NEXT.square()),
    "top-k": ({"top_k": 2}, NEXT * (NEXT > 0.3)),
    "top-p": ({"top_p": 0.75}, NEXT * (NEXT > 0.2)),
    "min-p": ({"min_p": 0.6}, NEXT * (0.6 * NEXT.max() <= NEXT)),
    "all": ({"temperature": 2.0, "top_k": 3, "top_p": 0.7}, NEXT.sqrt() * (NEXT > 0.3)),
}


# Pairs of filters whose order matters, and which tokens remain in ours.
ORDERS = {
    # In the other order .41 and .31 are enough, which are .72 without heat.
    "temperature before top-p": ({"temperature": 2.0, "top_p": 0.7}, NEXT > 0.2),
    # Squared .23 is less than half of .41, by itself it is more.
    "temperature before min-p": ({"temperature": 0.5, "min_p": 0.5}, NEXT > 0.3),
    # Of all .41 is not half, of two it is.
    "top-k before top-p": ({"top_k": 2, "top_p": 0.5}, NEXT > 0.4),
    "top-p before min-p": ({"top_p": 0.55, "min_p": 0.6}, NEXT > 0.3),
}


@facts("case", ORDERS.values(), ids=[*ORDERS])
def test_the_filters_come_in_their_order(case):
    settings, kept = case
    found = Shaping(**settings).probabilities(NEXT.log()[None])[0]
    weights = NEXT ** (1 / settings.get("temperature", 1.0)) * kept
    assert_close(found, weights / weights.sum())


@facts("settings", [{"top_k": 1}, {"top_p": 0.5}, {"min_p": 0.9}])
def test_the_penalty_comes_before_what_removes_tokens(settings):
    logits, seen = torch.tensor([[3.0, 2.5, -1.0]]), torch.tensor([[True, False, True]])
    shaping = Shaping(repetition_penalty=2.0, **settings)
    found = shaping.probabilities(logits, seen)
    assert found.tolist() == [[0.0, 1.0, 0.0]]


@facts("case", SETTINGS.values(), ids=[*SETTINGS])
def test_frequencies_are_the_probabilities(case, markov):
    settings, weights = case
    found = sample(
        markov(NEXT.expand(5, 5)),
        torch.zeros(ROWS, 1).long(),
        max_new_tokens=1,
        seed=0,
        use_cache=False,
        **settings,
    )
    assert probabilities_of_chance(found[:, 0], weights / weights.sum()) > 0.01


def test_each_new_token_is_drawn_from_its_own_distribution(markov):
    table = torch.tensor(
        [[0.2, 0.3, 0.5], [0.7, 0.1, 0.2], [0.4, 0.4, 0.2]], dtype=torch.float64
    )
    found = sample(
        markov(table),
        torch.zeros(ROWS, 1).long(),
        max_new_tokens=3,
        seed=0,
        use_cache=False,
    )
    first, second, third = found.unbind(dim=1)
    expected = table[0, :, None, None] * table[:, :, None] * table[None]
    chance = probabilities_of_chance(9 * first + 3 * second + third, expected.flatten())
    assert chance > 0.01


def test_a_penalty_weakens_what_the_prompt_or_the_text_holds():
    seen = torch.tensor([[True, False, False]])
    logits = torch.tensor([[3.0, 2.0, -1.0]])
    shaping = Shaping(temperature=2.0, repetition_penalty=1.5)
    expected = torch.tensor([[2.0, 2.0, -1.0]]).double() / 2
    assert_close(shaping.probabilities(logits, seen), expected.softmax(dim=-1))


@facts("seed", range(11))
def test_with_a_great_penalty_no_token_comes_twice(markov, seed):
    # All logits are negative, and a great penalty makes those impossible.
    model, start = markov(torch.full((5, 5), 0.2)), torch.tensor([[3]])
    options = {"repetition_penalty": 1e9, "use_cache": False}
    found = sample(model, start, max_new_tokens=4, seed=seed, **options)
    assert sorted(found[0].tolist()) == [0, 1, 2, 4]


@facts("seed", range(5))
def test_each_row_is_penalized_for_what_it_has_read_itself(markov, seed):
    # As before, but the prompt of the second row goes on while the first one grows.
    mask = torch.tensor([[True, False, False], [True, True, True]])
    options = {"mask": mask, "repetition_penalty": 1e9, "use_cache": False}
    first, second = sample(
        markov(torch.full((7, 7), 1 / 7)),
        torch.tensor([[3, 0, 0], [0, 1, 2]]),
        max_new_tokens=6,
        seed=seed,
        **options,
    ).tolist()
    assert sorted(first) == [0, 1, 2, 4, 5, 6]
    assert sorted(second[:4]) == [3, 4, 5, 6]


@facts("temperature", [1e-3, 1e-30, 1e-300])
def test_without_heat_it_is_greedy(new_decoder_only, batch, temperature):
    options = {"mask": batch.mask, "max_new_tokens": 5}
    model = new_decoder_only()
    found = sample(model, batch.tokens, temperature=temperature, seed=0, **options)
    assert torch.equal(found, greedy_decode(model, batch.tokens, **options))


def test_tokens_are_drawn_where_the_text_is(new_decoder_only):
    text = Continuation(new_decoder_only(), torch.ones(2, 5).long(), max_new_tokens=3)
    text.tokens = text.tokens.to("meta")
    text.prompt_lengths = text.prompt_lengths.to("meta")
    choose = _chooser(text, Shaping(), random_source(None, seed=0))
    assert choose(torch.zeros(2, 13, device="meta")).device.type == "meta"


SHAPED = {"top_k": 7, "top_p": 0.9, "repetition_penalty": 1.2, "temperature": 1.5}


def test_without_a_cache_the_same_is_drawn(decoder_only, batch):
    options = {"mask": batch.mask, "max_new_tokens": 5, "seed": 0, **SHAPED}
    found, other = (
        sample(decoder_only, batch.tokens, use_cache=use_cache, **options)
        for use_cache in (True, False)
    )
    assert torch.equal(found, other)


def test_without_a_cache_the_same_target_is_drawn(seq2seq, batch):
    options = {"mask": batch.mask, "bos_id": 1, "max_new_tokens": 5, "seed": 0}
    found, other = (
        sample(seq2seq, batch.tokens, use_cache=use_cache, **options, **SHAPED)
        for use_cache in (True, False)
    )
    assert torch.equal(found, other)


def test_the_same_seed_draws_the_same(new_decoder_only, batch):
    model, options = new_decoder_only(), {"max_new_tokens": 11}
    first = sample(model, batch.tokens, seed=7, **options)
    assert torch.equal(first, sample(model, batch.tokens, seed=7, **options))
    assert not torch.equal(first, sample(model, batch.tokens, seed=8, **options))
    generator = torch.Generator().manual_seed(7)
    again = sample(model, batch.tokens, generator=generator, **options)
    assert torch.equal(first, again)
    later = sample(model, batch.tokens, generator=generator, **options)
    assert not torch.equal(first, later)


def test_without_a_seed_something_else_is_drawn_each_time(new_decoder_only):
    model, prompt = new_decoder_only(std=0.1), torch.ones(17, 1).long()
    torch.manual_seed(0)
    first = sample(model, prompt, max_new_tokens=7)
    torch.manual_seed(0)
    assert not torch.equal(first, sample(model, prompt, max_new_tokens=7))


def test_the_global_generator_is_left_alone(new_decoder_only, batch):
    model, before = new_decoder_only(), torch.get_rng_state()
    sample(model, batch.tokens, max_new_tokens=3, seed=0)
    sample(model, batch.tokens, max_new_tokens=3)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_row_does_not_depend_on_how_others_end_or_begin(new_decoder_only, batch):
    model, options = new_decoder_only(), {"max_new_tokens": 7, "seed": 0}
    mask = batch.mask
    first = sample(model, batch.tokens, mask=mask, **options)
    tokens = torch.where(mask, batch.tokens % 12 + 1, 0)
    tokens[1], mask[0, 6] = batch.tokens[1], False
    second = sample(model, tokens, mask=mask, **options)
    assert torch.equal(first[1], second[1])
    assert not torch.equal(first[0], second[0])
    eos = int(first[0, 0])
    ended = sample(model, batch.tokens, mask=mask, eos_id=eos, **options)
    kept = (first[1] == eos).cumsum(0) == 0
    assert torch.equal(ended[1, : kept.sum()], first[1][kept])


def test_a_drawn_token_is_where_the_sums_exceed_the_number():
    probabilities = torch.tensor([[0.0, 0.25, 0.0, 0.75, 0.0]] * 5).double()
    uniform = torch.tensor([0.0, 0.2499, 0.25, 0.5, 1 - 2**-53]).double()
    assert draw(probabilities, uniform).tolist() == [1, 1, 3, 3, 3]


def test_a_drawn_token_is_never_impossible_where_sums_round():
    generator = torch.Generator().manual_seed(0)
    p = torch.rand(1009, 31, generator=generator, dtype=torch.float64)
    p = p / p.sum(dim=1, keepdim=True)
    p[:, -3:] = 0.0
    uniform = torch.full((1009,), 1 - 2**-53, dtype=torch.float64)
    assert (draw(p, uniform) == 27).all()


def test_an_ended_row_is_filled_with_padding(new_decoder_only, batch):
    model = new_decoder_only(pad_id=0)
    free = sample(model, batch.tokens, max_new_tokens=7, seed=0)
    eos = int(free[2, 2])
    found = sample(model, batch.tokens, max_new_tokens=7, seed=0, eos_id=eos)
    end = free[2].tolist().index(eos) + 1
    assert torch.equal(found[2, :end], free[2, :end])
    assert (found[2, end:] == 0).all()

"""Speculation changes nothing but the number of passes."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.decoding import (
    acceptance,
    greedy_decode,
    residual,
    speculative_sample,
)

# Float64, sums of at most 11 numbers below 1.
EXACT = {"rtol": 0, "atol": 1e-14}


@st.composite
def pairs(draw):
    """Two distributions over the same tokens, some of which are impossible."""
    vocab = draw(st.integers(1, 11))
    weights = st.lists(st.integers(0, 9), min_size=vocab, max_size=vocab)
    rows = [draw(weights.filter(any)) for _ in range(2)]
    rows = torch.tensor(rows, dtype=torch.float64)
    return rows / rows.sum(dim=1, keepdim=True)


@settings(max_examples=100)
@given(pair=pairs())
def test_accepted_and_corrected_guesses_have_the_distribution_of_the_model(pair):
    p, q = pair
    accepted = q * acceptance(p, q)
    mixture = accepted + (1 - accepted.sum()) * residual(p, q)
    assert_close(mixture, p, **EXACT)


@settings(max_examples=100)
@given(pair=pairs())
def test_acceptance_and_residual_are_probabilities(pair):
    p, q = pair
    chance, rest = acceptance(p, q), residual(p, q)
    assert ((chance >= 0) & (chance <= 1)).all()
    assert abs(rest.sum() - 1) < 1e-12
    assert (rest[p == 0] == 0).all()


def test_acceptance_and_residual_by_hand():
    p, q = torch.tensor([0.5, 0.3, 0.2, 0.0]), torch.tensor([0.2, 0.6, 0.0, 0.2])
    assert_close(acceptance(p, q), torch.tensor([1.0, 0.5, 1.0, 0.0]))
    assert_close(residual(p, q), torch.tensor([0.6, 0.0, 0.4, 0.0]))


def test_where_both_agree_the_residual_is_the_model():
    p = torch.tensor([0.5, 0.3, 0.2])
    assert torch.equal(residual(p, p), p)


TABLE = torch.tensor(
    [[0.2, 0.3, 0.5], [0.7, 0.1, 0.2], [0.4, 0.4, 0.2]], dtype=torch.float64
)
GUESS = torch.tensor(
    [[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.3, 0.0, 0.7]], dtype=torch.float64
)


@facts("lookahead, temperature", [(1, 1.0), (3, 0.5)])
def test_frequencies_are_the_probabilities_of_the_model(markov, temperature, lookahead):
    found = speculative_sample(
        markov(TABLE),
        markov(GUESS),
        torch.zeros(211, 1).long(),
        max_new_tokens=3,
        lookahead=lookahead,
        temperature=temperature,
        seed=0,
    )
    table = TABLE ** (1 / temperature)
    table = table / table.sum(dim=1, keepdim=True)
    expected = (table[0, :, None, None] * table[:, :, None] * table[None]).flatten()
    counts = (found.tokens @ torch.tensor([9, 3, 1])).bincount(minlength=27)
    assert chisquare(counts.numpy(), 211 * expected.numpy()).pvalue > 0.01


def test_of_one_possible_token_it_is_greedy(decoder_only, new_decoder_only):
    prompt = torch.tensor([[3, 1, 2], [4, 5, 6]])
    draft = new_decoder_only(seed=1, position="alibi", num_decoder_layers=1)
    options = {"max_new_tokens": 4, "top_k": 1, "lookahead": 2, "seed": 0}
    found = speculative_sample(decoder_only, draft, prompt, **options)
    expected = greedy_decode(decoder_only, prompt, max_new_tokens=4)
    assert torch.equal(found.tokens, expected)


# Models that do not repeat one token for ever.
LIVELY = {
    "seed": 3,
    "std": 1.0,
    "position": "rotary",
    "gated": True,
    "activation": "silu",
    "norm": "rms",
    "norm_placement": "pre",
    "final_norm": True,
    "tie_embeddings": False,
}


def near(model, by):
    """A draft that is often right: the parameters of a model, moved a little."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(
                parameter.shape, generator=generator, dtype=torch.float64
            )
            parameter += by * noise
    return model


@facts("lookahead", [1, 4])
def test_a_draft_that_is_sometimes_right_changes_nothing(new_seq2seq, batch, lookahead):
    model = new_seq2seq(**LIVELY)
    draft = near(new_seq2seq(**LIVELY), 0.1)
    options = {"bos_id": 1, "mask": batch.mask, "max_new_tokens": 7}
    guessing = {"top_k": 1, "seed": 0, "lookahead": lookahead}
    found = speculative_sample(model, draft, batch.tokens, **guessing, **options)
    assert torch.equal(found.tokens, greedy_decode(model, batch.tokens, **options))
    assert 0 < found.accepted.sum() < found.proposed.sum()


def test_prompts_of_different_lengths_are_worked_off(new_decoder_only, batch):
    model = new_decoder_only(**LIVELY)
    draft = near(new_decoder_only(**LIVELY), 0.1)
    options = {"mask": batch.mask, "max_new_tokens": 7}
    found = speculative_sample(model, draft, batch.tokens, top_k=1, seed=0, **options)
    assert torch.equal(found.tokens, greedy_decode(model, batch.tokens, **options))


def test_the_model_as_its_own_draft_is_always_right(new_decoder_only):
    model, prompt = new_decoder_only(position="alibi"), torch.tensor([[3, 1], [2, 5]])
    found = speculative_sample(model, model, prompt, max_new_tokens=11, seed=0)
    # Two rounds of four guesses and one token more, and a last token by itself.
    assert found.accepted.tolist() == found.proposed.tolist() == [8, 8]


def test_the_model_is_called_once_a_round(new_decoder_only):
    model, draft, calls = new_decoder_only(), new_decoder_only(), []
    model.decoder.register_forward_hook(lambda *_: calls.append(1))
    prompt = torch.tensor([[3, 1, 2]])
    speculative_sample(model, draft, prompt, max_new_tokens=11, lookahead=4, seed=0)
    assert len(calls) == 3


@facts("eos", range(1, 13, 3))
def test_it_ends_where_greedy_decoding_ends(new_decoder_only, eos):
    model = new_decoder_only(pad_id=0, **LIVELY)
    draft = near(new_decoder_only(**LIVELY), 0.1)
    prompt = torch.tensor([[3, 1, 2], [4, 5, 6], [8, 9, 1]])
    options = {"max_new_tokens": 7, "eos_id": eos}
    found = speculative_sample(model, draft, prompt, top_k=1, seed=0, **options)
    assert torch.equal(found.tokens, greedy_decode(model, prompt, **options))
    assert (found.accepted <= found.proposed).all()
    assert (found.accepted <= (found.tokens != 0).sum(dim=1)).all()


@facts("length", range(1, 8))
def test_a_guessed_end_is_accepted_like_any_other_guess(markov, length):
    model = markov(torch.eye(8).roll(1, dims=1))  # 0 -> 1 -> ... -> 7, the end
    found = speculative_sample(
        model,
        model,
        torch.tensor([[7 - length]]),
        max_new_tokens=11,
        eos_id=7,
        lookahead=2,
        seed=0,
    )
    # After two guesses that were right the third token is the model's own.
    assert (found.tokens.size(1), int(found.accepted)) == (length, length - length // 3)


def test_the_same_seed_draws_the_same(new_decoder_only):
    model, draft = new_decoder_only(std=0.2), new_decoder_only(seed=1, std=0.2)
    prompt, options = torch.tensor([[3, 1], [2, 5]]), {"max_new_tokens": 11}
    before = torch.get_rng_state()
    first, second, third = (
        speculative_sample(model, draft, prompt, seed=seed, **options).tokens
        for seed in (7, 7, 8)
    )
    assert torch.equal(first, second)
    assert not torch.equal(first, third)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_row_does_not_depend_on_the_others(new_decoder_only):
    model, draft = new_decoder_only(), new_decoder_only(seed=1)
    options = {"max_new_tokens": 11, "seed": 0}
    first, second = (
        speculative_sample(model, draft, torch.tensor(prompt), **options).tokens
        for prompt in ([[3, 1], [2, 5]], [[7, 4], [2, 5]])
    )
    assert torch.equal(first[1], second[1])
    assert not torch.equal(first[0], second[0])


def test_models_stay_in_their_modes(new_decoder_only):
    model, draft = new_decoder_only().train(), new_decoder_only().eval()
    speculative_sample(model, draft, torch.tensor([[3]]), max_new_tokens=3, seed=0)
    assert (model.training, draft.training) == (True, False)

"""Either order of norm and sublayer, shallow and deep, and the trainings."""

from math import inf

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.laboratory.number_words import numbers
from chapters.norm_placement import orders
from chapters.norm_placement.orders import (
    DEPTHS,
    GUESS,
    SMALL,
    SMALL_START,
    STUDY,
    halves,
    measured,
    name_of,
    nats,
    shares_of_labels,
    smoothed_bounds,
    trainer_of,
    unigram_entropy,
)
from transformer.data import encode_pairs, english
from transformer.training import LabelSmoothingLoss, TrainingError

SHALLOW = name_of("post", 2, warm_up=False)
STEPS = STUDY.budgets[0]


@pytest.fixture(scope="module")
def trained():
    return measured(name_of("pre", 2, warm_up=False), 3e-3, STEPS, 7)


def test_a_training_repeats_to_the_last_bit(trained):
    torch.rand(5)
    assert measured(name_of("pre", 2, warm_up=False), 3e-3, STEPS, 7) == trained


def test_a_training_learns_more_than_how_often_each_token_comes(trained):
    assert trained["nats"] < unigram_entropy()
    assert trained["validation"] < unigram_entropy()
    assert 0 <= trained["exact"] <= 1


def test_some_losses_are_kept_and_the_highest_next_to_the_first(trained):
    assert trained["losses"][0] > trained["losses"][-1]
    assert len(trained["losses"]) == orders.KEPT_LOSSES
    assert trained["highest"] >= 1
    assert trained["longest"] > 0


@facts("placement", ["pre", "post"])
@facts("layers", DEPTHS)
def test_a_name_says_what_is_trained(placement, layers):
    name = name_of(placement, layers, warm_up=True)
    config = trainer_of(name, learning_rate=1e-3, steps=8, seed=0)[0].model.config
    assert config.norm_placement == placement
    assert config.num_encoder_layers == config.num_decoder_layers == layers
    assert config.final_norm == (placement == "pre")


@facts("warm_up, rates", [(False, [1.0] * 4), (True, [0.5, 1.0, 1.0, 1.0])])
def test_a_quarter_of_the_steps_is_warm_up(warm_up, rates):
    name = name_of("post", 2, warm_up=warm_up)
    trainer, _ = trainer_of(name, learning_rate=1.0, steps=8, seed=0)
    assert [trainer.schedule(step) for step in (1, 2, 3, 8)] == rates


def test_a_small_start_is_a_fifth_of_the_last_matrix_of_every_branch():
    usual, small = (
        trainer_of(name, learning_rate=1.0, steps=8, seed=0)[0].model.state_dict()
        for name in (name_of("post", 12, warm_up=False), SMALL_START)
    )
    smaller = {name for name in usual if not torch.equal(usual[name], small[name])}
    assert len(smaller) == 12 * 2 + 12 * 3  # branches of the encoder, of the decoder
    assert {name.rsplit(".", 2)[1] for name in smaller} == {
        "output_projection",
        "down_projection",
    }
    for name in smaller:
        torch.testing.assert_close(small[name], SMALL * usual[name])


def test_a_guess_knows_how_often_each_token_comes_and_nothing_else():
    choosing, _ = halves()
    entropy = torch.special.entr(shares_of_labels(choosing)).sum().item()
    assert entropy - 0.05 < GUESS <= entropy
    assert STUDY.guess == GUESS


def test_gradients_are_not_clipped(trained):
    assert trainer_of(SHALLOW, learning_rate=1.0, steps=8, seed=0)[0].max_norm > 1e6
    assert trained["longest"] > 1


def test_a_training_that_is_not_finite_counts_as_the_worst(monkeypatch):
    def diverge(trainer, batches, *, steps):
        orders_run(trainer, batches, steps=2)
        raise TrainingError("a loss is not finite")

    orders_run = orders.run
    monkeypatch.setattr(orders, "run", diverge)
    found = measured(SHALLOW, 1e-3, STEPS, 7)
    assert (found["validation"], found["nats"], found["exact"]) == (inf, inf, 0)


def test_numbers_that_choose_test_and_are_learned_are_apart():
    choosing, test = ({pair.source for pair in half} for half in halves())
    learned = {pair.source for pair in numbers()[0].train}
    assert len(choosing) == len(test) == 100
    assert not choosing & test
    assert not (choosing | test) & learned
    assert learned <= {english(number) for number in range(1000)}


def test_the_rate_is_chosen_by_other_numbers_than_those_of_the_test(monkeypatch):
    asked, run = [], orders.run
    monkeypatch.setattr(orders, "run", lambda *given, steps: run(*given, steps=2))
    monkeypatch.setattr(orders, "nats", lambda model, pairs: asked.append(pairs))
    measured(SHALLOW, 1e-3, STEPS, 7)
    assert asked == list(halves())


def test_the_nats_are_those_of_the_words():
    trainer, _ = trainer_of(SHALLOW, learning_rate=1e-3, steps=8, seed=0)
    pair, model = halves()[1][0], trainer.model.eval()
    (example,) = encode_pairs([pair], numbers()[1])
    source, target = (torch.tensor([ids]) for ids in (example.source, example.target))
    chances = model(source, target[:, :-1]).log_softmax(dim=-1)[0]
    wanted = -chances[torch.arange(len(chances)), target[0, 1:]].mean().item()
    assert nats(model, [pair]) == pytest.approx(wanted, rel=1e-5)


def test_the_unigram_entropy_is_that_of_the_words():
    tokenizer, (_, test) = numbers()[1], halves()
    words = [w for p in test for w in [*tokenizer.encode(p.target), "end"]]
    shares = torch.tensor([words.count(w) / len(words) for w in set(words)])
    assert unigram_entropy() == pytest.approx(-(shares * shares.log()).sum().item())


def test_the_bounds_are_the_least_losses_of_constant_and_of_any_prediction():
    splits, tokenizer = numbers()
    encoded = encode_pairs(splits.train, tokenizer)
    labels = torch.tensor([i for example in encoded for i in example.target[1:]])
    certain = torch.nn.functional.one_hot(labels, tokenizer.vocab_size).double()
    smoothed = 0.9 * certain + 0.1 / tokenizer.vocab_size
    constant = smoothed.mean(dim=0).log().requires_grad_()
    losses = [
        LabelSmoothingLoss()(logits, labels)
        for logits in (constant.expand_as(smoothed), smoothed.log())
    ]
    assert [loss.item() for loss in losses] == pytest.approx(smoothed_bounds())
    losses[0].backward()  # convex: where the slope is zero, the loss is least
    assert constant.grad.abs().max() < 1e-12

"""The trainings of the chapter on norm placement, and the file of their results."""

from itertools import product

import pytest
import torch

from chapters.laboratory.number_words import GRID, numbers, read_runs, results
from chapters.norm_placement.experiments import (
    grid,
    measured,
    smoothed_bounds,
    train_numbers,
    unigram_entropy,
)
from transformer.data import encode_pairs, english
from transformer.training import LabelSmoothingLoss

SHORT = {"layers": 1, "warm_up": 2, "learning_rate": 3e-3, "seed": 7, "steps": 3}


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_a_training_repeats_to_the_last_bit(placement):
    first = train_numbers(placement, **SHORT)
    torch.rand(5)
    assert train_numbers(placement, **SHORT) == first


def test_a_training_tells_its_settings_and_its_worst_step():
    run = train_numbers("post", **SHORT)
    assert (run.placement, run.layers, run.seed) == ("post", 1, 7)
    assert len(run.losses) == 3
    assert run.highest_loss == max(run.losses)
    assert run.largest_gradient > 0
    assert 0 <= run.exact_match <= 1


def test_a_training_lowers_the_cross_entropy():
    run = train_numbers("pre", **(SHORT | {"steps": 40}))
    assert run.cross_entropy < unigram_entropy()


def test_held_out_numbers_are_never_learned():
    splits, _ = numbers()
    learned = {pair.source for pair in splits.train}
    assert not [pair for pair in splits.test if pair.source in learned]
    assert learned <= {english(number) for number in range(1000)}


def test_the_unigram_entropy_is_that_of_the_words():
    splits, tokenizer = numbers()
    words = [w for p in splits.test for w in [*tokenizer.encode(p.target), "end"]]
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


def test_the_file_holds_each_training_of_the_grid_once():
    runs = read_runs()
    found = [tuple(getattr(run, name) for name in GRID) for run in runs]
    assert found == list(product(*GRID.values()))
    assert len(grid()) == len(runs)


def test_results_have_a_row_for_each_seed_and_a_column_for_each_rate():
    runs = read_runs()
    wanted = {"layers": 2, "placement": "pre", "warm_up": 0}
    found = results(runs, "exact_match", **wanted)
    assert found.shape == (3, len(GRID["learning_rate"]))
    of_seed = [r for r in runs if r.seed == 1 and vars(r).items() >= wanted.items()]
    assert found[1].tolist() == [run.exact_match for run in of_seed]


def test_of_the_losses_each_fifth_is_kept():
    settings = {"placement": "pre"} | SHORT | {"steps": 6}
    run, row = train_numbers(**settings), measured(**settings)
    assert row["losses"] == [run.losses[0], run.losses[5]]
    assert row["cross_entropy"] == run.cross_entropy

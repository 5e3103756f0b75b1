"""The trainings of the chapter on checks of a fresh model, and their file."""

from itertools import product
from math import log

import torch

from bookkit.checking.facts import facts
from chapters.is_it_the_model.experiments import (
    LENGTH,
    MEASUREMENTS,
    SEEDS,
    SOURCES,
    Reader,
    draw_sequences,
    settings,
    share_foretold,
    train_reader,
)
from chapters.laboratory.fit import same_numbers

SHORT = {"steps": 3, "length": 5, "d_model": 8, "d_ff": 16, "num_heads": 2}


@facts("source", SOURCES)
def test_a_training_repeats_to_the_last_bit(source):
    first = train_reader(source, seed=7, **SHORT)
    torch.rand(5)
    assert train_reader(source, seed=7, **SHORT) == first
    assert len(first["losses"]) == 5
    assert 0 <= first["seen"] <= 1


def test_the_labels_are_the_tokens_one_step_on():
    with same_numbers(0):
        (tokens, others), labels = draw_sequences(3, 7)
    assert tokens.shape == others.shape == labels.shape == (3, 7)
    assert torch.equal(tokens[:, 1:], labels[:, :-1])


def test_only_the_encoder_of_the_same_tokens_reads_what_is_to_be_named():
    with same_numbers(0):
        (tokens, others), _ = draw_sequences(3, 5)
        changed = tokens.clone()
        changed[:, -1] = (changed[:, -1] + 1) % 16
    for source in SOURCES:
        sizes = {"length": 5, "d_model": 8, "d_ff": 16, "num_heads": 2}
        model = Reader(source, **sizes)
        same = torch.equal(
            model(tokens, others)[:, 0].round(decimals=4),
            model(changed, others)[:, 0].round(decimals=4),
        )
        assert same == (source != "the same tokens")


class Echo(torch.nn.Module):
    """A model that names the token that it reads."""

    def forward(self, tokens, others):
        return torch.nn.functional.one_hot(tokens, 16).double()


def test_the_share_foretold_counts_guesses_from_what_came_before():
    tokens = torch.tensor([[1, 2, 2, 3]])
    labels = torch.tensor([[2, 2, 3, 3]])
    assert share_foretold(Echo(), tokens, tokens, labels) == 0.5


def test_the_file_holds_each_training_once():
    rows = MEASUREMENTS.read()
    found = [(row["source"], row["seed"]) for row in rows]
    assert found == list(product(SOURCES, SEEDS))
    assert len(settings()) == len(rows)
    assert all(len(row["losses"]) == LENGTH for row in rows)


def test_without_a_leak_the_file_shows_no_loss_below_the_least():
    for row in MEASUREMENTS.read():
        mean = sum(row["losses"]) / LENGTH
        assert (mean < log(16) - 1) == (row["source"] == "the same tokens")

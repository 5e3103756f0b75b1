"""The trainings of the chapter on embeddings, and the file of their results."""

from functools import partial

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.embeddings import experiments
from chapters.embeddings.experiments import (
    STUDY,
    cosines,
    kinship,
    measured,
    ordered_letters,
    sizes,
    start_of,
    table_of,
)
from chapters.laboratory.language import LETTERS, VOWELS
from chapters.laboratory.language_model import language_model, train_and_measure


def fresh(start):
    return language_model(seed=3, position="sinusoidal", **start_of(start))


@facts(
    "start, size",
    [
        ("0.02", 0.02),
        ("0.02, times 8", 0.16),
        ("0.16", 0.16),
        ("1", 1.0),
        ("1/8, times 8", 1.0),
    ],
)
def test_a_start_has_the_size_that_its_name_says(start, size):
    # 22 x 64 draws: the standard error of their size is 2 percent
    assert abs(sizes(fresh(start)).mean().item() / size - 1) < 0.1


@facts("factor, plain", [("0.02, times 8", "0.16"), ("1/8, times 8", "1")])
@torch.no_grad()
def test_the_factor_can_be_put_into_the_table_without_changing_the_model(factor, plain):
    tokens = torch.arange(1, 20)[None]
    with_factor, without = fresh(factor)(tokens), fresh(plain)(tokens)
    assert_close(with_factor, without, rtol=1e-5, atol=1e-5)  # float32


def test_a_letter_has_cosine_one_with_itself():
    matrix = cosines(table_of(fresh("0.02")))
    assert matrix.shape == (len(LETTERS), len(LETTERS))
    assert_close(matrix.diagonal(), torch.ones(len(LETTERS), dtype=torch.float64))


def test_vowels_come_first_and_no_letter_is_lost():
    assert ordered_letters().startswith(VOWELS)
    assert sorted(ordered_letters()) == sorted(LETTERS)


def test_kinship_leaves_a_letter_with_itself_out():
    vowels = torch.tensor([letter in VOWELS for letter in ordered_letters()])
    alike = (vowels[:, None] == vowels).double()
    found = kinship(3 * alike - 2 * (1 - alike) + 90 * torch.eye(len(vowels)))
    assert found == {"vowels": 3.0, "consonants": 3.0, "mixed": -2.0}


def test_a_measurement_repeats_and_has_the_fields_of_the_file(monkeypatch):
    small = partial(train_and_measure, batch=3)
    monkeypatch.setattr(experiments, "train_and_measure", small)
    first = measured("0.16", 1e-2, 8, 0)
    torch.rand(3)
    assert measured("0.16", 1e-2, 8, 0) == first
    setting = {"variant", "steps", "learning_rate", "seed", "seconds"}
    assert {*first} | setting == {*STUDY.rows[0]}


def test_the_cosines_of_one_seed_and_the_long_trainings_are_kept():
    for row in STUDY.rows:
        kept = row["seed"] == 0 and row["steps"] == STUDY.budgets[-1]
        assert ("cosines" in row) == kept
        if kept:
            found = kinship(torch.tensor(row["cosines"]))
            assert found == pytest.approx({p: row[p] for p in found}, abs=0.01)


def test_only_padding_which_is_never_read_keeps_its_vector():
    assert all(row["still"] == [0] for row in STUDY.rows)


@facts("seed", [0, 1, 2])
def test_a_fresh_tied_model_with_the_factor_expects_the_token_just_read(seed):
    ids = torch.arange(1, 20)
    choices = {"position": "sinusoidal", "tie_embeddings": True}
    device = torch.get_default_device()
    means = {}
    for scaled in (True, False):
        model = language_model(seed=seed, scale_embeddings=scaled, **choices)
        logits = model(ids[None].to(device))[0].detach().cpu()
        means[scaled] = logits.gather(1, ids.cpu()[:, None]).mean()
    assert means[True] > 3.5
    assert means[False] < 1.5

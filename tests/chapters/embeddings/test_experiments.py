"""The trainings of the chapter on embeddings, and the file of their results."""

from itertools import product

import pytest
import torch
from torch.testing import assert_close

from chapters.embeddings.experiments import (
    BIN,
    MEASUREMENTS,
    SEEDS,
    STARTS,
    STEPS,
    cosines,
    kinship,
    measured,
    ordered_letters,
    settings,
    sizes,
    start_with,
    table_of,
)
from chapters.laboratory.language import LETTERS, VOWELS
from chapters.laboratory.language_model import language_model

SHORT = {"steps": 2, "warm_up": 1, "batch": 3}


def fresh(start):
    chosen = STARTS[start]
    return language_model(
        seed=3,
        position="sinusoidal",
        scale_embeddings=chosen["scaled"],
        change=start_with(chosen["std"]),
    )


@pytest.mark.parametrize(
    ("start", "size"),
    [("0.02", 0.02), ("0.02, times 8", 0.16), ("0.16", 0.16), ("1/8, times 8", 1.0)],
)
def test_a_start_has_the_size_that_its_name_says(start, size):
    # 22 x 64 draws: the standard error of their size is 2 percent
    assert abs(sizes(fresh(start)).mean().item() / size - 1) < 0.1


@torch.no_grad()
def test_the_factor_can_be_put_into_the_table_without_changing_the_model():
    tokens = torch.arange(1, 20)[None]
    with_factor, without = fresh("0.02, times 8")(tokens), fresh("0.16")(tokens)
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


def test_a_measurement_repeats():
    first = measured("0.16", 0, **SHORT)
    torch.rand(3)
    assert measured("0.16", 0, **SHORT) == first
    assert len(first["cosines"]) == len(LETTERS)
    assert "cosines" not in measured("0.16", 1, **SHORT)


def test_the_file_holds_each_training_once():
    rows = MEASUREMENTS.read()
    found = [(row["start"], row["seed"]) for row in rows]
    assert found == list(product(STARTS, SEEDS))
    assert found == [(setting["start"], setting["seed"]) for setting in settings()]
    assert all(len(row["losses"]) == STEPS // BIN for row in rows)


@pytest.mark.parametrize("seed", [0, 1, 2])
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

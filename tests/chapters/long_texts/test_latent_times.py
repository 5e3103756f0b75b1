"""The time of a token with latent attention, and what it multiplies."""

import torch
from torch.testing import assert_close

from chapters.long_texts.latent_times import (
    HELD,
    MEASUREMENTS,
    measured,
    multiplications,
    step,
)


def test_both_forms_give_the_same():
    plain, absorbed = (step(form, held=5)().values for form in (False, True))
    # float32, in another order
    assert_close(plain, absorbed, rtol=1e-4, atol=1e-5)


def test_each_length_is_timed_in_both_forms():
    rows = list(measured(rounds=1, lengths=(3, 5)))
    found = [(row["held"], row["form"]) for row in rows]
    assert found == [(n, form) for n in (3, 5) for form in ("plain", "absorbed")]
    assert min(row["milliseconds"] for row in rows) > 0


def test_multiplications_are_those_of_the_matrices_and_the_scores():
    assert multiplications("plain", held=1) == 2 * 16 * 64 * 128 + 16 * (64 + 96)
    assert multiplications("absorbed", held=1) == 2 * 16 * 64 * 128 + 16 * (160 + 128)
    plain, absorbed = (multiplications(f, held=999) for f in ("plain", "absorbed"))
    assert plain > 40 * absorbed


def test_the_file_holds_each_length_twice():
    rows = MEASUREMENTS.read()
    assert [row["held"] for row in rows] == [n for n in HELD for _ in range(2)]
    times = torch.tensor([row["milliseconds"] for row in rows]).view(-1, 2)
    assert (times[:, 1] < times[:, 0]).all()

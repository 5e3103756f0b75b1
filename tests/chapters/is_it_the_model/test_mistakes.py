"""Six mistakes in one small model: what each is, and which check sees it."""

from math import log

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.is_it_the_model import mistakes
from chapters.is_it_the_model.mistakes import (
    AS_MEANT,
    CHECKS,
    LENGTH,
    MISTAKES,
    PIECE,
    SHIFTED_TWICE,
    SONG,
    VOCAB,
    Small,
    build,
    draw_song,
    examine,
    first_loss,
    moved_by_later,
    noise,
    stored,
    too_many,
    trained,
    write,
)

# Which checks are not content, by the mistake; the page says the same.
SEEN = {
    AS_MEANT: [],
    "head is a copy": [0],
    "entries of size 1": [1],
    "layers in a list": [0, 4],
    "mask forgotten": [2, 3],
    "labels not shifted": [1, 3],
    "softmax twice": [4],
}


@pytest.fixture
def _double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def test_every_mistake_is_listed_here():
    assert [*SEEN] == [AS_MEANT, *MISTAKES]
    assert len(CHECKS) == 5


@facts("mistake", SEEN)
def test_the_checks_see_what_the_page_says(mistake):
    _, verdicts = examine(mistake, seed=1)
    assert [i for i, fine in enumerate(verdicts) if not fine] == SEEN[mistake]


def test_the_file_holds_what_the_checks_see_of_each_model():
    assert [*stored()] == [*SEEN]
    for mistake, (numbers, verdicts) in stored().items():
        assert len(numbers) == len(CHECKS)
        assert [i for i, fine in enumerate(verdicts) if not fine] == SEEN[mistake]


@pytest.mark.usefixtures("_double")
def test_a_row_of_the_file_is_measured_again():
    numbers, verdicts = examine("softmax twice")
    assert (pytest.approx(numbers, abs=0.01), verdicts) == stored()["softmax twice"]


def test_an_examination_repeats_to_the_last_bit(monkeypatch):
    monkeypatch.setattr(mistakes, "STEPS", 3)
    first, _ = examine(AS_MEANT)
    torch.rand(3)
    assert examine(AS_MEANT)[0] == first


@facts("mistake", [*MISTAKES, SHIFTED_TWICE])
def test_a_model_with_a_mistake_starts_as_a_right_one_would(mistake):
    torch.manual_seed(0)
    right = Small()
    torch.manual_seed(0)
    wrong = build(mistake)
    assert torch.equal(right.places.weight, wrong.places.weight)
    assert len(wrong.layers) == len(right.layers)


def test_only_mistakes_that_are_known_can_be_planted():
    assert type(build()) is Small
    with pytest.raises(ValueError, match="no masks"):
        build("no masks")


def test_the_formula_counts_the_right_model():
    assert too_many(Small()) == 0
    assert too_many(build("head is a copy")) == VOCAB * mistakes.WIDTH


def test_the_first_loss_is_in_units_of_a_guess():
    torch.manual_seed(0)
    model = Small()
    torch.nn.init.zeros_(model.tokens.weight)
    assert first_loss(model) == pytest.approx(1)


def test_only_without_its_mask_the_model_sees_a_later_token():
    torch.manual_seed(0)
    assert moved_by_later(Small()) < 1e-5
    assert moved_by_later(build("mask forgotten")) > 1e-3


def test_labels_are_one_step_on_unless_that_is_the_mistake():
    torch.manual_seed(0)
    model, wrong = Small(), build("labels not shifted")
    wrong.load_state_dict(model.state_dict())
    ids = mistakes.draw(3)
    losses = -model(ids[:, :-1]).log_softmax(dim=-1)
    right = losses.gather(-1, ids[:, 1:, None]).mean()
    torch.testing.assert_close(model.loss(ids), right)
    same = losses.gather(-1, ids[:, :-1, None]).mean()
    torch.testing.assert_close(wrong.loss(ids), same)


def test_labels_shifted_twice_are_the_tokens_after_the_next():
    torch.manual_seed(0)
    model = build(SHIFTED_TWICE)
    ids = mistakes.draw(3)
    losses = -model(ids[:, :-1]).log_softmax(dim=-1)
    later = losses[:, :-1].gather(-1, ids[:, 2:, None]).mean()
    torch.testing.assert_close(model.loss(ids), later)


def test_pieces_of_the_song_have_one_letter_more_than_is_read():
    torch.manual_seed(0)
    pieces = draw_song(50)
    assert pieces.shape == (50, PIECE + 1)
    texts = {"".join(mistakes.SIGNS[number] for number in row) for row in pieces}
    assert len(texts) > 20
    assert all(text in SONG for text in texts)


@facts("mistake", [AS_MEANT, "mask forgotten", "labels not shifted", SHIFTED_TWICE])
def test_only_with_mask_and_shift_a_model_writes_what_it_learned(mistake, monkeypatch):
    monkeypatch.setattr(mistakes, "STEPS", 200 if mistake == AS_MEANT else 120)
    torch.manual_seed(2)
    model = build(mistake, length=PIECE)
    assert trained(model, draw_song) < 0.5
    written = write(model, "how i w")
    assert len(written) == PIECE + 1
    assert (written in SONG) == (mistake == AS_MEANT)


def test_a_second_softmax_makes_the_loss_nearly_that_of_a_guess():
    torch.manual_seed(0)
    model = build("softmax twice")
    assert model.loss(mistakes.draw()).item() == pytest.approx(log(VOCAB), abs=0.05)


def test_noise_is_drawn_from_its_seed_and_of_its_size():
    ids = noise(vocab=7, batch=3, time=LENGTH)
    assert ids.shape == (3, LENGTH)
    assert ids.max() < 7
    assert torch.equal(ids, noise(vocab=7, batch=3, time=LENGTH))
    assert not torch.equal(ids, noise(vocab=7, batch=3, time=LENGTH, seed=1))

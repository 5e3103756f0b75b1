"""Pictures of numbers, and a reader that writes them in French."""

import pytest
import torch

from chapters.beyond_words.digits import digits
from chapters.beyond_words.reading import (
    MEASUREMENTS,
    SHOWN,
    Reader,
    draw_pictures,
    looks_of,
    numbers_of,
    share_right,
    targets_of,
    tokenizer,
    train_reader,
)
from chapters.laboratory.fit import same_numbers
from transformer.data import BOS_ID, EOS_ID, PAD_ID, french


@pytest.fixture(scope="module")
def words():
    return tokenizer()


def new_reader(length, words):
    with same_numbers(0):
        return Reader(length, words).float().eval()


@pytest.mark.parametrize("length", [2, 3])
def test_numbers_are_learned_or_kept_back(length):
    learned, kept = (numbers_of(length, kept_back=back) for back in (False, True))
    everything = sorted([*learned.tolist(), *kept.tolist()])
    assert everything == [*range(10 ** (length - 1), 10**length)]
    assert len(kept) == pytest.approx(len(everything) / 5, abs=1)


def test_of_one_digit_all_are_learned_and_tested():
    assert numbers_of(1, kept_back=False).tolist() == [*range(10)]
    assert numbers_of(1, kept_back=True).tolist() == [*range(10)]


def test_a_picture_shows_the_digits_of_its_number_side_by_side():
    part = digits().tested
    with same_numbers(0):
        found = draw_pictures(torch.tensor([397, 205]), 3, part)
    assert found.shape == (2, 1, 8, 24)
    for image, digits_of in zip(found, ([3, 9, 7], [2, 0, 5]), strict=True):
        for place, digit in enumerate(digits_of):
            own = part.images[part.labels == digit]
            piece = image[None, :, :, 8 * place : 8 * place + 8]
            assert (own == piece).flatten(start_dim=1).all(dim=1).any()


def test_targets_begin_and_end_and_are_padded(words):
    found = targets_of(torch.tensor([7, 397]), words)
    assert found[:, 0].tolist() == [BOS_ID] * 2
    assert found[0, 2:].tolist() == [EOS_ID] + [PAD_ID] * (found.size(1) - 3)
    end = found[1].tolist().index(EOS_ID)
    assert words.decode(found[1, 1:end].tolist()) == french(397)


def test_a_reader_sees_no_later_word(words):
    reader = new_reader(2, words)
    images = draw_pictures(torch.tensor([42]), 2, digits().tested)
    target = torch.tensor([[BOS_ID, 5, 6, 7]])
    other = torch.tensor([[BOS_ID, 5, 6, 9]])
    with torch.no_grad():
        first, second = reader(images, target), reader(images, other)
    torch.testing.assert_close(first[:, :3], second[:, :3])
    assert not torch.isclose(first[:, 3], second[:, 3]).all()


def test_a_reader_learns_what_it_is_shown(words):
    reader = new_reader(1, words)
    with same_numbers(0):
        losses = train_reader(reader, 1, digits().learned, words, steps=40)
    assert sum(losses[-5:]) < 0.7 * sum(losses[:5])


def test_a_share_counts_whole_numbers(words, monkeypatch):
    said = []

    def half(reader, images, words):
        said.append(len(images))
        return ["sept"] * len(images)

    monkeypatch.setattr("chapters.beyond_words.reading.write", half)
    with same_numbers(0):
        found = share_right(new_reader(1, words), 1, digits().tested, words)
    assert said == [200]
    assert found == pytest.approx(0.1, abs=0.08)


def test_looks_are_weights_of_patches(words):
    reader = new_reader(2, words)
    image = draw_pictures(torch.tensor([42]), 2, digits().tested)
    pieces, weights = looks_of(reader, image, words)
    assert weights.shape == (len(pieces), 4, 8)
    assert (weights >= 0).all()
    assert (weights.flatten(start_dim=1).sum(dim=1) <= 1 + 1e-6).all()
    assert pieces[-1] == ""


def test_the_file_has_what_the_page_shows():
    rows = MEASUREMENTS.read()
    assert {row["length"] for row in rows} == {1, 2, 3}
    kept = [row for row in rows if "pieces" in row]
    assert kept
    assert len(kept[0]["weights"]) == len(kept[0]["pieces"])
    assert len(kept[0]["image"]) == 8
    assert SHOWN == 397

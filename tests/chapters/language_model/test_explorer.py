"""The explorer of guessers shows what n-grams and the book's model hold."""

import math
import re

import pytest
import torch

from chapters.laboratory import king_james
from chapters.language_model import explorer
from chapters.language_model.ngrams import ngram_bits
from transformer import zoo
from transformer.training import score_text

VERSE = explorer.VERSE
GUESSERS = explorer.show().data["guessers"]


def bits(guesser):
    return [each for _, each, _ in GUESSERS[guesser]]


def counted(text):
    """Return what letters cost behind the verse before, by n-grams of each order."""
    train = king_james.split_text("train")
    return ngram_bits(train, explorer.before() + text, order=explorer.LONGEST)


def test_verse_is_one_that_no_guesser_has_read():
    assert VERSE in king_james.split_text("validation")
    assert VERSE not in king_james.split_text("train")
    assert explorer.before().startswith("So, as much as in me is")
    assert explorer.before().count("\n") == 1


def test_letters_cost_what_counted_letters_say():
    expected = counted(VERSE)[:, -len(VERSE) :]
    for n, row in enumerate(expected.tolist(), start=1):
        assert bits(n) == pytest.approx(row, abs=0.006)
    assert bits(0) == pytest.approx([math.log2(63)] * len(VERSE), abs=0.006)


def test_pieces_cost_what_the_model_says():
    model, tokenizer = zoo.load("verses")
    ids = torch.tensor(tokenizer.encode(explorer.before() + VERSE))
    nats = score_text(model, ids, width=256, stride=128)
    places = GUESSERS[-1]
    found = nats[-len(places) :] / math.log(2)
    assert bits(-1) == pytest.approx(found.tolist(), abs=0.01)
    assert [letters for letters, _, _ in places] == [
        len(piece) for piece in tokenizer.pieces(VERSE)
    ]


@pytest.mark.parametrize("at", [0, 16])
def test_guesses_are_told_with_their_percents(at):
    n = explorer.LONGEST
    for guess, percent in GUESSERS[n][at][2]:
        cost = counted(VERSE[:at] + guess)[n - 1, -1]
        assert percent == round(100 * 2**-cost)


def test_no_letter_was_likelier_than_the_first_guess():
    for places in GUESSERS:
        for _, cost, ((_, first), (_, second)) in places:
            assert first >= second
            assert 100 * 2**-cost <= first + 1  # both rounded


def test_script_finds_the_place_of_each_letter(ask):
    places = GUESSERS[-1]
    found = ask(
        "language_model", *(["math.find", places, i] for i in range(len(VERSE)))
    )
    pieces = enumerate(begins())
    expected = [(i, begin) for i, (begin, piece) in pieces for _ in piece]
    assert [(x["i"], x["begin"]) for x in found] == expected


def begins():
    """Return each piece of the verse, and at which letter it begins."""
    _, tokenizer = zoo.load("verses")
    begin = 0
    for piece in tokenizer.pieces(VERSE):
        yield begin, piece
        begin += len(piece)


def test_areas_of_the_bars_are_the_bits(ask):
    for places in GUESSERS:
        [bars] = ask("language_model", ["math.bars", places])
        for bar, (letters, each, _) in zip(bars, places, strict=True):
            high, wide = re.search(r"v-(.+)h(\d+)v", bar).groups()
            assert int(wide) == 10 * letters - 2
            assert float(high) * letters == pytest.approx(
                12 * each, abs=0.006 * letters
            )


def test_file_takes_the_bits_in_whole_bytes(ask):
    found = ask("language_model", *(["math.bytes", places] for places in GUESSERS))
    assert found == [math.ceil(sum(bits(i)) / 8) for i in range(len(GUESSERS))]
    assert found == sorted(found, reverse=True)
    [squares] = ask("language_model", ["math.squares", 3, 5])
    assert squares == "M41 14h8v8h-8zM51 14h8v8h-8z"


def test_instruction_says_what_ashamed_costs():
    begin = VERSE.index("ashamed")
    costs = bits(explorer.LONGEST)[begin : begin + 7]
    assert round(sum(costs[:3])) == 9
    assert round(sum(costs[3:])) == 1


def test_most_bits_go_to_first_letters_of_words():
    costs = bits(explorer.LONGEST)
    first = [i for i in range(len(VERSE)) if f" {VERSE}"[i] == " "]
    assert len(first) == 8
    assert sum(costs[i] for i in first) > sum(costs) / 2


def test_first_picture_guesses_from_one_letter_before():
    html = explorer.show()._repr_html_()
    assert "Behind “For I am not ” it holds “t” " in html
    assert f"All 34 letters: {sum(bits(2)):.0f} bits" in html

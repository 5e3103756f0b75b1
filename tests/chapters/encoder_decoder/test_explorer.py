"""The explorer of a verb computes what the chapter's drawn words do."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.encoder_decoder import drawn_words as drawn
from chapters.encoder_decoder import explorer

DATA, HTML = explorer.show().data, explorer.show()._repr_html_()
VERBS = [(river / 2, money / 2) for river in range(11) for money in range(11)]
EVERY_PART = facts("without", explorer.PARTS)


@pytest.fixture(autouse=True)
def _in_double_precision():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def read_and_write(verb, without):
    """Return the rows of bank and la, the two looks, and the scores, by the package."""
    river, money = verb
    words = drawn.SOURCE | {"verb": {"verb": 2, "river": river, "money": money}}
    x = drawn.rows(("The", "bank", "verb", "EOS"), words)
    y = drawn.rows(("BOS", "la"), drawn.TARGET)
    up, down = drawn.decide()

    def look(rows, others, part):
        weights = drawn.weights(rows, others)
        return (
            (rows, 0 * weights)
            if part == without
            else (rows + weights @ others, weights)
        )

    def decide(rows):
        return rows if without == "networks" else rows + (rows @ up).relu() @ down

    looked, at = look(x, x, "looking")
    memory = decide(looked)
    said, _ = look(y, y, "")  # the last row sees both
    heard, of = look(said, memory, "cross")
    made = decide(heard)
    return {
        "bank": [x[1].tolist(), looked[1].tolist(), memory[1].tolist()],
        "la": [said[1].tolist(), heard[1].tolist(), made[1].tolist()],
        "looks": [at[1, 2].item(), *of[1, 1:3].tolist()],
        "scores": [*drawn.scores(made[1]).values()],
    }


@EVERY_PART
def test_way_of_both_words_is_that_of_the_package(ask, without):
    asked = [["math.way", DATA, verb, without] for verb in VERBS]
    for verb, found in zip(VERBS, ask("encoder_decoder", *asked), strict=True):
        for name, numbers in read_and_write(verb, without).items():
            ours, theirs = (torch.tensor(n).double() for n in (found[name], numbers))
            torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_whole_way_is_that_of_the_chapter():
    memory = drawn.read(explorer.SENTENCE)["its note"]
    last = {name: rows[-1] for name, rows in drawn.write(explorer.SAID, memory).items()}
    ours = read_and_write((4, 0), "nothing")
    assert ours["la"] == [
        last[name].tolist() for name in ("said so far", "with the notes", "made of it")
    ]


@EVERY_PART
def test_the_verb_decides_unless_the_cross_attention_is_missing(ask, without):
    asked = [["math.way", DATA, verb, without] for verb in VERBS]
    for (river, money), found in zip(
        VERBS, ask("encoder_decoder", *asked), strict=True
    ):
        scores = dict(zip(DATA["words"], found["scores"], strict=True))
        lead = scores["rive"] - scores["banque"]
        hears = without != "cross"
        assert (lead > 1e-9) == (hears and river > money)
        assert (lead < -1e-9) == (hears and river < money)
        others = [scores[word] for word in ("la", "fleurit", "prête", "EOS")]
        assert max(scores["rive"], scores["banque"]) > max(others)


def test_notes_stay_in_the_plane(ask):
    asked = [["math.way", DATA, verb, "nothing"] for verb in VERBS]
    notes = [found["bank"][2][4:] for found in ask("encoder_decoder", *asked)]
    assert 1 <= min(map(min, notes)) <= max(map(max, notes)) <= 6


def test_first_picture_has_the_numbers_of_the_chapter():
    for part, number in (
        ("river-1", "2.7"),
        ("river-2", "3.8"),
        ("money-2", "1.6"),
        ("river-5", "6.1"),
        ("banque", "8.4"),
    ):
        assert f'data-part="{part}">{number}<' in HTML
    assert 'data-part="rive" class="said">12.9<' in HTML
    assert "0.96, at the verb's with 0.01. The decoder says “rive”." in HTML

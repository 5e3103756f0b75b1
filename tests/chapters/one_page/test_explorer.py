"""The explorer of trainings shows what the machines print on the way."""

from math import log

from bookkit.checking.facts import facts
from chapters.one_page import explorer
from chapters.one_page.changes import rewritten
from chapters.one_page.logs import read_logs

DATA, HTML = explorer.show().data, explorer.show()._repr_html_()
LOGS = {name: read_logs()[name] for name in ("as it is", *explorer.CHANGES)}
EVERY_CHANGE = facts("name", explorer.CHANGES)


@facts("name", LOGS)
def test_curves_and_texts_are_those_of_the_stored_logs(name):
    losses, texts = DATA["logs"][name]
    steps = range(0, 10 * len(losses), 10)
    found = dict(zip(steps, zip(losses, texts, strict=True), strict=True))
    assert found == LOGS[name]
    assert len(losses) <= 31


@EVERY_CHANGE
def test_the_line_that_is_shown_makes_the_other_machine(name):
    gone, come = DATA["lines"][name]
    assert come in rewritten((gone, come))


def test_losses_stand_at_the_height_of_their_logarithm(ask):
    losses = [0.01, 0.1, 1.0, log(11)]
    found = ask("one_page", *(["math.high", loss] for loss in losses))
    foot, decade = ask("one_page", ["() => FOOT"], ["() => DECADE"])
    for loss, high in zip(losses, found, strict=True):
        assert abs((foot - high) / decade - (log(loss, 10) + 2)) < 1e-9


@facts("name", LOGS)
def test_curves_stay_in_the_drawing(ask, name):
    losses, _ = DATA["logs"][name]
    heights = ask("one_page", *(["math.high", loss] for loss in losses))
    foot, right = ask("one_page", ["() => FOOT"], ["() => RIGHT"])
    assert 10 <= min(heights) <= max(heights) <= foot
    [last] = ask("one_page", ["math.across", len(losses) - 1])
    assert last <= right


def test_signs_are_right_where_the_answer_has_them(ask):
    texts = {"egaxbac>": [1, 1, 1, 0, 1, 1, 1, 1], "hhc>": [0, 0, 0, 0], "": []}
    asked = [["math.right", text, DATA["answer"]] for text in texts]
    assert ask("one_page", *asked) == [*texts.values()]


def test_at_the_end_the_loss_tells_of_one_mistake_only():
    ends = {name: [column[-1] for column in DATA["logs"][name]] for name in LOGS}
    assert ends["as it is"] == [0.01, DATA["answer"]]
    assert ends["scrambled"] == [0.01, "hhc>"]
    assert ends["unmasked"][0] == 0.01
    assert ends["unmasked"][1] != DATA["answer"]
    assert ends["no scale"][1] == DATA["answer"]
    assert ends["no position"][0] > 1


def test_first_picture_has_the_numbers_of_the_chapter():
    assert "After 100 steps the file as it is has a loss of 0.71" in HTML
    assert "With the line changed the loss is 1.12 and the text “aaf”:" in HTML
    assert "0 of 8 signs are in their place" in HTML

"""The drawing of a finished translation."""

import xml.etree.ElementTree as ET

import pytest

from chapters.live import still, told

SVG = "{http://www.w3.org/2000/svg}"
SMALL = {
    "text": "a-b",
    "translation": "c d",
    "source": ["a", "##-b"],
    "words": [
        {"piece": "c", "looks": [1.0, 0.0]},
        {"piece": "d", "looks": [0.25, 0.75]},
    ],
    "place": 1,
    "seen": "d looks at b.",
}


@pytest.fixture
def small():
    return ET.fromstring(still.draw(SMALL))


def test_the_file_is_the_one_that_is_drawn_today():
    assert still.FILE.read_text("utf-8") == still.draw(told.read()["rest"])


def test_it_says_what_is_seen_to_those_who_cannot_see_it(small):
    assert small.find(f"{SVG}title").text == "“a-b” becomes “c d”"
    assert small.find(f"{SVG}desc").text == SMALL["seen"]


def test_pieces_of_a_word_touch_and_words_do_not(small):
    a, b, c, d = boxes(small)
    assert b["x"] == a["x"] + a["width"]
    assert d["x"] == c["x"] + c["width"] + still.SPACE


def test_each_look_is_a_line_between_the_middles_of_its_words(small):
    a, b, c, d = (box["x"] + box["width"] / 2 for box in boxes(small))
    ends = {(float(line.get("x1")), float(line.get("x2"))) for line in lines(small)}
    assert ends == {(a, c), (a, d), (b, d)}


def test_a_stronger_look_is_a_wider_line_and_the_chosen_word_has_its_own(small):
    chosen = [line for line in lines(small) if line.get("class") == "asks"]
    widths = [float(line.get("stroke-width")) for line in chosen]
    assert widths == [1.5, 3.5]
    marked = [rect for rect in small.iter(f"{SVG}rect") if rect.get("class") == "asks"]
    assert [float(rect.get("x")) for rect in marked] == [boxes(small)[3]["x"]]


def test_no_word_leaves_the_drawing(small):
    *_, wide, high = map(float, small.get("viewBox").split())
    for box in boxes(small):
        assert box["x"] + box["width"] <= wide
        assert box["y"] + still.HEIGHT <= high


def lines(drawing):
    return list(drawing.iter(f"{SVG}line"))


def boxes(drawing):
    """Return where the paper of each word is."""
    return [
        {name: float(rect.get(name)) for name in ("x", "y", "width")}
        for rect in drawing.iter(f"{SVG}rect")
        if rect.get("class") is None
    ]

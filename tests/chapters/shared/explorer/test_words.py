"""Two words on a text: where they may stand, and how they are drawn."""

import re

TEXT = {"last": 10, "start": 5, "slot": 3.5, "row": 40}


def test_both_words_keep_their_offset_and_stay_in_the_text(ask):
    at = {"query": 4, "key": 6}
    moves = (0, 3, -2.5, -9, 99)
    found = ask(None, *(["words.shift", at, by, 20] for by in moves))
    assert [place["query"] for place in found] == [4, 7, 1.5, 0, 18]
    assert [place["key"] - place["query"] for place in found] == [2] * 5


def test_words_that_are_let_go_fall_into_places_and_keep_their_offset(ask):
    pulled = [(4.4, 6.4), (4.6, 6.6), (3.2, 9.9), (19.6, 20), (0.4, 0), (4.5, 6.5)]
    found = ask(
        None,
        *(["words.settle", {"query": q, "key": k}, 20] for q, k in pulled),
    )
    assert [(place["query"], place["key"]) for place in found] == [
        (4, 6),
        (5, 7),
        (3, 10),
        (20, 20),
        (0, 0),
        (5, 7),
    ]


def test_positions_stay_in_the_text(ask):
    questions = [["words.clamp", position, 20] for position in (-1, 0, 13, 20, 25)]
    assert ask(None, *questions) == [0, 0, 13, 20, 20]


def test_word_between_two_places_is_told_with_a_decimal(ask):
    places = [3, 3.04, 3.06, 10, 20.96, -2, -0.04]
    told = ask(None, *(["words.say", place] for place in places))
    assert told == ["3", "3", "3.1", "10", "21", "\N{MINUS SIGN}2", "0"]


def test_words_stand_above_and_below_their_places_and_lines_lead_to_the_text(ask):
    put = """(at, text) => {
      const data = '<script type="application/json">{}</script>';
      const page = readParts(drawWords() + data), view = look(page);
      putWords(Object.assign(view, { at }), text, "");
      return page.inside.map((part) => part.outerHTML ?? part).join("");
    }"""
    heights = {"above": 20, "below": 90, "foot": 70}
    [drawn] = ask(None, [put, {"query": 2, "key": 7}, TEXT | heights])
    middles = dict(
        re.findall(r'data-part="(\w+)"[^>]* transform="translate\(([^)]+)\)"', drawn)
    )
    assert middles == {
        "query": "12.00 20.00",
        "key": "29.50 90.00",
        "both": "20.75 40.00",
    }
    assert re.findall(r'-word">([^<]+)', drawn) == ["cat", "dog", "+5"]
    lines = dict(re.findall(r'data-part="(stem-\w+|span)" d="([^"]+)"', drawn))
    assert lines == {
        "stem-query": "M 12.00 20 V 70",
        "stem-key": "M 29.50 90 V 40",
        "span": "M 12.00 40 H 29.50",
    }


def test_every_place_has_a_dot_and_every_fifth_a_number(ask):
    [drawn] = ask(None, ["drawPlaces", TEXT, 99])
    assert [float(x) for x in re.findall(r'cx="([\d.]+)"', drawn)] == [
        5 + 3.5 * place for place in range(11)
    ]
    assert re.findall(r">(\d+)<", drawn) == ["0", "5", "10"]

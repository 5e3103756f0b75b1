"""The explorer of layers shows what the model would say."""

from itertools import pairwise, product
from xml.etree import ElementTree

import pytest

from bookkit.checking.facts import facts
from chapters.big_picture import explorer as big_picture
from chapters.big_picture.endings import COUNT, MEASUREMENTS, MODEL
from chapters.big_picture.explorer import find_answer, pack, show
from chapters.laboratory.real_model import open_model
from chapters.shared.explorer.still import draw_still

ROWS = MEASUREMENTS.read()
LAYERS = 30
STATES = [*product(range(len(ROWS)), range(1, LAYERS + 1))]
EARLY = {  # one text, in which a word leads, loses the lead, and leads for good
    "text": "a",
    "words": [["x", "y"], ["y", "x"], ["x", "z"], ["x", "<"]],
    "percents": [[60.0, 1.0], [50.0, 2.5], [40.0, 0.0], [100.0, 0.0]],
}


def test_script_unpacks_what_python_packs(ask):
    (found,) = ask("big_picture", ["math.unpack", show().data])
    kept = [{name: row[name] for name in ("words", "percents")} for row in ROWS]
    assert found == kept


@pytest.fixture
def look(ask):
    """Return what the drawing shows of some rows at each state: a text, and a layer."""

    def call(rows, *states):
        return ask("big_picture", *(["math.look", rows, *state] for state in states))

    return call


LEADS = "which leads from layer 3 on, has place"


@facts(
    "layer, sentence",
    [
        (1, f"“x” comes first with 60.0 %. “x”, {LEADS} 1."),
        (2, f"“y” comes first with 50.0 %. “x”, {LEADS} 2."),
        (3, "“x” comes first with 40.0 %. One layer below it does not."),
        (4, "“x” comes first with 100.0 %. It leads from layer 3 on."),
    ],
)
def test_sentence_tells_since_when_the_winner_leads_for_good(look, layer, sentence):
    [picture] = look([EARLY], (0, layer))
    told = picture["readout"].replace("\N{NO-BREAK SPACE}", " ")
    assert told == f"After layer {layer}, {sentence}"


def test_a_word_that_is_not_among_the_first_has_no_place(look):
    row = {"text": "a", "words": [["y"], ["x"]], "percents": [[9.0], [8.0]]}
    [picture] = look([row], (0, 1))
    assert picture["readout"].endswith("layer 2 on, is not among these 10.")


def test_a_word_that_wins_from_the_first_layer_on_has_none_below(look):
    row = {"text": "a", "words": [["x"], ["x"]], "percents": [[9.0], [8.0]]}
    [picture] = look([row], (0, 1))
    assert picture["readout"].endswith("It leads from layer 1 on.")


def test_guesses_are_those_of_the_chosen_text_and_layer(look):
    for (text, layer), picture in zip(STATES, look(ROWS, *STATES), strict=True):
        words, percents = (
            ROWS[text][name][layer - 1] for name in ("words", "percents")
        )
        assert [guess[:2] for guess in picture["guesses"]] == [
            [word, percent] for word, percent in zip(words, percents, strict=True)
        ]
        assert len(picture["guesses"]) == COUNT
        assert picture["ends"] == [row["words"][layer - 1][0] for row in ROWS]
        assert [word for word, _ in picture["ladder"]] == [
            words[0] for words in ROWS[text]["words"]
        ]


def test_script_and_python_find_the_same_answers(ask):
    found = ask("big_picture", *(["math.answer", row] for row in ROWS))
    assert [tuple(answer) for answer in found] == [find_answer(row) for row in ROWS]


def test_what_the_model_says_in_the_end_is_marked_wherever_it_stands(look):
    for (text, _), picture in zip(STATES, look(ROWS, *STATES), strict=True):
        answer, _ = find_answer(ROWS[text])
        for word, *_, kind in picture["ladder"] + picture["guesses"]:
            assert kind == ("answer" if word == answer else "")


def test_each_layer_is_under_the_finger_and_the_ends_hold(ask):
    numbers = range(1, LAYERS + 1)
    heights = ask("big_picture", *(["math.high", n, LAYERS] for n in numbers))
    assert [a - b for a, b in pairwise(heights)] == [13] * (LAYERS - 1)
    places = [height + by for height in heights for by in (-6, 0, 6)] + [999, -99]
    found = ask("big_picture", *(["math.layer", y, LAYERS] for y in places))
    assert found[:-2] == [n for n in numbers for _ in range(3)]
    assert found[-2:] == [1, LAYERS]


def test_each_word_is_stored_once():
    data = pack(ROWS)
    assert len(data["words"]) == len({*data["words"]})


def test_signs_that_mean_something_in_html_stay_signs():
    explorer = show(StandIn, [EARLY["text"]])
    root = ElementTree.fromstring(f"<div>{draw_still(explorer)}</div>")
    ends = [part.text for part in root.iter("b")]
    firsts = [part.text for part in root.iter("th")]
    assert (ends, firsts) == (["x"], ["x", "<"])


class StandIn:
    """What `show` needs of a model, whose answers are those of `EARLY`."""


@pytest.fixture(autouse=True)
def read_the_stand_in(monkeypatch):
    read = big_picture.read_all
    monkeypatch.setattr(
        big_picture,
        "read_all",
        lambda model, prompts: [EARLY] if model is StandIn else read(model, prompts),
    )


def test_model_and_stored_answers_give_the_same_picture():
    asked = show(open_model(MODEL))
    assert asked.kept
    assert asked.data["words"] == show().data["words"]


def test_texts_of_a_reader_take_the_place_of_those_of_the_book():
    explorer = show(open_model(MODEL), ["Two and two is", "Good"])
    assert len(explorer.data["rows"]) == 2
    assert "Two and two is <b" in draw_still(explorer)
    assert "function stage" in explorer._repr_html_()  # the page draws it


# What the page says.


def test_no_text_has_its_word_before_layer_27_and_three_only_at_the_top():
    found = [find_answer(row) for row in ROWS]
    assert found == [
        ("Paris", 30),
        ("runs", 30),
        ("short", 28),
        ("away", 27),
        ("cat", 30),
    ]
    assert "in none of them before layer 27." in show().instruction


def test_a_word_that_wins_has_led_at_no_layer_before():
    for row in ROWS:
        answer, since = find_answer(row)
        assert answer not in [words[0] for words in row["words"][: since - 1]]


def test_the_model_is_sure_of_the_rhyme_and_unsure_of_the_animal():
    tops = {row["words"][-1][0]: row["percents"][-1][0] for row in ROWS}
    assert max(tops, key=tops.get) == "away"
    assert min(tops, key=tops.get) == "cat"
    assert tops["away"] > 95
    assert tops["cat"] < 20


def test_the_verb_is_first_a_verb_and_then_agrees():
    firsts = [words[0] for words in ROWS[1]["words"]]
    assert firsts[26:] == ["do", "can", "run", "runs"]

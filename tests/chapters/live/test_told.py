"""What the page says before a model is there is what the models do."""

from pathlib import Path

import pytest

from bookkit.checking.facts import facts
from chapters.live import pack, told, twins

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "book/index.md").read_text("utf-8")
NEAR = 2e-4  # numbers of four digits
LOOK_ON = """
  const rows = [], source = read(model, given.text), state = begin(model, encode(
    model, source.ids));
  const look = (name, head, weights) => {
    if (name === given.last) rows.push(weights);
  };
  const logits = given.ids.map((id) => Array.from(step(model, state, id, { look })));
  return { rows, logits };"""


@pytest.fixture(scope="module")
def rest():
    return told.read()["rest"]


@pytest.fixture(scope="module")
def today():
    return told.at_rest()


def of_words(rest, field):
    return [word[field] for word in rest["words"]]


@facts("field", ["text", "translation", "source", "place", "seen"])
def test_the_words_at_rest_are_those_of_today(rest, today, field):
    assert rest[field] == today[field]


def test_the_numbers_at_rest_are_those_of_today(rest, today):
    assert of_words(rest, "id") == of_words(today, "id")
    assert of_words(rest, "piece") == of_words(today, "piece")
    assert of_words(rest, "chance") == pytest.approx(
        of_words(today, "chance"), abs=NEAR
    )
    for looks, found in zip(
        of_words(rest, "looks"), of_words(today, "looks"), strict=True
    ):
        assert looks == pytest.approx(found, abs=NEAR)


def test_the_likeliest_words_are_those_of_today(rest, today):
    for likeliest, found in zip(
        of_words(rest, "likeliest"), of_words(today, "likeliest"), strict=True
    ):
        seen = {piece: chance for piece, chance in likeliest if chance > 10 * NEAR}
        assert (
            seen.items()
            <= {
                piece: pytest.approx(chance, abs=NEAR) for piece, chance in found
            }.items()
        )


def test_the_engine_looks_and_writes_as_at_rest(run, rest):
    ids = [1, *of_words(rest, "id")[:-1]]
    [found] = run([{"text": rest["text"], "ids": ids, "last": told.LAST}], LOOK_ON)
    heads = len(found["rows"]) // len(ids)
    for place, word in enumerate(rest["words"]):
        rows = found["rows"][heads * place : heads * (place + 1)]
        looks = [sum(column) / heads for column in zip(*rows, strict=True)]
        assert word["looks"] == pytest.approx(looks, abs=NEAR)
        logits = found["logits"][place]
        assert logits.index(max(logits)) == word["id"]


def test_the_chosen_word_is_the_second_of_two_and_looks_at_the_second_of_two(rest):
    word, source = rest["words"][rest["place"]], rest["source"]
    pieces = of_words(rest, "piece")
    assert pieces[: rest["place"] + 1].count(word["piece"]) == 2
    assert source.count(source[told.SECOND]) == 2
    assert source[told.FIRST] == source[told.SECOND]
    assert told.FIRST < told.SECOND
    assert word["looks"].index(max(word["looks"])) == told.SECOND


def test_the_sentence_gives_the_shares_of_the_lines(rest):
    looks = rest["words"][rest["place"]]["looks"]
    for place in (told.FIRST, told.SECOND):
        assert f"{100 * looks[place]:.0f}\N{NO-BREAK SPACE}%" in rest["seen"]


@facts("field", ["text", "translation", "seen"])
def test_the_landing_page_says_the_same_without_scripts(rest, field):
    assert f">{rest[field]}<" in PAGE


def test_the_landing_page_counts_the_mistakes():
    counted, _ = told.read()["mistakes"]["told"].split(". ")
    assert f"{counted}." in PAGE


def test_of_the_twins_it_tells_what_was_measured():
    assert told.read()["twins"] == told.tell_all()


@facts("name", twins.TWINS)
def test_what_is_said_before_a_press_is_short_and_asks(name):
    before = told.read()["twins"][name]["before"]
    assert len(before) < 60
    assert before.count(". ") == 1  # what it does, what to look for


def test_the_file_is_small_beside_the_weights():
    assert told.FILE.stat().st_size < 5_000


@facts("name", twins.TWINS)
def test_the_weights_of_a_twin_tell_nothing(name):
    assert twins.read(name).keys() == pack.read_weights().keys()

"""The explorer of attention maps shows the stored weights."""

import re
from itertools import product

import pytest

from chapters.training import explorer as translator_attention
from chapters.training.explorer import KINDS, find_rows

DATA = translator_attention.show().data
SIZE, LAYERS, HEADS = 10, ("0", "1"), ("0", "1", "2", "3")
SENTENCES = [str(i) for i in range(len(find_rows()))]
STATES = [*product(SENTENCES, KINDS, LAYERS, HEADS, range(0, SIZE, 3))]


@pytest.fixture
def look(ask):
    """Return what the drawing shows in each state."""
    return lambda *states: ask("training", *(["math.look", DATA, *s] for s in states))


def test_script_shows_the_stored_maps_with_their_words(look):
    for state, picture in zip(STATES, look(*STATES), strict=True):
        sentence, kind, layer, head, row = state
        stored = find_rows()[int(sentence)]
        assert picture["weights"] == stored["maps"][kind][int(layer)][int(head)]
        assert picture["row"] == min(row, len(picture["rows"]) - 1)
        written = [*stored["target"][1:], "end"]
        names = {"encoder": "source", "decoder": "target"}.get(kind)
        assert picture["rows"] == (stored[names] if names else written)
        assert picture["columns"] == stored[names or "source"]


def read_ribbons(path):
    """Read where ribbons begin and end: upper and lower edge on both sides."""
    found = re.findall(r"M\S+ (\S+?)C.*? \S+ (\S+)V(\S+?)C.*? \S+ (\S+?)Z", path)
    return [tuple(map(float, edges)) for edges in found]


def find_height(i):
    """Return how high a word stands in its column."""
    return 36 + 32 * i


def test_ribbons_are_as_wide_as_weights_and_lie_side_by_side(ask, look):
    pictures = look(*STATES[::7])
    asked = [["math.ribbons", p["weights"], p["row"]] for p in pictures]
    for picture, drawn in zip(pictures, ask("training", *asked), strict=True):
        weights, row = picture["weights"][picture["row"]], picture["row"]
        ribbons = read_ribbons(drawn)
        taken = [(i, weight) for i, weight in enumerate(weights) if weight]
        edge = find_height(row) - 11
        for (i, weight), (upper, above, below, lower) in zip(
            taken, ribbons, strict=True
        ):
            assert upper == pytest.approx(edge, abs=0.011)
            assert lower - upper == pytest.approx(0.22 * weight, abs=0.011)
            assert (above + below) / 2 == pytest.approx(find_height(i), abs=0.011)
            edge = lower


def test_small_picture_has_a_line_for_each_strong_weight(ask):
    weights = [[90, 10, 0], [29, 30, 41]]
    [drawn] = ask("training", ["math.small", weights])
    assert drawn == "M0 2L36 2M0 6L36 6M0 6L36 10"


def test_the_columns_have_room_for_every_sentence():
    sides = [len(row[side]) for row in find_rows() for side in ("source", "target")]
    assert max(sides) == SIZE
    assert f'data-part="share-{SIZE - 1}"' in translator_attention.show()._repr_html_()


def test_the_words_of_a_row_tell_all_its_weights_the_largest_first(look):
    for picture in look(*STATES):
        row = picture["weights"][picture["row"]]
        told = [int(n) for n in re.findall(r"(\d+) % from", picture["readout"])]
        assert told == sorted((weight for weight in row if weight), reverse=True)


def test_a_row_of_the_decoder_names_what_it_reads_and_what_it_writes(look):
    [picture] = look(["0", "decoder", "0", "0", 1])
    assert picture["readout"].startswith(
        "At “quatre”, to write “-vingt”, this head takes "
    )


def test_rows_of_cross_attention_are_the_words_to_be_written(look):
    [picture] = look(["0", "cross", "1", "0", 9])
    assert picture["rows"][0] == "quatre"
    assert picture["rows"][-1] == picture["columns"][-1] == "end"
    assert picture["readout"].startswith("To write “end”, this head takes ")


def test_a_row_beyond_the_end_is_the_last_one(look):
    [picture] = look(["2", "encoder", "0", "0", 9])
    assert picture["row"] == 5


def test_what_the_chapter_says_of_the_heads(look):
    largest = [
        max(line)
        for row in find_rows()
        for layer in row["maps"]["cross"]
        for head in layer
        for line in head
    ]
    assert sum(largest) / len(largest) > 80
    first, third = look(*(["0", "cross", "1", head, 4] for head in ("0", "2")))
    assert first["rows"][4] == "cent"
    words = [
        picture["columns"][max(range(8), key=picture["weights"][4].__getitem__)]
        for picture in (first, third)
    ]
    assert words == ["hundred", "and"]


def test_two_words_that_are_one_token_look_at_different_words():
    told = find_rows()[0]
    cross = told["maps"]["cross"]
    written = told["target"][1:]
    places = [i for i, word in enumerate(written) if word == "quatre"]
    for head in cross[1]:
        looked = [max(range(8), key=head[place].__getitem__) for place in places]
        assert [told["source"][i] for i in looked] == ["eighty", "ninety"]
    assert places[0] == 0  # where the handle stands at first

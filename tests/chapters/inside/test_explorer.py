"""The explorer of heads shows the stored weights."""

import re
from itertools import product

import pytest

from bookkit.checking.facts import facts
from chapters.inside import explorer as inside
from chapters.inside.all_heads import HEADS, LAYERS, RANDOM, find_heads, find_words
from chapters.inside.explorer import KINDS, TEXTS
from chapters.inside.packed import PARTS

DATA = inside.show().data
LEVELS, MOST = 10, 22  # shades of the map, and words of the longest text
SHOWN = [0, HEADS * 16, HEADS * 17 + 4, HEADS * 23 + 2, LAYERS * HEADS - 1]
FINDERS = ["18.4", "18.5", "18.6", "19.7"]
BEFORE = ["12.2", "17.1", "2.3", "3.2"]


@pytest.fixture
def unpacked(ask):
    """What the script reads out of the stored letters, for each text."""
    questions = [
        ["math.unpack", packed, len(words)] for words, packed in DATA["texts"].values()
    ]
    return dict(zip(TEXTS, ask("inside", *questions), strict=True))


def test_script_reads_the_weights_as_python_does(unpacked):
    for text, heads in unpacked.items():
        assert heads == find_heads(text)


@pytest.fixture
def look(ask):
    """Return what the drawing shows of a text in each state: kind, head and row."""

    def call(text, *states):
        # One list of heads for all questions: one names it, and does not carry it.
        words, packed = DATA["texts"][text]
        light = DATA | {"texts": {text: [words, ""]}}
        asked = "((...given) => math.look(given[0], (globalThis.heads ??= math.unpack("
        asked += f'"{packed}", {len(words)})), ...given.slice(1)))'
        return ask("inside", *([asked, light, text, *state] for state in states))

    return call


def test_places_by_hand(find_places):
    words = ["a", "b", "c", "b", "b", "a"]
    assert find_places("first", words) == [(2, 0), (3, 0), (4, 0), (5, 0)]
    assert find_places("before", words) == [(2, 1), (3, 2), (4, 3), (5, 4)]
    assert find_places("itself", words) == [(2, 2), (3, 3), (4, 4), (5, 5)]
    # The last b: the copy just before it is followed by the word itself.
    assert find_places("after", words) == [(3, 2), (4, 2), (5, 1)]


@facts("text", TEXTS)
def test_readout_tells_head_word_and_share_in_every_state(
    look, find_places, add_up, text
):
    states, words = [*product(KINDS, SHOWN, (0, 1, 6, 21))], find_words(text)
    places = {kind: find_places(kind, words) for kind in KINDS}
    for (kind, head, row), picture in zip(states, look(text, *states), strict=True):
        assert picture["row"] == min(row, len(words) - 1)
        share = add_up(find_heads(text)[head], places[kind]) / len(places[kind])
        told = re.fullmatch(
            r"Head (\S+) at “(.*?)”: .* In this text it gives (\d+) % to (.*)\.",
            picture["readout"],
        )
        name, word, percent, of = told.groups()
        assert (name, word) == (name_head(head), words[picture["row"]])
        assert of == KINDS[kind]
        assert int(percent) == pytest.approx(100 * share / PARTS, abs=0.51)


def name_head(head):
    """Write a head as its layer and its number there, both from 1."""
    return f"{head // HEADS + 1}.{head % HEADS + 1}"


def find_middle(head):
    """Return where on the map the middle of a head is."""
    layer, number = divmod(head, HEADS)
    return 24 + 13 * (number + 0.45), 30 + 12 * (LAYERS - layer - 0.5)


def test_every_head_is_under_its_square_and_the_edge_holds(ask):
    heads = range(LAYERS * HEADS)
    inner = [["math.head", *find_middle(head)] for head in heads]
    outer = [["math.head", *place] for place in ((-9, 999), (999, -9), (30, 999))]
    *found, low, high, bottom = ask("inside", *inner, *outer)
    assert found == [*heads]
    assert [name_head(head) for head in (low, high, bottom)] == ["1.1", "30.9", "1.1"]


def read_map(shades):
    """Read the level of each head from the paths of a map, and that of the scale."""
    levels = {}
    for level, path in enumerate(shades):
        for x, y in re.findall(r"M(-?\d+) ([\d.]+)h\.9", path):
            levels[int(x), float(y)] = level
    return levels


def test_a_square_is_as_dark_as_the_mean_weight_of_its_head(look, find_places, add_up):
    [picture] = look("twice", ("before", 0, 0))
    levels = read_map(picture["shades"])
    places = find_places("before", find_words("twice"))
    assert len(levels) == LAYERS * HEADS + LEVELS
    for head, rows in enumerate(find_heads("twice")):
        layer, number = divmod(head, HEADS)
        mean = add_up(rows, places) / (PARTS * len(places))
        level = levels[number, LAYERS - 1 - layer]
        assert level == min(int(LEVELS * mean + 1e-9), LEVELS - 1)


def read_ribbons(path):
    """Read where the ribbons of a path begin and end: four heights each."""
    pattern = (
        r"M236 ([\d.]+)C268 \1 268 ([\d.]+) 300 \2V([\d.]+)C268 \3 268 ([\d.]+) 236 \4Z"
    )
    return [tuple(map(float, heights)) for heights in re.findall(pattern, path)]


def find_rows(words):
    """Return what finds the height of a word among so many."""
    return lambda place: 30 + min(360 / words, 26) * (place + 0.5)


@facts("row", [0, 8, 21])
def test_ribbons_share_the_height_of_a_word_and_end_at_those_it_looks_at(look, row):
    find_y = find_rows(len(find_words("boats")))
    weights = find_heads("boats")[SHOWN[1]][row]
    [picture] = look("boats", ("first", SHOWN[1], row))
    ribbons = read_ribbons(picture["ribbons"])
    seen = [(j, parts) for j, parts in enumerate(weights) if parts]
    full = 0.8 * (find_y(1) - find_y(0))
    assert len(ribbons) == len(seen)
    below = find_y(row) - full / 2
    for (j, parts), (top, right, right_end, end) in zip(seen, ribbons, strict=True):
        assert top == pytest.approx(below, abs=0.11)
        below += full * parts / PARTS
        assert end == pytest.approx(below, abs=0.11)
        assert (right + right_end) / 2 == pytest.approx(find_y(j), abs=0.11)
        assert right_end - right == pytest.approx(end - top, abs=0.21)
    assert below == pytest.approx(find_y(row) + full / 2)


def test_other_rows_have_all_other_ribbons(look):
    [picture] = look("names", ("first", 5, 3))
    every = sum(parts > 0 for row in find_heads("names")[5] for parts in row)
    ribbons = (len(read_ribbons(picture[name])) for name in ("ribbons", "others"))
    assert sum(ribbons) == every


def test_the_drawing_has_room_for_every_text():
    assert max(len(find_words(text)) for text in TEXTS) == MOST
    for text in TEXTS:
        count = len(find_words(text))
        assert find_rows(count)(count - 0.5) <= 390 + 1e-9


def test_words_tell_the_largest_weights_of_the_row(look):
    [picture] = look("boats", ("after", SHOWN[2], 21))
    assert picture["readout"] == (
        "Head 18.5 at “Happy”: “Piano” 100 %. In this text it gives 42 % to what "
        "followed an earlier copy."
    )
    [end] = look("code", ("first", 0, 99))
    assert end["readout"].startswith("Head 1.1 at “+”: ")
    for text in TEXTS:
        pictures = look(text, *(("first", head, 7) for head in SHOWN))
        for head, picture in zip(SHOWN, pictures, strict=True):
            told = re.findall(r"” (\d+) %", picture["readout"])
            row = sorted(find_heads(text)[head][7], reverse=True)
            assert [int(n) for n in told] == [5 * parts for parts in row if parts][:4]


@pytest.fixture
def darkest(find_places, add_up):
    """Name the four heads with the largest mean weights."""

    def call(text, kind):
        places, heads = find_places(kind, find_words(text)), find_heads(text)
        order = sorted(range(len(heads)), key=lambda i: -add_up(heads[i], places))
        return sorted(name_head(head) for head in order[:4])

    return call


def rows_of(text, name):
    """Return the rows of a head."""
    layer, number = map(int, name.split("."))
    return find_heads(text)[HEADS * (layer - 1) + number - 1]


@facts("text", TEXTS)
def test_the_same_four_heads_look_one_back_in_every_text(darkest, text):
    assert darkest(text, "before") == BEFORE


@facts("text", ["twice", "mixed"])
def test_the_darkest_four_after_a_copy_are_the_finders_shuffled_or_not(darkest, text):
    assert darkest(text, "after") == FINDERS


def test_shuffling_takes_the_distance_from_the_finders_and_not_the_word(
    find_places, add_up
):
    half = len(RANDOM)
    back = [(i, i - half + 1) for i in range(half, 2 * half)]
    words = find_words("mixed")
    for name in FINDERS:
        twice, mixed = (rows_of(text, name) for text in ("twice", "mixed"))
        whole = PARTS * half
        assert add_up(twice, back) / whole >= 0.4
        assert add_up(mixed, back) / whole <= 0.05
        assert add_up(mixed, find_places("after", words)) / whole >= 0.3


def test_finders_look_at_the_first_word_before_any_word_has_come_twice(add_up):
    first = [(i, 0) for i in range(2, len(RANDOM))]
    for name in FINDERS:
        share = add_up(rows_of("mixed", name), first) / (PARTS * len(first))
        assert share > 0.8


def test_the_last_word_of_the_prompt_looks_at_piano():
    for name in FINDERS:
        row = rows_of("boats", name)[-1]
        assert row[find_words("boats").index("Piano")] / PARTS >= 0.85


def test_the_sink_opens_and_shuts_with_the_giant(find_places, add_up):
    places = find_places("first", find_words("boats"))
    sums = [add_up(head, places) for head in find_heads("boats")]
    layers = [sum(sums[i : i + HEADS]) for i in range(0, len(sums), HEADS)]
    means = [total / (HEADS * PARTS * len(places)) for total in layers]
    assert max(means[10:12]) < 0.2
    assert min(means[3:9] + means[12:28]) > 0.4


def test_what_is_shown_at_first_is_the_head_and_the_word_of_the_chapter():
    _, _, readout = inside.show()._repr_html_().partition("<output")
    assert ">Head 17.1 at “Piano”: “Happy” 90 %" in readout
    assert " to the word before.</output>" in readout

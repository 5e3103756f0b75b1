"""What holds for every explorer, and for the frame around them."""

import json
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import torch

import chapters
from bookkit.checking.facts import facts
from chapters.shared.explorer.frame import (
    Explorer,
    choice,
    read_scripts,
    slider,
    switch,
    write_data,
)
from chapters.shared.explorer.markup import MINUS, fixed, rounded, tag

CODE = Path(chapters.__file__).parent
FILES = CODE.rglob("explorer.py")
NAMES = sorted(path.parent.relative_to(CODE).as_posix() for path in FILES)
KILOBYTE = 1000


EVERY_EXPLORER = facts("folder", NAMES)


@cache
def shown(folder):
    """Return the explorer of a folder, and its HTML."""
    explorer = import_module(f"chapters.{folder.replace('/', '.')}.explorer").show()
    return explorer, explorer._repr_html_()


@EVERY_EXPLORER
def test_every_explorer_has_a_name_and_the_folder_of_its_chapter(folder):
    explorer, _ = shown(folder)
    assert isinstance(explorer, Explorer)
    assert explorer.chapter == folder
    last = folder.split("/")[-1]
    named = {"training": "translator_attention"}.get(last, last)
    assert explorer.name == named


@EVERY_EXPLORER
def test_html_is_well_formed_also_for_books_that_need_xml(folder):
    _, html = shown(folder)
    assert ElementTree.fromstring(html).get("class") == "explorer"


@EVERY_EXPLORER
def test_html_has_no_id_so_that_two_may_stand_on_a_page(folder):
    _, html = shown(folder)
    elements = ElementTree.fromstring(html).iter()
    assert [element.tag for element in elements if element.get("id")] == []


@EVERY_EXPLORER
def test_html_asks_for_no_other_file(folder):
    _, html = shown(folder)
    asking = r"https?:|\bsrc=|\bhref=|url\(|@import|\bimport\b|fetch|XMLHttp|eval"
    assert re.findall(asking, html) == []


@EVERY_EXPLORER
def test_controls_have_names_and_labels_and_wait_for_the_script(folder):
    explorer, html = shown(folder)
    root = ElementTree.fromstring(html)
    labels = list(root.iter("label"))
    controls = [*root.iter("input"), *root.iter("select")]
    inside = [c for label in labels for c in label.iter() if c in controls]
    hidden = [part.get("class") for part in root if part.get("hidden")]
    names = [control.get("name") for control in controls]
    assert controls or "drag" in explorer.uses
    assert sorted(names) == sorted({*names})
    assert len(inside) == len(labels) == len(controls)
    assert all("".join(label.itertext()).strip() for label in labels)
    assert hidden == ["explorer-instruction", "explorer-controls"]


@EVERY_EXPLORER
def test_a_sentence_is_seen_only_where_the_style_is_taken_away(folder):
    _, html = shown(folder)
    first, second, *_ = ElementTree.fromstring(html)
    assert first.tag == "style"
    assert second.get("class") == "explorer-asleep"
    assert second.text.startswith("This figure moves once you run the notebook.")
    assert ".explorer-asleep { display: none; }" in first.text


@EVERY_EXPLORER
def test_parts_have_names_of_their_own(folder):
    _, html = shown(folder)
    parts = re.findall(r'data-part="([^"]+)"', html)
    assert sorted(parts) == sorted({*parts})


@EVERY_EXPLORER
def test_data_and_code_are_small(folder):
    explorer, html = shown(folder)
    root = ElementTree.fromstring(html)
    style = "".join(part.text for part in root.iter("style"))
    code = style + read_scripts(explorer.chapter, *explorer.uses)
    assert len(code.encode()) <= 15 * KILOBYTE
    assert len(write_data(explorer.data).encode()) <= 40 * KILOBYTE


@EVERY_EXPLORER
def test_text_names_the_explorer(folder):
    explorer, _ = shown(folder)
    assert repr(explorer) == f"Explorer: {explorer.title}"


@facts("places", [0, 2, 3])
def test_script_writes_numbers_as_python_does(ask, places):
    numbers = (torch.randn(500, dtype=torch.float64) * 10).tolist()
    numbers += [-0.0001, 0.0, -0.0, 1e6]
    numbers += [0.5, 1.5, -2.5, 0.125, -0.375, 0.0625, 1.005]  # in the middle, or not
    written = ask(None, *(["fixed", number, places] for number in numbers))
    assert written == [fixed(number, places) for number in numbers]


def test_number_has_a_true_minus_and_no_negative_zero():
    assert [fixed(-1.25, 1), fixed(-0.01, 1)] == [f"{MINUS}1.3", "0.0"]


def test_coordinate_has_two_decimals_and_the_minus_of_scripts(ask):
    written = ask(None, *(["coordinate", number] for number in (-2, 1.005, -0.001)))
    assert written == ["-2.00", "1.00", "0.00"]


def test_data_cannot_end_the_script_and_come_back_as_they_were():
    data = {"words": "</script> & <b>", "numbers": [[1, 0.5], [-2.25, 0]]}
    assert not re.search("[<>&]", write_data(data))
    assert json.loads(write_data(data)) == data


def test_numbers_are_rounded_at_every_depth():
    assert rounded(torch.tensor([[0.126, -0.001]]), 2) == [[0.13, 0.0]]
    assert str(rounded([-0.001, [1 / 3]], 2)) == "[0.0, [0.33]]"


def test_tag_escapes_attributes_and_leaves_out_what_is_none():
    assert tag("b", "x", class_="a", data_part='"', title=None) == (
        '<b class="a" data-part="&quot;">x</b>'
    )
    assert tag("line", x2=1) == '<line x2="1"/>'


def test_controls_show_their_value_at_first():
    box = slider("size", "size", low=0, high=9, value=4)
    chosen = choice("head", "head", {"0": "first", "1": "second"}, value="1")
    assert 'value="4"' in box
    assert '<option value="1" selected="selected">second</option>' in chosen
    assert 'checked="checked"' in switch("both", "move both", on=True)
    assert "checked=" not in switch("both", "move both")


def test_handle_is_a_word_on_a_plate_with_room_for_a_finger(ask):
    [written] = ask(None, ["handle", "query", "bank", "query", 50])
    plate = ElementTree.fromstring(written)
    room, halo, grip = plate.findall("rect")
    assert (plate.get("data-part"), plate.get("style")) == (
        "query",
        "color: var(--query)",
    )
    assert plate.find("text").text == "bank"
    assert float(grip.get("width")) == 50
    assert float(room.get("height")) >= 40
    for part in (room, halo, grip):
        assert float(part.get("x")) == -float(part.get("width")) / 2
        assert float(part.get("y")) == -float(part.get("height")) / 2


def test_every_handle_brings_a_hand_that_no_page_shows_without_the_script(ask):
    [written] = ask(None, ["handle", "step", "5", "muted"])
    hand = ElementTree.fromstring(written).find("path")
    assert (hand.get("class"), hand.get("display")) == ("pointer", "none")
    assert "var(--paper)" in hand.get("style")


def test_hand_stands_where_it_is_told_to(ask):
    [hand] = ask(None, ["pointer", 10, -2.5])
    assert ElementTree.fromstring(hand).get("d").startswith("M14.00 8.50v")

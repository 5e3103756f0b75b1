"""What changed in the code leads to the chapters that rest on it."""

from pathlib import Path

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.publishing.maps import affected as maps
from bookkit.publishing.maps.affected import dependents, in_order, resting_pages
from bookkit.publishing.maps.atlas import read_atlas

ROOT = find_root(Path(__file__))


@pytest.fixture
def changed(monkeypatch):
    """Let git say what a file of the real book was; the value is what rests on it."""

    def say(file, before=""):
        assert (ROOT / file).is_file()
        monkeypatch.setattr(maps, "ask_git", lambda *_: before)
        return resting_pages(ROOT, "a1b2", [file])

    return say


@facts(
    "module, page, other",
    [
        ("data/batches", "architecture/training", "feed_forward/gated"),
        ("training/preferences", "own/manners", "architecture/training"),
        ("layers/activations", "feed_forward/activations", ""),
    ],
)
def test_chapters_rest_on_the_objects_and_values_of_modules(
    changed, module, page, other
):
    pages = changed(f"code/transformer/{module}.py")
    assert page in pages
    assert other not in pages


def test_a_table_rests_on_what_it_holds_and_hands_it_on():
    above = dependents(read_atlas(ROOT).package)
    table = "transformer.layers.activations:ACTIVATIONS"
    assert table in above["transformer.layers.activations:silu"]
    assert "transformer.layers.activations:get_activation" in above[table]


@facts(
    "before, after, words",
    [
        ("Mix the values by", "Add up the values by", True),
        ("  # each row sums to one", "", True),
        ("weights = scores", "weights = 2 * scores", False),
        ("scale: float | None = None", "scale: float | None = 1", False),
    ],
)
def test_no_output_rests_on_words(changed, before, after, words):
    file = "code/transformer/layers/attention.py"
    text = (ROOT / file).read_text()
    assert before in text
    pages = changed(file, text.replace(before, after))
    assert ("architecture/one_sentence" not in pages) == (pages == set()) == words


def test_notebooks_stand_in_the_order_of_the_book():
    pages = {"position/rotary", "attention/self_attention", "no/page"}
    names = ("attention/self_attention", "position/rotary")
    assert in_order(pages, ROOT) == [f"book/{name}.ipynb" for name in names]


def test_a_branch_that_is_none_is_named(monkeypatch):
    monkeypatch.setattr(maps, "ask_git", lambda *_: "")
    assert maps.where_it_left(ROOT, "HEAD") == ""
    with pytest.raises(BookError, match="a branch that this one left, got mian; try: "):
        maps.where_it_left(ROOT, "mian")


@facts(
    "file, pages, others",
    [
        ("self_attention/figures.py", ["attention/self_attention"], ["beyond/inside"]),
        ("self_attention/answers.py", ["attention/self_attention"], ["beyond/inside"]),
        ("training/figures.py", ["architecture/training"], ["position/rotary"]),
        ("laboratory/translator.py", ["beyond/ablations"], ["position/rotary"]),
    ],
)
def test_a_file_of_the_chapters_leads_to_those_that_import_it(
    changed, file, pages, others
):
    found = changed(f"code/chapters/{file}")
    assert {*pages} <= found
    assert not {*others} & found

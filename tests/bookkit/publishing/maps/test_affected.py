"""What changed in the package is named with the chapters that show or rest on it."""

import re
from pathlib import Path

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import contents
from bookkit.checking.facts import facts
from bookkit.publishing.maps import affected as maps
from bookkit.publishing.maps import changes
from bookkit.publishing.maps.affected import affected, dependents
from bookkit.publishing.maps.atlas import read_atlas

ATTENTION = "transformer.layers.attention:scaled_dot_product_attention"
ROOT = find_root(Path(__file__))


def test_objects_are_known_to_those_that_name_them():
    above = dependents(read_atlas(ROOT).package)
    layer = "transformer.layers.multi_head_attention:MultiHeadAttention"
    assert "transformer.blocks.parts:build_attention" in above[layer]


@pytest.fixture
def drawn(monkeypatch):
    """Whether the cells that show code are as the code is: so far they are not."""
    monkeypatch.setattr(maps, "stale_cells", lambda root: ["a cell"])
    return lambda: monkeypatch.setattr(maps, "stale_cells", lambda root: [])


@pytest.fixture
def git(monkeypatch):
    """Let git say what has changed."""

    def says(difference="", files="", before=""):
        def answer(_, command, *rest):
            if command == "diff":
                return files if "--name-only" in rest else difference
            return {"merge-base": "a1b2", "ls-files": "", "show": before}[command]

        monkeypatch.setattr(maps, "ask_git", answer)
        monkeypatch.setattr(changes, "ask_git", answer)

    return says


@pytest.fixture
def changed(git, drawn):
    """Let git say that an object of the real package has changed."""

    def say(module, line, before=""):
        path = f"code/{module.replace('.', '/')}.py"
        lines = (ROOT / path).read_text().splitlines()
        number = next(i for i, text in enumerate(lines, 1) if text.startswith(line))
        git(f"+++ b/{path}\n@@ -{number} +{number} @@\n", before=before)
        return affected(ROOT)

    return say


@facts(
    "module, name, pages",
    [
        ("data.batches", "IGNORED", ["architecture/training"]),
        ("data.tasks", "EVENLY", ["architecture/training"]),
        ("blocks.parts", "POSITION_IN_ATTENTION", ["architecture/encoder_decoder"]),
        ("layers.activations", "ACTIVATIONS", ["feed_forward/activations"]),
    ],
)
def test_chapters_rest_on_the_values_of_modules(changed, module, name, pages):
    said = changed(f"transformer.{module}", name)
    assert said[0] == f"transformer.{module}:{name} has changed."
    assert {f"  book/{page}.ipynb" for page in pages} <= {*said[2:-1]}
    assert said[-1].startswith("Next: make notebooks NOTEBOOKS=")
    assert all(f"book/{page}.ipynb" in said[-1] for page in pages)


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
        ("def scaled_dot", "def unscaled_dot", False),
        ("scale: float | None = None", "scale: float | None = 1", False),
    ],
)
def test_no_output_rests_on_words(changed, before, after, words):
    text = (ROOT / "code/transformer/layers/attention.py").read_text()
    assert before in text
    said = changed(
        "transformer.layers.attention",
        "def scaled_dot_product",
        text.replace(before, after),
    )
    only = " in its words only" * words
    assert said[:2] == [f"{ATTENTION} has changed{only}.", SHOWN]
    assert (RESTING in said) != words
    then = "appendix book" if words else 'notebooks NOTEBOOKS="book/'
    assert said[-1].startswith(f"Next: make draw {then}")


SHOWN, RESTING = "Its code is shown in:", "The outputs of these rest on it:"


def test_chapters_that_show_a_change_come_first_each_on_a_line_of_its_own(changed):
    said = changed("transformer.layers.attention", "def scaled_dot_product")
    assert said[:2] == [f"{ATTENTION} has changed.", SHOWN]
    middle = said.index(RESTING)
    shown, resting = said[2:middle], said[middle + 1 : -2]
    assert "  book/attention/self_attention.ipynb" in shown
    assert "  book/attention/multi_head_attention.ipynb" in resting
    assert "  book/architecture/one_sentence.ipynb" in resting
    assert not set(shown) & set(resting)
    assert said[-2] == "Its tests: make package-test"
    assert said[-1].startswith('Next: make draw notebooks NOTEBOOKS="book/')
    assert set(re.findall(r"book/\S+ipynb", said[-1])) == {
        line.strip() for line in [*shown, *resting]
    }


def test_chapters_stand_in_the_order_of_the_book(changed):
    said = changed("transformer.layers.attention", "def scaled_dot_product")
    pages = [f"  {page}.ipynb" for page in contents(ROOT)]
    places = [pages.index(line) for line in said[said.index(RESTING) + 1 : -2]]
    assert places == sorted(places)


@facts(
    "shown, resting, draw, then",
    [
        (["a.ipynb"], ["a.ipynb"], "draw ", "check NOTEBOOK=a.ipynb"),
        ([], ["a.ipynb"], "", "check NOTEBOOK=a.ipynb"),
        (["a"], ["a", "b"], "draw ", 'notebooks NOTEBOOKS="a b"'),
        ([], ["a", "b"], "", 'notebooks NOTEBOOKS="a b"'),
        (["a"], [], "draw ", "appendix book"),
        ([], [], "", "appendix book"),
    ],
)
def test_the_next_command_renews_what_is_shown_and_compares_the_rest(
    shown, resting, draw, then
):
    next_command = maps._next_command
    assert next_command(shown, resting, stale=True) == f"make {draw}{then}"
    assert next_command(shown, resting, stale=False) == f"make {then}"


def test_the_tests_of_what_changed_are_named():
    files = ["rms_norm/figures.py", "rms_norm/answers.py", "laboratory/missing.py"]
    files = [f"code/chapters/{file}" for file in [*files, "written.py"]]
    one, others = maps._tests({"transformer.config:CHOICES"}, files, ROOT)
    assert one == "make package-test"
    *start, first, second = others.split()
    assert start == [".venv/bin/python", "-m", "pytest"]
    assert (first, second) == ("tests/chapters/laboratory", "tests/chapters/rms_norm")
    assert maps._tests(set(), [], ROOT) == []


def test_what_was_drawn_is_not_to_be_drawn_again(changed, drawn):
    where = ("transformer.layers.attention", "def scaled_dot_product")
    assert changed(*where)[-1].startswith("Next: make draw notebooks ")
    drawn()
    assert changed(*where)[-1].startswith("Next: make notebooks ")


NOTHING = "No code that a chapter shows or rests on has changed."


def test_a_change_that_no_chapter_needs_is_said_to_be_one(changed, monkeypatch):
    monkeypatch.setattr(read_atlas(ROOT), "places", {})
    said = changed("transformer.layers.attention", "def scaled_dot_product")
    assert said == [NOTHING]


def test_without_a_change_it_is_said_that_there_is_none(git):
    git()
    assert affected(ROOT) == [NOTHING]


def test_without_a_commit_nothing_is_said_to_be_unchanged(monkeypatch):
    monkeypatch.setattr(maps, "ask_git", lambda *_: "")
    assert affected(ROOT)[0].startswith("There is no commit to compare with")
    with pytest.raises(BookError, match="a branch that this one left, got mian; try: "):
        affected(ROOT, "mian")


@facts(
    "file, pages, others",
    [
        ("self_attention/figures.py", ["attention/self_attention"], ["beyond/inside"]),
        ("self_attention/answers.py", ["attention/self_attention"], ["beyond/inside"]),
        ("training/figures.py", ["architecture/training"], ["position/rotary"]),
        ("rotary/explorer.js", ["position/rotary"], ["architecture/training"]),
        ("laboratory/translator.py", ["beyond/ablations"], ["position/rotary"]),
    ],
)
def test_a_file_of_the_chapters_leads_to_those_that_import_it(
    git, drawn, file, pages, others
):
    path = f"code/chapters/{file}"
    assert (ROOT / path).is_file()
    git(files=f"{path}\n")
    said = affected(ROOT)
    assert said[:2] == [f"{path} has changed.", RESTING]
    assert {f"  book/{page}.ipynb" for page in pages} <= {*said}
    assert not {f"  book/{page}.ipynb" for page in others} & {*said}

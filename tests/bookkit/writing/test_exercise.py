"""What is laid out of an exercise fails where something is left to write."""

import runpy
import shutil
from pathlib import Path

import pytest

from bookkit.book.boxes import boxes
from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import read_notebook
from bookkit.checking.facts import facts
from bookkit.checking.rules import RULES
from bookkit.writing.exercise import lay_exercise

ROOT = find_root(Path(__file__))
FILES = [
    "book/part/chapter.ipynb",
    "code/chapters/chapter/answers.py",
    "tests/chapters/chapter/cases.py",
]


@pytest.fixture
def chapter(write_chapter, code):
    """A chapter whose exercises stand before its last section."""
    return write_chapter(
        "# Title", code("x = 1"), "## Exercises", "Try.", "## Summary\n\nSaid."
    )


def test_what_is_laid_stands_in_three_files_in_the_form_of_others(book, chapter):
    assert lay_exercise(chapter, "ex-window", "A window") == FILES
    assert lay_exercise(chapter, "ex-other", "Another") == FILES
    notebook = read_notebook(chapter)
    assert [(place, box.kind, box.title) for place, box in boxes(notebook)] == [
        (4, "exercise", "A window"),
        (6, "solution", ""),
        (9, "exercise", "Another"),
        (11, "solution", ""),
    ]
    assert notebook.cells[14].source.startswith("## Summary")
    said = [c.outputs[0].text for c in notebook.cells if c.get("outputs")]
    assert said == ["Not yet: TODO: say what must hold.\n"] * 4
    exercises = (book / FILES[1]).read_text()
    assert exercises.count('Property("TODO: say what must hold.", lambda answer:') == 2
    cases = runpy.run_path(book / FILES[2])
    labels = ("ex-window", "ex-other")
    assert cases["RIGHT"] == [(label, ("TODO",)) for label in labels]
    assert cases["WRONG"] == [(label, ("TODO",), "TODO") for label in labels]


def broken(path):
    """Return what each rule that a notebook breaks says."""
    notebook = read_notebook(path)
    told = {rule.__name__: rule(notebook, path) for rule in RULES}
    return {name: breaches for name, breaches in told.items() if breaches}


def test_rules_name_what_is_left_to_write_in_a_real_chapter(tmp_path):
    notebook = tmp_path / "book/attention/self_attention.ipynb"
    skipped = shutil.ignore_patterns("__pycache__", "_*")
    for name in ("book", "code/chapters/self_attention", "tests/chapters"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=skipped)
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, tmp_path)
    assert broken(notebook) == {}
    lay_exercise(notebook, "ex-new-window", "A window")
    told = broken(notebook)
    assert [*told] == ["exercises_have_solutions", "starters_fail_and_solutions_pass"]
    left, [passing] = told.values()
    assert len(left) == 4
    assert all("still says 'TODO: " in line for line in left)
    assert passing.endswith("must print that all properties hold.")


@facts(
    "label, title, told",
    [
        ("window", "A window", "LABEL must be ex- and words in small letters"),
        ("ex-Window", "A window", "got 'ex-Window'; try LABEL=ex-window"),
        ("ex-window", " ", "TITLE must be the words of a heading, got ' '; try TITLE="),
        ("ex-known", "A window", "LABEL must be new, and 'ex-known' stands in book/"),
    ],
)
def test_a_name_that_will_not_do_is_told(write_chapter, label, title, told):
    exercise = '<a id="ex-known"></a>\n\n### Exercise\n\nTry.'
    chapter = write_chapter("# Title", "## Exercises", exercise)
    with pytest.raises(BookError, match=told):
        lay_exercise(chapter, label, title)


def test_where_nothing_can_be_laid_nothing_is_changed(book, chapter, write_chapter):
    answers = book / FILES[1]
    answers.parent.mkdir(parents=True)
    answers.write_text("EXERCISES = dict()\n")
    before = chapter.read_bytes()
    with pytest.raises(BookError, match=r"answers.py must have a line 'EXERCISES = {'"):
        lay_exercise(chapter, "ex-window", "A window")
    assert chapter.read_bytes() == before
    write_chapter("# Title", "Text.")
    with pytest.raises(BookError, match="must have a section '## Exercises'"):
        lay_exercise(chapter, "ex-window", "A window")

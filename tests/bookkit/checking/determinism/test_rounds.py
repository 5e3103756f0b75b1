"""A round compares every notebook in one environment, and counts what it compared."""

import pytest

from bookkit.checking.canary.watched import Watched
from bookkit.checking.compare import Differences
from bookkit.checking.compare.record import NotebookRecord
from bookkit.checking.determinism import rounds
from bookkit.checking.determinism.environments import Environment
from bookkit.checking.determinism.rounds import run_anew, validate_in
from bookkit.writing.run import run_notebook

SAME = Environment("nothing changed", "print(True)")


@pytest.fixture
def chapter(checked_book, write_chapter, code):
    """A chapter of two cells, as a run stores it."""
    for name in ("README.md", "LICENSE"):
        (checked_book / name).touch()
    (checked_book / "code").mkdir()
    path = write_chapter(code("print('0.1234')"), code("x = 1"))
    run_notebook(path)
    return path


@pytest.mark.pictures
def test_a_notebook_is_compared_and_the_probe_is_not_counted(checked_book, chapter):
    chapter.write_text(chapter.read_text().replace('"0.1234\\n', '"0.1235\\n'))
    found = validate_in("same", SAME, checked_book, [chapter])
    assert found.faults == []
    assert (found.name, found.words) == ("same", "nothing changed")
    assert (found.notebooks, found.cells, found.outputs) == (1, 2, 1)
    assert found.differences == Differences(decimals=1, absolute=1e-4, units=1)
    assert list((checked_book / "_build").iterdir()) == []


@pytest.mark.pictures
def test_an_environment_that_is_not_in_effect_is_a_fault(checked_book, chapter):
    found = validate_in("x", Environment("", "print(1 > 2)"), checked_book, [chapter])
    [fault] = found.faults
    assert "probe.ipynb, Cell 2: " in fault
    assert 'stored "True", computed "False"' in fault


@pytest.fixture
def asked(monkeypatch):
    """What a round asks for, in order; nothing is run."""
    asked = []

    def validate(root, notebooks, *options, variables):
        asked.append([[path.stem for path in notebooks], options, variables])
        return Watched({"a.ipynb": NotebookRecord()}, ["a fault"])

    monkeypatch.setattr(rounds, "validate_watched", validate)
    return asked


def test_notebooks_run_side_by_side_or_shuffled_one_by_one(tmp_path, asked):
    names = [tmp_path / f"{letter}.ipynb" for letter in "abcdefgh"]
    in_order = Environment("", "", {"A": "B"})
    for environment in (in_order, *[Environment("", "", shuffled=True)] * 2):
        found = validate_in("x", environment, tmp_path, names)
        assert (found.notebooks, found.faults) == (1, ["a fault"])
    [order, options, variables], [shuffled, alone, _], again = asked
    assert order == ["probe", *"abcdefgh"]
    assert "--dist=loadfile" in options
    assert variables["A"] == "B"
    assert sorted(shuffled) == sorted(order) != shuffled
    assert (alone, again[0]) == ((), shuffled)


def test_a_notebook_that_is_run_anew_keeps_its_bytes(checked_book, chapter):
    found = run_anew(checked_book, [chapter])
    assert found.faults == []
    assert (found.notebooks, found.cells, found.outputs) == (1, 2, 1)


def test_a_notebook_that_would_change_is_named_and_stays(checked_book, chapter):
    stored = chapter.read_text().replace('"0.1234\\n', '"0.1235\\n')
    chapter.write_text(stored)
    found = run_anew(checked_book, [chapter])
    assert found.faults == ["book/part/chapter.ipynb: its bytes changed"]
    assert chapter.read_text() == stored


def test_a_notebook_that_raises_is_named_with_its_reason(checked_book, chapter):
    chapter.write_text(chapter.read_text().replace("x = 1", "1 / 0"))
    [fault] = run_anew(checked_book, [chapter]).faults
    assert "code cell 2) raised ZeroDivisionError: division by zero" in fault

"""What is planted in the canary is wrong, complete, and beside a sound twin."""

import copy
from pathlib import Path

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import chapters, read_notebook
from bookkit.checking.canary.plants import (
    NOTEBOOK,
    PLANTED,
    PLANTS,
    PREFIXES,
    SOUND,
    code_cells,
    plant,
    reasons,
)

ROOT = find_root(Path(__file__))


@pytest.fixture(scope="module")
def canary():
    return read_notebook(ROOT / NOTEBOOK)


@pytest.fixture
def sound(canary):
    """The canary as a run gives it: every cell has the outputs of its sound twin."""
    notebook = copy.deepcopy(canary)
    cells = code_cells(notebook)
    for name in PLANTS:
        twin = cells[SOUND + name.split("-", 1)[1]]
        cells[name].outputs = copy.deepcopy(twin.outputs)
        cells[name].execution_count = 1
    return notebook


def test_each_planted_cell_has_a_twin_of_the_same_source(canary):
    cells = code_cells(canary)
    for name in PLANTS:
        twin = cells[SOUND + name.split("-", 1)[1]]
        assert (cells[name].source, cells[name].metadata) == (
            twin.source,
            twin.metadata,
        )
    assert all(name.startswith(PREFIXES) for name in cells)


def test_what_is_planted_differs_from_the_twin_and_from_every_other(sound, canary):
    assert plant(sound).cells != sound.cells
    outputs = [cell.outputs for cell in code_cells(canary).values()]
    kept = [x for i, x in enumerate(outputs) if x and x not in outputs[:i]]
    unchanged = {"planted-silence", "planted-count"}
    sources = {cell.source for cell in code_cells(canary).values() if cell.outputs}
    assert len(kept) == len(sources) + len(PLANTS) - len(unchanged)


def kinds(notebook):
    """Return which kinds of output a notebook holds."""
    found = set()
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            found |= {output.output_type, *data}
            if "data:image/png" in data.get("image/svg+xml", ""):
                found.add("a picture in a figure")
    return found


def test_every_kind_of_output_of_the_book_is_planted(canary):
    planted = copy.deepcopy(canary)
    planted.cells = [c for c in planted.cells if c.id.startswith(PLANTED)]
    book = set().union(*(kinds(read_notebook(path)) for path in chapters(ROOT)))
    assert book - {"text/plain"} <= kinds(planted)


def test_figures_need_not_be_told_apart_where_they_are_not_compared():
    assert reasons().keys() - reasons(figures=False).keys() == {
        "planted-curve",
        "planted-form",
        "planted-picture",
    }
    assert "tolerated-decimal" not in reasons()


def test_a_canary_that_lacks_a_cell_is_refused(sound):
    sound.cells = [c for c in sound.cells if c.id != "planted-text"]
    with pytest.raises(BookError, match=r"a cell for each .* look at planted-text"):
        plant(sound)


def test_something_planted_that_changes_nothing_is_refused(sound):
    code_cells(sound)["planted-text"].outputs[0].text = "other words\n"
    with pytest.raises(BookError, match="planted-text must change an output"):
        plant(sound)

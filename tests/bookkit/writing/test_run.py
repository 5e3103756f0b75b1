"""Running a notebook stores what every run of it gives."""

import pytest

from bookkit.book.notebooks import IGNORE_OUTPUT, write_notebook
from bookkit.writing.run import RunError, run_all, run_notebook

SHOW = "from IPython.display import SVG, display"


@pytest.fixture
def run_cells(write_chapter, saved):
    """Write cells as a chapter, run it, and return what was stored."""

    def run(*cells):
        path = write_chapter("# T", *cells)
        run_notebook(path)
        return saved(path)

    return run


def test_a_run_is_canonical_and_a_second_run_changes_no_byte(
    book, write_chapter, code, saved
):
    alt = {"image": {"alt": "A straight line that rises from left to right."}}
    first = code(
        "import sys, os\nfor i in range(3):\n    print(i)\n    sys.stdout.flush()",
        collapsed=True,
        tags=["kept"],
        execution={"iopub.execute_input": "2020-01-01"},
    )
    image = code(f"{SHOW}\ndisplay(SVG('<svg xmlns=\"u\"/>'))", mystnb=alt)
    path = write_chapter("# T", first, image, code(""), code("os.getcwd()"))
    ids = [cell.id for cell in saved(path).cells]

    lines = []
    run_all([path], report=lines.append)
    before = path.read_bytes()
    notebook = saved(path)
    run_all([path], report=lines.append)

    assert path.read_bytes() == before
    assert [line.split(", ")[1] for line in lines] == ["changed", "unchanged"]
    assert lines[0].startswith("book/part/chapter.ipynb: ")
    assert [cell.id for cell in notebook.cells] == ids
    counts = [c.execution_count for c in notebook.cells if c.cell_type == "code"]
    assert counts == [1, 2, None, 3]
    assert notebook.cells[1].metadata == {"tags": ["kept"]}
    [stream] = notebook.cells[1].outputs
    assert stream.text == "0\n1\n2\n"
    [shown] = notebook.cells[2].outputs
    assert shown.metadata == {"image/svg+xml": alt["image"]}
    first, second = shown.data["text/plain"].splitlines()
    assert first.startswith("A figure, shown once you run the notebook. A straight ")
    assert (len(first) <= 80, second) == (True, "to right.")
    [result] = notebook.cells[4].outputs
    assert result.data["text/plain"] == repr(str(book / "book" / "part"))
    assert result.execution_count == 3
    assert sorted(notebook.metadata) == ["kernelspec", "language_info"]
    assert "version" not in notebook.metadata.language_info


def test_an_expected_error_keeps_its_message_and_no_frames(run_cells, code):
    cell = code("def f():\n    raise ValueError('must be 2')\nf()")
    cell.metadata.tags = ["raises-exception"]
    notebook = run_cells(cell, code("1"))
    [error] = notebook.cells[1].outputs
    assert error.traceback == ["ValueError: must be 2"]
    assert notebook.cells[2].execution_count == 2


def test_of_a_page_with_a_drawing_the_drawing_is_kept(run_cells, code):
    shown = f"{SHOW}\ndisplay({{kinds}}, raw=True)"
    page, drawing = {"text/html": "<p>a</p>"}, {"image/svg+xml": '<svg xmlns="u"/>'}
    both = code(shown.format(kinds=page | drawing))
    notebook = run_cells(both, code(shown.format(kinds=page)))
    found = [set(cell.outputs[0].data) for cell in notebook.cells[1:]]
    assert found == [set(drawing), set(page)]


def test_a_measured_figure_is_kept_and_has_the_words_of_today(
    write_chapter, code, saved
):
    drawn = f"{SHOW}\nimport time\ndisplay(SVG(f'<svg xmlns=\"{{time.time()}}\"/>'))"
    cell = code(drawn, mystnb={"image": {"alt": "One line"}}, tags=[IGNORE_OUTPUT])
    path = write_chapter("# T", cell)
    run_notebook(path)
    before = saved(path)
    notebook = saved(path)
    notebook.cells[1].metadata.mystnb.image.alt = "Two lines"
    write_notebook(path, notebook)
    run_notebook(path)
    [old], [new] = before.cells[1].outputs, saved(path).cells[1].outputs
    assert new.data["image/svg+xml"] == old.data["image/svg+xml"]
    assert new.data["text/plain"].endswith("Two lines")


def test_a_cell_that_raises_is_named_and_the_file_stays(write_chapter, code):
    path = write_chapter("# T", code("1"), code("text"), code("raise KeyError('x')"))
    before = path.read_bytes()
    with pytest.raises(RunError) as caught:
        run_notebook(path)
    assert str(caught.value) == (
        "book/part/chapter.ipynb, cell 3 (code cell 2) raised NameError: "
        "name 'text' is not defined; mend the cell and run it again, the file is "
        "unchanged."
    )
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_dead_kernel_is_one_sentence(write_chapter, code):
    path = write_chapter("# T", code("import os\nos._exit(1)"))
    with pytest.raises(RunError, match=r"cell 2 \(code cell 1\) ended its Python proc"):
        run_notebook(path)


def test_a_cell_that_takes_too_long_is_one_sentence(write_chapter, code):
    path = write_chapter("# T", code("import time\ntime.sleep(60)"))
    with pytest.raises(RunError, match="must end within 1 seconds, and did not"):
        run_notebook(path, timeout=1)


def test_a_measured_time_is_kept(write_chapter, code, saved):
    cell = code("import time\nprint(f'{time.perf_counter():.9f} s')\nassert True")
    cell.metadata.tags = ["nbval-ignore-output"]
    path = write_chapter("# T", cell)
    assert run_notebook(path) is True
    stored = saved(path).cells[1].outputs
    assert run_notebook(path) is False
    assert saved(path).cells[1].outputs == stored


def test_figures_are_drawn_inline_whatever_backend_is_set(run_cells, code, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    source = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
    [output] = run_cells(code(source)).cells[1].outputs
    assert "image/png" in output.data

"""Reading times are counted, and written where they are not what was counted."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bookkit.__main__ import main
from bookkit.book.notebooks import read_notebook
from bookkit.book.reading_time import ReadingTime
from bookkit.checking.facts import facts
from bookkit.writing.minutes import counted_sentence, reading_time, stale_times

FIRST = "# T\n\n**Reading time** about 5 minutes. And more."
EXERCISE = '<a id="ex-a" name="ex-a"></a>\n\n### Exercise 1: So\n\nCompute.'


def words(minutes):
    """Write as many words as are read in some minutes."""
    return " ".join(["word"] * (90 * minutes))


def lines(minutes, **metadata):
    """Write as many lines of code as are read in some minutes."""
    return new_code_cell("\n".join(["x = 1"] * (9 * minutes)), metadata=metadata)


def count(*cells):
    """Count the minutes of a notebook of texts and of other cells."""
    nodes = [
        new_markdown_cell(cell, id=f"text-{number}") if isinstance(cell, str) else cell
        for number, cell in enumerate(cells)
    ]
    time = reading_time(new_notebook(cells=nodes))
    return time.core, time.whole


def test_90_words_or_9_lines_take_a_minute():
    assert count(words(5)) == (5, 5)
    assert count(words(5), "word") == (10, 10)
    assert count(lines(5)) == (5, 5)
    assert count(lines(5), "word") == (10, 10)


def test_a_proof_takes_four_minutes_whatever_its_words():
    proof = new_markdown_cell(f"*Proof.* {words(50)} ∎", id="proof-of-thm-a")
    assert count(words(1), proof) == (5, 5)
    assert count(words(2), proof) == (10, 10)


def test_a_figure_takes_half_a_minute_whatever_its_caption():
    figure = f"**Figure 1.** {words(50)}"
    assert count(*[figure] * 10) == (5, 5)
    assert count(*[figure] * 11) == (10, 10)


@facts(
    "metadata",
    [
        {"tags": ["hide-input"]},
        {"tags": ["remove-cell"]},
        {"tags": ["exercise-starter"]},
        {"tags": ["exercise-solution"]},
        {"jupyter": {"source_hidden": True}},
    ],
)
def test_folded_code_and_that_of_exercises_takes_no_time(metadata):
    assert count(lines(7, **metadata)) == (5, 5)
    assert count(lines(7, tags=["draw"])) == (10, 10)


@facts("heading", ["Exercises", "Further reading"])
def test_exercises_and_further_reading_are_not_counted(heading):
    inside = (f"## {heading}\n\n{words(7)}", f"### More\n\n{words(7)}", lines(7))
    assert count(*inside) == (5, 5)
    assert count(*inside, f"## Summary\n\n{words(7)}") == (10, 10)


def test_deeper_sections_count_for_the_second_number_only():
    deeper = (f"## Deeper: why\n\n{words(7)}", lines(11), f"### So\n\n{words(1)}")
    assert count(words(5), *deeper) == (5, 25)
    assert count(words(5), *deeper, f"## Next\n\n{words(6)}") == (15, 35)


def test_the_sentence_does_not_count_itself():
    assert count(words(5) + " **Reading time** about 5 minutes.") == (5, 5)


def test_a_chapter_without_exercises_promises_none():
    notebook = new_notebook(cells=[new_markdown_cell(FIRST)])
    assert counted_sentence(notebook) == "**Reading time** about 5 minutes."
    notebook.cells.append(new_markdown_cell(EXERCISE))
    assert counted_sentence(notebook).endswith("minutes; exercises not counted.")


def test_the_command_writes_the_sentence_and_the_landing_page_once(
    book, write_chapter, monkeypatch, capsys
):
    monkeypatch.chdir(book)
    path = write_chapter(FIRST, words(17), f"## Deeper: why\n\n{words(19)}")
    index = book / "book" / "index.md"
    index.write_text("| 1 | [T](part/chapter.ipynb) | So? | 5 |\n")
    changed = ["book/part/chapter.ipynb", "book/index.md"]
    assert stale_times(book) == changed
    assert main(["references"]) == 0
    assert capsys.readouterr().out.splitlines() == [*changed, "2 places refreshed."]
    sentence = "**Reading time** about 20 minutes, 40 with what is marked *Deeper*."
    assert read_notebook(path).cells[0].source == f"# T\n\n{sentence} And more."
    assert "| So? | 20 (40) |\n" in index.read_text()
    assert stale_times(book) == []


def test_a_time_that_stays_inside_a_step_is_the_whole_time_too():
    notebook = new_notebook(cells=[new_markdown_cell("## Deeper: why\n\nSo.")])
    assert reading_time(notebook) == ReadingTime(core=5, whole=5)

"""Reading times are counted, and written where they are not what was counted."""

from nbformat.v4 import new_markdown_cell, new_notebook

from bookkit.__main__ import main
from bookkit.book.notebooks import read_notebook
from bookkit.writing.minutes import reading_time, stale_times

FIRST = "# T\n\n**Reading time** about 5 minutes. And more."


def words(minutes):
    """Write as many words as are read in some minutes."""
    return " ".join(["word"] * (90 * minutes))


def count(*cells):
    """Count the minutes of a notebook of texts and of other cells."""
    nodes = [
        new_markdown_cell(cell, id=f"text-{number}") if isinstance(cell, str) else cell
        for number, cell in enumerate(cells)
    ]
    time = reading_time(new_notebook(cells=nodes))
    return time.core, time.whole


def test_a_proof_takes_four_minutes_whatever_its_words():
    proof = new_markdown_cell(f"*Proof.* {words(50)} ∎", id="proof-of-thm-a")
    assert count(words(1), proof) == (5, 5)
    assert count(words(2), proof) == (10, 10)


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

"""Reading times are counted, and written where they are not what was counted."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit.__main__ import main
from bookkit.book.notebooks import read_notebook
from bookkit.checking.facts import facts
from bookkit.writing.minutes import (
    compared_sentence,
    comparisons,
    reading_time,
    stale_times,
)
from chapters.laboratory.study import Verdict

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


ROW = "GELU  +0.15 ± 0.07  +0.02 ± 0.01  "


def page(*verdicts, kind="display_data"):
    """Return a notebook whose one output has a row for each verdict."""
    text = "\n".join(ROW + verdict for verdict in verdicts)
    output = (
        new_output("stream", text=text)
        if kind == "stream"
        else new_output(kind, data={"text/plain": text, "text/html": text})
    )
    return new_notebook(cells=[new_code_cell("x", outputs=[output])])


@facts("kind", ["stream", "display_data", "execute_result"])
def test_every_verdict_of_the_laboratory_is_counted_once(kind):
    assert comparisons(page(*Verdict, kind=kind)) == len(Verdict)


def test_of_forty_comparisons_chance_parts_four():
    said = compared_sentence(page(*[Verdict.LEVEL] * 40))
    assert said.startswith("\n\n**Compared** 40 pairs of trained models, ")
    assert said.endswith(" about 4 would look different by chance.")


def test_of_few_comparisons_chance_parts_fewer_than_one():
    said = compared_sentence(page(Verdict.AHEAD))
    assert said.startswith("\n\n**Compared** 1 pair of")
    assert "fewer than one" in said

"""Reading times are counted, and written where they are said."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit.__main__ import main
from bookkit.book.notebooks import read_notebook
from bookkit.book.outline import ReadingTime
from bookkit.checking.facts import facts
from bookkit.writing.minutes import (
    compared_sentence,
    comparisons,
    reading_time,
    stale_times,
    with_times,
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
    assert said.startswith("\n\n**Compared** in the tables of this page are 40 pairs")
    assert "judged at two budgets by intervals of 95 %" in said
    assert said.endswith(" about 4 would still seem to differ, by chance.")


def test_of_few_comparisons_chance_parts_fewer_than_one():
    said = compared_sentence(page(Verdict.AHEAD))
    assert said.startswith("\n\n**Compared** in the tables of this page is 1 pair of")
    assert "fewer than one" in said


PAGE = """\
Start with [A](p/a.ipynb), {first} minutes, or [a bit in one day](#how-long-it-takes), \
{short}.

Three chapters, about {all}; exercises not counted.

| you have | you read | time |
|---|---|---|
| **one day** | parts: chapters [1](p/a.ipynb), [3](q/c.ipynb) | {some} |
| **much** | everything: chapters [1](p/a.ipynb) to [3](q/c.ipynb) | {every} |

| # | chapter | question | minutes |
|---|---|---|---|
| 1 | [A](p/a.ipynb) | In 5 minutes? | {a} |
| 2 | [B](p/b.ipynb) | So? | {b} |
| 3 | [C](q/c.ipynb) | So? | {c} |
"""
OLD = PAGE.format(
    first=1,
    short="9½ hours",
    all="1½ hours of reading, 2 with *Deeper*",
    some="3 hours",
    every="4 hours, 5 with *Deeper*",
    a="5",
    b="5 (7)",
    c="5",
)


def times(**both):
    """Name the times of the three chapters, each without and with Deeper sections."""
    paths = {"a": "p/a.ipynb", "b": "p/b.ipynb", "c": "q/c.ipynb"}
    return {
        paths[name]: ReadingTime(core=core, whole=whole)
        for name, (core, whole) in both.items()
    }


def test_one_time_is_written_where_nothing_is_deeper():
    assert with_times(OLD, times(a=(35, 35), b=(55, 55), c=(65, 65))) == PAGE.format(
        first=35,
        short="1½ hours",
        all="2½ hours of reading",
        some="1½ hours",
        every="2½ hours",
        a="35",
        b="55",
        c="65",
    )


def test_a_path_counts_the_chapters_that_there_are():
    page = "| 1 | [A](p/a.ipynb) | So? | 5 minutes |\n"
    path = "| **one week** | [1](p/a.ipynb), [2](p/gone.ipynb) | 1 hours |\n"
    found = with_times(path + page, times(a=(125, 125)))
    assert found.startswith(path.replace("1 hours", "2 hours"))


def test_a_door_to_what_is_not_timed_stays_as_it_is():
    page = "[A](p/gone.ipynb), 5 minutes; [x in one week](#how-long-it-takes), 2 hours"
    page += "\n\n| 1 | [A](p/a.ipynb) | So? | 35 |\n"
    assert with_times(page, times(a=(35, 35))) == page


def test_a_page_that_lists_no_chapter_stays_as_it_is():
    assert with_times("about 3 hours of reading", times(a=(35, 35))) == (
        "about 3 hours of reading"
    )

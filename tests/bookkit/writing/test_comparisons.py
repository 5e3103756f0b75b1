"""A page says how many trained models it compares, and what chance would do."""

from nbformat.v4 import new_code_cell, new_notebook, new_output

from bookkit.checking.facts import facts
from bookkit.writing.minutes import compared_sentence, comparisons
from chapters.laboratory.study import Verdict

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
    assert said.startswith(" **Compared** 40 pairs of trained models, ")
    assert said.endswith(" about 4 would look different by chance.")


def test_of_few_comparisons_chance_parts_fewer_than_one():
    said = compared_sentence(page(Verdict.AHEAD))
    assert said.startswith(" **Compared** 1 pair of")
    assert "fewer than one" in said

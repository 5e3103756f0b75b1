"""The page's own loop and cuts work on what they hand to each other."""

from pathlib import Path

import pytest
import torch

from bookkit.book.files import find_root
from bookkit.book.notebooks import read_notebook
from chapters.decoding.tables import AFTER, WORDS, TableModel, as_matrix
from transformer.decoding import keep_min_p, keep_top_k, keep_top_p

NOTEBOOK = read_notebook(find_root(Path(__file__)) / "book/architecture/decoding.ipynb")
PACKAGE = {"top_k": (keep_top_k, 3), "top_p": (keep_top_p, 0.8)}
PACKAGE |= {"min_p": (keep_min_p, 0.1)}


@pytest.fixture(scope="module")
def page():
    """Return the functions that the page defines, by name."""
    names = {"torch": torch}
    for begin in ("@torch.no_grad()\ndef write(", "def sampler(", "def top_k("):
        (code,) = [
            cell.source
            for cell in NOTEBOOK.cells
            if cell.cell_type == "code" and cell.source.startswith(begin)
        ]
        exec(code, names)
    return names


@pytest.mark.parametrize("rule", PACKAGE)
@pytest.mark.parametrize("texts", [1, 3])
def test_a_cut_takes_the_logits_of_the_loop_and_cuts_each_text(page, rule, texts):
    logits = 2 * torch.randn(texts, 11, generator=torch.Generator().manual_seed(0))
    keep, number = PACKAGE[rule]
    found = page["cut"](logits, page[rule], number)
    torch.testing.assert_close(found, keep(logits, number), rtol=0, atol=0)
    assert 1 <= found[0].isfinite().sum() < 11


@pytest.mark.parametrize("rule", PACKAGE)
def test_a_cut_takes_the_logits_of_one_step_alone(page, rule):
    logits = 2 * torch.randn(11, generator=torch.Generator().manual_seed(1))
    keep, number = PACKAGE[rule]
    found = page["cut"](logits, page[rule], number)
    torch.testing.assert_close(found[None], keep(logits[None], number))


def test_a_nucleus_ends_where_the_sum_is_just_reached(page):
    shares = torch.tensor([[0.25, 0.5, 0.125, 0.125]])
    assert page["top_p"](shares, 0.75).tolist() == [[0.25]]
    assert page["top_p"](shares, 0.5).tolist() == [[0.5]]


def test_the_loop_draws_no_word_that_top_p_has_cut(page):
    model, text = TableModel(as_matrix(AFTER)), torch.tensor([[WORDS.index("a")]])
    draw, after = page["sampler"](1.0, seed=0), set()

    def choose(logits):
        return draw(page["cut"](logits, page["top_p"], 0.8))

    for _ in range(100):
        after.add(WORDS[page["write"](model, text, choose, longest=1)[0, 1]])
    assert after == {"rabbit", "cat", "king"}


def test_every_call_to_hugging_face_says_whether_it_draws():
    (table,) = [c.source for c in NOTEBOOK.cells if "num_beams=4` |" in c.source]
    _, *rows = [line for line in table.splitlines() if line.startswith("| ")]
    calls = [row.split("|")[3] for row in rows]
    drawn = ["do_sample=True" in call for call in calls]
    assert all("do_sample=" in call for call in calls)
    assert drawn == [False, False, True, True, True, True]

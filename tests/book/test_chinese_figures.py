"""On a Chinese page a figure says in Chinese all that somebody has translated."""

from bookkit.book.cells import code_cells, images
from bookkit.book.chinese import (
    SIGNS,
    catalog_path,
    drawn_texts,
    is_done,
    is_said,
    read_catalog,
    twins,
)
from bookkit.book.files import find_root
from bookkit.book.notebooks import NARROW, SVG, read_notebook
from bookkit.checking.facts import facts

ROOT = find_root()
PAIRS = [pair for pair in twins(ROOT).items() if pair[1].endswith(".ipynb")]
# How a drawing refers to a shape of the font of figures.
SHAPE = "#BookLabels-"


def figures(file):
    cells = code_cells(read_notebook(ROOT / file))
    return [out.data for _, cell in cells for out in images(cell) if SVG in out.data]


def test_a_chapter_is_translated():
    assert "book/normalization/residual_connections.ipynb" in dict(PAIRS)


@facts("english, chinese", PAIRS)
def test_english_is_only_what_waits_for_a_translator(english, chinese):
    catalog = read_catalog(catalog_path(ROOT, english))
    waiting = {m.id for m in catalog if m.id and not is_done(m)}
    names = {m.id for m in catalog if m.id == m.string}  # such as GPT-2
    texts = {text for data in figures(chinese) for text in drawn_texts(data[SVG])}
    latin = {text for text in texts if is_said(text) and not SIGNS.search(text)}
    assert latin <= waiting | names
    assert any(SIGNS.search(text) for text in texts)


@facts("english, chinese", PAIRS)
def test_both_forms_of_a_figure_are_chinese_and_those_of_the_english_are_not(
    english, chinese
):
    for page, is_chinese in ((english, False), (chinese, True)):
        for data in figures(page):
            has_signs = bool(SIGNS.search("".join(drawn_texts(data[SVG]))))
            assert has_signs <= is_chinese
            assert (SHAPE in data[SVG]) == has_signs
            assert (SHAPE in data.get(NARROW, "")) == has_signs
    assert len(figures(english)) == len(figures(chinese))


@facts("english, chinese", PAIRS)
def test_numbers_and_formulas_of_a_figure_stay(english, chinese):
    for one, other in zip(figures(english), figures(chinese), strict=True):
        kept = [
            {text for text in drawn_texts(data[SVG]) if text.startswith("$")}
            for data in (one, other)
        ]
        assert kept[0] == kept[1]

"""Figures of a Chinese page have the labels of today, and the fonts all signs."""

import json

import pytest
from fontTools.ttLib import TTFont
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bookkit.__main__ import main
from bookkit.book.chinese import (
    FONT,
    LABEL_FAMILY,
    LABEL_FONT,
    catalog_path,
    drawn_texts,
    labels_path,
    read_catalog,
)
from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import NARROW, SVG, read_notebook, write_notebook
from bookkit.checking.rules.chinese import (
    chinese_can_be_printed,
    chinese_figures_are_drawn,
    chinese_pages_are_fresh,
)
from bookkit.writing.chinese import write_font, write_label_font
from bookkit.writing.translations import (
    begin_translation,
    catalog_bytes,
    draw_figures,
    renewed_catalog,
    stale_translations,
    untranslated,
)

PAGE, CHINESE_PAGE = "book/part/chapter.ipynb", "zh/part/chapter.ipynb"
ENGLISH = ["layer", "$x_0$", "1.0", "two\nlines", "2 & 3 layers"]
WORDS = {"layer": "层", "two\nlines": "两行", "2 & 3 layers": "2 和 3 层"}
ALT = {"A line.": "一条线。"}


def svg_of(texts, line=1):
    """Write what matplotlib does: a group a text, a comment a line, then its shapes."""
    groups = (
        f'<g id="text_{number}">\n'
        + "".join(f"<!-- {part} -->\n<g/>\n" for part in text.split("\n"))
        + "</g>"
        for number, text in enumerate(texts, 1)
    )
    said = "".join(groups).replace("&", "&amp;")
    return f'<svg><!-- no text --><path d="M 0 {line}"/>{said}</svg>'


def write_page(path, texts, line=1, *, start="start_chapter()"):
    """Write a notebook with a figure, and with one that says nothing."""
    image = {"mystnb": {"image": {"alt": "A line."}}}
    drawn = {SVG: svg_of(texts, line), NARROW: f"<svg>{texts}</svg>"}
    outputs = [new_output("display_data", drawn, metadata={SVG: {"alt": "A line."}})]
    other = [new_output("display_data", {SVG: svg_of(["1.0"])})]
    cells = [
        new_code_cell(start, id="start"),
        new_code_cell("draw()", id="figure", metadata=image, outputs=outputs),
        new_code_cell("other()", id="other", outputs=other),
    ]
    write_notebook(path, new_notebook(cells=cells))


def fill(book, words):
    catalog = renewed_catalog(book, PAGE)
    for message in catalog:
        message.string = words.get(message.id, message.string)
    catalog_path(book, PAGE).write_bytes(catalog_bytes(catalog))


def figure_of(book):
    [output] = read_notebook(book / CHINESE_PAGE).cells[1].outputs
    return output


def shown(book):
    return drawn_texts(figure_of(book).data[SVG])


@pytest.fixture
def run(book):
    """Run a Chinese notebook: what it draws has the labels that its code would find."""
    done = []

    def execute(paths):
        for path in paths:
            done.append(path.relative_to(book).as_posix())
            labels = json.loads(labels_path(book, PAGE).read_text("utf-8"))
            source = read_notebook(path).cells[0].source
            assert source == 'start_chapter(labels="chapter")'
            texts = [labels.get(text, text) for text in ENGLISH]
            write_page(path, texts, start=source)

    execute.done = done
    return execute


@pytest.fixture
def translated(book):
    """Return a book with one chapter whose labels are translated, and not yet drawn."""
    write_page(book / PAGE, ENGLISH)
    begin_translation(book, PAGE)
    fill(book, WORDS | ALT)
    stale_translations(book, write=True)
    return book


@pytest.fixture
def drawn(translated, run):
    draw_figures(translated, [PAGE], run)
    assert shown(translated) == ["层", "$x_0$", "1.0", "两行", "2 和 3 层"]
    return translated


def test_labels_are_messages_and_formulas_and_numbers_are_none(book):
    write_page(book / PAGE, ENGLISH)
    begin_translation(book, PAGE)
    stale_translations(book, write=True)
    messages = [m for m in read_catalog(catalog_path(book, PAGE)) if m.id]
    assert [m.id for m in messages] == ["A line.", *WORDS]
    assert {m.locations[0] for m in messages} == {(PAGE, 2)}
    assert untranslated(book)[-1] == f"{PAGE}, cell 2, is new: '2 & 3 layers'"
    assert read_notebook(book / CHINESE_PAGE).cells[0].source == "start_chapter()"


def test_a_figure_stands_in_english_until_it_is_drawn(translated):
    assert shown(translated) == ENGLISH
    [said] = chinese_figures_are_drawn(translated)
    assert said.startswith(f"{CHINESE_PAGE}, cell 2 (code cell 2): its figure must")
    assert said.endswith(f"run `make run NOTEBOOK={CHINESE_PAGE}`.")
    assert untranslated(translated) == []


@pytest.mark.parametrize("name", [PAGE, CHINESE_PAGE])
def test_a_run_in_either_language_draws_it(translated, run, name):
    draw_figures(translated, [name], run)
    assert shown(translated) == [WORDS.get(text, text) for text in ENGLISH]
    assert "层" in figure_of(translated).data[NARROW]
    assert run.done == [CHINESE_PAGE]
    assert chinese_figures_are_drawn(translated) == []
    assert chinese_pages_are_fresh(translated) == []


@pytest.mark.parametrize(
    ("name", "ran"), [(PAGE, [PAGE, CHINESE_PAGE]), (CHINESE_PAGE, [CHINESE_PAGE])]
)
def test_the_command_runs_the_chinese_notebook_last_and_once(
    translated, monkeypatch, capsys, name, ran
):
    done = []

    def run_all(paths, **settings):
        done.extend(path.resolve().relative_to(translated).as_posix() for path in paths)

    monkeypatch.chdir(translated)
    monkeypatch.setattr("bookkit.writing.run.run_all", run_all)
    assert main(["run", name]) == 0
    assert done == ran


def test_a_figure_without_a_narrow_form_has_not_that_of_the_english(translated):
    def execute(paths):
        [path] = paths
        write_page(path, [WORDS.get(text, text) for text in ENGLISH])
        notebook = read_notebook(path)
        del notebook.cells[1].outputs[0].data[NARROW]
        write_notebook(path, notebook)

    draw_figures(translated, [PAGE], execute)
    assert shown(translated)[0] == "层"
    assert NARROW not in figure_of(translated).data


def test_a_run_of_another_page_draws_nothing(translated, run):
    draw_figures(translated, ["book/part/other.ipynb"], run)
    assert run.done == []


def test_who_cannot_see_a_figure_is_told_in_chinese(drawn):
    output = figure_of(drawn)
    assert output.metadata[SVG]["alt"] == "一条线。"
    assert output.data["text/plain"] == "图，运行后显示。一条线。"


def test_a_figure_that_has_changed_stands_in_english_and_is_named(drawn):
    write_page(drawn / PAGE, ENGLISH, line=2)  # another line, the same words
    assert len(chinese_pages_are_fresh(drawn)) == 1
    stale_translations(drawn, write=True)
    assert shown(drawn) == ENGLISH
    assert 'd="M 0 2"' in figure_of(drawn).data[SVG]
    assert len(chinese_figures_are_drawn(drawn)) == 1


def test_a_label_that_has_changed_is_stale(drawn):
    write_page(drawn / PAGE, ["layers", *ENGLISH[1:]])
    stale_translations(drawn, write=True)
    assert untranslated(drawn) == [f"{PAGE}, cell 2, has changed: 'layers'"]
    assert shown(drawn)[0] == "layers"
    assert "layers" not in json.loads(labels_path(drawn, PAGE).read_text("utf-8"))


def test_a_translation_that_has_changed_is_drawn_anew(drawn, run):
    fill(drawn, {"layer": "层数"})
    stale_translations(drawn, write=True)
    assert shown(drawn) == ENGLISH
    assert len(chinese_figures_are_drawn(drawn)) == 1
    draw_figures(drawn, [CHINESE_PAGE], run)
    assert shown(drawn)[0] == "层数"


def test_a_label_that_nobody_translated_stands_in_english_beside_others(book, run):
    write_page(book / PAGE, ENGLISH)
    begin_translation(book, PAGE)
    fill(book, {"layer": "层"})
    draw_figures(book, [PAGE], run)
    assert shown(book) == ["层", *ENGLISH[1:]]
    assert chinese_figures_are_drawn(book) == []
    assert len(untranslated(book)) == 3


def test_a_sign_that_the_font_of_figures_lacks_is_named(translated):
    said = chinese_can_be_printed(translated)[-1]
    assert "labels.otf must have all Chinese signs" in said
    assert "lacks 两和层行." in said
    assert "`python -m bookkit chinese-font --labels NotoSansCJK-Regular.ttc`" in said


SOURCE = find_root() / FONT
FAMILY, LICENSE = 1, 13


def say(book, words):
    (book / "book" / "page.md").write_text(f"# Page\n\nA {words}\n", "utf-8")


def test_the_font_has_the_signs_of_the_book_and_its_license(book):
    say(book, "向量、值")
    assert write_font(book, SOURCE) == 4
    font = TTFont(book / FONT)
    assert set(map(chr, font.getBestCmap())) == set("向量、值")
    assert "SIL Open Font License" in font["name"].getDebugName(LICENSE)


def test_a_font_that_lacks_a_sign_is_refused(book):
    say(book, "向龘")
    with pytest.raises(BookError, match="not 龘"):
        write_font(book, SOURCE)
    assert not (book / FONT).exists()


def test_figures_have_a_font_of_their_own_with_letters_for_formulas(book):
    labels = (book / LABEL_FONT).parent
    labels.mkdir(parents=True)
    (labels / "chapter.json").write_text('{"layer 2": "2 层"}\n', "utf-8")
    say(book, "向量")
    write_label_font(book, SOURCE.parents[3] / LABEL_FONT)
    font = TTFont(book / LABEL_FONT)
    known = set(map(chr, font.getBestCmap()))
    assert {*"层 2aZ("} <= known
    assert not known & set("向量残")
    assert font["name"].getDebugName(FAMILY) == LABEL_FAMILY
    assert "SIL Open Font License" in font["name"].getDebugName(LICENSE)

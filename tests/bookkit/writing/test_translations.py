"""A Chinese page says what the English one says today, or says it in English."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bookkit.book.boxes import read_box
from bookkit.book.chinese import catalog_path, faults, pieces, read_catalog
from bookkit.book.errors import BookError
from bookkit.book.notebooks import read_notebook, write_notebook
from bookkit.checking.rules.chinese import (
    chinese_pages_are_fresh,
    translations_are_exact,
)
from bookkit.writing.translations import (
    begin_translation,
    catalog_bytes,
    renewed_catalog,
    stale_translations,
    untranslated,
)

PAGE = "book/part/chapter.ipynb"
THEOREM = '<a id="thm-sum" name="thm-sum"></a>\n**Theorem 1.1 (A sum).** It is $a + b$.'
SAID = "See [Theorem 1.1](#thm-sum) and `x`, 2 of 47 million.\n\n$$\na\n$$"
CHINESE = {
    "# A title": "# 标题",
    "**Theorem 1.1 (A sum).** It is $a + b$.": "**定理 1.1（和）。** 它是 $a + b$。",
    SAID.partition("\n")[0]: "见[定理 1.1](#thm-sum) 和 `x`，4700 万中的 2 个。",
    "A line.": "一条线。",
}


def write_english(book, said=SAID):
    cells = [new_markdown_cell(text) for text in ("# A title", THEOREM, said)]
    image = {"mystnb": {"image": {"alt": "A line."}}}
    cells.append(new_code_cell("draw()", metadata=image))
    write_notebook(book / PAGE, new_notebook(cells=cells))


@pytest.fixture
def translated(book):
    """Return a book with one chapter, which is translated."""
    write_english(book)
    begin_translation(book, PAGE)
    catalog = renewed_catalog(book, PAGE)
    for message in catalog:
        message.string = CHINESE.get(message.id, "")
    catalog_path(book, PAGE).write_bytes(catalog_bytes(catalog))
    stale_translations(book, write=True)
    return book


def sources(book):
    return [cell.source for cell in read_notebook(book / "zh/part/chapter.ipynb").cells]


def test_formulas_code_and_anchors_are_no_messages():
    text = "(name)=\nOne.\n\n```\nx = 1\n\ny\n```\n\n> Two\n>\n> three $x$\n\n$x$"
    text += "\n\n  $$\n  xy\n  $$"
    said = [piece for piece, is_message in pieces(text) if is_message]
    assert said == ["One.", "> Two", "> three $x$"]
    assert "".join(piece for piece, _ in pieces(text)) == text


def test_a_chapter_stands_in_chinese_and_names_its_parts_anew(translated):
    title, theorem, said, code = sources(translated)
    assert (title, code) == ("# 标题", "draw()")
    cell = read_notebook(translated / "zh/part/chapter.ipynb").cells[-1]
    assert cell.metadata.mystnb.image.alt == "一条线。"
    assert theorem.startswith('<a id="thm-sum-zh" name="thm-sum-zh"></a>\n**定理 1.1')
    assert said == "见[定理 1.1](#thm-sum-zh) 和 `x`，4700 万中的 2 个。\n\n$$\na\n$$"
    assert read_box(theorem).title == "和"
    assert not chinese_pages_are_fresh(translated)
    assert translations_are_exact(translated) == []


def test_a_changed_paragraph_stands_in_english_and_is_named(translated):
    write_english(translated, SAID.replace("See", "Look at"))
    stale = ["zh/catalogs/part/chapter.po", "zh/part/chapter.ipynb"]
    assert stale_translations(translated, write=True) == stale
    assert sources(translated)[2].startswith("Look at [Theorem 1.1](#thm-sum-zh)")
    [named] = untranslated(translated)
    assert named.startswith(f"{PAGE}, cell 3, has changed: 'Look at")


def test_a_new_number_is_carried_into_the_translation(translated):
    write_english(translated, SAID.replace("2 of", "3 of"))
    stale_translations(translated, write=True)
    assert "4700 万中的 3 个" in sources(translated)[2]
    assert untranslated(translated) == []
    write_english(translated, SAID.replace("47 million", "48 million"))
    stale_translations(translated, write=True)  # which the translation says otherwise
    assert "48 million" in sources(translated)[2]


def test_a_translation_that_loses_something_is_named(translated):
    path = catalog_path(translated, PAGE)
    path.write_text(path.read_text("utf-8").replace("它是 $a + b$", "它是 5"), "utf-8")
    [said] = translations_are_exact(translated)
    assert "differs from the English text in $a + b$, 5: '**定理 1.1" in said


def test_numbers_may_be_said_in_words_but_not_invented():
    assert faults("63 million, twelve", "6300 万，十二") == []
    assert faults("one and 2.5", "1 和 2.50") == ["1"]


def test_a_page_by_hand_says_only_numbers_of_the_english_one(translated):
    (translated / "zh/index.md").write_text("# 中文\n\n7 章\n", "utf-8")
    said = "zh/index.md says 7, and the English page does not."
    assert translations_are_exact(translated) == [said]


def test_a_catalog_needs_its_page(translated):
    with pytest.raises(BookError, match=r"PAGE must be a page .* got 'book/none\.md'"):
        begin_translation(translated, "book/none.md")
    (translated / PAGE).unlink()
    with pytest.raises(BookError, match="there is no book/part/chapter"):
        stale_translations(translated)


def test_the_glossary_has_each_term_with_its_names(book):
    page = book / "book/appendix/glossary.md"
    page.parent.mkdir()
    link = "Explained in [Part](../part/chapter.ipynb#title)."
    body = f"norm : 归一化、规范化\n  A step. {link}\n\nLN\n  See {{term}}`norm`.\n"
    page.write_text(f"# Glossary\n\n```{{glossary}}\n{body}```\n")
    begin_translation(book, "book/appendix/glossary.md")
    stale_translations(book, write=True)
    text = (book / "zh/appendix/glossary.md").read_text("utf-8")
    place = "../../book/part/chapter.ipynb#title"
    assert f"**[norm]({place})** · 归一化、规范化\n: A step." in text
    assert "**LN**\n: 见 norm · 归一化、规范化。" in text
    catalog = read_catalog(catalog_path(book, "book/appendix/glossary.md"))
    assert [m.id for m in catalog if m.id] == ["# Glossary", "A step."]

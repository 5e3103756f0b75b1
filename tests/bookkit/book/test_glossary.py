"""The glossary is read as it is written, and bold words are told from stress."""

import pytest

from bookkit.book.glossary import plain_form, read_glossary
from bookkit.checking.facts import facts
from bookkit.checking.rules.glossary import bold_words

GLOSSARY = """
# Glossary

```{glossary}
head (of attention)
  One of several, side by side. Explained in [Heads: many
  questions](../part/chapter.ipynb#many-questions).

RoPE
  See {term}`rotary embedding`.

rotary embedding : 旋转位置编码、旋转 embedding
  A rotation. Explained in [Turns](../part/turns.ipynb#turns).
```
"""


@pytest.fixture
def terms(book):
    folder = book / "book" / "appendix"
    folder.mkdir()
    (folder / "glossary.md").write_text(GLOSSARY)
    return read_glossary(book)


def test_an_entry_names_the_section_that_explains_it(terms):
    assert [(term.name, term.page, term.anchor) for term in terms] == [
        ("head (of attention)", "part/chapter", "many-questions"),
        ("RoPE", "", ""),
        ("rotary embedding", "part/turns", "turns"),
    ]


def test_behind_a_colon_stand_the_names_in_chinese(terms):
    assert [term.chinese for term in terms] == [
        (),
        (),
        ("旋转位置编码", "旋转 embedding"),
    ]


def test_a_term_may_be_bold_by_its_synonym(terms):
    assert terms[1].synonym_of == "rotary embedding"
    assert terms[2].forms == {"rotary embedding", "rope"}


def test_a_book_without_a_glossary_has_no_terms(book):
    assert read_glossary(book) == []


@facts("word", ["Heads", "head", "head (of attention)", "HEAD"])
def test_forms_of_one_word_are_one(word):
    assert plain_form(word) == "head"


def test_a_curled_apostrophe_is_an_apostrophe():
    assert plain_form("Shaw\u2019s keys") == plain_form("Shaw's keys")


def test_words_belong_to_the_nearest_heading():
    text = (
        "# One\n\nA **bit**.\n\n## Two $x$\n\n- a **`byte`**\n\n### Three\n\n**C** is"
    )
    assert list(bold_words(text)) == [
        ("one", "bit"),
        ("two-", "byte"),
        ("three", "C"),
    ]


@facts(
    "text",
    [
        "**Why is it so?**",
        "**By hand.** We compute.",
        '**"It is slow."** Measured.',
        "**You need** sines. **Reading time** about",
        "**Theorem 6.1.** For all",
        "## A **heading**",
        "```\n**code**\n```",
    ],
)
def test_what_opens_a_paragraph_defines_nothing(text):
    assert list(bold_words(text)) == []

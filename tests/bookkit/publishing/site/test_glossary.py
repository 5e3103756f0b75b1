"""A word that a chapter defines leads to the glossary, which leads back."""

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_markdown_cell, new_notebook

GLOSSARY = """# Glossary

```{glossary}
Noam's schedule : 学习率调度、预热
  A rule. Explained in [Turns](../part/chapter.ipynb#below).

rotation
  A *turn* by $\\pi$. See {term}`rotation`. Explained in
  [Turns](../part/chapter.ipynb#turns).
```
"""
CHAPTER = """# Chapter

The **rotation** comes below.

## Turns

Some **stress**, and a {0} by an angle.

### Below

A **rotation**, **Noam's schedule**.
"""


INDEX = """# Index

```{toctree}
book/part/chapter
book/appendix/glossary
```
"""


@pytest.fixture
def chapter(build):
    """Build a chapter beside a glossary; the value is its HTML and the warnings."""

    def make(word):
        cell = new_markdown_cell(CHAPTER.format(word))
        others = {"index.md": INDEX, "book/appendix/glossary.md": GLOSSARY}
        text = nbformat.writes(new_notebook(cells=[cell]))
        html, warnings = build(text, "book/part/chapter.ipynb", others)
        return BeautifulSoup(html, "html.parser"), warnings

    return make


def test_the_first_bold_word_of_the_section_leads_to_the_entry(chapter):
    page, warnings = chapter("**Rotations**")
    links = page.find_all("a", class_="glossary-link")
    assert warnings == ""
    assert [(link.get_text(), link["href"]) for link in links] == [
        ("Rotations", "../appendix/glossary.html#term-rotation"),
        ("Noam\u2019s schedule", "../appendix/glossary.html#term-Noams-schedule"),
    ]
    assert links[0].parent.name == "strong"


def test_the_tooltip_of_a_word_is_what_the_entry_says(chapter):
    page, _ = chapter("**Rotations**")
    link = page.find("a", class_="glossary-link")
    assert link["title"] == "rotation: A turn by π. See rotation."


def test_the_entry_says_what_chinese_texts_call_it(build):
    page, _ = build(GLOSSARY, "book/appendix/glossary.md", {"index.md": INDEX})
    first, second = BeautifulSoup(page, "html.parser").find_all("dt")
    (name,) = first.find_all("span", class_="chinese")
    assert (name["lang"], name.get_text()) == ("zh-Hans", "学习率调度、预热")
    assert first["id"] == "term-Noams-schedule"
    assert second.find("span") is None


def test_each_letter_leads_to_its_first_term(build):
    more = GLOSSARY.replace("rotation\n", "*reading*\n  A look.\n\nrotation\n")
    page, _ = build(more, "book/appendix/glossary.md", {"index.md": INDEX})
    [row] = BeautifulSoup(page, "html.parser").find_all(class_="letters")
    assert [(a.get_text(), a["href"]) for a in row.find_all("a")] == [
        ("N", "#term-Noams-schedule"),
        ("R", "#term-reading"),
    ]


def test_a_section_that_does_not_define_its_word_is_a_warning(chapter):
    page, warnings = chapter("turn")
    assert len(page.find_all("a", class_="glossary-link")) == 1
    assert "'rotation' must be bold in the section #turns" in warnings

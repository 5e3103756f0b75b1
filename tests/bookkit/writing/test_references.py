"""References are links with words, and boxes stand apart and carry their numbers."""

import pytest

from bookkit.book.bibliography import Entry
from bookkit.book.errors import BookError
from bookkit.book.numbering import Number
from bookkit.writing.boxes import without_marks, write_boxes, write_figure_mark
from bookkit.writing.links import Targets, write_links
from bookkit.writing.references import as_read, plain_references, stale_references

NUMBERS = {
    "fig-a": Number("figure", "6.1"),
    "thm-a": Number("theorem", "6.2"),
    "ex-a": Number("exercise", "6.3"),
    "eq-a": Number("equation", "6.4"),
}
ENTRIES = {
    key: Entry(key, authors, year, (f"https://arxiv.org/abs/{number}", "https://b.org"))
    for key, authors, year, number in [
        ("su", "Su et al.", "2024", "2104.09864"),
        ("press", "Press", "2022a", "2108.12409"),
        ("chen", "Chen and Li", "2023", "2306.15595"),
    ]
}
TARGETS = Targets(NUMBERS, ENTRIES)
SU = "[Su et al. (2024)](https://arxiv.org/abs/2104.09864)"
PRESS = "[Press (2022a)](https://arxiv.org/abs/2108.12409)"
CHEN = "[Chen and Li (2023)](https://arxiv.org/abs/2306.15595)"


@pytest.mark.parametrize(
    ("text", "fresh"),
    [
        ("{cite:t}`su` say", f"{SU} say"),
        ("{cite:t}`su,press`", f"{SU} and {PRESS}"),
        ("{cite:t}`su, press, chen`", f"{SU}, {PRESS}, and {CHEN}"),
        (
            "it is {cite:p}`su,press`.",
            "it is ([Su et al., 2024](https://arxiv.org/abs/2104.09864); "
            "[Press, 2022a](https://arxiv.org/abs/2108.12409)).",
        ),
        ("({numref}`fig-a`)", "([Figure 6.1](#fig-a))"),
        ("{prf:ref}`thm-a`", "[Theorem 6.2](#thm-a)"),
        ("{ref}`ex-a`", "[Exercise 6.3](#ex-a)"),
        ("{ref}`that one <ex-a>`", "[that one](#ex-a)"),
        ("equation {eq}`eq-a`", "equation [(6.4)](#eq-a)"),
    ],
)
def test_a_role_becomes_a_link_with_words(text, fresh):
    assert write_links(text, TARGETS, "here") == fresh


@pytest.mark.parametrize(
    ("text", "fresh"),
    [
        ("[Theorem 1.9](#thm-a)", "[Theorem 6.2](#thm-a)"),
        ("[](#fig-a)", "[Figure 6.1](#fig-a)"),
        ("[(by name)](#eq-a)", "[(6.4)](#eq-a)"),
        ("[Su et al. (2021)](https://arxiv.org/abs/2104.09864)", SU),
        ("[Su et al. (2021)](https://b.org)", CHEN),
    ],
)
def test_a_link_gets_the_words_of_today(text, fresh):
    assert write_links(text, TARGETS, "here") == fresh


@pytest.mark.parametrize(
    "text",
    [
        "[the law above](#thm-a)",
        "[(a)](#thm-a)",
        "[the code](https://arxiv.org/abs/2104.09864)",
        "[Su et al. (2021)](https://example.org)",
        "`{cite:t}`",
        "`` {cite:t}`su` ``",
        "```\n{ref}`ex-a`\n```",
        "![Figure 1](#fig-a)",
        "[Theorem 1](#thm-unknown)",
    ],
)
def test_own_words_code_and_other_links_stay(text):
    assert write_links(text, TARGETS, "here") == text


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{cite:t}`gone`", "^here cites 'gone', .* is not in it; add it.$"),
        ("{prf:ref}`gone`", "^here refers to 'gone', and nothing of that name"),
    ],
)
def test_a_role_without_a_target_is_a_fault(text, fault):
    with pytest.raises(BookError, match=fault):
        write_links(text, TARGETS, "here")


def test_an_entry_without_an_address_cannot_be_cited():
    targets = Targets({}, {"a": Entry("a", "A", "2020", ())})
    with pytest.raises(BookError, match="and it has no address; add it"):
        write_links("{cite:t}`a`", targets, "here")


BOX = """\
Text before.
:::{prf:theorem} Title
:label: thm-a
For all $x$.
:::
:::{prf:proof}
It is so, since
$$
x
$$ (eq-a)
:::
Text after."""
APART = """\
Text before.

:::{prf:theorem} Title
:label: thm-a

**Theorem 6.2.** For all $x$.

:::

:::{prf:proof}

It is so, since
$$
x
\\tag{6.4}
$$ (eq-a)

:::

Text after."""


def test_boxes_stand_apart_and_carry_their_numbers():
    assert write_boxes(BOX, NUMBERS) == APART


def test_boxes_that_stand_apart_stay():
    assert write_boxes(APART, NUMBERS) == APART


def test_a_number_that_changed_is_renewed():
    old = APART.replace("6.2", "5.1").replace("6.4", "5.9")
    assert write_boxes(old, NUMBERS) == APART


@pytest.mark.parametrize("body", ["$$\nx\n$$", "- a list", "1. a list", "| a | b |"])
def test_a_number_stands_alone_before_what_is_no_paragraph(body):
    text = f":::{{exercise}} Title\n:label: ex-a\n\n**Exercise 6.3.**\n\n{body}\n\n:::"
    before = f":::{{exercise}} Title\n:label: ex-a\n{body}\n:::"
    assert write_boxes(before, NUMBERS) == text
    assert write_boxes(text, NUMBERS) == text


def test_the_lines_around_a_solution_stay_one_line_in_colab():
    text = ":::{solution-start} ex-a\n:class: dropdown\n:::\nText.\n"
    assert write_boxes(text, NUMBERS) == text.replace(":::\nT", ":::\n\nT")
    assert write_boxes(":::{solution-end}\n:::", NUMBERS) == ":::{solution-end}\n:::"


def test_code_that_looks_like_a_box_stays():
    text = "```text\na\n:::{prf:proof}\nb\n:::\n```"
    assert write_boxes(text, NUMBERS) == text


def test_the_code_of_a_figure_begins_with_its_number():
    fresh = write_figure_mark("# Figure 3.1\ndraw()", NUMBERS["fig-a"])
    assert fresh == "# Figure 6.1\ndraw()"
    assert write_figure_mark(fresh, None) == "draw()"


def test_marks_can_be_left_out():
    assert without_marks(APART) == APART.replace("**Theorem 6.2.** ", "").replace(
        "\\tag{6.4}\n", ""
    )


def test_a_reference_is_read_as_one_word():
    before = "See {cite:p}`su` and {prf:ref}`thm-a` in [a text](a.md)."
    after = plain_references(before, TARGETS, "here")
    assert len(after.split()) > len(before.split())
    assert len(as_read(after).split()) == len(before.split())


def test_the_command_writes_what_the_rule_asks_for(book, write_chapter, code):
    figure = code("draw()", mystnb={"figure": {"name": "fig-b"}})
    path = write_chapter("# T\n\nSee {numref}`fig-b`.", figure)
    (book / "book" / "index.md").write_text("# A\n\n{numref}`fig-b`\n")
    places = [
        "book/index.md",
        "book/part/chapter.ipynb, cell 1",
        "book/part/chapter.ipynb, cell 2 (code cell 1)",
    ]
    assert stale_references(book) == places
    assert stale_references(book, write=True) == places
    assert stale_references(book, write=True) == []
    assert "See [Figure 1](#fig-b)." in path.read_text()
    assert "# Figure 1\\n" in path.read_text()


def test_a_page_that_a_command_writes_is_left_alone(book):
    page = book / "book" / "index.md"
    page.write_text("<!-- Generated by a command. -->\n# A\n\n{cite:t}`gone`\n")
    assert stale_references(book, write=True) == []

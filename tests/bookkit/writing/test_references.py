"""References are links with words, and boxes and equations carry their numbers."""

import pytest

from bookkit.book.bibliography import Entry
from bookkit.book.errors import BookError
from bookkit.book.notebooks import read_notebook
from bookkit.book.numbering import Number
from bookkit.checking.facts import facts
from bookkit.writing.links import Targets, write_links
from bookkit.writing.references import (
    as_read,
    plain_references,
    stale_references,
    without_numbers,
    write_numbers,
)

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


@facts(
    "text, fresh",
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


@facts(
    "text, fresh",
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


@facts(
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


@facts(
    "text, fault",
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
<a id="thm-a"></a>
**Theorem 1.9 (Title).** For all $x$,

<a id="eq-a"></a>
$$
x
$$"""
FRESH = """\
<a id="thm-a" name="thm-a"></a>
**Theorem 6.2 (Title).** For all $x$,

<a id="eq-a" name="eq-a"></a>

$$
x
\\tag{6.4}
$$"""


def test_boxes_and_equations_carry_their_numbers():
    assert write_numbers(BOX, NUMBERS) == FRESH
    assert write_numbers(FRESH, NUMBERS) == FRESH


def test_a_number_that_changed_is_renewed():
    old = FRESH.replace("6.2", "5.1").replace("6.4", "5.9")
    assert write_numbers(old, NUMBERS) == FRESH


@facts("text", ["*Proof.* It holds. ∎", "#### Solution", "Text.", "$$ x $$"])
def test_what_has_no_number_stays(text):
    assert write_numbers(text, NUMBERS) == text


def test_a_proof_gets_the_sign_of_its_end():
    assert write_numbers("*Proof.*\nIt holds.", NUMBERS) == "*Proof.* It holds. ∎"


def test_code_that_looks_like_a_box_stays():
    text = f"Text.\n\n```text\n{BOX[:30]}\n```"
    assert write_numbers(text, NUMBERS) == text


def test_numbers_and_captions_are_no_prose():
    assert without_numbers(FRESH) == "Title For all $x$,\n\n$$\nx\n$$"
    assert without_numbers("**Figure 1.** What it shows.") == ""


def test_a_reference_is_read_as_one_word():
    before = "See {cite:p}`su` and {prf:ref}`thm-a` in [a text](a.md)."
    after = plain_references(before, TARGETS, "here")
    assert len(after.split()) > len(before.split())
    assert len(as_read(after).split()) == len(before.split())


def test_the_command_writes_what_the_rule_asks_for(book, write_chapter, code):
    caption = '<a id="fig-b"></a>\n**Figure.** A line.'
    path = write_chapter("# T\n\nSee {numref}`fig-b`.", code("draw()"), caption)
    (book / "book" / "index.md").write_text("# A\n\n{numref}`fig-b`\n")
    places = [
        "book/index.md",
        "book/part/chapter.ipynb, cell 1",
        "book/part/chapter.ipynb, cell 3",
    ]
    assert stale_references(book) == places
    assert stale_references(book, write=True) == places
    assert stale_references(book, write=True) == []
    assert "See [Figure 1](#fig-b)." in path.read_text()
    assert "**Figure 1.** A line." in path.read_text()


def test_a_heading_that_is_linked_to_gets_an_anchor(book, write_chapter):
    text = "# T\n\n[why](#why-it-is-so) and `[how](#how)`"
    path = write_chapter(text, "## Why *it* is so\n\n## How\n\nText.")
    assert stale_references(book, write=True) == ["book/part/chapter.ipynb, cell 2"]
    anchor = '<a id="why-it-is-so" name="why-it-is-so"></a>\n\n'
    source = read_notebook(path).cells[-1].source
    assert source == f"{anchor}## Why *it* is so\n\n## How\n\nText."
    assert stale_references(book) == []


def test_a_link_to_what_another_page_holds_names_the_page(book, write_chapter):
    law = '<a id="{0}"></a>\n**Theorem.** So.\n\n<a id="eq-{0}"></a>\n$$ x $$'
    path = write_chapter("# T", law.format("thm-a"), law.format("thm-b"))
    (book / "book" / "index.ipynb").write_bytes(path.read_bytes())
    (book / "book" / "index.md").unlink()
    write_chapter("# T\n\n[Theorem 9](#thm-b), [](#eq-thm-b), [so](#thm-a)")
    assert stale_references(book, write=True)
    found = read_notebook(path).cells[0].source
    site = "https://owner.github.io/old-book/book/index.html"
    assert f"[Theorem 2]({site}#thm-b)" in found
    assert f"[(2)]({site}#equation-eq-thm-b)" in found
    assert f"[so]({site}#thm-a)" in found
    path.write_text(path.read_text().replace("[Theorem 2]", "[Theorem 8]"))
    assert stale_references(book, write=True) == ["book/part/chapter.ipynb, cell 1"]
    assert read_notebook(path).cells[0].source == found


def test_links_of_a_notebook_to_other_pages_lead_from_everywhere(book, write_chapter):
    path = write_chapter("# T\n\n[a](../index.md#b)")
    (book / "book" / "index.md").write_text("# A\n\n[b](part/chapter.ipynb)\n")
    assert stale_references(book, write=True) == ["book/part/chapter.ipynb, cell 1"]
    assert "(https://owner.github.io/old-book/book/index.html#b)" in path.read_text()


def test_a_link_to_no_page_stops_before_anything_is_written(book, write_chapter):
    path = write_chapter("# T\n\n[a](../index.md) and [b](../indx.md#c)")
    before = path.read_bytes()
    said = (
        r"^book/part/chapter\.ipynb, cell 1 links to \.\./indx\.md#c, and the book has "
        r"no such page \(the nearest is book/index\); mend the link\.$"
    )
    with pytest.raises(BookError, match=said):
        stale_references(book, write=True)
    assert path.read_bytes() == before


def test_a_page_that_a_command_writes_is_left_alone(book):
    page = book / "book" / "index.md"
    page.write_text("<!-- Generated by a command. -->\n# A\n\n{cite:t}`gone`\n")
    assert stale_references(book, write=True) == []

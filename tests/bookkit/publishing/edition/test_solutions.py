"""Solutions stand at the end of a page, with a link each way."""

import pytest
from lxml import html

from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.publishing.edition.solutions import gather_solutions

EXERCISE = '<div class="exercise" id="{0}"><p class="admonition-title">E {0}</p></div>'
SOLUTION = (
    '<div class="solution" id="{0}-solution"><p class="admonition-title">Solution to '
    "<i>{0}</i></p><p>because of {0}</p></div>tail"
)


def gather(inside, page="c.html"):
    text = f"<article><section><h1>C</h1>{inside}</section></article>"
    return gather_solutions(html.fragment_fromstring(text), page)


def pair(name):
    return (EXERCISE + SOLUTION).format(name)


def test_what_stood_after_a_solution_stays_where_it_was():
    article = gather(f"{pair('a')}<p>summary</p>")
    words = article.text_content()
    assert words.index("tail") < words.index("summary") < words.index("because of a")
    assert words.count("tail") == 1


def test_a_link_leads_each_way():
    article = gather(pair("a"))
    forth, back = article.iter("a")
    assert (forth.get("href"), forth.text) == ("#a-solution", "Solution")
    assert forth.xpath("ancestor::*[@class='exercise']/@id") == ["a"]
    assert (back.get("href"), back.text_content()) == ("#a", "Solution to a")
    assert back.xpath("ancestor::*[@class='solution']/@id") == ["a-solution"]


@facts("name", ["b", "a", ""])
def test_a_solution_of_no_exercise_is_refused(name):
    solution = f'<div class="solution" id="{name}"><p class="admonition-title">S</p>'
    message = rf"solution of c\.html must be named .* one is named '{name}'; look at"
    with pytest.raises(BookError, match=message):
        gather(f"{EXERCISE.format('a')}{solution}</div>")

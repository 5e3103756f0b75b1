"""A page has a switch for what it holds: code, and sections marked Deeper."""

from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from bookkit.checking.facts import facts
from bookkit.publishing.site import switches

CODE, DEEPER = '<div class="cell_input docutils">', '<section class="deeper" id="a">'


@pytest.fixture
def change():
    """Give a body its switches; the values are the body and the buttons above it."""

    def add(body, builder="html"):
        app = SimpleNamespace(builder=SimpleNamespace(name=builder))
        buttons = [{"text": "Colab"}]
        context = {"body": f"<h1>Title</h1>{body}", "header_buttons": buttons}
        switches.add_switches(app, "page", "page.html", context, None)
        return context["body"], [button["text"] for button in context["header_buttons"]]

    return add


@facts(
    "body, names",
    [
        (CODE, ["Hide code"]),
        (DEEPER, ["Core only"]),
        (CODE + DEEPER, ["Core only", "Hide code"]),
        ("<p>words</p>", []),
    ],
)
def test_a_page_has_the_switches_that_hide_something(change, body, names):
    changed, buttons = change(body)
    assert buttons == [*names, "Colab"]
    assert changed.count("data-book-action") == len(names)
    assert changed.startswith("<h1>Title</h1>")
    assert changed.endswith(body)


PAGE = """# Page

## One

Text.

## Deeper: why $x$ *holds*

Text.

### A part of it

Text.

### Deeper: a proof of it

Text.

## Deeper: *more* of it

Text.

## Two of $y$

Text.

### Deeper: a detail

Text.

## Three

Text.

## Deeper: the end

Text.
"""


@pytest.fixture
def body(build):
    text, warnings = build(PAGE)
    assert warnings == ""
    return BeautifulSoup(text, "html.parser").find(class_="body")


def test_deeper_sections_and_no_others_have_the_class(body):
    ids = [section["id"] for section in body.find_all("section", class_="deeper")]
    assert ids == [
        "deeper-why-x-holds",
        "deeper-more-of-it",
        "deeper-a-detail",
        "deeper-the-end",
    ]


def test_a_link_below_the_heading_leads_to_the_next_core_section(body):
    found = {}
    for link in body.select("section.deeper > :is(h2, h3) + p.deeper-skip > a"):
        words = " ".join(link.find(string=True).split()), link.em.contents[0].strip()
        found[link.find_parent("section")["id"]] = (link["href"], *words)
    assert found == {
        "deeper-why-x-holds": ("#two-of-y", "Skip to", "Two of"),
        "deeper-more-of-it": ("#two-of-y", "Skip to", "Two of"),
        "deeper-a-detail": ("#three", "Skip to", "Three"),
    }
    assert all(body.find(id=target.lstrip("#")) for target, *_ in found.values())


def test_a_page_without_deeper_sections_stays_as_it_is(build):
    text, warnings = build(PAGE.replace("Deeper:", "Further:"))
    assert warnings == ""
    assert "deeper" not in text


def test_the_first_word_of_the_heading_is_set_apart_and_read_as_before(body):
    heading = body.find(id="deeper-more-of-it").h2
    assert heading.find(class_="deeper-word").get_text() == "Deeper:"
    assert heading.get_text().startswith("Deeper: more of it")
    assert len(body.find_all(class_="deeper-word")) == 5

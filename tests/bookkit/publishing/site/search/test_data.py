"""What the search of the site is given: pages, sections, and names of sections."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from sphinx.errors import ExtensionError

from bookkit.checking.facts import facts
from bookkit.publishing.site.search import collect
from bookkit.publishing.site.search.names import Group
from bookkit.publishing.site.search.sections import Section


def environment():
    return SimpleNamespace(
        book_sections={
            "book/b": [Section("", "B", "bees")],
            "book/a": [Section("", "A"), Section("why-sqrt", "Why √?", "text", "f")],
        },
        metadata={
            "book/a": {"myst_slugs": {"a": (1, "a", "A"), "why-": (2, "why-sqrt", "")}}
        },
        titles={
            "book/a": nodes.title("", "", nodes.Text("A")),
            "book/b": nodes.title("", "", nodes.Text("B")),
        },
        toc_secnumbers={"book/a": {"": (3,)}},
    )


def test_sections_stand_below_their_pages_in_order():
    data = collect(environment(), [])
    assert data["pages"] == [["book/a.html", "3. A"], ["book/b.html", "B"]]
    assert data["sections"] == [
        [0, "", "A", "", ""],
        [0, "why-sqrt", "Why √?", "text", "f"],
        [1, "", "B", "bees", ""],
    ]


def test_what_is_not_treated_leads_to_the_nearest_section():
    data = collect(environment(), [], [Group("book/a", "why-", ("mamba",))])
    assert (data["groups"], data["absent"]) == ([], [[1, "mamba"]])


@facts("group", [("book/a", "gone"), ("book/gone", "")])
def test_a_group_that_leads_nowhere_is_named(group):
    with pytest.raises(ExtensionError, match=r"got 'book/\w+#\w*' for RoPE"):
        collect(environment(), [Group(*group, ("RoPE",))])

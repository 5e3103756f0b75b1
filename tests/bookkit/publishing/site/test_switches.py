"""A page has a switch for what it holds: code, and sections marked Deeper."""

from types import SimpleNamespace

import pytest

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


def test_an_edition_without_scripts_has_no_switch(change):
    assert change(CODE, "epub") == (f"<h1>Title</h1>{CODE}", ["Colab"])

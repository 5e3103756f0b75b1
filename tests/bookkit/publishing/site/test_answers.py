"""A page holds what its exercises ask, and nothing of those of other pages."""

import json
import re
from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

from bookkit.publishing.site import answers

BOX = '<div class="exercise admonition" id="{}">'
FIELDS = {"ex-one": {"say": ["a < b </script>."]}, "ex-two": {"say": ["two."]}}
KEPT = re.compile(r'<script type="application/json" id="exercise-fields">(.*)</script>')


@pytest.fixture
def add(monkeypatch):
    """Add the fields to a body, and return it."""
    monkeypatch.setattr(answers, "read_fields", lambda: FIELDS)

    def change(body, builder="html"):
        app = SimpleNamespace(builder=SimpleNamespace(name=builder))
        context = {"body": body}
        answers.add_fields(app, "page", "page.html", context, None)
        return context["body"]

    return change


def test_a_page_gets_what_its_own_exercises_ask(add):
    body = add(BOX.format("ex-one") + BOX.format("ex-code"))
    [text] = KEPT.findall(body)
    assert json.loads(text) == {"ex-one": FIELDS["ex-one"]}
    assert "</script>." not in body


def test_an_edition_without_scripts_gets_nothing(add):
    assert add(BOX.format("ex-one"), "epub") == BOX.format("ex-one")


def test_the_fields_are_those_of_the_chapters():
    asked = answers.read_fields()["ex-attention-by-hand"]
    assert [field["kind"] for field in asked["fields"]] == ["numbers", "number"]
    assert "the weights must sum to one." in asked["say"]


def test_a_command_that_fails_stops_the_build(monkeypatch):
    command = (answers.sys.executable, "-c", "raise ValueError('a right answer')")
    monkeypatch.setattr(answers, "COMMAND", command)
    with pytest.raises(ExtensionError, match="ValueError: a right answer"):
        answers.read_fields.__wrapped__()

"""The kept pictures of explorers are what their scripts draw, and mere pictures."""

import re

import pytest

from bookkit.checking.facts import facts
from chapters.shared.explorer.still import (
    CODE,
    FOLDERS,
    draw_still,
    open_explorer,
    run_script,
)

EVERY_EXPLORER = facts("folder", FOLDERS)


def read_still(folder):
    return (CODE / folder / "explorer.html").read_text("utf-8")


@EVERY_EXPLORER
def test_kept_picture_is_what_the_script_draws(folder):
    same = draw_still(open_explorer(folder)) == read_still(folder)
    assert same, f"chapters/{folder}/explorer.html is stale: run `make explorers`"


@EVERY_EXPLORER
def test_kept_picture_has_nothing_to_drag(folder):
    still = read_still(folder)
    assert 'class="explorer-handle"' in still
    assert "tabindex" not in still
    assert "aria-valuenow" not in still
    assert "undefined" not in still
    assert "NaN" not in still


HTML = """<p class="a" data-part="all"><i>x</i> &lt; <b data-part="word"></b></p>
<select name="kind"><option value="1">one</option>
<option value="2" selected="selected">two</option></select>
<input type="checkbox" name="both" checked="checked"/>"""


@pytest.fixture
def ask_page(ask):
    """Answer a question about `page`, which has been read from HTML."""

    def answer(asked):
        [found] = ask(None, [f"(html, page = readParts(html)) => {asked}", HTML])
        return found

    return answer


def test_parts_are_found_and_written_as_in_a_page(ask_page):
    assert ask_page("page.inside.map((part) => part.outerHTML ?? part)") == [
        part for part in re.split(r"(\n)(?=<[si])", HTML) if part
    ]
    find = "page.querySelector('[{}]')".format
    assert ask_page(find('name="kind"') + ".value") == "2"
    assert ask_page(find('name="both"') + ".checked") is True
    assert ask_page(find('data-part="word"') + ".kind") == "b"
    assert ask_page(find('data-part="none"')) is None


def test_signs_of_words_stay_words(ask_page):
    change = "(page.children[0].textContent = '<&')"
    written = ask_page(f"{change} && page.children[0].outerHTML")
    assert written == '<p class="a" data-part="all">&lt;&amp;</p>'


def test_a_script_that_complains_is_no_picture():
    with pytest.raises(RuntimeError, match="no_such_name is not defined"):
        run_script("no_such_name")

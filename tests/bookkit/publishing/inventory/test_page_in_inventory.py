"""An inventory holds what a reader sees of a page, and is the same each time."""

import json

import pytest

from bookkit.checking.facts import facts
from bookkit.publishing.edition.press import open_site
from bookkit.publishing.inventory.compare import compare
from bookkit.publishing.inventory.pages import read_page

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>Of banks</title><link rel="stylesheet" href="a.css"></head><body><main>
<h1 id="top">Of {word}</h1><p>A <a href="#top">way</a> up.</p>
<p><span class="katex"><span>x²</span><annotation>x^2</annotation></span> is even</p>
<details><summary>More</summary><p>Unfolded</p></details>
<img src="a.svg" alt="A dot" loading="lazy" width="9" height="9"><button></button>
<footer>State of 1 May 2026 ({commit}). Checked.</footer></main></body></html>"""
STYLE = "html {{ font: 20px serif; background: {color} }} p {{ transition: all 9s }}"
DOT = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>'


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Read a page, with some of its parts changed; the value is the inventory."""

    def read_site(word="banks", commit="abc1234", color="white"):
        site = tmp_path_factory.mktemp("site")
        (site / "a.html").write_text(PAGE.format(word=word, commit=commit), "utf-8")
        (site / "a.css").write_text(STYLE.format(color=color))
        (site / "a.svg").write_text(DOT)
        folder = tmp_path_factory.mktemp("inventory")
        (folder / "a").mkdir()
        with open_site(site) as (browser, base):
            kinds = read_page(browser, base, "a.html", folder / "a", widths=[390, 768])
        (folder / "a.json").write_text(json.dumps(kinds))
        return folder

    return read_site


@pytest.fixture(scope="module")
def first(read):
    return read()


@facts(
    "kind, lines",
    [
        ("headings", ["Of banks", "h1 Of banks"]),
        ("ids", ["top"]),
        ("links", ["way → #top"]),
        ("alt texts", ["a.svg A dot"]),
    ],
)
def test_a_kind_has_its_lines(first, kind, lines):
    assert json.loads((first / "a.json").read_text())[kind] == lines


def test_the_text_has_formulas_as_tex_and_what_folds(first):
    text = json.loads((first / "a.json").read_text())["text"]
    assert text[:5] == ["Of banks", "A way up.", "x^2 is even", "More", "Unfolded"]
    assert text[-1] == "State of this book. Checked."


def test_requests_have_their_bytes_and_axe_its_findings_in_both_modes(first):
    kinds = json.loads((first / "a.json").read_text())
    names = [line.rpartition(" ")[0] for line in kinds["requests"]]
    assert {"a.css", "a.html", "a.svg"} <= set(names)
    assert f"a.svg {len(DOT)}" not in kinds["requests"]  # it is sent compressed
    assert [line.split(" [")[0] for line in kinds["axe"]] == [
        "light: button-name",
        "dark: button-name",
    ]


def test_there_is_a_picture_for_each_mode_and_width(first):
    assert {file.name for file in (first / "a").iterdir()} == {
        f"{width}-{mode}-0.webp" for width in (390, 768) for mode in ("light", "dark")
    }


def test_the_same_page_of_another_commit_gives_the_same(first, read):
    assert compare(first, read(commit="def5678")) == []


def test_a_word_and_a_color_that_change_are_seen(first, read):
    said = compare(first, read(word="tanks", color="ivory"))
    assert {"    - Of banks", "    + Of tanks", "    - h1 Of banks"} <= set(said)
    assert sum("-0.webp: pixels 0 to " in line for line in said) == 4

"""What a reader would notice of two sites is told, by page and kind, and no more."""

import re
from itertools import product

import pytest
from PIL import Image, ImageDraw

from bookkit.__main__ import main
from bookkit.checking.facts import facts
from bookkit.checking.inventory import (
    compare_inventories,
    compare_pictures,
    make_inventory,
)

PAGE = """<!doctype html><html lang="en"><title>A page</title><body><main>
<h1 id="title">A page</h1>
<p>The loss falls by <span class="katex"><span class="katex-mathml"><math><semantics>
<mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>
</span><span aria-hidden="true">x2</span></span>.</p>
<details><p id="more">Read <a href="next.html">on</a>.</p></details>
<img alt="A line that rises" src="line.png" width="200" height="100">
</main><p class="book-state">State of 1 May 2026 (1a2b3c4). Two outputs.</p></body>
</html>"""
# What is planted on the page, and how the lines begin that tell of it.
PLANTED = [
    (
        "falls",
        "rises",
        "text: -The loss falls by x^2.",
        "text: +The loss rises by x^2.",
    ),
    ('id="more"', 'id="less"', "ids: -more", "ids: +less"),
    ("that rises", "up", "alt texts: -A line that rises", "alt texts: +A line up"),
    ("next.html", "last.html", "links: -on → next.html", "links: +on → last.html"),
    ('lang="en"', "", "axe: +dark: html-has-lang", "axe: +light: html-has-lang"),
]


@pytest.fixture(scope="module")
def inventory(tmp_path_factory):
    """Make an inventory of a site with a page and a drawing; the line may be moved."""

    def make(page=PAGE, moved=0):
        site, folder = (tmp_path_factory.mktemp(name) for name in ("site", "out"))
        drawing = Image.new("RGB", (200, 100), "white")
        ImageDraw.Draw(drawing).line((0, 99 - moved, 199, moved), "blue", 3)
        drawing.save(site / "line.png")
        for name in ("index.html", "part/page.html", "_static/theme.html"):
            (site / name).parent.mkdir(exist_ok=True)
            (site / name).write_text(page.replace("line.png", "/line.png"))
        assert make_inventory(site, folder, "page*") == 1
        return folder

    return make


@pytest.fixture(scope="module")
def first(inventory):
    return inventory()


def told_of(before, after, **options):
    return [*compare_inventories(before, after, **options)]


def test_a_site_differs_in_nothing_from_itself_of_another_commit(
    first, inventory, monkeypatch
):
    monkeypatch.setattr("bookkit.checking.inventory.TALLEST", 200)  # several pictures
    page = PAGE.replace("1 May 2026 (1a2b3c4)", "30 June 2026 (77777ff)")
    assert page != PAGE
    assert told_of(first, inventory(page)) == []


def test_each_planted_difference_is_told_and_nothing_else(first, inventory):
    page = PAGE
    for old, new, *_ in PLANTED:
        assert old in page
        page = page.replace(old, new)
    head, *lines = told_of(first, inventory(page))
    assert head == "part/page.html:"
    for _, _, *wanted in PLANTED:
        for start in wanted:
            [line] = [line for line in lines if line.strip().startswith(start)]
            lines.remove(line)
    assert [line.split(":")[0] for line in lines] == ["  bytes"] * 2 + [
        f"  picture {width}-{mode}"
        for width in (1280, 390, 768)
        for mode in ("dark", "light")
    ]


def test_a_picture_that_has_moved_is_told_where_it_stands(first, inventory):
    head, *lines = told_of(first, inventory(moved=30))
    assert head == "part/page.html:"
    assert len(lines) == 6
    assert all(line.startswith("  picture ") for line in lines)
    place = r"pixels (\d+) to (\d+) from the top, by up to \d+ of 255 levels$"
    top, bottom = map(int, re.search(place, lines[0]).groups())
    assert 60 <= bottom - top <= 108


def test_pages_that_came_or_went_are_told(first, tmp_path):
    (tmp_path / "new.html.json").write_text("{}")
    assert told_of(first, tmp_path) == ["- part/page.html", "+ new.html"]


@facts(
    "changed, told",
    [
        ({(3, 5): 16}, ""),
        ({(3, 5): 17}, "pixels 20 to 24 from the top, by up to 17 of 255 levels"),
        (dict.fromkeys(product(range(50), range(2)), 16), "pixels 0 to 8 from the top"),
    ],
)
def test_a_few_pixels_may_differ_a_little_and_many_not_at_all(tmp_path, changed, told):
    files = [tmp_path / "a.png", tmp_path / "b.png"]
    for file, levels in zip(files, ({}, changed), strict=True):
        picture = Image.new("RGB", (50, 40), "black")
        for place, level in levels.items():
            picture.putpixel(place, (0, level, 0))
        picture.save(file)
    said = compare_pictures(*files)
    assert said.startswith(told)
    assert bool(said) == bool(told)
    assert compare_pictures(*files, tolerance=300) == (
        "" if len(changed) == 1 else said
    )


def test_another_height_is_told(tmp_path):
    files = [tmp_path / "a.png", tmp_path / "b.png"]
    for file, height in zip(files, (40, 41), strict=True):
        Image.new("RGB", (50, height)).save(file)
    assert compare_pictures(*files) == "160 pixels high became 164"


def test_the_commands_say_what_is_missing(tmp_path, monkeypatch, capsys, book):
    monkeypatch.chdir(book)
    assert main(["inventory", str(tmp_path / "out")]) == 1
    assert "holds none; run `make book`" in capsys.readouterr().err
    assert main(["inventory-diff", str(tmp_path), str(tmp_path)]) == 1
    assert "must hold an inventory" in capsys.readouterr().err

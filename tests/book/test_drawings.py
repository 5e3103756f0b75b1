"""The drawings of the book lead to all its chapters, and say what its outline says."""

import re
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image

from bookkit.book.files import find_root
from bookkit.book.outline import direct_needs, order_breaches, read_outline
from bookkit.checking.facts import facts

ROOT = find_root(Path(__file__))
OUTLINE = read_outline(ROOT)
NAMES = [chapter.name for chapter in OUTLINE]
SVG = "{http://www.w3.org/2000/svg}"
WIDE, NARROW, MAP = (
    ElementTree.parse(ROOT / f"book/_drawings/{name}.svg").getroot()
    for name in ("machine-wide", "machine-narrow", "chapter-map")
)
drawings = facts("drawing", [WIDE, NARROW, MAP], ids=["wide", "narrow", "map"])


def links(drawing):
    """Return where the boxes lead, in reading order."""
    found = [link.get("href") for link in drawing.iter(f"{SVG}a")]
    assert all(address.endswith(".ipynb") for address in found)
    return [address.removesuffix(".ipynb") for address in found]


def paths_of_map():
    """Return the lines of the map: the chapters that each joins, and its points."""
    return [
        (tuple(path.get("data-chapters").split()), re.findall(r"[\d.]+", path.get("d")))
        for path in MAP.iter(f"{SVG}path")
        if path.get("data-chapters")
    ]


def test_no_chapter_needs_a_later_one():
    """Then there is no cycle either."""
    assert order_breaches(OUTLINE) == []


@drawings
def test_boxes_lead_to_every_chapter_and_nowhere_else(drawing):
    assert {*links(drawing)} == {*NAMES}


def test_the_map_has_a_row_for_each_chapter_in_the_order_of_the_book():
    rows = ["".join(link.itertext()).strip() for link in MAP.iter(f"{SVG}a")]
    assert links(MAP) == NAMES
    assert [row.partition(". ")[0] for row in rows] == [str(c.number) for c in OUTLINE]


def test_lines_of_the_map_are_the_direct_needs_and_lead_down():
    assert sorted(ends for ends, _ in paths_of_map()) == sorted(direct_needs(OUTLINE))
    assert all(float(points[1]) < float(points[-1]) for _, points in paths_of_map())


def test_lines_of_the_map_begin_and_end_at_their_chapters():
    height = float(MAP.get("viewBox").split()[3]) / len(NAMES)
    for ends, points in paths_of_map():
        rows = [int(float(y) // height) for y in (points[1], points[-1])]
        assert rows == [NAMES.index(name) for name in ends], ends


def test_both_forms_of_the_machine_have_the_same_links_in_the_same_order():
    assert links(WIDE) == links(NARROW)


@drawings
def test_a_drawing_has_a_title_and_a_description(drawing):
    texts = {child.get("id"): child.text for child in drawing}
    for name in ("aria-labelledby", "aria-describedby"):
        assert len(texts[drawing.get(name)]) > 50


@facts(
    "name, size, kilobytes",
    [
        ("_static/social.png", (1200, 630), 150),
        ("_static/apple-touch-icon.png", (180, 180), 5),
        ("_editions/cover.png", (1200, 1800), 100),
    ],
)
def test_pictures_have_their_size_and_are_light(name, size, kilobytes):
    path = ROOT / "book" / name
    with Image.open(path) as picture:
        assert picture.size == size
    assert path.stat().st_size < 1000 * kilobytes

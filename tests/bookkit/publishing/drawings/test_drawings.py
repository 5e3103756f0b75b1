"""The drawings reach every chapter, fit their boxes, and are the same at every run."""

import io
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image

from bookkit.book.files import find_root
from bookkit.book.outline import Chapter, direct_needs, needed_by, read_outline
from bookkit.book.reading_time import ReadingTime
from bookkit.checking.facts import facts
from bookkit.publishing.drawings.chapter_map import (
    SHORT,
    assign_lanes,
    chapter_map,
    map_rows,
)
from bookkit.publishing.drawings.machine import NARROW, WIDE, machine
from bookkit.publishing.drawings.parts import NOT_DRAWN, PARTS
from bookkit.publishing.drawings.pictures import (
    COVER_SIZE,
    ICON_SIZE,
    SOCIAL_SIZE,
    paint_cover,
    paint_icon,
    paint_social,
)
from bookkit.publishing.drawings.shapes import Line, line_offsets, one_line, text_width
from bookkit.publishing.drawings.svg import HUES, write_svg

OUTLINE = read_outline(find_root(Path(__file__)))
NAMES = {chapter.name for chapter in OUTLINE}
DRAWINGS = [machine(WIDE), machine(NARROW), chapter_map(OUTLINE)]
SVG = "{http://www.w3.org/2000/svg}"
drawings = facts("drawing", DRAWINGS, ids=lambda d: d.name)


def parse(drawing):
    return ElementTree.fromstring(write_svg(drawing, OUTLINE))


@drawings
def test_every_chapter_has_a_box_or_a_reason(drawing):
    drawn = {box.chapter for box in drawing.boxes}
    reasons = NOT_DRAWN if drawing.name.startswith("machine") else {}
    assert drawn | {*reasons} == NAMES
    assert not drawn & {*reasons}


@drawings
def test_links_lead_to_chapters_and_say_their_number_and_title(drawing):
    by_name = {chapter.name: chapter for chapter in OUTLINE}
    for link in parse(drawing).iter(f"{SVG}a"):
        chapter = by_name[link.get("href").removesuffix(".ipynb")]
        spoken = link.get("aria-label")
        assert f": chapter {chapter.number}" in spoken
        assert chapter.title in spoken


@drawings
def test_the_name_of_a_link_begins_with_the_words_in_view(drawing):
    for link in parse(drawing).iter(f"{SVG}a"):
        texts = ["".join(text.itertext()) for text in link.iter(f"{SVG}text")]
        seen = one_line("\n".join(texts))
        assert link.get("aria-label").startswith(seen)


@drawings
def test_words_fit_their_boxes_in_a_wide_typeface(drawing):
    size = drawing.font_size
    for box in drawing.boxes:
        assert text_width(box.text, size) + 6 <= box.width, box.text
        assert (line_offsets(box.text, size)[-1] + size / 2) * 2 <= box.height


@drawings
def test_boxes_lie_within_the_drawing_and_not_on_one_another(drawing):
    for box in drawing.boxes:
        assert 0 <= box.x <= box.x + box.width <= drawing.width
        assert 0 <= box.y <= box.y + box.height <= drawing.height
    for a, b in combinations(drawing.boxes, 2):
        apart_x = a.x + a.width <= b.x or b.x + b.width <= a.x
        apart_y = a.y + a.height <= b.y + 0.01 or b.y + b.height <= a.y + 0.01
        assert apart_x or apart_y, (a.text, b.text)


def test_text_is_large_enough_on_a_phone():
    column = 390 - 2 * 16
    for drawing in DRAWINGS[1:]:
        assert drawing.font_size * min(1, column / drawing.width) >= 12


@drawings
def test_a_drawing_has_a_title_and_a_description(drawing):
    root = parse(drawing)
    ids = [root.get("aria-labelledby"), root.get("aria-describedby")]
    texts = {child.get("id"): child.text for child in root}
    assert [texts[name] for name in ids] == [drawing.title, drawing.description]


def test_both_layouts_have_the_same_links_in_the_same_order():
    wide, narrow = (
        [link.get("aria-label") for link in parse(drawing).iter(f"{SVG}a")]
        for drawing in DRAWINGS[:2]
    )
    assert wide == narrow


def test_the_machine_is_read_from_the_bottom_to_the_top():
    stacks = {"encoder": range(1, 10), "decoder": range(1, 12)}
    for column, rows in stacks.items():
        order = [row for name, row, *_ in PARTS if name == column and row in rows]
        assert order == list(rows)


def test_every_part_of_the_book_has_a_color():
    assert {name.split("/")[0] for name in NAMES} == {*HUES}


def test_short_names_belong_to_chapters():
    assert {*SHORT} <= NAMES


def test_lines_of_the_map_are_the_direct_needs():
    lines = [s for s in DRAWINGS[2].shapes if isinstance(s, Line) and not s.halo]
    assert sorted(line.chapters for line in lines) == sorted(direct_needs(OUTLINE))


def test_lines_of_the_map_lead_down():
    for line in DRAWINGS[2].shapes:
        if isinstance(line, Line):
            assert line.points[0][1] < line.points[-1][1]


def test_lines_from_different_chapters_do_not_share_a_lane():
    pairs = [(0, 3), (1, 2), (2, 4), (3, 4)]
    lanes = assign_lanes(pairs)
    ends = dict(pairs)
    for a, b in combinations(lanes, 2):
        overlap = a <= ends[b] and b <= ends[a]
        assert not (overlap and lanes[a] == lanes[b])


def test_rows_of_the_table_hold_every_link():
    users = needed_by(OUTLINE)
    for chapter, row in zip(OUTLINE, map_rows(OUTLINE), strict=True):
        _, number, title, needs, used, _ = (part.strip() for part in row.split("|"))
        assert number == str(chapter.number)
        assert title == f"[{chapter.title}]({chapter.name}.ipynb)"
        assert needs.count("](") == len(chapter.links)
        assert all(f"({name}.ipynb)" in needs for name in chapter.links)
        assert used.count("](") == len(users[chapter.name])


def test_an_alternative_is_called_so_in_the_table():
    time = ReadingTime(core=5, whole=5)
    a, b = (
        Chapter(name=n, number=i, part="P", title=n, time=time)
        for i, n in enumerate(("a", "b"), 1)
    )
    c = Chapter(
        name="c", number=3, part="P", title="c", time=time, needs=("a",), instead=("b",)
    )
    assert "| [1](a.ipynb), or only [2](b.ipynb) | none |" in map_rows([a, b, c])[2]
    d = replace(c, name="d", number=4, needs=("b", "a"), instead=("c",))
    words = "| [1](a.ipynb) and [2](b.ipynb), or only [3](c.ipynb) |"
    assert words in map_rows([a, b, c, d])[3]


@facts(
    "paint, size, kilobytes",
    [
        (paint_social, SOCIAL_SIZE, 100),
        (paint_icon, (ICON_SIZE, ICON_SIZE), 5),
        (paint_cover, COVER_SIZE, 50),
    ],
)
def test_pictures_have_their_size_and_are_light_and_always_alike(
    paint, size, kilobytes
):
    data = paint()
    assert Image.open(io.BytesIO(data)).size == size
    assert len(data) < 1000 * kilobytes
    assert paint() == data

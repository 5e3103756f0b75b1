"""What a reader would notice of two sites is told, by page and kind, and no more."""

import json
import re
from itertools import product
from zipfile import ZipFile

import pikepdf
import pytest
from PIL import Image, ImageDraw

from bookkit.__main__ import main
from bookkit.checking.facts import facts
from bookkit.checking.inventory import VALIDATOR, make_inventory
from bookkit.checking.inventory.compare import compare_inventories, compare_pictures

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
    monkeypatch.setattr(
        "bookkit.checking.inventory.pages.TALLEST", 200
    )  # several pictures
    page = PAGE.replace("1 May 2026 (1a2b3c4)", "30 June 2026 (77777ff)")
    assert page != PAGE
    assert told_of(first, inventory(page)) == []
    noted = json.loads((first / "part/page.html.json").read_text("utf-8"))
    assert [asked.split()[0] for asked in noted["requests"]] == ["line.png"]


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
    requests = [line for line in lines if line.startswith("  requests: ")]
    assert [line[12:].split()[0] for line in requests] == ["-line.png", "+line.png"]
    lines = [line for line in lines if line not in requests]
    assert len(lines) == 6
    assert all(line.startswith("  picture ") for line in lines)
    place = r"pixels (\d+) to (\d+) from the top, by up to \d+ of 255 levels$"
    top, bottom = map(int, re.search(place, lines[0]).groups())
    assert 60 <= bottom - top <= 108


def test_pages_that_came_or_went_are_told(first, tmp_path):
    (tmp_path / "new.html.json").write_text("{}")
    assert told_of(first, tmp_path) == ["- part/page.html", "+ new.html"]


SEARCH = """<!doctype html><body><script>
BOOK_SEARCH = { groups: [[7, "RoPE"]], absent: [["zh", "attention"]] };
class BookSearch {
  constructor({ groups }) { this.place = groups[0][0]; }
  search(name) {
    return [...name].map((sign, i) => ({ address: `${sign}#${this.place + i}` }));
  }
}
</script>"""


def bind_book(folder, pages, chapter, search=SEARCH):
    """Write a site of two pages, with a PDF and an EPUB beside it."""
    for name in ("html", "pdf", "epub"):
        (folder / name).mkdir()
    (folder / "html/page.html").write_text(PAGE.replace('src="line.png"', ""))
    (folder / "html/search.html").write_text(search)
    with pikepdf.new() as pdf:
        kind = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
        font = pdf.make_indirect(
            pikepdf.Dictionary({k: pikepdf.Name(v) for k, v in kind.items()})
        )
        for words in pages:
            page = pdf.add_blank_page()
            page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font))
            text = f"BT /F 12 Tf 20 20 Td ({words}) Tj ET"
            page.Contents = pdf.make_stream(text.encode())
        pdf.save(folder / "pdf/book.pdf")
    with ZipFile(folder / "epub/book.epub", "w") as archive:
        archive.writestr("OPS/one.xhtml", f"<html><body><p>{chapter}</p></body></html>")
        archive.writestr("OPS/style.css", chapter)


def test_search_and_editions_are_noted_with_the_whole_site(tmp_path):
    bind_book(tmp_path, ["First words", "Last words"], "A chapter")
    folder = tmp_path / "inventory"
    assert make_inventory(tmp_path / "html", folder) == 2
    noted = {
        name: json.loads((folder / f"{name}.json").read_text("utf-8"))
        for name in ("hits", "book.pdf", "book.epub")
    }
    letters = [f"{sign}#{7 + i}" for i, sign in enumerate("atten")]
    assert noted["hits"] == {
        "RoPE": ["R#7", "o#8", "P#9", "E#10"],
        "attention": letters,
    }
    lines = ["page 1", "First words", "page 2", "Last words"]
    assert noted["book.pdf"]["text"] == lines
    epub = noted["book.epub"]
    assert epub.keys() == {"OPS/one.xhtml", "EPUBCheck", "bytes"}
    assert epub["OPS/one.xhtml"] == ["A chapter"]
    # Where EPUBCheck is, it finds that this is no EPUB yet.
    said = "\n".join(epub["EPUBCheck"])
    assert ("mimetype" in said) if VALIDATOR.is_file() else said == "is not installed"
    assert str(tmp_path) not in said


def test_what_changes_in_search_and_editions_is_told_in_its_place(tmp_path):
    folders = [tmp_path / name for name in ("before", "after")]
    kinds = (
        {"text": ["page 1", "It falls", "page 2", "The end"]},
        {
            "text": ["page 1", "It rises", "page 2", "The end"],
            "new.xhtml": ["A page"],
        },
    )
    for folder, noted in zip(folders, kinds, strict=True):
        folder.mkdir()
        (folder / "book.pdf.json").write_text(json.dumps(noted))
    assert told_of(*folders) == [
        "book.pdf:",
        "  text: -It falls",
        "  text: +It rises",
        "  new.xhtml: +A page",
    ]


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

"""One page for paper, one package for devices, from a site of two pages."""

import re
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace
from zipfile import ZipFile

import pytest
from lxml import etree
from playwright import sync_api

from bookkit.book.chinese import FONT
from bookkit.book.errors import BookError
from bookkit.checking.browser import find_chromium
from bookkit.checking.facts import facts
from bookkit.publishing.edition import press
from bookkit.publishing.edition.contents import Book, Part, read_book
from bookkit.publishing.edition.epub import make_epub
from bookkit.publishing.edition.formula_font import FONT as FORMULA_FONT
from bookkit.publishing.edition.one_page import build_page, name_of
from bookkit.publishing.edition.page_numbers import write_numbers

FORMULA = (
    '<span class="math"><span class="katex"><span class="katex-mathml"><math>'
    "<semantics><msub><mi>e</mi><mi>max</mi><mo>\u2061</mo></msub><mo><mi>m</mi><mi>o</mi></mo>"
    '<annotation encoding="application/x-tex">e_{\\max}</annotation></semantics></math>'
    '</span><span class="katex-html" aria-hidden="true">e</span></span></span>'
)
DRAWING = (
    b"<?xml version='1.0'?>\n<!DOCTYPE svg PUBLIC 'a'\n  'b'>\n"
    b'<svg xmlns="http://www.w3.org/2000/svg"><path id="x"/><path d="M0 0"/></svg>'
)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "_config.yml").write_text(
        "title: T & T\nauthor: A\nsphinx: {config: {language: en}}\n"
        "repository: {url: 'https://github.com/Owner/name'}\n"
    )
    (tmp_path / "_toc.yml").write_text(
        "root: book/index\nparts:\n- caption: One\n  chapters:\n"
        "  - file: book/a/b\n    sections:\n    - file: book/a/c\n"
    )
    pages = {
        "index": f'<h1>Start</h1><a href="a/b.html#s">b</a>{FORMULA}',
        "a/b": '<h1>B</h1><section id="s"><h2>S</h2></section><a href="#s">s</a>',
        "a/c": '<h1>C</h1><a href="../x.html"><img src="../../_images/p.svg"></a>',
    }
    for name, inside in pages.items():
        page = tmp_path / f"_build/html/book/{name}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"<html><body><article>{inside}</article></body></html>")
    (tmp_path / "_build/html/_images").mkdir()
    (tmp_path / "_build/html/_images/p.svg").write_bytes(DRAWING)
    (tmp_path / "book/_editions").mkdir(parents=True)
    (tmp_path / "book/_editions/cover.png").write_bytes(b"a cover")
    (tmp_path / FORMULA_FONT).write_bytes(b"a font with a table")
    (tmp_path / "book/_editions/epub.css").write_text("")
    (tmp_path / FONT).parent.mkdir(parents=True)
    (tmp_path / FONT).write_bytes(b"a font")
    return tmp_path


def one_page(root):
    site = root / "_build/html"
    return build_page(read_book(root), site, styles=[], extra="")


def test_book_has_its_pages_in_order(root):
    book = read_book(root)
    assert book.pages == ["book/index.html", "book/a/b.html", "book/a/c.html"]
    assert book.address == "https://owner.github.io/name/"
    assert book.parts == [Part("One", ["book/a/b.html", "book/a/c.html"])]


def test_a_contents_file_without_parts_is_refused(root):
    (root / "_toc.yml").write_text("root: book/index\n")
    with pytest.raises(BookError, match="must list the parts of the book; add"):
        read_book(root)


def test_places_of_different_pages_have_different_names():
    assert name_of("book/a/b.html", "summary") == "a.b.summary"
    assert name_of("book/index.html") == "index"


def test_links_lead_to_places_on_the_one_page_or_to_the_site(root):
    links = one_page(root).body.xpath("//section//a/@href")
    assert {"#a.b.s", "#a.b", "#a.c"} <= set(links)
    assert "https://owner.github.io/name/book/x.html" in links


def test_a_link_to_no_place_is_refused(root):
    page = root / "_build/html/book/a/b.html"
    page.write_text(page.read_text().replace('href="#s"', 'href="#t"'))
    with pytest.raises(BookError, match=r"#a\.b\.t \(s\) does not"):
        one_page(root)


def test_headings_stand_below_the_parts(root):
    page = one_page(root)
    assert page.headings() == ["Contents", "Start", "One", "B", "S", "C"]
    assert [h.text_content() for h in page.body.iter("h2")] == ["Start", "B", "C"]


def test_a_formula_on_paper_is_seen_once_and_has_words(root):
    (formula,) = one_page(root).body.find_class("katex")
    assert formula.get("aria-label") == r"e_{\max}"
    assert formula.text_content() == "e"


def test_numbers_stand_beside_the_chapters(root):
    body, pages = one_page(root).body, {"index": 3, "a.b": 5, "a.c": 7}
    write_numbers(body, pages)
    entries = body.xpath("//section[@role='doc-toc']//a")
    numbers = {a.get("href")[1:]: int(a.getnext().get("data-page")) for a in entries}
    assert numbers == pages


def test_the_front_names_the_site_the_repository_and_the_licenses(root):
    title, imprint = one_page(root).body.find_class("edition-front")
    site, repository = "https://owner.github.io/name/", "https://github.com/Owner/name"
    assert title.xpath(".//a/@href") == [site]
    licenses = ["creativecommons.org/licenses/by/4.0/", "opensource.org/license/mit"]
    addresses = [*(f"https://{place}" for place in licenses), site, repository]
    assert imprint.xpath(".//a/@href") == addresses


def test_a_part_begins_with_a_list_of_its_chapters(root):
    [opening] = one_page(root).body.find_class("edition-opening")
    assert opening.xpath("./h1/text()") == ["One"]
    assert opening.xpath(".//a/@href") == ["#a.b", "#a.c"]


def test_an_epub_is_the_same_bytes_every_time(root):
    first = make_epub(root).read_bytes()
    assert make_epub(root).read_bytes() == first


def test_an_epub_brings_the_fonts_for_chinese_and_for_formulas(root):
    with ZipFile(make_epub(root)) as archive:
        assert archive.read("book/chinese.woff") == b"a font"
        assert archive.read("book/formulas.woff") == b"a font with a table"
        package = archive.read("book/package.opf").decode()
    assert 'href="chinese.woff" media-type="font/woff"' in package
    assert 'href="formulas.woff" media-type="font/woff"' in package


def test_an_epub_says_what_it_is_and_offers_where_to_begin(root):
    with ZipFile(make_epub(root)) as archive:
        title = etree.fromstring(archive.read("book/title.xhtml"))
        contents = etree.fromstring(archive.read("book/contents.xhtml"))
        package = archive.read("book/package.opf").decode()
    words = "".join(title.find("{*}body").itertext())
    assert "T & T" in words
    assert "CC BY 4.0" in words
    links = ["https://owner.github.io/name/", "https://github.com/Owner/name"]
    assert [link.get("href") for link in title.iter("{*}a")] == links
    _, landmarks = contents.iter("{*}nav")
    places = [place.get("href") for place in landmarks.iter("{*}a")]
    assert places == ["cover.xhtml", "contents.xhtml", "index.xhtml"]
    [cover] = re.findall(r'<meta name="cover" content="(\w+)"/>', package)
    assert f'<item id="{cover}" href="cover.png" media-type="image/png"' in package


def test_an_epub_says_what_it_is_about_and_offers_its_glossary(root):
    (root / "pyproject.toml").write_text("[project]\nkeywords = ['a & b', 'c']\n")
    toc = (root / "_toc.yml").read_text().replace("book/a/c", "book/a/glossary")
    (root / "_toc.yml").write_text(toc)
    put(root, "a/glossary", "<h1>Glossary</h1>")
    with ZipFile(make_epub(root)) as archive:
        contents = archive.read("book/contents.xhtml").decode()
        package = archive.read("book/package.opf").decode()
    assert re.findall("<dc:subject>(.*)</dc:subject>", package) == ["a &amp; b", "c"]
    assert '<a epub:type="glossary" href="a.glossary.xhtml">Glossary</a>' in contents


def test_formulas_of_an_epub_are_complete_mathml(root):
    with ZipFile(make_epub(root)) as archive:
        tree = etree.fromstring(archive.read("book/index.xhtml"))
    (math,) = tree.iter("{*}math")
    (script,), (operator, _) = math.iter("{*}msub"), math.iter("{*}mo")
    assert math.get("alttext") == r"e_{\max}"
    assert len(script) == 2
    assert sorted(o.text for o in (operator, _)) == ["mo", "\u2061"]


INLINE = (
    '<h1>B</h1><p>So <span class="math"><span class="katex"><math><semantics><mrow>'
    "{parts}</mrow><annotation>{tex}</annotation></semantics></math></span></span>"
    ", yes.</p>"
)
EQUAL = "<mo>=</mo>"


@facts(
    "tex, parts, expected",
    [
        ("a = b", f"<mi>{'a' * 20}</mi>{EQUAL}<mi>{'b' * 20}</mi>", ["a =", "b"]),
        (
            "x_{i=1} = y = z",
            f"<mi>{'x' * 40}</mi>{EQUAL}<mi>y</mi>{EQUAL}<mi>z</mi>",
            ["x_{i=1} =", "y =", "z"],
        ),
        ("a = b", f"<mi>a</mi>{EQUAL}<mi>b</mi>", ["a = b"]),  # short
        ("a + b", f"<mi>{'a' * 40}</mi>", ["a + b"]),
        (
            "a < -b",
            f"<mi>{'a' * 20}</mi><mo>&lt;</mo><mo>\N{MINUS SIGN}</mo><mi>b</mi>",
            ["a <", "-b"],  # a sign of its own stays with what it belongs to
        ),
        (
            "a + b > c",
            f"<mi>{'a' * 20}</mi><mo>+</mo><mi>b</mi><mo>&gt;</mo><mi>{'c' * 20}</mi>",
            ["a +", "b >", "c"],
        ),
        (
            "(a + b)",
            f"<mo>(</mo><mi>{'a' * 40}</mi><mo>+</mo><mi>b</mi><mo>)</mo>",
            ["(a + b)"],
        ),
        (r"\text{a}=b", f"<mrow><mi>{'a' * 40}</mi>{EQUAL}</mrow>", [r"\text{a}=b"]),
    ],
)
def test_a_long_formula_of_an_epub_breaks_behind_its_signs(root, tex, parts, expected):
    put(root, "a/b", INLINE.format(tex=tex, parts=parts))
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.b.xhtml"))
    [paragraph] = page.iterfind(".//{*}p")
    assert [
        math.get("alttext") for math in paragraph.iterfind(".//{*}math")
    ] == expected
    assert len(paragraph.findall(".//{*}wbr")) == len(expected) - 1
    words = "".join(paragraph.itertext())
    assert (
        words == f"So {''.join(etree.fromstring(f'<a>{parts}</a>').itertext())}, yes."
    )


def test_a_formula_in_a_cell_of_an_epub_breaks_earlier(root):
    parts = f"<mi>{'a' * 8}</mi>{EQUAL}<mi>{'b' * 8}</mi>"
    cell = INLINE.format(tex="a = b", parts=parts)
    cell = cell.replace("<p>", "<table><tr><td>").replace("</p>", "</td></tr></table>")
    put(root, "a/b", cell)
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.b.xhtml"))
    assert [m.get("alttext") for m in page.iterfind(".//{*}math")] == ["a =", "b"]


DISPLAY = (
    '<h1>B</h1><div class="math"><span class="katex-display"><span class="katex">'
    '<math display="block"><semantics><mrow>{parts}</mrow><annotation>{tex}'
    '</annotation></semantics></math></span></span><span class="eqno">(1)</span></div>'
)
QUAD = '<mspace width="2em"/>'
LONG = f"<mi>{'a' * 50}</mi>"


@facts(
    "tex, parts, expected",
    [
        (r"a, \qquad b", f"<mi>a</mi>{QUAD}<mi>b</mi>", ["a,", "b"]),
        ("a = b", f"{LONG}{EQUAL}<mi>b</mi>", ["a =", "b"]),
        ("a = b", f"<mi>a</mi>{EQUAL}<mi>b</mi>", ["a = b"]),  # short
        (
            "(a = b)^2 = c",
            f"<mo>(</mo>{LONG}{EQUAL}<mi>b</mi><msup><mo>)</mo><mn>2</mn></msup>"
            f"{EQUAL}<mi>c</mi>",
            ["(a = b)^2 =", "c"],
        ),
        ("a = b", f"{LONG}<mi>b</mi>", ["a = b"]),  # not the same parts
        (
            r"a \cdot b = c \cdot d",
            f"{LONG}<mo>\N{DOT OPERATOR}</mo>{LONG}{EQUAL}"
            "<mi>c</mi><mo>\N{DOT OPERATOR}</mo><mi>d</mi>",
            [r"a \cdot", "b =", r"c \cdot d"],
        ),
    ],
)
def test_a_long_display_of_an_epub_goes_on_below(root, tex, parts, expected):
    put(root, "a/b", DISPLAY.format(tex=tex, parts=parts))
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.b.xhtml"))
    [place] = page.iterfind(".//{*}div")
    formulas = place.findall(".//{*}math")
    assert [math.get("alttext") for math in formulas] == expected
    letters = etree.fromstring(f"<a>{parts}</a>").itertext()
    words = "".join(word.strip() for word in place.itertext())
    assert words == "(1)" + "".join(letters)
    assert place[0].get("class") == "eqno"


def test_signs_beside_a_formula_stay_on_its_line(root):
    formula = FORMULA.replace(
        ">e</span>", '><span class="base"><i></i><b>e</b></span></span>'
    )
    put(root, "a/c", f"<h1>C</h1><p>So ({formula}). And {formula} too.</p>")
    (kept, other) = one_page(root).body.xpath("//p//span[@class='katex']")
    assert kept.text_content() == "(e)."
    assert kept.get("aria-label") == r"(e_{\max})."
    assert other.text_content() == "e"
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.c.xhtml"))
    [kept] = page.iterfind(".//{*}span[@class='kept']")
    assert (kept.text, kept[0].tail) == ("(", ").")
    assert "".join(page.find(".//{*}p").itertext()).endswith(" too.")


def test_signs_stand_at_the_ends_of_a_formula_that_may_break(root):
    parts = [
        f'<span class="base"><i class="strut"></i><b>{part}</b></span>'
        for part in ("a =", "b =", "c")
    ]
    formula = FORMULA.replace(">e</span>", f">{'<wbr>'.join(parts)}</span>")
    kept = f'<span class="keep">{formula}.</span>'
    put(root, "a/c", f"<h1>C</h1><p>So {kept} And ({formula}) too.</p>")
    page = one_page(root)
    full, both = page.body.xpath("//p//span[@class='katex-html']")
    assert [part.tag for part in full] == ["span", "wbr", "span", "wbr", "span"]
    assert [full.text_content(), both.text_content()] == ["a =b =c.", "(a =b =c)"]
    [mark] = full.find_class("edition-mark")
    assert mark.getparent() is full[-1]


def test_a_formula_that_may_break_may_do_so_where_the_site_keeps_it(root):
    parts = f"<mi>{'a' * 20}</mi>{EQUAL}<mi>{'b' * 20}</mi>"
    formula = INLINE.format(tex="a = b", parts=parts)
    formula = formula.replace("<p>So ", '<p>So (<span class="keep">')
    put(root, "a/b", formula.replace(", yes.", ",</span> yes."))
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.b.xhtml"))
    assert page.find(".//{*}wbr") is not None
    names = [part.get("class") for part in page.iter("{*}span")]
    assert names == ["math", "kept", "kept"]
    assert [part.text for part in page.iter("{*}span")] == [None, "(", None]
    assert "".join(page.find(".//{*}p").itertext()).endswith("b, yes.")


def test_a_line_above_a_letter_is_a_sign_of_the_font(root):
    put(
        root, "a/b", INLINE.format(tex="k", parts="<mo>\N{MODIFIER LETTER MACRON}</mo>")
    )
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.b.xhtml"))
    assert page.find(".//{*}mo").text == "\N{MACRON}"


def test_what_is_wider_than_a_page_carries_the_size_at_which_it_fits(root):
    parts = f"<mi>f</mi>{EQUAL}<mi>{'b' * 40}</mi>"
    table = f"<table><tr><td>{'c' * 40}</td><td>d</td></tr></table>"
    put(root, "a/b", DISPLAY.format(tex="f = b", parts=parts) + table + FORMULA)
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.b.xhtml"))
    parts = page.xpath("//*[local-name()='math' or local-name()='table']")
    first, second, wide, short = parts
    assert short.get("style") is None
    assert first.get("style") == second.get("style")  # parts of one formula
    for part in (second, wide):
        style = part.get("style")
        size = r"font-size: min\(1em, \(100vw - 40px - [\d.]+em\) / ([\d.]+)\)"
        assert float(re.fullmatch(size, style)[1]) > 15


def test_a_function_is_set_apart_from_the_letters_beside_it(root):
    apply = "<mo>\u2061</mo>"
    parts = f"<mi>b</mi><mi>ln</mi>{apply}<mi>b</mi><mi>exp</mi>{apply}<mo>(</mo>"
    put(root, "a/b", INLINE.format(tex="b", parts=parts))
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.b.xhtml"))
    row = page.find(".//{*}mrow")
    names = ["space" if "mspace" in part.tag else part.text for part in row]
    before, after = ["b", "space", "ln", "\u2061", "space"], ["exp", "\u2061", "("]
    assert names == [*before, "b", "space", *after]


def test_a_function_with_an_index_is_set_apart_as_a_whole(root):
    name = "<msub><mrow><mi>max</mi><mo>\u2061</mo></mrow><mi>l</mi></msub>"
    put(root, "a/b", INLINE.format(tex="b", parts=f"<mi>a</mi>{name}<mi>v</mi>"))
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.b.xhtml"))
    names = [etree.QName(part).localname for part in page.find(".//{*}mrow")]
    assert names == ["mi", "mspace", "msub", "mspace", "mi"]


def test_rows_of_a_printed_table_are_set_smaller_where_they_are_long(root):
    rows = {"a  b": None, f"{'a' * 99}  b": "edition-wide", "a " * 60: None}
    codes = "".join(f"<pre>{row}</pre>" for row in rows)
    put(root, "a/c", f"<h1>C</h1>{codes}")
    classes = [code.get("class") for code in one_page(root).body.iter("pre")]
    assert classes == list(rows.values())


def test_each_row_of_a_printed_table_stands_in_a_part_of_its_own(root):
    note = '<span class="line">b   2\n</span>'
    below = '<span class="gap">  </span><span class="below">3\n</span>'
    flows = '<span class="line flows">c\nd\n</span>'
    table = f'<pre class="columns"><span></span>a   1\n\n{note}e{below}{flows}</pre>'
    other = '<pre class="wraps"><span class="line">c\n</span></pre>'
    output = '<div class="cell_output">{}</div>'
    code = "<pre>d\ne\n</pre>"
    put(root, "a/c", f"<h1>C</h1>{output.format(table)}{output.format(other)}{code}")
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.c.xhtml"))
    rows, line, plain = page.iter("{*}pre")
    words = ["".join(row.itertext()) for row in rows]
    assert words == ["a   1\n", "\n", "b   2\n", "e  3\n", "c\nd\n"]
    assert [row.get("class") for row in rows] == [*["line"] * 4, "line flows"]
    assert [part.get("class") for part in rows[3]] == ["cell", "gap", "below"]
    classes = [pre.get("class") for pre in (rows, line, plain)]
    assert classes == ["columns short rows", "wraps short", "short"]
    assert (len(line), len(plain)) == (1, 0)


def test_drawings_of_an_epub_refer_to_nothing_elsewhere(root):
    with ZipFile(make_epub(root)) as archive:
        drawing = archive.read("book/images/p.svg")
    assert b"DOCTYPE" not in drawing
    assert b'<path d="" id="x"/><path d="M0 0"/>' in drawing


def test_an_epub_says_when_the_book_changed(root, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    with ZipFile(make_epub(root)) as archive:
        package = archive.read("book/package.opf").decode()
    assert "1970-01-02T00:00:00Z" in package
    assert "<dc:title>T &amp; T</dc:title>" in package


def put(root, page, inside):
    file = root / f"_build/html/book/{page}.html"
    file.write_text(f"<html><body><article>{inside}</article></body></html>")


def test_pictures_of_one_name_in_two_folders_stay_two(root):
    static = root / "_build/html/_static/sub"
    static.mkdir(parents=True)
    (static / "p.svg").write_bytes(b"<svg>other</svg>")
    pictures = '<img src="../../_images/p.svg"><img src="../../_static/sub/p.svg">'
    put(root, "a/c", f"<h1>C</h1>{pictures}")
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.c.xhtml"))
        names = [image.get("src") for image in page.iter("{*}img")]
        held = [archive.read(f"book/{name}") for name in names]
    assert b"DOCTYPE" not in held[0]
    assert held[1] == b"<svg>other</svg>"


def test_a_picture_that_is_not_there_is_named_with_its_page(root):
    put(root, "a/c", '<h1>C</h1><img src="../../_images/no.svg">')
    message = r"book/a/c\.html must show pictures .* _images/no\.svg is not in it; run"
    with pytest.raises(BookError, match=message):
        make_epub(root)


def test_a_link_out_of_the_book_keeps_its_anchor(root):
    put(root, "a/c", '<h1>C</h1><a href="../x.html#a%20b">x</a>')
    address = "https://owner.github.io/name/book/x.html#a%20b"
    assert address in one_page(root).body.xpath("//a/@href")
    with ZipFile(make_epub(root)) as archive:
        assert f'href="{address}"' in archive.read("book/a.c.xhtml").decode()


def test_a_book_on_another_host_links_to_no_address_that_nobody_knows(root):
    config = root / "_config.yml"
    config.write_text(config.read_text().replace("github.com", "codeberg.org"))
    assert read_book(root).address is None
    assert read_book(root).link("book/x.html", "a") is None
    home = "https://codeberg.org/Owner/name"
    links = one_page(root).body.xpath(
        "//section[not(contains(@class, 'edition-imprint'))]/descendant::a/@href"
    )
    assert [a for a in links if not a.startswith("#") and a != home] == []
    with ZipFile(make_epub(root)) as archive:
        assert b"book/x.html" not in archive.read("book/a.c.xhtml")


def test_without_a_browser_nothing_is_started(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(press, "serve", started.append)
    nothing = partial(find_chromium, lambda name: None)
    monkeypatch.setattr(press, "find_chromium", nothing)
    with pytest.raises(BookError, match="Chromium"), press.open_press(tmp_path):
        pass
    assert started == []


def test_a_browser_that_does_not_start_leaves_no_server(tmp_path, monkeypatch):
    closed = []

    @contextmanager
    def open_server(folder):
        try:
            yield "http://127.0.0.1/"
        finally:
            closed.append(folder)

    def launch(**options):
        raise sync_api.Error("it does not start")

    playwright = SimpleNamespace(chromium=SimpleNamespace(launch=launch))
    monkeypatch.setattr(sync_api, "sync_playwright", lambda: nullcontext(playwright))
    monkeypatch.setattr(press, "serve", open_server)
    monkeypatch.setattr(press, "find_chromium", lambda: "chromium")
    fails = pytest.raises(sync_api.Error, match="does not start")
    with fails, press.open_press(tmp_path):
        pass
    assert closed == [tmp_path]


def test_a_book_knows_when_it_changed():
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    book = Book("T", "A", "u", "r", "en", "i.html", [], moment)
    assert book.changed == moment
    assert book.pages == ["i.html"]


def test_a_drawing_is_a_picture_on_paper_with_words_and_without_links(root):
    inside = '<title id="t">Map</title><a href="#b" aria-label="N"><text>N</text></a>'
    drawing = f'<svg role="group" viewBox="0 1 8 9" style="width: 8px">{inside}</svg>'
    arrow = '<p>a<svg aria-hidden="true" viewBox="0 0 1 1"><path d="M0 0"/></svg>b</p>'
    put(root, "a/c", f'<h1 id="b">C</h1>{drawing}{arrow}')
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.c.xhtml"))
        shown, silent = page.iter("{*}img")
        picture = archive.read(f"book/{shown.get('src')}").decode()
        etree.fromstring(archive.read(f"book/{silent.get('src')}"))
    assert (shown.get("alt"), shown.get("style")) == ("Map", "width: 8px")
    assert (silent.get("alt"), silent.get("role"), silent.tail) == (
        "",
        "presentation",
        "b",
    )
    paper = '<rect fill="#fff" x="0" y="1" width="8" height="9"/>'
    assert f'viewBox="0 1 8 9">{paper}' in picture
    assert "<g><text>N</text></g>" in picture
    assert "href" not in picture
    assert "role=" not in picture


def test_the_links_of_a_drawing_are_a_list_below_it_by_chapters(root):
    boxes = "".join(
        f'<a href="b.html" aria-label="{label}"><text>N</text></a>'
        for label in ("Norm: chapter 12, The norm", "2. Ids: chapter 2, Ids", "Norm")
    )
    inside = f"<title>each box leads</title><desc>Boxes.</desc>{boxes}{boxes}"
    drawing = f'<svg viewBox="0 0 8 9">{inside}</svg>'
    put(root, "a/c", f'<h1>C</h1><div class="drawings">{drawing}</div><p>after</p>')
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.c.xhtml"))
    figure, places, after = [*page.find(".//{*}section")][1:]
    assert figure.find("{*}img").get("alt") == "Boxes."
    links = [(link.text, link.get("href")) for link in places.iter("{*}a")]
    assert links == [("2 Ids", "a.b.xhtml"), ("12 Norm", "a.b.xhtml")]
    assert after.text == "after"


def test_a_mark_among_words_is_drawn_on_their_page_in_ink_seen_on_black(root):
    mark = '<path d="M0 0" style="stroke: {}"/>'
    inks = mark.format("rgb(34, 40, 50)") + mark.format("rgb(184, 79, 0)")
    shapes = [f'<svg viewBox="0 0 9 {height}">{inks}</svg>' for height in (20, 21)]
    put(root, "a/c", f"<h1>C</h1>{''.join(shapes)}")
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.c.xhtml"))
        low, high = (
            archive.read(f"book/{image.get('src')}").decode()
            for image in page.iter("{*}img")
        )
    inks = re.compile('stroke: ([^;"]*)')
    assert "#fff" not in low
    assert inks.findall(low) == ["#767676", "rgb(184, 79, 0)"]
    assert "#fff" in high
    assert inks.findall(high) == ["rgb(34, 40, 50)", "rgb(184, 79, 0)"]


def test_a_contents_page_shows_no_sections_and_keeps_them_for_the_menu(root):
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/contents.xhtml"))
    nav = next(page.iter("{*}nav"))
    lists = list(nav.iter("{*}ol"))
    hidden = {ol.get("hidden") for ol in lists if "#" in ol[0][0].get("href")}
    shown = {ol.get("hidden") for ol in lists if "#" not in ol[0][0].get("href")}
    assert (hidden, shown) == ({"hidden"}, {None})


def test_a_tall_figure_may_be_low_and_keeps_its_letters_legible(root):
    figures = "".join(
        f'<figure><img src="../../_images/p.svg" alt="a" height="{height}"></figure>'
        for height in (480, 800)
    )
    put(root, "a/c", f"<h1>C</h1>{figures}")
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.c.xhtml"))
    styles = [image.get("style") for image in page.iter("{*}img")]
    assert styles == [None, "max-height: max(60vh, 600px)"]


def test_formulas_of_an_explorer_are_formulas_in_an_epub(root):
    put(root, "a/c", "<h1>C</h1><p><math><mi>x</mi></math></p>")
    with ZipFile(make_epub(root)) as archive:
        page = etree.fromstring(archive.read("book/a.c.xhtml"))
    assert page.find(".//{http://www.w3.org/1998/Math/MathML}math") is not None


def test_a_drawing_on_paper_refers_to_its_own_title(root):
    drawing = '<svg aria-labelledby="t u"><title id="t">D</title><desc id="u"/></svg>'
    put(root, "a/c", f"<h1>C</h1>{drawing}")
    (svg,) = one_page(root).body.iter("svg")
    assert svg.get("aria-labelledby") == "a.c.t a.c.u"
    assert svg.xpath(".//@id") == ["a.c.t", "a.c.u"]


def test_only_long_code_may_go_over_to_the_next_page(root):
    short, long = "x\n" * 14, "x\n" * 15
    put(root, "a/c", f"<h1>C</h1><pre>{short}</pre><pre>{long}</pre>")
    classes = [code.get("class") for code in one_page(root).body.iter("pre")]
    assert classes == [None, "edition-long"]


def test_only_a_paragraph_of_a_line_or_two_stays_with_its_heading(root):
    short, long = "word " * 30, "word " * 31
    put(root, "a/c", f"<h1>C</h1><p>{short}</p><p>{long}</p>")
    (section,) = one_page(root).body.xpath("//section[@id='a.c']")
    assert [p.get("class") for p in section.iter("p")] == ["edition-short", None]


def test_words_that_end_in_a_colon_stay_with_what_follows(root):
    put(root, "a/c", "<h1>C</h1><p>They are: </p><p>This: no.</p><ul><li>b:</li></ul>")
    (section,) = one_page(root).body.xpath("//section[@id='a.c']")
    marked = section.find_class("edition-announces")
    assert [words.text_content() for words in marked] == ["They are: ", "b:"]


EXERCISE = (
    '<section id="c"><h1>C</h1><section id="exercises"><h2>Exercises</h2>'
    '<div class="exercise" id="ex-a"><p class="admonition-title">Exercise 1</p></div>'
    '<details class="solution" id="ex-a-solution"><summary class="admonition-title">'
    "Solution to Exercise 1</summary><p>42</p></details></section>"
    '<section id="summary"><h2>Summary</h2></section></section>'
)


def test_solutions_stand_at_the_end_of_a_chapter_on_paper_and_on_devices(root):
    put(root, "a/c", EXERCISE)
    page = one_page(root)
    assert page.headings()[-4:] == ["C", "Exercises", "Summary", "Solutions"]
    links = page.body.xpath("//section[@id='a.c']//a/@href")
    assert links == ["#a.c.ex-a-solution", "#a.c.ex-a"]
    with ZipFile(make_epub(root)) as archive:
        chapter = etree.fromstring(archive.read("book/a.c.xhtml"))
        contents = archive.read("book/contents.xhtml").decode()
    links = [link.get("href") for link in chapter.iter("{*}a")]
    assert links == ["a.c.xhtml#ex-a-solution", "a.c.xhtml#ex-a"]
    assert '<a href="a.c.xhtml#solutions">Solutions</a>' in contents

"""What holds in the PDF of the whole book."""

import re
import string
import unicodedata
from collections import Counter
from copy import deepcopy

import pytest
from page_look import COARSE, draw, measure_black
from text_look import read_on

from bookkit.book.errors import BookError
from bookkit.publishing.edition.pages import title_of
from bookkit.publishing.edition.pdf import find_pages

# A command of TeX on a printed page, such as \frac, is a formula that was not rendered.
TEX = re.compile(r"\\(?:frac|sqrt|mathbf|sum|text|left|right|begin|end|operatorname)\b")
LARGEST = 20_000_000
MOST_PAGES = 660
FRONT = 3  # pages without a number: cover, title, licenses
# Points from the edge of the paper: the margin, a heading and a line below it.
LEAST_HEIGHT = 80
# In points: the 18 mm of the style sheet, less 3 for a letter such as g.
MARGIN = 48
# The number behind a link, behind its last letter or a sign of punctuation.
NUMBER = re.compile(r".{0,2}?\s*→\s*(\d+)")
# What the styles hide on paper, and what is no text of the page.
UNSEEN = (
    ".//style | .//*[@hidden] | .//p[@class='api-link'] | .//p[@class='letters']"
    "| .//svg//title | .//svg//desc"
    "| .//svg[contains(@class, 'machine-narrow')]"
)


@pytest.fixture(scope="module")
def titles(articles, paper_book):
    return [title_of(articles[page]) for page in paper_book.pages]


@pytest.fixture(scope="module")
def texts(reader):
    words = [page.get_textpage().get_text_bounded() for page in reader]
    # A printed page joins some letters to one sign.
    return [unicodedata.normalize("NFKC", text) for text in words]


@pytest.fixture(scope="module")
def bodies(reader):
    """The words of each page above its lower margin; a letter may hang into it."""
    sheets = [(page.get_textpage(), page.get_size()) for page in reader]
    words = [
        sheet.get_text_bounded(left=0, bottom=MARGIN, right=width, top=height)
        for sheet, (width, height) in sheets
    ]
    return [unicodedata.normalize("NFKC", text) for text in words]


@pytest.fixture(scope="module")
def feet(reader):
    """The words in the lower margin of each page; a letter may hang into it."""
    sizes = [(page, page.get_width()) for page in reader]
    return [
        page.get_textpage().get_text_bounded(left=0, bottom=0, right=width, top=MARGIN)
        for page, width in sizes
    ]


@pytest.fixture(scope="module")
def links(pdf):
    return [link for page in pdf.pages for link in page.get("/Annots", [])]


def test_outline_names_every_part_and_every_page(outline, paper_book, titles):
    words = [title for _, title, _ in outline]
    assert [title for title in words if title in set(titles)] == titles
    parts = [title for level, title, _ in outline if level == 0]
    assert parts == ["Contents", *(part.title for part in paper_book.parts)]


def test_outline_leads_to_the_page_with_the_title(outline, texts, titles):
    for _, title, page in outline:
        if title in set(titles):
            assert squeeze(title) in squeeze(texts[page])


def test_no_heading_stands_alone_at_the_foot_of_a_page(reader):
    places = [(entry.get_title(), entry.get_dest()) for entry in reader.get_toc()]
    heights = [(title, place.get_view()[1][1]) for title, place in places]
    assert [place for place in heights if place[1] < LEAST_HEIGHT] == []


def squeeze(text):
    # The reader takes some hyphens for those at the end of a line.
    return re.sub(r"\s+", "", text.replace("\x02", "-"))


def test_links_within_the_book_lead_to_a_place(pdf, links):
    places = pdf.Root.Dests
    names = [link.Dest for link in links if "/Dest" in link]
    assert len(names) > 1000
    assert [name for name in names if name not in places] == []


def test_numbers_at_links_are_the_pages_of_their_targets(pdf, reader):
    pages, printed = find_pages(pdf), []
    for sheet, page in zip(pdf.pages, reader, strict=True):
        text = page.get_textpage()
        printed += [
            (str(link.Dest).removeprefix("/"), int(number[1]))
            for link in sheet.get("/Annots", [])
            if "/Dest" in link
            and (number := NUMBER.match(read_behind(text, link.Rect)))
        ]
    assert len(printed) > 1100
    assert [(name, at) for name, at in printed if pages[name] != at] == []


def read_behind(text, box):
    """Read a page from the last letter of a link on."""
    _, bottom, right, top = map(float, box)
    last = text.get_index(right - 1, (bottom + top) / 2, 3, 4)  # points around it
    return "" if last is None else read_on(text, last, 20)


def test_targets_of_links_begin_on_their_pages(pdf, links):
    """What begins at the foot of a page, above its first line, counts to that page."""
    names = {str(link.Dest) for link in links if "/Dest" in link}
    places = {name: pdf.Root.Dests[name] for name in names}
    assert [name for name, place in places.items() if place[3] < MARGIN + 5] == []


def test_other_links_lead_to_the_web(links):
    addresses = [str(link.A.URI) for link in links if "/A" in link]
    assert [place for place in addresses if not place.startswith("https://")] == []


def test_contents_give_the_page_on_which_each_chapter_starts(outline, texts, titles):
    (start,) = [page for _, title, page in outline if title == "Contents"]
    numbers = set(re.findall(r"\d+", "\n".join(texts[start : start + 2])))
    for _, title, page in outline:
        if title in set(titles):
            assert str(page + 1) in numbers


def test_no_page_shows_source(texts):
    assert [match.group() for text in texts for match in TEX.finditer(text)] == []


def test_pages_are_numbered(feet):
    assert [foot for foot in feet[:FRONT] if foot.strip()] == []
    for number, foot in enumerate(feet[FRONT:], start=FRONT + 1):
        assert squeeze(foot).endswith(str(number))


def test_the_foot_of_a_page_says_to_what_it_belongs(feet, outline, titles):
    known = set(titles)
    # A page on which a part begins belongs to no chapter.
    starts = {page: "" for level, _, page in outline if level == 0}
    starts |= {page: title for _, title, page in outline if title in known}
    title = ""
    for page in range(min(starts), len(feet)):
        title = starts.get(page, title)
        assert squeeze(feet[page]) == squeeze(f"{title}{page + 1}")


def test_the_front_shows_the_cover_the_title_and_the_licenses(reader, texts, book):
    assert measure_black(draw(reader[0], COARSE)) > 0.5  # of the page
    assert " ".join(texts[1].split()).startswith(book.title)
    assert "CC BY 4.0" in texts[2]
    assert "MIT License" in texts[2]


def test_what_is_looked_up_is_a_file_of_its_own(reference_reader):
    pages = read_pages(reference_reader)
    assert "scaled_dot_product_attention" in "".join(pages)
    assert "Reference" in " ".join(pages[1].split())
    assert list_parts(reference_reader) == [
        "Contents",
        "The API of the package",
        "Cards and traps",
        "Sources and checks",
    ]


def test_the_chinese_pages_are_a_file_of_their_own(chinese_reader, book):
    pages = read_pages(chinese_reader)
    assert list_parts(chinese_reader) == ["目录", "中文"]
    starts = {e.get_title() for e in chinese_reader.get_toc() if e.level == 1}
    assert len(starts) >= sum(page.startswith("zh/") for page in book.pages) - 1
    words = set(re.findall(r"[\u4e00-\u9fff]+", "".join(pages)))
    assert {"残差连接", "五十问", "知识卡片"} <= words


def read_pages(document):
    return [page.get_textpage().get_text_bounded() for page in document]


def list_parts(document):
    return [entry.get_title() for entry in document.get_toc() if entry.level == 0]


def test_links_to_other_volumes_lead_to_the_site(links, book, paper_book):
    addresses = [str(link.A.URI).split("#")[0] for link in links if "/A" in link]
    apart = {f"{book.address}{page}" for page in {*book.pages} - {*paper_book.pages}}
    assert len([place for place in addresses if place in apart]) > 30
    ends = tuple({f"/{page}" for page in book.pages} - {"/book/index.html"})
    found = {place for place in addresses if place.endswith(ends)}
    assert {place for place in found if not place.startswith(book.address)} == set()


def test_fonts_are_embedded(pdf):
    files = {"/FontFile", "/FontFile2", "/FontFile3"}
    fonts = {
        str(font.BaseFont): font.get("/DescendantFonts", [font])[0].FontDescriptor
        for page in pdf.pages
        for font in page.Resources.get("/Font", {}).values()
        if font.Subtype != "/Type3"
    }
    assert [name for name, font in fonts.items() if not files & font.keys()] == []
    assert any("STIX" in name for name in fonts)
    assert any("KaTeX_Math" in name for name in fonts)


def test_chinese_is_written_in_the_font_of_the_book(pdf, texts):
    fonts = [
        font.FontDescriptor.FontName
        for page in pdf.pages
        for font in page.Resources.get("/Font", {}).values()
        if font.Subtype == "/Type3" and "/FontDescriptor" in font
    ]
    assert any("NotoSerifCJK" in str(name) for name in fonts)
    words = set(re.findall(r"[\u4e00-\u9fff]+", "".join(texts)))
    assert {"因果掩码", "旋转位置编码"} <= words


def test_solutions_are_open_in_a_file_of_their_own(
    solutions_reader, texts, articles, paper_book
):
    text = "\n".join(read_pages(solutions_reader))
    pages = [articles[page] for page in paper_book.pages]
    solutions = sum(len(page.find_class("solution")) for page in pages)
    assert text.count("Solution to Exercise") == solutions >= 100
    assert "Solution to Exercise" not in "".join(texts)


def test_buttons_are_gone(texts):
    assert "Show the source" not in "".join(texts)


def test_a_signature_runs_on_like_a_sentence(reference_reader):
    words = " ".join(" ".join(read_pages(reference_reader)).split())
    assert "time d_head'], num_heads: int)" in words


def test_file_is_tagged_and_says_what_it_is(pdf, book):
    assert pdf.Root.MarkInfo.Marked
    assert str(pdf.Root.Lang).startswith(book.language)
    assert pdf.docinfo["/Title"] == book.title
    assert pdf.docinfo["/Author"] == book.author


def test_file_can_be_sent(pdf_file):
    assert pdf_file.stat().st_size < LARGEST


def test_no_letter_is_missing(bodies, one_page):
    """Chromium leaves out what stands beyond the edge, or what a box hides."""
    body = deepcopy(one_page.body)
    for hidden in body.xpath(UNSEEN):
        hidden.drop_tree()
    words = unicodedata.normalize("NFKC", body.text_content())
    wanted, found = (count_letters(text) for text in (words, "".join(bodies)))
    # The head of a long table is printed on each of its pages, so there may be more.
    assert wanted - found == {}
    assert found.total() < 1.01 * wanted.total()


def count_letters(text):
    return Counter(sign for sign in text if sign in string.ascii_letters)


def test_book_can_be_held(reader):
    assert len(reader) <= MOST_PAGES


def test_what_is_wider_than_paper_is_refused(press):
    table = '<table id="wide" style="width: 900px"><tr><td>x</td></tr></table>'
    page = f'<!doctype html><body style="margin: 0">{table}'
    with pytest.raises(BookError, match="table in wide 900"):
        press.print(page)


def test_what_is_wider_than_its_column_is_refused(press):
    code = '<pre style="overflow: hidden; width: 90px">' + "wide " * 20 + "</pre>"
    with pytest.raises(BookError, match=r"fit its column.*pre in narrow \d{3}"):
        press.print(f'<!doctype html><section id="narrow">{code}</section>')

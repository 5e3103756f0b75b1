"""A Chinese page speaks Chinese, has the numbers of its twin, and both lead across."""

import page_files
import pytest

from bookkit.book.chinese import LANGUAGE, SIGNS
from bookkit.book.files import find_root
from bookkit.checking.facts import facts

CHAPTER = "normalization/residual_connections.html"
NUMBERS = "//*[@class = 'caption-number' or contains(@class, 'eqno')]"
HEADS = "//article//*[contains(@class, 'admonition-title') or self::summary]"
DRAWN = "//article//picture/source/@srcset | //article//picture//img/@src"
SHAPE = "#BookLabels-"  # of a sign in a Chinese label
PAGES = sorted(
    path for end in ("md", "ipynb") for path in find_root().glob(f"zh/**/*.{end}")
)


@pytest.fixture(scope="module")
def pair(site):
    return [page_files.parse(site / room / CHAPTER) for room in ("book", "zh")]


def digits(tree, path):
    texts = [part.text_content() for part in tree.xpath(path)]
    return ["".join(c for c in text if c in "0123456789.") for text in texts]


@facts("path", PAGES)
def test_a_page_says_its_language_and_leads_to_the_other(site, path):
    place = path.relative_to(find_root()).with_suffix(".html").relative_to("zh")
    for room, other, tag in (("zh", "book", LANGUAGE), ("book", "zh", "en")):
        tree = page_files.parse(site / room / place)
        [link] = tree.xpath("//a[contains(@class, 'btn-language')]")
        target = (site / room / place).parent / link.get("href")
        assert target.resolve() == (site / other / place).resolve()
        assert tree.get("lang") == tag != link.get("hreflang")
        [public] = tree.xpath("/html/head/link[@rel='alternate'][@hreflang]")
        assert public.get("href").startswith("https://")
        assert public.get("href").endswith(f"/{other}/{place.as_posix()}")


def test_boxes_and_equations_have_the_numbers_of_the_english_chapter(pair):
    english, chinese = (digits(tree, NUMBERS) for tree in pair)
    assert english == chinese
    assert len(english) > 5


def test_what_stands_around_the_text_is_chinese(pair):
    heads = [part.text_content().strip() for part in pair[1].xpath(HEADS)]
    assert [head for head in heads if not SIGNS.search(head)] == []
    assert {head[:2] for head in heads} >= {"定理", "练习", "解答", "显示"}


def test_figures_are_drawn_in_the_language_of_the_page_for_a_phone_too(site, pair):
    for room, tree in zip(("book", "zh"), pair, strict=True):
        names = tree.xpath(DRAWN)
        files = [(site / room / CHAPTER).parent / name for name in names]
        chinese = [SHAPE in file.read_text("utf-8") for file in files]
        assert len(files) == 10  # five figures, each in two forms
        assert all(chinese) if room == "zh" else not any(chinese)


@facts("room, captions", [("zh", "中文"), ("book", "Attention")])
def test_the_contents_beside_a_page_begin_with_its_language(site, room, captions):
    tree = page_files.parse(site / room / CHAPTER)
    parts = tree.xpath("//nav[contains(@class,'bd-links')]//*[@class='caption-text']")
    names = [part.text_content() for part in parts]
    assert captions in names[:2]
    assert ("中文" in names) == (room == "zh")

"""What holds in the EPUB of the whole book; it says what its validator asks for."""

import re
import shutil
import subprocess
from io import BytesIO
from pathlib import Path, PurePosixPath
from posixpath import join, normpath
from urllib.parse import unquote, urlsplit

import pytest
from fontTools.ttLib import TTFont
from lxml import etree

from bookkit.book.chinese import SIGNS
from bookkit.checking.facts import facts
from bookkit.publishing.edition.epub import EPUB
from bookkit.publishing.edition.formulas import find_letter

NAMES = {
    "x": "http://www.w3.org/1999/xhtml",
    "m": "http://www.w3.org/1998/Math/MathML",
    "o": "http://www.idpf.org/2007/opf",
    "d": "http://purl.org/dc/elements/1.1/",
}
SCRIPTS = {"msub": 2, "msup": 2, "msubsup": 3, "mfrac": 2, "munder": 2, "mover": 2}
PACKAGE, CONTENTS = "content.opf", "nav.xhtml"
# A single letter is set in italics, and h had its sign already.
FAMILY, PLANCK = "Book Formulas", "\N{PLANCK CONSTANT}"
VALIDATOR = Path("/usr/share/java/epubcheck.jar")  # Debian's
COVER = Path(__file__).parents[2] / "book/_editions/cover.png"
DEVICES = (600, 480)  # pixels: a page of a reading device, and of a small one
PHONE, TABLET = 390, 768
# Selectors for which some devices leave out a whole rule.
LATE = re.compile(r":(?:is|has|where)\(|:not\([^)]*,")
# The words right before an element, if there are any.
BEFORE = "preceding-sibling::node()[1][self::text()]"
SIGN = re.compile(r"[.,;:!?)”]")
# What a browser would let a reader scroll, and a device cuts off.
FIND_CUT = """() => [...document.querySelectorAll("div.math, pre, table")]
  .filter((part) => part.scrollWidth > part.clientWidth + 2 && part.clientWidth)
  .map((part) => part.textContent.trim())"""
# What leaves a page of a phone at its right, within lines too.
FIND_LEAVING = """() => [...document.querySelectorAll(".math, table, pre, figure")]
  .filter((part) => part.getBoundingClientRect().right > innerWidth + 1)
  .map((part) => part.textContent.trim().slice(0, 60))"""
# Of Chinese any two signs may part.
FIND_BROKEN_WORDS = r"""() => {
  const broken = [], word = document.createRange();
  for (const cell of document.querySelectorAll("th, td")) {
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const part = walk.currentNode;
      if (part.parentElement.closest("a, code, svg, math")) continue;
      for (const found of part.data.matchAll(/(?:(?!\p{Script=Han})\p{L}){2,}/gu)) {
        word.setStart(part, found.index);
        word.setEnd(part, found.index + found[0].length);
        const [first, ...others] = word.getClientRects();
        if (others.some((box) => box.top > first.bottom - 1)) broken.push(found[0]);
      }
    }
  }
  return broken;
}"""
# The same in the names of traps, which are links: at a hyphen, a word may break.
FIND_BROKEN_LINKS = FIND_BROKEN_WORDS.replace(
    '"th, td"', '"#all-of-them td:first-child"'
).replace('"a, code, svg, math"', '"code"')
# Tables of which a cell stands beside another, or not behind the name of its column,
# if it holds more than that name.
FIND_NO_CARDS = """() => [...document.querySelectorAll("table.cards")]
  .filter((table) => table.tHead.offsetHeight > 0
    || [...table.querySelectorAll("td:not(.empty)")].some((cell) =>
      cell.offsetWidth < table.offsetWidth - 1)
    || [...table.querySelectorAll("td:not(.empty) .column")].some((name) => {
      const place = name.getBoundingClientRect();
      const words = name.nextElementSibling?.getBoundingClientRect();
      return !place.height || words && words.left < place.right;
    }))
  .map((table) => table.textContent.slice(0, 50))"""
# Lists of facts of which one is not behind the name of its column, or is not seen.
FIND_NO_FACTS = """() => [...document.querySelectorAll("table.facts td")]
  .filter((cell) => {
    const name = cell.querySelector(".column"), words = cell.textContent.trim();
    return words && (!cell.offsetHeight || cell.previousElementSibling
      && !name?.getBoundingClientRect().height);
  })
  .map((cell) => cell.textContent)"""
# How far, in em, the letter of an index stands below the one before it.
SEE_INDEX = """() => {
  const [letter, index] = document.querySelector("div.math msub").children;
  const low = (part) => part.getBoundingClientRect().bottom;
  return [getComputedStyle(letter).fontFamily, [...document.fonts].filter((font) =>
    font.status === "loaded").map((font) => font.family.replaceAll('"', "")),
    (low(index) - low(letter)) / parseFloat(getComputedStyle(letter).fontSize)];
}"""
FIND_BROKEN_COMMENTS = """() => [...document.querySelectorAll("pre .line .c1")]
  .filter((comment) => comment.getClientRects().length > 1)
  .map((comment) => comment.textContent)"""
FIND_MIXED_SIZES = """() => [...document.querySelectorAll("table")]
  .map((table) => [...table.rows].map((row) => getComputedStyle(row.cells[0]).fontSize))
  .filter((sizes) => new Set(sizes).size > 1)"""
# A device sets a page in columns as large as its screen. What belongs together and
# stands in two of them all the same, although one would have room for it.
SET_IN_COLUMNS = """() => {
  const style = document.createElementNS("http://www.w3.org/1999/xhtml", "style");
  style.textContent = `html { box-sizing: border-box; column-fill: auto;
    column-gap: 40px; column-width: 350px; height: 844px; padding: 20px; }
    body { margin: 0; }`;
  document.head.append(style);
}"""
FIND_TORN = """() => {
  const words = document.createRange();
  return [...document.querySelectorAll("h1, h2, h3, h4, .cards tbody tr, .facts tr")]
    .filter((part) => {
      words.selectNodeContents(part);
      const lines = [...words.getClientRects()].filter((line) => line.width);
      const columns = new Set(lines.map((line) => Math.floor(line.left / 390)));
      return columns.size > 1;
    })
    .map((part) => part.textContent.trim().slice(0, 40));
}"""
# Titles, terms and names of parts that stand on another page than what follows them.
FIND_STRANDED = """() => {
  const words = document.createRange();
  const columns = (part) => {
    words.selectNodeContents(part);
    return [...words.getClientRects()].filter((line) => line.width && line.height)
      .map((line) => Math.floor(line.left / 390));
  };
  const follow = (part) =>
    part && (part.nextElementSibling ?? follow(part.parentElement));
  const titles = "h1, h2, h3, h4, dt, .admonition-title, nav a:not(:last-child)";
  return [...document.querySelectorAll(titles)]
    .filter((title) => {
      const last = columns(title).at(-1), [first] = columns(follow(title) ?? title);
      return last !== undefined && first !== undefined && first !== last;
    })
    .map((title) => title.textContent.trim().slice(0, 40));
}"""
# Tables of which the names of the columns stand on another page than the first row.
FIND_LONE_HEADS = """() => [...document.querySelectorAll("table")]
  .filter((table) => table.tHead?.offsetHeight)
  .filter((table) => {
    const [head, row] = [table.tHead, table.tBodies[0].rows[0]].map((part) =>
      [...part.getClientRects()].at(-1).left);
    return Math.floor(row / 390) !== Math.floor(head / 390);
  })
  .map((table) => table.textContent.trim().slice(0, 40))"""
# Letters of a figure have 8 points, which are 10.7 pixels, and at this scale 8.
FIND_SMALL = """() => [...document.querySelectorAll("figure img")]
  .filter((image) => !image.closest(".drawings"))
  .filter((image) => {
    const natural = (side, whole) => image.getAttribute(side) ?? whole;
    return Math.min(image.clientWidth / natural("width", image.naturalWidth),
      image.clientHeight / natural("height", image.naturalHeight)) < 0.745;
  })
  .map((image) => image.getAttribute("src"))"""
SET_LETTERS = "size => { document.documentElement.style.fontSize = size; }"
MEASURE = "document.documentElement.scrollWidth"
ASKED = (
    MEASURE,
    FIND_CUT,
    FIND_BROKEN_WORDS,
    FIND_BROKEN_LINKS,
    FIND_MIXED_SIZES,
    FIND_SMALL,
)


def read_signs(tree):
    """List the signs that the formulas of a page are set in, letters in italics."""
    signs = set()
    for token in tree.iter(*(f"{{*}}{name}" for name in ("mi", "mn", "mo", "mtext"))):
        words = (token.text or "").strip()
        is_name = token.tag.endswith("mi") and not token.get("mathvariant")
        if is_name and len(words) == 1:
            words = PLANCK if words == "h" else find_letter("ITALIC", words)
        signs |= set(words)
    return signs - {"\N{FUNCTION APPLICATION}"}


@pytest.fixture(scope="module")
def pages(trees):
    return {name: tree for name, tree in trees.items() if name.endswith(".xhtml")}


def test_cover_is_the_one_that_is_drawn(epub):
    assert epub["_static/cover.png"] == COVER.read_bytes()


def test_first_file_says_what_the_book_is(epub):
    assert next(iter(epub)) == "mimetype"
    assert epub["mimetype"] == b"application/epub+zip"


def test_package_lists_every_file_once(epub, trees):
    listed = trees[PACKAGE].xpath("//o:manifest/o:item/@href", namespaces=NAMES)
    beside = ("mimetype", "META-INF/container.xml", PACKAGE)
    assert sorted(listed) == sorted(name for name in epub if name not in beside)


def test_pages_are_read_in_the_order_of_the_book(trees, book):
    tree = trees[PACKAGE]
    items = tree.xpath("//o:item", namespaces=NAMES)
    names = {item.get("id"): item.get("href") for item in items}
    order = tree.xpath("//o:itemref/@idref", namespaces=NAMES)
    chapters = [page.replace(".html", ".xhtml") for page in book.pages]
    first = ["epub-cover.xhtml", "title.xhtml", CONTENTS]
    assert [names[i] for i in order] == [*first, *chapters]


def test_contents_name_every_page(pages, titles):
    nav = pages[CONTENTS]
    words = ["".join(a.itertext()) for a in nav.xpath("//x:nav//x:a", namespaces=NAMES)]
    assert [title for title in titles if title not in words] == []


def test_links_and_pictures_are_there(pages, epub):
    broken = []
    for name, tree in pages.items():
        for target in tree.xpath("//@href | //@src"):
            parts = urlsplit(target)
            if parts.scheme:
                continue
            path = PurePosixPath(name).parent.as_posix()
            file = normpath(join(path, unquote(parts.path))) if parts.path else name
            ids = pages[file].xpath("//@id") if file in pages else []
            if file not in epub or (
                parts.fragment and unquote(parts.fragment) not in ids
            ):
                broken.append((name, target))
    assert broken == []


def test_ids_are_unique_within_a_page(pages):
    for tree in pages.values():
        ids = tree.xpath("//@id")
        assert len(ids) == len(set(ids))


def test_every_formula_is_mathml_with_words(pages):
    formulas = [
        formula
        for tree in pages.values()
        for formula in tree.xpath("//*[@class='math']", namespaces=NAMES)
    ]
    for formula in formulas:
        assert formula.xpath(".//m:math[@alttext]", namespaces=NAMES)
        assert not formula.xpath(".//*[@class='katex-html']")
    assert len(formulas) > 1000


def test_scripts_of_formulas_have_all_their_parts(pages):
    for tree in pages.values():
        for name, parts in SCRIPTS.items():
            for element in tree.iterfind(f".//m:{name}", NAMES):
                assert len(element) == parts


def test_pictures_are_described(pages):
    for name, tree in pages.items():
        for image in tree.xpath("//x:img", namespaces=NAMES):
            is_told_beside = image.get("role") == "presentation"
            assert is_told_beside == (image.get("alt") == ""), name
        assert tree.find(".//{http://www.w3.org/2000/svg}svg") is None


def test_nothing_is_folded_and_nothing_needs_a_script(pages):
    for tree in pages.values():
        found = tree.xpath(
            "//x:details | //x:script | //x:button | //x:input", namespaces=NAMES
        )
        assert found == []


def test_solutions_and_drawn_code_are_there_and_drawing_code_is_not(pages):
    text = "".join(etree.tostring(tree, encoding="unicode") for tree in pages.values())
    assert text.count("Solution to") >= 60
    assert "transformer/layers/attention.py" in text
    assert not re.search(r"figures</span>\s*<span[^>]*>\.", text)


def test_links_to_the_tests_of_some_code_stand_below_it(pages):
    links = [
        link
        for tree in pages.values()
        for link in tree.xpath("//x:p[@class='api-link']", namespaces=NAMES)
    ]
    assert len(links) > 40
    for link in links:
        assert link.getprevious().xpath(".//x:pre", namespaces=NAMES), "".join(
            link.itertext()
        )


@pytest.fixture(scope="module")
def visit(folder, pages, opened):
    """Ask the browser of each page on a device, at one visit."""

    def ask_all(device, asked, letters=100):
        screen = opened[0].new_page(viewport={"width": device, "height": 800})
        found = {}
        for name in pages:
            screen.goto((folder / name).as_uri())
            screen.evaluate(SET_LETTERS, f"{letters}%")
            found[device, name] = {ask: screen.evaluate(ask) for ask in asked}
        screen.close()
        return found

    return ask_all


@pytest.fixture(scope="module")
def shown(visit):
    """What the browser tells of each page on each device."""
    return visit(DEVICES[0], ASKED) | visit(DEVICES[1], ASKED)


@pytest.fixture(scope="module")
def phone(visit):
    """What it tells of tables and comments on a phone."""
    tables = FIND_BROKEN_WORDS, FIND_NO_CARDS, FIND_NO_FACTS, FIND_MIXED_SIZES
    wide = MEASURE, FIND_CUT, FIND_LEAVING
    return visit(PHONE, (*tables, *wide, FIND_BROKEN_COMMENTS))


def find(shown, ask):
    """List what the browser found on pages, where it found something."""
    return {place: told[ask] for place, told in shown.items() if told[ask]}


def test_nothing_leads_out_of_a_small_page(shown, phone, pages):
    assert len(shown | phone) == (len(DEVICES) + 1) * len(pages)
    wide = {place: told[MEASURE] for place, told in (shown | phone).items()}
    assert {place: width for place, width in wide.items() if width > place[0]} == {}


def test_nothing_is_cut_off(shown, phone):
    assert find(shown | phone, FIND_CUT) == {}


def test_no_word_of_a_table_breaks(shown, phone):
    assert find(shown | phone, FIND_BROKEN_WORDS) == {}


def test_wide_tables_of_phrases_are_cards_on_a_small_page_only(visit, phone):
    assert find(phone, FIND_NO_CARDS) == {}
    tablet = visit(TABLET, (FIND_NO_CARDS,))
    assert len(find(tablet, FIND_NO_CARDS)) > 8


def test_wide_tables_of_numbers_are_lists_of_facts_on_a_phone(phone, pages):
    assert find(phone, FIND_NO_FACTS) == {}
    tables = pages["book/appendix/parity.xhtml"].iter("{*}table")
    assert sum("facts" in table.get("class").split() for table in tables) > 8


def test_an_index_stands_below_its_letter_on_a_device_without_a_font(folder, opened):
    screen = opened[0].new_page(viewport={"width": PHONE, "height": 844})
    screen.goto((folder / "book/attention/self_attention.xhtml").as_uri())
    screen.evaluate("document.fonts.ready.then(() => null)")
    family, loaded, depth = screen.evaluate(SEE_INDEX)
    screen.close()
    assert family.startswith(f'"{FAMILY}"')
    assert FAMILY in loaded
    assert depth > 0.1


def test_the_font_has_all_signs_of_formulas(pages, epub):
    known = TTFont(BytesIO(epub["_static/formulas.woff"])).getBestCmap()
    signs = set().union(*map(read_signs, pages.values()))
    assert len(signs) > 100
    assert sorted(sign for sign in signs if ord(sign) not in known) == []


def test_chinese_signs_are_where_the_styles_name_a_font_for_them(pages):
    texts = [
        text
        for tree in pages.values()
        for text in tree.xpath(
            "//x:body//text()[not(ancestor::x:pre or ancestor::x:code"
            " or ancestor::*[@lang='zh-Hans'])]",
            namespaces=NAMES,
        )
    ]
    assert len(texts) > 1000
    assert [text for text in texts if SIGNS.search(text)] == []


def test_styles_have_no_selector_that_some_devices_do_not_know(epub):
    styles = epub["_static/epub.css"].decode()
    assert LATE.findall(styles) == []
    assert LATE.search("td:is(.a, .b) {")
    assert LATE.search("td:not(.a, .b) {")


def test_nothing_leaves_the_page_of_a_phone(phone):
    assert find(phone, FIND_LEAVING) == {}


@facts("letters", [120, 150])
def test_nothing_leaves_the_page_of_a_phone_with_larger_letters(visit, letters):
    phone = visit(PHONE, (FIND_LEAVING, FIND_CUT), letters)
    assert find(phone, FIND_LEAVING) == {}
    assert find(phone, FIND_CUT) == {}


def test_no_title_stands_alone_and_no_row_of_cards_is_torn(folder, pages, opened):
    screen = opened[0].new_page(viewport={"width": PHONE, "height": 844})
    asked = FIND_TORN, FIND_STRANDED, FIND_LONE_HEADS
    torn = {}
    for name in pages:
        screen.goto((folder / name).as_uri())
        screen.evaluate(SET_IN_COLUMNS)
        torn[name] = [part for ask in asked for part in screen.evaluate(ask)]
    screen.goto("about:blank")
    screen.set_content("<div style='height: 700px'></div><h2>" + "long " * 40)
    screen.evaluate(SET_IN_COLUMNS)
    seen = screen.evaluate(FIND_TORN)
    screen.set_content("<div style='height: 760px'></div><dl><dt>a</dt><dd>b</dd></dl>")
    screen.evaluate(SET_IN_COLUMNS)
    stranded = screen.evaluate(FIND_STRANDED)
    screen.close()
    assert {name: parts for name, parts in torn.items() if parts} == {}
    assert seen == [("long " * 40).strip()[:40]]
    assert stranded == ["a"]


def test_a_comment_goes_below_its_code_as_a_whole(phone):
    assert find(phone, FIND_BROKEN_COMMENTS) == {}


def test_letters_of_figures_are_large_enough(shown):
    assert find(shown, FIND_SMALL) == {}


SEE_FORMS = """() => [...document.querySelectorAll(".edition-forms img")]
  .map((image) => {
    const {left, right, width} = image.getBoundingClientRect();
    const line = image.closest("figure").getBoundingClientRect();
    return [image.currentSrc.includes("-narrow"), width / line.width,
      Math.abs(left + right - line.left - line.right) < 2];
  })"""


@facts(
    "width, height, is_narrow, least",
    [(390, 844, True, 0.9), (768, 1024, False, 0.9), (1024, 768, True, 0.35)],
)
def test_a_device_shows_the_form_of_a_figure_that_fits_its_page(
    folder, opened, width, height, is_narrow, least
):
    screen = opened[0].new_page(viewport={"width": width, "height": height})
    screen.goto((folder / "book/attention/self_attention.xhtml").as_uri())
    forms = screen.evaluate(SEE_FORMS)
    screen.close()
    assert len(forms) > 4
    assert {(narrow, centered) for narrow, _, centered in forms} == {(is_narrow, True)}
    assert min(share for _, share, _ in forms) > least


def test_contents_keep_the_root_in_a_title(pages):
    text = etree.tostring(pages[CONTENTS], encoding="unicode")
    assert "Why divide by √d_k?" in text


def test_no_name_of_a_trap_breaks(shown):
    assert find(shown, FIND_BROKEN_LINKS) == {}


def test_all_rows_of_a_table_are_set_in_one_size(shown, phone):
    assert find(shown | phone, FIND_MIXED_SIZES) == {}


def test_what_is_cut_off_and_a_broken_word_are_noticed(opened):
    screen = opened[0].new_page(viewport={"width": 200, "height": 600})
    formula = '<div class="math" style="overflow-x: auto">{}</div>'
    screen.set_content(formula.format("wide") + formula.format("wide" * 20))
    assert screen.evaluate(FIND_CUT) == ["wide" * 20]
    cell = '<td style="max-width: 40px; overflow-wrap: anywhere">{}</td>'
    screen.set_content(f"<table>{cell.format('one two')}{cell.format('onetwothree')}")
    assert screen.evaluate(FIND_BROKEN_WORDS) == ["onetwothree"]
    screen.close()


def test_no_line_begins_with_the_sign_behind_a_formula(pages):
    formulas = [
        place
        for tree in pages.values()
        for place in tree.xpath("//x:span[@class='math']", namespaces=NAMES)
    ]
    assert len(formulas) > 1000
    assert [place.tail for place in formulas if SIGN.match(place.tail or "")] == []
    befores = [str(word) for place in formulas for word in place.xpath(BEFORE)]
    assert [words for words in befores if words.endswith(("(", "“"))] == []
    kept = [
        k for f in formulas for k in f.xpath("x:span[@class='kept']", namespaces=NAMES)
    ]
    assert len(kept) > 500


def test_letters_that_some_devices_do_not_know_are_other_signs(pages):
    text = "".join(etree.tostring(tree, encoding="unicode") for tree in pages.values())
    assert 'mathvariant="double-struck">R<' not in text
    assert 'mathvariant="script">L<' not in text
    assert 'mathvariant="bold' not in text


def test_validator_finds_nothing(root):
    java = shutil.which("java")
    if java is None or not VALIDATOR.is_file():
        pytest.skip("Debian's epubcheck is not here; the tests above stand in for it")
    command = [java, "-jar", VALIDATOR, root / EPUB]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr

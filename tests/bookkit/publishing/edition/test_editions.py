"""One page for paper, from a site of two pages."""

from dataclasses import replace

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.publishing.edition.contents import Part, read_book
from bookkit.publishing.edition.one_page import build_page
from bookkit.publishing.edition.solutions import has_solutions

FORMULA = (
    '<span class="math"><span class="katex"><span class="katex-mathml"><math>'
    "<semantics><msub><mi>e</mi><mi>max</mi><mo>\u2061</mo></msub><mo><mi>m</mi><mi>o</mi></mo>"
    '<annotation encoding="application/x-tex">e_{\\max}</annotation></semantics></math>'
    '</span><span class="katex-html" aria-hidden="true">e</span></span></span>'
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


def put(root, page, inside):
    file = root / f"_build/html/book/{page}.html"
    file.write_text(f"<html><body><article>{inside}</article></body></html>")


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


@facts(
    "shown, headings, place",
    [("text", ["C", "Exercises", "Summary"], "-solution"), ("solutions", ["C"], "")],
)
def test_text_and_solutions_lead_to_each_other_on_the_site(
    root, shown, headings, place
):
    put(root, "a/c", EXERCISE)
    book = replace(read_book(root), shown=shown)
    page = build_page(book, root / "_build/html", styles=[], extra="")
    assert page.headings()[-len(headings) :] == headings
    assert ("42" in page.body.text_content()) is (shown == "solutions")
    links = page.body.xpath("//section[@id='a.c']//a/@href")
    assert links == [f"https://owner.github.io/name/book/a/c.html#ex-a{place}"]


def test_a_page_with_solutions_is_known(root):
    put(root, "a/c", EXERCISE)
    site = root / "_build/html"
    pages = read_book(root).pages
    assert [has_solutions(site, page) for page in pages] == [False, False, True]

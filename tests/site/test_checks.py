"""Each check finds the fault it is there for, on a page broken on purpose."""

import page_files
import page_visit
import pytest
from page_server import serve

SOUND = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A page</title>
<link rel="icon" href="data:,">
</head>
<body><main><h1 id="top">A page</h1>{body}</main></body>
</html>
"""
RENDERED = (
    '<span class="math"><span class="katex"><span class="katex-mathml">'
    r"<annotation>\frac{a}{b}</annotation></span>a/b</span></span>"
)
IMAGE = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="a dot">'


@pytest.fixture
def show(tmp_path, browser):
    """Open a page with a given body; the value is the visit."""
    opened = []

    def open_page(body, **options):
        (tmp_path / "page.html").write_text(SOUND.format(body=body), "utf-8")
        with serve(tmp_path) as base:
            result = page_visit.visit(browser, base, "page.html", **options)
        opened.append(result)
        return result

    yield open_page
    for result in opened:
        result.page.context.close()


@pytest.fixture
def write(tmp_path):
    """Write a page with a given body into a site of its own; the value is the site."""

    def write_page(body, name="page.html"):
        (tmp_path / name).write_text(SOUND.format(body=body), "utf-8")
        return tmp_path

    return write_page


def test_sound_page_passes_all_checks(show, write):
    body = f'<p>Fine: <code>$$x$$</code> {RENDERED} {IMAGE} <a href="#top">up</a>.</p>'
    visited = show(body, viewport=page_visit.PHONE)
    site = write(body)
    assert visited.strangers == []
    assert visited.complaints == []
    assert visited.requests == ["page.html"]
    assert page_visit.find_source(visited.page) == []
    assert page_visit.find_images_without_words(visited.page) == []
    assert page_visit.measure_sideways(visited.page) == 0
    assert page_visit.find_barriers(visited.page) == []
    assert page_files.find_broken_links(site, "page.html") == []
    assert page_files.find_repeated_ids(site, "page.html") == []


@pytest.mark.parametrize(
    "body",
    [
        '<script src="https://example.com/a.js"></script>',
        '<img src="https://example.com/a.png" alt="a">',
        "<script>fetch('https://example.com/a').catch(() => {})</script>",
        "<style>@import url('https://example.com/a.css');</style>",
    ],
)
def test_request_that_leaves_the_site_is_noted(show, body):
    strangers = show(body).strangers
    assert [url.startswith("https://example.com/a") for url in strangers] == [True]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<script>console.error('it broke')</script>", "it broke"),
        ("<script>throw new Error('it fell')</script>", "it fell"),
        ('<script src="missing.js"></script>', "404"),
    ],
)
def test_script_that_fails_is_noted(show, body, words):
    assert [words in complaint for complaint in show(body).complaints] == [True]


@pytest.mark.parametrize(
    "body",
    [
        "<p>$$ x $$</p>",
        "<p>so $x_1$ is</p>",
        r"<p>so \(x\) is</p>",
        r"<p>\frac{a}{b}</p>",
        r"<p>\begin{aligned} a</p>",
        "<p>::: note</p>",
        "<p>see {eq}<code>eq-a</code></p>",
        "<p>see {cite:p}<code>a</code></p>",
        '<span class="math"></span>',
        '<span class="math"><b class="katex"><i class="katex-error">x</i></b></span>',
    ],
)
def test_source_that_shows_is_found(show, body):
    assert page_visit.find_source(show(body).page)


def test_price_is_not_taken_for_a_formula(show):
    assert page_visit.find_source(show("<p>from $5 to $6</p>").page) == []


@pytest.mark.parametrize("alt", ["", 'alt=""', 'alt="  "', 'alt="_images/a.svg"'])
def test_image_without_words_is_found(show, alt):
    page = show(f'<img src="_images/a.svg" {alt}>').page
    assert page_visit.find_images_without_words(page) == ["a.svg"]


def test_sideways_scrolling_is_measured(show):
    page = show('<p style="width: 420px">wide</p>', viewport=page_visit.PHONE).page
    assert page_visit.measure_sideways(page) > 30


def test_folded_content_is_opened(show):
    wide = '<details><summary>more</summary><p style="width: 420px">a</p></details>'
    page = show(wide, viewport=page_visit.PHONE).page
    assert page_visit.measure_sideways(page) == 0
    page_visit.open_all(page)
    assert page_visit.measure_sideways(page) > 30


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ('<p style="color: #aaa">pale words</p>', "color-contrast"),
        ('<a href="#top"></a>', "link-name"),
        ("<button></button>", "button-name"),
        (
            '<pre style="width: 90px; overflow: auto">a long line of code here</pre>',
            "scrollable-region-focusable",
        ),
    ],
)
def test_barrier_is_found(show, body, rule):
    assert [barrier[0] for barrier in page_visit.find_barriers(show(body).page)] == [
        rule
    ]


def test_contrast_can_be_left_out(show):
    page = show('<p style="color: #aaa">pale words</p><button></button>').page
    rules = {barrier[0] for barrier in page_visit.find_barriers(page, colors=False)}
    assert rules == {"button-name"}


def test_barrier_in_the_dark_is_found(show):
    body = (
        "<style>@media (prefers-color-scheme: dark) { p { color: #aaa; } }</style>"
        "<p>pale words</p>"
    )
    assert page_visit.find_barriers(show(body).page) == []
    assert page_visit.find_barriers(show(body, dark=True).page)


@pytest.mark.parametrize(
    "link",
    [
        '<a href="missing.html">a</a>',
        '<a href="#missing">a</a>',
        '<a href="other.html#missing">a</a>',
        '<a href="../outside.html">a</a>',
        '<img src="missing.svg" alt="a">',
        '<link rel="stylesheet" href="missing.css">',
        '<script src="missing.js"></script>',
    ],
)
def test_broken_link_is_found(write, link):
    write("", "other.html")
    assert len(page_files.find_broken_links(write(link), "page.html")) == 1


def test_links_that_lead_somewhere_pass(write):
    write("", "other.html")
    links = (
        '<a href="#top">a</a> <a href="other.html#top">b</a> <a href="other.html">c</a>'
        ' <a href="https://example.com/">d</a> <a href="mailto:a@example.com">e</a>'
    )
    assert page_files.find_broken_links(write(links), "page.html") == []


def test_repeated_id_is_found(write):
    site = write('<p id="a">1</p><p id="a">2</p>')
    assert page_files.find_repeated_ids(site, "page.html") == ["a"]


def test_text_weighs_what_a_server_sends(tmp_path):
    (tmp_path / "a.css").write_text("a" * 10_000)
    (tmp_path / "a.woff2").write_bytes(b"a" * 10_000)
    assert page_files.weigh_requests(tmp_path, ["a.css?v=1"]) < 100
    assert page_files.weigh_requests(tmp_path, ["a.woff2"]) == 10_000


def test_file_asked_for_twice_weighs_once(tmp_path):
    (tmp_path / "a.png").write_bytes(b"a" * 500)
    assert page_files.weigh_requests(tmp_path, ["a.png", "a.png?v=2"]) == 500


def test_parts_of_the_theme_and_redirects_are_no_pages(write):
    site = write("")
    (site / "_static").mkdir()
    write("", "_static/part.html")
    write('<meta http-equiv="refresh" content="0; url=page.html">', "index.html")
    assert page_files.list_pages(site) == ["page.html"]


def test_missing_browser_says_what_to_install():
    with pytest.raises(RuntimeError, match="install Debian's package chromium"):
        page_visit.find_chromium(which=lambda name: None)


def test_browser_of_another_name_is_found():
    names = {"google-chrome": "/opt/chrome"}
    assert page_visit.find_chromium(which=names.get) == "/opt/chrome"

"""Each check finds the fault it is there for, on a page broken on purpose."""

import page_files
import page_links
import page_use
import page_visit
import pytest
from page_examples import IMAGE, RENDERED, SOUND
from playwright.sync_api import Error

from bookkit.checking.barriers import find_barriers
from bookkit.checking.browser import serve
from bookkit.checking.facts import facts


@pytest.fixture
def show(tmp_path, browser):
    """Open a page with a given body, and use it if asked; the value is the visit."""
    opened = []

    def open_page(body, *, used=False, **options):
        (tmp_path / "page.html").write_text(SOUND.format(body=body), "utf-8")
        with serve(tmp_path) as base:
            visit = page_use.visit_and_use if used else page_visit.visit
            result = visit(browser, base, "page.html", **options)
            opened.append(result)
        return result

    yield open_page
    for result in opened:
        result.page.context.close()


@pytest.fixture(scope="module")
def sheet(browser):
    page = browser.new_page()
    yield page
    page.close()


@pytest.fixture
def render(sheet):
    """Show a body that asks for nothing, in one page for all tests; return the page."""

    def render_body(body):
        sheet.set_content(SOUND.format(body=body))
        return sheet

    return render_body


@pytest.fixture
def write(tmp_path):
    """Write a page with a given body into a site of its own; the value is the site.

    A page that is written again begins another site: what was read is remembered.
    """
    sites = [tmp_path]

    def write_page(body, name="page.html"):
        if (sites[-1] / name).exists():
            sites.append(tmp_path / f"site-{len(sites)}")
            sites[-1].mkdir()
        (sites[-1] / name).write_text(SOUND.format(body=body), "utf-8")
        return sites[-1]

    return write_page


def test_sound_page_passes_all_checks(show, write):
    body = f'<p>Fine: <code>$$x$$</code> {RENDERED} {IMAGE} <a href="#top">up</a>.</p>'
    visited = show(body, viewport=page_visit.PHONE, used=True)
    site = write(body)
    (site / "a.css").write_text("p { color: black; }")
    assert visited.strangers == []
    assert visited.complaints == []
    assert visited.requests == ["page.html"]
    assert page_visit.measure_sideways(visited.page) == 0
    assert find_barriers(visited.page) == []
    assert page_links.find_broken_links(site, "page.html") == []
    assert page_links.find_strangers(site, "page.html") == []
    assert page_links.find_strangers_of_styles(site) == []
    assert page_links.find_broken_links_of_styles(site) == []
    assert page_files.find_repeated_ids(site, "page.html") == []


@facts(
    "body",
    [
        '<script src="https://example.com/a.js"></script>',
        '<img src="https://example.com/a.png" alt="a">',
    ],
)
def test_request_that_leaves_the_site_is_noted(show, body):
    strangers = show(body).strangers
    assert [url.startswith("https://example.com/a") for url in strangers] == [True]


@facts(
    "body, options",
    [
        (
            "<style>@media (prefers-color-scheme: dark) "
            "{ main { background: url(https://example.com/a.png); } }</style>",
            {"dark": True},
        ),
        (
            '<picture><source media="(max-width: 499px)" '
            f'srcset="https://example.com/a.png">{IMAGE}</picture>',
            {"viewport": page_visit.PHONE},
        ),
    ],
)
def test_request_in_one_way_only_is_noted_there(show, body, options):
    assert show(body, used=True).strangers == []
    assert show(body, used=True, **options).strangers == ["https://example.com/a.png"]


ASK = "fetch('https://example.com/a').catch(() => {})"
TALL = '<p style="height: 9000px">tall</p>'


@facts(
    "body",
    [
        f"<script>setTimeout(() => setTimeout(() => {ASK}, 9000), 9000)</script>",
        f'<button class="theme-switch-button" onclick="{ASK}">Colors</button>',
        f'<details ontoggle="{ASK}"><summary>more</summary>less</details>',
        f'{TALL}<img src="https://example.com/a" loading="lazy" alt="a">{TALL}',
    ],
)
def test_request_of_a_page_in_use_is_noted(show, body):
    assert show(body).strangers == []
    assert show(body, used=True).strangers == ["https://example.com/a"]


MODES = """<button class="theme-switch-button" onclick="change()">Colors</button>
<script>
const modes = {modes}, seen = [], data = document.documentElement.dataset;
data.mode = modes[0];
function change() {{
  data.mode = modes[Math.min(seen.push(1), {last})] || modes[0];
  console.error(data.mode);
}}
</script>"""


def test_all_modes_are_seen_and_the_first_comes_back(show):
    visited = show(MODES.format(modes=["auto", "light", "dark"], last=3), used=True)
    words = [complaint.split()[0] for complaint in visited.complaints]
    assert words == ["light", "dark", "auto"]


def test_button_that_does_not_lead_back_is_refused(show):
    with pytest.raises(RuntimeError, match=r"back to mode 'auto'.*is 'dark'. Mend"):
        show(MODES.format(modes=["auto", "dark"], last=1), used=True)


@facts(
    "body, words",
    [
        ("<script>console.error('it broke')</script>", "it broke"),
        ('<script src="missing.js"></script>', "404"),
    ],
)
def test_script_that_fails_is_noted(show, body, words):
    assert [words in complaint for complaint in show(body).complaints] == [True]


def test_sideways_scrolling_is_measured(show):
    page = show('<p style="width: 420px">wide</p>', viewport=page_visit.PHONE).page
    assert page_visit.measure_sideways(page) > 30


def test_a_page_that_is_not_drawn_is_noticed(show):
    page = show("").page
    page.evaluate("window.IntersectionObserver.prototype.observe = () => {}")
    page.evaluate(
        f"() => {{ ({page_use.DRAW})().catch((e) => {{ window.end = e; }}); }}"
    )
    page.clock.run_for(page_use.PATIENCE_MS - 1000)
    assert page.evaluate("window.end") is None
    page.clock.run_for(1000)
    assert page.evaluate("window.end.message") == page_use.STALLED


@facts("stalled", [1, page_use.TRIES])
def test_a_page_that_is_not_drawn_is_opened_anew(show, browser, monkeypatch, stalled):
    visits = []

    def use(page):
        visits.append(page)
        if len(visits) <= stalled:
            page.evaluate(f"Promise.reject(new Error('{page_use.STALLED}'))")

    monkeypatch.setattr(page_use, "use", use)
    contexts = len(browser.contexts)
    if stalled < page_use.TRIES:
        assert show("", used=True).page is visits[-1]
        assert len(browser.contexts) == contexts + 1
    else:
        with pytest.raises(Error, match=page_use.STALLED):
            show("", used=True)
        assert len(browser.contexts) == contexts
    assert len(visits) == min(stalled + 1, page_use.TRIES)


def test_folded_content_is_opened(show):
    wide = '<details><summary>more</summary><p style="width: 420px">a</p></details>'
    page = show(wide, viewport=page_visit.PHONE).page
    assert page_visit.measure_sideways(page) == 0
    page_use.open_all(page)
    assert page_visit.measure_sideways(page) > 30


@facts(
    "body, rule",
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
def test_barrier_is_found(render, body, rule):
    assert [barrier[0] for barrier in find_barriers(render(body))] == [rule]


@facts(
    "good, bad",
    [
        ("<p>words</p>", '<p style="color: #aaa">words</p>'),
        ("<p>words</p>", '<p style="opacity: 0.4">words</p>'),
        (
            '<div style="opacity: 0.65"><p>words</p></div>',
            '<div style="opacity: 0.65"><div style="opacity: 0.65"><p>words</p></div>'
            "</div>",
        ),
        ('<p style="color: #aaa">a</p>', '<p style="color: #aaa">words</p>'),
        (
            '<p style="color: #949494; font-size: 30px">words</p>',
            '<p style="color: #949494">words</p>',
        ),
        (
            '<p style="position: absolute; top: 200px">words</p>',
            '<p style="background: #555; position: absolute; top: 300px; width: 200px; '
            'height: 50px"></p><p style="position: absolute; top: 310px">words</p>',
        ),
    ],
)
def test_contrast_of_each_look_on_each_ground_is_judged(render, good, bad):
    assert find_barriers(render(good * 2)) == []
    for body in (good * 2 + bad, bad + good):
        [(rule, *_)] = find_barriers(render(body))
        assert rule == "color-contrast"


@facts(
    "words, link",
    [("#000", "color: #222"), ("#034", "color: #06c")],
)
def test_a_link_must_be_seen_among_words_wherever_it_stands(render, words, link):
    text = '<p style="color: {}">Some words, <a href="#top" style="{}">a link</a>.</p>'
    plain = "; text-decoration: none"
    good = text.format("#000", "color: #06c" + plain) + text.format(words, link)
    assert find_barriers(render(good * 2)) == []
    [(rule, *_)] = find_barriers(render(good * 2 + text.format(words, link + plain)))
    assert rule == "link-in-text-block"


FORMULA = (
    '<p><span class="katex"><span class="katex-mathml" style="position: absolute; '
    'clip: rect(1px, 1px, 1px, 1px)"><math><mi>words</mi></math></span>'
    '<span class="katex-html" aria-hidden="true">{}</span></span></p>'
)
CODE = "<pre>{}</pre>"
WORD = '<span class="mord">words</span> '


@facts("place", [CODE, FORMULA], ids=["code", "formula"])
@facts(
    "style",
    ["color: #aaa", "background: #555"],
)
def test_each_look_within_code_and_formulas_is_judged(render, place, style):
    pale = f'<span style="{style}"><span>words</span></span>'
    good = place.format(WORD * 2)
    assert find_barriers(render(good * 2)) == []
    for bad in (WORD + pale, pale + WORD):
        for body in (good + place.format(bad), place.format(bad) + good):
            [(rule, *_)] = find_barriers(render(body))
            assert rule == "color-contrast"


@facts("place", [CODE, '<p><span class="katex">{}</span></p>'], ids=["code", "formula"])
@facts(
    "part, rule",
    [
        (
            '<span><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></span>',
            "image-alt",
        ),
        ('<span><span role="img">words</span></span>', "role-img-alt"),
        (
            '<span aria-hidden="true"><b tabindex="0">words</b></span>',
            "aria-hidden-focus",
        ),
        (
            '<span style="display: block; width: 90px; height: 20px; overflow: auto">'
            "<span>words that scroll, and more words</span></span>",
            "scrollable-region-focusable",
        ),
    ],
)
def test_barrier_within_code_and_formulas_is_found(render, place, part, rule):
    page = render(place.format(WORD * 2) + place.format(WORD + part))
    assert rule in {found for found, *_ in find_barriers(page)}


@facts("place", [CODE, FORMULA], ids=["code", "formula"])
def test_a_box_around_code_and_formulas_that_scrolls_is_found(render, place):
    box = f'<div style="width: 90px; overflow: auto">{place.format(WORD * 9)}</div>'
    box = box.replace("<p>", '<p style="white-space: nowrap">')
    page = render(place.format(WORD) + box)
    [(rule, *_)] = find_barriers(page)
    assert rule == "scrollable-region-focusable"


def test_a_look_that_is_not_judged_is_refused(render):
    page = render(CODE.format(WORD + '<span style="font-size: 0">nothing</span>'))
    with pytest.raises(RuntimeError, match=r"(?s)nothing.*\. Show them, or leave"):
        find_barriers(page)


@facts(
    "link",
    [
        '<a href="missing.html">a</a>',
        '<a href="#missing">a</a>',
        '<a href="other.html#missing">a</a>',
        '<a href="../outside.html">a</a>',
        '<img src="missing.svg" alt="a">',
        '<object data="gone.svg"></object>',
        '<img srcset="page.html 1x, gone.png 2x" alt="a">',
        "<style>p { background: url(gone.png); }</style>",
    ],
)
def test_broken_link_is_found(write, link):
    write("", "other.html")
    assert len(page_links.find_broken_links(write(link), "page.html")) == 1


def test_links_that_lead_somewhere_pass(write):
    write("", "other.html")
    links = (
        '<a href="#top">a</a> <a href="other.html#top">b</a> <a href="other.html">c</a>'
        ' <a href="https://example.com/">d</a> <a href="mailto:a@example.com">e</a>'
    )
    assert page_links.find_broken_links(write(links), "page.html") == []


@facts(
    "part",
    [
        '<link rel="preconnect" href="{}">',
        '<base href="{}">',
        '<img src="{}" alt="a">',
        '<img srcset="page.html 1x, {} 2x" alt="a">',
        '<object data="{}"></object>',
        '<form action="{}"></form>',
        '<svg><use xlink:href="{}"></use></svg>',
        "<style>@import '{}';</style>",
        '<p style="background: url({})">a</p>',
    ],
)
@facts("link", ["https://example.com/a", "//example.com/a"])
def test_part_from_another_host_is_found(write, part, link):
    found = page_links.find_strangers(write(part.format(link)), "page.html")
    assert found == [link]


def test_links_to_others_and_own_parts_name_no_other_host(write):
    body = (
        '<a href="https://example.com/">a</a> <img src="other.png" alt="b">'
        '<link rel="canonical" href="https://example.com/page.html">'
        f'<link rel="alternate" href="https://example.com/zh.html">{IMAGE}'
    )
    assert page_links.find_strangers(write(body), "page.html") == []


@facts(
    "css",
    [
        "p { background: url(https://example.com/a); }",
        '@font-face { src: url("https://example.com/a") format("woff2"); }',
        '@import "https://example.com/a";',
        'p { content: "\\""; background: url(https://example.com/a); }',
    ],
)
def test_style_sheet_that_asks_another_host_is_found(tmp_path, css):
    (tmp_path / "a.css").write_text(css)
    found = page_links.find_strangers_of_styles(tmp_path)
    assert found == [("a.css", "https://example.com/a")]


def test_style_sheet_without_its_file_is_found(tmp_path):
    (tmp_path / "a.css").write_text("@import 'b.css'; p { background: url(b.png); }")
    (tmp_path / "b.css").write_text("")
    found = page_links.find_broken_links_of_styles(tmp_path)
    assert found == [("a.css", "b.png")]


def test_comment_string_and_data_of_a_style_sheet_pass(tmp_path):
    (tmp_path / "a.css").write_text(
        "/* url(https://example.com/a) */ p { content: 'url(https://example.com/a)'; "
        """background: url("data:image/svg+xml,<svg xmlns='http://www.w3.org/'/>"); }"""
    )
    assert page_links.find_strangers_of_styles(tmp_path) == []
    assert page_links.find_broken_links_of_styles(tmp_path) == []


def test_repeated_id_is_found(write):
    site = write('<p id="a">1</p><p id="a">2</p>')
    assert page_files.find_repeated_ids(site, "page.html") == ["a"]


def test_text_weighs_what_a_server_sends(tmp_path):
    (tmp_path / "a.css").write_text("a" * 10_000)
    (tmp_path / "a.woff2").write_bytes(b"a" * 10_000)
    assert page_files.weigh_requests(tmp_path, ["a.css?v=1"]) < 100
    assert page_files.weigh_requests(tmp_path, ["a.woff2"]) == 10_000


def test_parts_of_the_theme_and_redirects_are_no_pages(write):
    site = write("")
    (site / "_static").mkdir()
    write("", "_static/part.html")
    write('<meta http-equiv="refresh" content="0; url=page.html">', "index.html")
    assert page_files.list_pages(site) == ["page.html"]

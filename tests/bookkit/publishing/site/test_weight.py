import pytest
from sphinx.errors import ExtensionError

from bookkit.checking.facts import facts
from bookkit.publishing.site import weight as site_weight

light = site_weight.lighten_scripts


def test_scripts_wait_for_the_text():
    assert light('<script src="a.js?v=1"></script>') == (
        '<script defer src="a.js?v=1"></script>'
    )


@facts(
    "script",
    [
        '<script src="_static/documentation_options.js?v=1"></script>',
        '<script defer src="a.js"></script>',
        "<script>let a = 1;</script>",
    ],
)
def test_settings_and_scripts_that_wait_stay_as_they_are(script):
    assert light(script) == script


@facts(
    "script, box",
    [
        ("answers.js", '<div class="exercise admonition" id="ex-window">'),
        ("answers.js", '<div id="what-you-answered"></div>'),
        ("clipboard.min.js", '<div class="highlight"><pre>'),
        ("copybutton.js", '<div class="highlight-python notranslate highlight">'),
        ("design-tabs.js", '<label class="sd-tab-label" for="x">'),
        ("explorers.js", '<div class="explorer" data-explorer="beam">'),
        ("quiz.js", '<details class="question">'),
        ("sheet.js", '<a class="citation-link reference internal" href="#x">'),
        ("sheet.js", '<a class="glossary-link reference internal" href="#x">'),
        ("sheet.js", '<a class="reference internal" href="a.html#thm-hull">'),
        ("switches.js", '<p class="switches d-print-none">'),
        ("togglebutton.js", '<div class="toggle docutils">'),
        ("togglebutton.js", '<div class="note toggle">'),
        ("togglebutton.js", '<div class="admonition tip dropdown">'),
        ("twins.js", '<a class="reference" href="../index.html#without-skips">'),
        ("twins.js", '<figure class="align-default" id="fig-x-translator">'),
    ],
)
def test_a_script_is_asked_for_only_where_it_has_something_to_do(script, box):
    menu = '<button class="btn dropdown-toggle"></button><ul class="dropdown">'
    link = f'<script src="_static/{script}?v=1"></script>'

    assert light(menu + link) == menu
    assert light(box + menu + link) == (
        box + menu + f'<script defer src="_static/{script}?v=1"></script>'
    )


@facts(
    "css, left",
    [
        (".a{b:c}", ".a{b:c}"),
        (".gone{b:c}", ""),
        (".a,.gone .a,p>.gone{b:c}", ".a{b:c}"),
        (".a:not(.gone){b:c}", ".a:not(.gone){b:c}"),
        (".a:is(.x,.gone) b{b:c}", ".a:is(.x,.gone) b{b:c}"),
        ("@media (x){.gone{b:c}}", ""),
        ("@media (x){.a{b:c}.gone{b:c}}", "@media (x){.a{b:c}}"),
        ("@font-face{src:url(a.b)}", "@font-face{src:url(a.b)}"),
        ("@keyframes k{0%{b:c}50.5%{b:d}}", "@keyframes k{0%{b:c}50.5%{b:d}}"),
        ('a[href$=".gone"]{b:c}', 'a[href$=".gone"]{b:c}'),
        ("/*! license */.gone{b:c}/* x */", "/*! license */"),
    ],
)
def test_only_rules_for_classes_that_nobody_uses_are_left_out(css, left):
    assert site_weight.drop_rules(css, {"a"}) == left


FORMS = ['"../basic.css"', 'url("../basic.css")', "url('../basic.css')"]


each_form = facts("form", [*FORMS, "url(../basic.css)"])


def put_sheets(root, form):
    (root / "_static/styles").mkdir(parents=True)
    (root / "_static/styles/one.css").write_text(
        f"@import {form};.a{{background:url(../i/a.png)}}"
    )
    (root / "_static/basic.css").write_text(".a{b:c}")
    (root / "_static/two.css").write_text('.a{d:e;src:url("data:x")}')


PAGE = (
    '<link rel="stylesheet" href="../_static/styles/one.css?v=1" />\n'
    '<link rel="stylesheet" href="../_static/two.css" />\n'
    '<link rel="stylesheet" href="../_static/katex/katex.css" />'
)


@each_form
def test_sheets_become_one_in_their_order(tmp_path, form):
    put_sheets(tmp_path, form)
    page = site_weight.bundle_sheets(PAGE, "book", tmp_path, {"a"})
    (bundle,) = tmp_path.glob("_static/bundles/*.css")
    assert f'href="../_static/bundles/{bundle.name}"' in page
    assert page.count("stylesheet") == 2
    assert page.index("bundles") < page.index("katex")
    css = bundle.read_text()
    assert "@import" not in css
    assert css.index("b:c") < css.index("../i/a.png") < css.index("data:x")


START = '"complete"===document.readyState?I():window.addEventListener("load",I)'


def test_the_theme_measures_no_boxes_and_keeps_the_rest():
    left = site_weight.drop_measures(f"a(),{START};b()")
    assert left == 'a(),void"book.js measures";b()'
    assert site_weight.drop_measures(left) == left


@facts("script, count", [("a()", 0), (f"{START};{START}", 2)])
def test_a_theme_that_measures_elsewhere_stops_the_build(script, count):
    with pytest.raises(ExtensionError, match=f"one place, and does so at {count}: see"):
        site_weight.drop_measures(script)

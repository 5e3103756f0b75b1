"""Each page says which scripts may run on it, and has colors where none does."""

import base64
import hashlib
import re
from html import escape, unescape

import pytest
from sphinx.errors import ExtensionError

from bookkit.checking.facts import facts
from bookkit.publishing.site import policy as site_policy
from bookkit.publishing.site.policy import darken

HEAD = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8" />\n<title>é</title>'
)
PAGE = HEAD + "{head}</head><body>{body}</body></html>"


def stated(body="", head=""):
    return site_policy.state_policy(PAGE.format(head=head, body=body), "a.html")


def policy_of(page):
    [content] = re.findall(
        r'http-equiv="Content-Security-Policy" content="(.*?)"', page
    )
    parts = (part.split() for part in unescape(content).split("; "))
    return {name: values for name, *values in parts}


def digest(code):
    sum_ = hashlib.sha256(code.encode()).digest()
    return f"'sha256-{base64.b64encode(sum_).decode()}'"


def test_a_script_of_the_page_is_allowed_by_its_digest():
    code = '\n  let a = "é" && 1 < 2;\n//<![CDATA[ ]]>\n'
    policy = policy_of(stated(f"<script>{code}</script>"))
    assert policy["script-src"] == ["'self'", "file:", digest(code)]


def test_a_policy_is_stated_anew_and_not_twice():
    page = stated("<script>a</script>")
    assert site_policy.state_policy(page, "a.html") == page
    changed = page.replace("<script>a<", "<script>b<")
    again = site_policy.state_policy(changed, "a.html")
    assert policy_of(again)["script-src"] == ["'self'", "file:", digest("b")]


def test_pages_without_a_policy_are_those_to_be_finished(tmp_path):
    told = PAGE.format(head="", body=f"<pre>{escape(stated())}</pre>")
    for name, text in (
        *(("a.html", stated()), ("b.html", PAGE), ("part/c.html", told)),
        *(("_static/d.html", PAGE), ("e.js", "")),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    found = site_policy.unfinished_pages(tmp_path)
    assert found == [tmp_path / "b.html", tmp_path / "part/c.html"]
    assert site_policy.list_pages(tmp_path) == [tmp_path / "a.html", *found]


@facts(
    "part",
    [
        '<button onclick="go()">a</button>',
        '<img src="a.png" onerror="go()" alt="a">',
        '<svg onload="go()"></svg>',
        '<a href="javascript:go()">a</a>',
    ],
)
def test_other_code_in_attributes_stops_the_build(part):
    with pytest.raises(
        ExtensionError, match=r"a\.html must hold no code in attributes"
    ):
        stated(part)


def test_words_that_look_like_code_in_attributes_pass():
    stated(
        "<p>&lt;b onclick=&quot;go()&quot;&gt;</p><script>'<b onclick=\"a\">'</script>"
    )


@facts(
    "css, dark",
    [
        ("a{b:c}", ""),
        ('html[data-theme="light"]{b:c}', ""),
        ('html[data-theme="dark"] a{b:c}', 'html[data-theme="light"] a{b:c}'),
        ("@charset 'x';html[data-theme=dark]{b:c}", "html[data-theme=light]{b:c}"),
        ("a{b{c:d}}p[data-theme=dark]{a{b:c}}", "p[data-theme=light]{a{b:c}}"),
        (
            "@media (x){a{b:c}p[data-theme='dark']{b:c}}@media print{a{b:c}}",
            "@media (x){p[data-theme='light']{b:c}}",
        ),
    ],
)
def test_rules_for_dark_pages_come_to_hold_on_light_ones(css, dark):
    assert darken(css) == dark


PAGE_OF_THEME = """<html lang="en" data-theme="auto"><script>
document.documentElement.dataset.mode = localStorage.getItem("mode") || "auto";
document.documentElement.dataset.theme = localStorage.getItem("theme") || "auto";
</script>"""


def test_a_page_is_light_without_scripts_and_asks_the_system_at_once():
    page = site_policy.color(PAGE_OF_THEME)
    assert page.startswith('<html lang="en" data-theme="light">')
    assert page.count("dataset.mode = localStorage") == 1
    assert "dataset.theme = localStorage" not in page
    assert site_policy.ASKED in page


@facts("times", [0, 2])
def test_a_theme_that_chooses_colors_otherwise_is_noticed(times):
    with pytest.raises(ExtensionError, match=rf"{times}.*CHOICE"):
        site_policy.color(f"<html>{times * site_policy.CHOICE}")

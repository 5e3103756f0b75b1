"""Formulas are rendered at build, and stay with the full stop behind them."""

import re

import pytest
from bs4 import BeautifulSoup
from docutils import nodes

from bookkit.checking.facts import facts
from bookkit.publishing.site import math as site_math
from bookkit.publishing.site.math import keep_percent, keep_punctuation


@facts("latex", [r"\frac{a}", r"\unknown", r"\left( x", "é"])
def test_broken_formula_says_what_came_and_why(latex):
    with pytest.raises(site_math.FormulaError) as caught:
        site_math.render(latex, display=True)
    assert f"got '{latex}'" in str(caught.value)
    assert "Mend it: " in str(caught.value)


def test_numbered_environments_leave_the_number_to_the_page():
    latex = r"\begin{align} a &= \begin{aligned} b \end{aligned} \end{align}"
    starred = r"\begin{align*} a &= \begin{aligned} b \end{aligned} \end{align*}"
    assert site_math.without_numbers(latex) == starred
    assert site_math.without_numbers(starred) == starred


def test_labeled_formula_keeps_number_anchor_and_references(build):
    html, warnings = build(
        "# Page\n\n$$ a^2 $$ (eq-a)\n\nSee {eq}`eq-a` and [](#eq-a).\n"
    )
    page = BeautifulSoup(html, "html.parser")
    block = page.find(id="equation-eq-a")
    links = page.find_all("a", class_="reference", href="#equation-eq-a")
    assert warnings == ""
    assert block.find(class_="katex-display")
    assert block.find(class_="eqno").text.startswith("(1)")
    assert [link.text for link in links] == ["(1)", "(1)"]


def test_environment_on_its_own_is_rendered(build):
    html, warnings = build(
        "# Page\n\n\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}\n"
    )
    page = BeautifulSoup(html, "html.parser")
    assert warnings == ""
    assert page.find(class_="amsmath").find(class_="katex-display")


def test_broken_formula_warns_with_page_line_and_formula(build):
    html, warnings = build("# Page\n\nInline $\\frac{a}$.\n\n$$ \\unknown $$\n")
    first, second = warnings.strip().split("\n")
    assert "index.md:3: WARNING:" in first
    assert r"got '\frac{a}'" in first
    assert "index.md:5: WARNING:" in second
    assert r"got '\unknown'" in second or r"got ' \unknown '" in second
    assert "katex-error" not in html


def test_a_formula_with_its_full_stop_breaks_before_its_later_parts_only(build):
    html, _ = build("# Page\n\nIt is $a = b = c$.\n\nThat $a = b$ is so.\n")
    [kept] = re.findall(r'<span class="keep">.*?</span>\.</span>', html)
    assert kept.count("<wbr>") == html.count("<wbr>") == 2
    assert kept.index('class="base"') < kept.index("<wbr>")


def test_formulas_side_by_side_are_parts_that_a_phone_may_stack():
    latex = r"a = b, \qquad c = d \qquad\text{or}\qquad e = f"
    html = BeautifulSoup(site_math.render(latex, display=True), "html.parser")
    parts = html.select(".katex-html > .formula")
    assert ["".join(part.get_text().split("\u200b")) for part in parts] == [
        *("a=b,", "c=d", "or", "e=f"),
    ]
    assert html.select(".katex-html > .base") == []
    assert html.annotation.get_text() == latex


@facts("latex", ["a = b", r"\begin{aligned} a &= b \end{aligned}"])
def test_a_formula_alone_has_no_parts(latex):
    html = BeautifulSoup(site_math.render(latex, display=True), "html.parser")
    assert html.select(".formula") == []
    assert len(html.select(".katex-html > .base")) > 0


def paragraph(*parts):
    children = [nodes.Text(part) if isinstance(part, str) else part for part in parts]
    return nodes.paragraph("", "", *children)


def formula():
    return nodes.math("", "x^2")


def test_each_formula_of_a_list_keeps_its_own_comma():
    line = paragraph(formula(), ", ", formula(), ".")
    keep_punctuation(line)
    assert [part.astext() for part in line] == ["x^2,", " ", "x^2.", ""]


def test_a_number_keeps_its_percent_sign():
    line = paragraph("29.7 % of 5 numbers")
    keep_percent(line)
    assert line.astext() == "29.7\N{NO-BREAK SPACE}% of 5 numbers"


def test_code_stays_as_it_is():
    line = paragraph(nodes.literal("", "7 % 2"), nodes.math("", "7 % 2"))
    keep_percent(line)
    assert line.astext() == "7 % 27 % 2"

"""Plain links lead where roles led, and entries begin with the words that cite them."""

import shutil

import pytest
from bs4 import BeautifulSoup

from bookkit.checking.facts import facts

WORK = "https://arxiv.org/abs/1409.0473"
ENTRIES = "```{bibliography}\n:all:\n```\n"
BOXES = """
# Page

See [Theorem 1](#thm-a) and [Exercise 1](#ex-a) and [(1)](#eq-a).

:::{prf:theorem} First
:label: thm-a

For all, **this** holds.

:::

:::{exercise} Second
:label: ex-a

- Compute.

:::

$$
x = 1
$$ (eq-a)
"""


@pytest.fixture
def boxes(build):
    html, warnings = build(BOXES)
    assert warnings == ""
    return BeautifulSoup(html, "html.parser")


def test_plain_links_lead_to_boxes_and_equations(boxes):
    links = {link.get_text(): link["href"] for link in boxes.p.find_all("a")}
    assert links == {
        "Theorem 1": "#thm-a",
        "Exercise 1": "#ex-a",
        "(1)": "#equation-eq-a",
    }


def test_a_link_to_no_box_is_a_warning(build):
    _, warnings = build("# Page\n\nSee [Theorem 1](#thm-gone).\n")
    assert "cross-reference target not found: 'thm-gone'" in warnings


@facts("words", ["Bahdanau et al. (2015)", "Bahdanau et al., 2015"])
def test_a_citation_leads_to_the_entry_that_holds_the_address(build, words):
    html, warnings = build(f"# Page\n\n[{words}]({WORK})\n\n{ENTRIES}")
    page = BeautifulSoup(html, "html.parser")
    entry = page.find(class_="citation")
    assert warnings == ""
    assert page.p.a["href"] == f"#{entry['id']}"
    assert page.p.a.get_text() == words
    assert page.p.a["title"].startswith("Dzmitry Bahdanau, Kyunghyun Cho, and")
    assert entry.a["href"] == WORK


def test_other_words_lead_to_the_work_itself(build):
    html, _ = build(f"# Page\n\n[the paper]({WORK})\n\n{ENTRIES}")
    assert BeautifulSoup(html, "html.parser").p.a["href"] == WORK


PAGE = "# Page\n\n```{bibliography}\n:all:\n```\n"


def test_entries_begin_with_the_words_that_cite_them_and_have_no_number(build):
    html, warnings = build(PAGE)
    entry = BeautifulSoup(html, "html.parser").find(class_="citation")
    assert warnings == ""
    assert entry.get_text().strip().startswith("Bahdanau et al. (2015). Dzmitry")
    assert entry.find(attrs={"role": True}) is None


def test_a_page_that_is_written_again_without_being_read_is_the_same(build, tmp_path):
    first = build(PAGE)
    shutil.rmtree(tmp_path / "out")
    assert build(PAGE, warm=True) == first

"""What holds on every page of the built book when it is opened and used."""

import page_faults
import page_files
import page_phone
import page_visit
import pytest

from bookkit.checking.facts import facts

CHINESE = """[...document.fonts].filter((face) => face.family.includes("Book Chinese"))
  .map((face) => face.status)"""
FAMILIES = """["body", ".highlight pre", "code"].map((name) =>
  getComputedStyle(document.querySelector(`.bd-article ${name}`) ?? document.body)
    .fontFamily)"""


@pytest.mark.parametrize("way", page_faults.WAYS)
def test_a_page_in_use_has_no_fault(visits, site, path, way):
    assert page_faults.find_faults(visits(path, way), site, way) == {}


@pytest.fixture(scope="session")
def sheet(browser):
    """One page for one figure after the other."""
    page = browser.new_page()
    yield page
    page.close()


def test_words_of_narrow_figures_stand_apart(sheet, site, paths):
    faults = {}
    for path in paths:
        names = page_files.parse(site / path).xpath("//picture/source/@srcset")
        for name in names:
            sheet.goto((site / path).parent.joinpath(name).resolve().as_uri())
            faults[path, name] = page_phone.find_faults_of_words(sheet)
    assert faults
    assert {place: found for place, found in faults.items() if found} == {}


@facts(
    "page, states",
    [
        ("beyond/inside", {"loaded", "unloaded"}),  # where the system has such a font
        ("attention/embeddings", {"loaded", "unloaded"}),
        ("normalization/rms_norm", {"unloaded"}),
    ],
)
def test_chinese_has_a_font_that_other_pages_do_not_fetch(browser, base, page, states):
    screen = page_visit.visit(browser, base, f"book/{page}.html").page
    assert set(screen.evaluate(CHINESE)) <= states
    assert all("Book Chinese" in names for names in screen.evaluate(FAMILIES))
    screen.context.close()

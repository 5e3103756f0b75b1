"""What holds on every page of the built book."""

import page_barriers
import page_files
import page_links
import page_use
import page_visit
import pytest

KILOBYTE = 1000
HEAVIEST = 500 * KILOBYTE
WAYS = ["light", "dark", "phone"]
CHINESE = """[...document.fonts].filter((face) => face.family.includes("Book Chinese"))
  .map((face) => face.status)"""
FAMILIES = """["body", ".highlight pre", "code"].map((name) =>
  getComputedStyle(document.querySelector(`.bd-article ${name}`) ?? document.body)
    .fontFamily)"""

# Faults of the theme that the book cannot mend: the rule, and the start of the element.
THEME_FAULTS: list[tuple[str, str]] = []


@pytest.mark.parametrize("way", WAYS)
def test_page_asks_nobody_else(visits, path, way):
    assert visits(path, way).strangers == []


@pytest.mark.parametrize("way", WAYS)
def test_page_runs_without_complaint(visits, path, way):
    assert visits(path, way).complaints == []


def test_page_names_no_other_host(site, path):
    assert page_links.find_strangers(site, path) == []


def test_style_sheets_name_no_other_host(site):
    assert page_links.find_strangers_of_styles(site) == []


@pytest.mark.parametrize(
    ("page", "states"),
    [
        ("beyond/inside", {"loaded", "unloaded"}),  # where the system has such a font
        ("attention/embeddings", {"loaded", "unloaded"}),
        ("normalization/rms_norm", {"unloaded"}),
    ],
)
def test_chinese_has_a_font_that_other_pages_do_not_fetch(visits, page, states):
    screen = visits(f"book/{page}.html", "light").page
    assert set(screen.evaluate(CHINESE)) <= states
    assert all("Book Chinese" in names for names in screen.evaluate(FAMILIES))


def test_style_sheets_find_their_files(site):
    assert page_links.find_broken_links_of_styles(site) == []


def test_page_shows_no_source(visits, path):
    assert page_visit.find_source(visits(path, "light").page) == []


def test_images_are_described(visits, path):
    assert page_visit.find_images_without_words(visits(path, "light").page) == []


def test_links_lead_somewhere(site, path):
    assert page_links.find_broken_links(site, path) == []


def test_ids_are_unique(site, path):
    assert page_files.find_repeated_ids(site, path) == []


def test_page_fits_on_a_phone(visits, path):
    assert page_visit.measure_sideways(visits(path, "phone").page) == 0


@pytest.mark.parametrize("way", WAYS)
def test_page_is_accessible(visits, path, way):
    page = visits(path, way).page
    page.evaluate(page_use.DRAW)  # a box is marked in the frame in which it is laid out
    barriers = [
        barrier
        for barrier in page_barriers.find_barriers(page)
        if not any(
            barrier[0] == rule and element in barrier[1]
            for rule, element in THEME_FAULTS
        )
    ]
    assert barriers == []


def test_no_page_loads_mathjax(visits, path):
    requests = visits(path, "light").requests
    assert [request for request in requests if "mathjax" in request.lower()] == []


def test_page_is_light(visits, site, path):
    requests = visits(path, "light").requests  # of a first visit
    assert page_files.weigh_requests(site, requests) <= HEAVIEST, requests

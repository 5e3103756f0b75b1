"""What holds on every page of the built book."""

import page_files
import page_visit
import pytest

KILOBYTE = 1000
HEAVIEST = 700 * KILOBYTE

# Faults of the theme that the book cannot mend: the rule, and the start of the element.
THEME_FAULTS: list[tuple[str, str]] = []


def test_page_asks_nobody_else(visits, path):
    assert visits(path, "light").strangers == []


def test_page_runs_without_complaint(visits, path):
    assert visits(path, "light").complaints == []


def test_page_shows_no_source(visits, path):
    assert page_visit.find_source(visits(path, "light").page) == []


def test_images_are_described(visits, path):
    assert page_visit.find_images_without_words(visits(path, "light").page) == []


def test_links_lead_somewhere(site, path):
    assert page_files.find_broken_links(site, path) == []


def test_ids_are_unique(site, path):
    assert page_files.find_repeated_ids(site, path) == []


def test_page_fits_on_a_phone(visits, path):
    page = visits(path, "phone").page
    page_visit.open_all(page)
    assert page_visit.measure_sideways(page) == 0


# The colors of a page do not depend on its width.
@pytest.mark.parametrize(
    ("way", "colors"), [("light", True), ("dark", True), ("phone", False)]
)
def test_page_is_accessible(visits, path, way, colors):
    page = visits(path, way).page
    page_visit.open_all(page)
    barriers = [
        barrier
        for barrier in page_visit.find_barriers(page, colors=colors)
        if not any(
            barrier[0] == rule and element in barrier[1]
            for rule, element in THEME_FAULTS
        )
    ]
    assert barriers == []


def test_no_page_loads_mathjax(visits, path):
    requests = visits(path, "light").requests
    assert [request for request in requests if "mathjax" in request.lower()] == []


def test_each_page_is_light(visits, site):
    rows = []
    for path in page_files.list_pages(site):
        requests = visits(path, "light").requests
        rows.append((page_files.weigh_requests(site, requests), len(requests), path))
    print("\n     KB  requests  page (first visit, compressed)")
    for weight, count, path in rows:
        print(f"{weight / KILOBYTE:7.0f}  {count:8}  {path}")
    assert [row for row in rows if row[0] > HEAVIEST] == []

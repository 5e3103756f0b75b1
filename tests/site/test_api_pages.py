"""The API pages of the built book: whole, light, found by a search."""

import page_files
import pytest

from bookkit.publishing.maps.package import Package

HEAVIEST = 400_000  # bytes, before compression
FOLDER = "book/appendix/api"


@pytest.fixture(scope="module")
def anchors(site):
    pages = sorted((site / FOLDER).glob("*.html"))
    return [anchor for page in pages for anchor in page_files.read_ids(page)]


def test_every_export_has_one_anchor(anchors, root):
    names = list(Package(root / "code").exports)
    assert [name for name in names if anchors.count(name) != 1] == []


def test_no_page_of_the_api_is_heavy(site):
    sizes = {p.name: p.stat().st_size for p in (site / FOLDER).glob("*.html")}
    assert sizes
    assert {name: size for name, size in sizes.items() if size > HEAVIEST} == {}


def test_drawn_cells_of_a_chapter_lead_to_their_entries(site, root, anchors):
    page = page_files.parse(site / "book/normalization/rms_norm.html")
    links = [a for part in page.find_class("api-link") for a in part.iter("a")]
    names = [link.get("href").partition("#")[2] for link in links]
    assert names == ["transformer.layers.rms_norm", "transformer.layers.RMSNorm"]
    assert set(names) <= set(anchors)

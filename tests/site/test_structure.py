"""What holds on every page of the built book, as its files say without a browser."""

from collections import Counter

import page_files
import page_links
import page_structure
import pytest

HEAVIEST = 500_000  # bytes of a first visit, with all fonts of formulas
LISTS = (
    page_structure.find_source,
    page_structure.find_images_without_words,
    page_structure.find_faults_of_headings,
    page_structure.find_bare_figures,
    page_structure.find_nameless,
    page_structure.find_lost_pointers,
    page_structure.find_bare_tables,
    page_structure.find_faults_of_policy,
    page_structure.find_small_figures,
)


@pytest.fixture(scope="module")
def pages(site):
    found = page_files.list_pages(site)
    assert len(found) > 50
    return found


@pytest.fixture
def find(pages, record_property):
    """List what is wrong with each page, for those of which something is."""

    def find_on_all(look):
        record_property("facts", len(pages))
        return {path: faults for path in pages if (faults := look(path))}

    return find_on_all


@pytest.mark.parametrize("look", LISTS, ids=lambda look: look.__name__)
def test_page_is_well_made(find, site, look):
    assert find(lambda path: look(site / path)) == {}


def test_page_names_no_other_host(find, site):
    assert find(lambda path: page_links.find_strangers(site, path)) == {}


def test_style_sheets_name_no_other_host(site):
    assert page_links.find_strangers_of_styles(site) == []


def test_style_sheets_find_their_files(site):
    assert page_links.find_broken_links_of_styles(site) == []


def test_links_lead_somewhere(find, site):
    assert find(lambda path: page_links.find_broken_links(site, path)) == {}


def test_ids_are_unique(find, site):
    assert find(lambda path: page_files.find_repeated_ids(site, path)) == {}


def test_no_page_loads_mathjax(find, site):
    scripts = "//script/@src[contains(., 'athjax') or contains(., 'athJax')]"
    assert find(lambda path: page_files.parse(site / path).xpath(scripts)) == {}


def test_no_two_pages_have_one_title(pages, site):
    titles = Counter(
        page_files.parse(site / path).findtext(".//title") for path in pages
    )
    assert [title for title, count in titles.items() if count > 1] == []


def test_page_is_light_with_all_fonts_of_formulas(find, site):
    fonts = sum(map(page_files.weigh, (site / "_static/katex").rglob("*.woff2")))
    assert fonts > 200_000
    most = HEAVIEST - fonts
    weigh = page_structure.weigh_at_least
    assert find(lambda path: max(0, weigh(site, path) - most)) == {}

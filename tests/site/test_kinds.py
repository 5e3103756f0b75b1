"""Six pages hold all kinds of content, so that a browser need not open all of them."""

from collections import Counter

import page_files
import page_kinds
import pytest

from bookkit.checking.facts import facts

# A class that stands on so many pages is no matter of one chapter.
COMMON = 21


@pytest.fixture(scope="module")
def kinds(site):
    return page_kinds.kinds_by_page(site)


def test_every_kind_of_content_is_on_one_of_the_six(kinds, record_property):
    on_six = set().union(*(kinds[path] for path in page_kinds.SIX))
    anywhere = set().union(*kinds.values())
    record_property("facts", len(anywhere))
    assert anywhere - on_six == set()
    assert anywhere == set(page_kinds.KINDS)  # none is looked for in vain


def test_each_of_the_six_has_a_kind_that_no_other_has(kinds):
    for path in page_kinds.SIX:
        others = set().union(*(kinds[o] for o in page_kinds.SIX if o != path))
        assert kinds[path] - others, path


def list_classes(file):
    """List the classes of the text of a page."""
    page = page_files.parse(file)
    return {name for part in page.xpath("//article//@class") for name in part.split()}


def test_every_common_class_is_on_one_of_the_six(site):
    classes = {path: list_classes(site / path) for path in page_files.list_pages(site)}
    counts = Counter(name for names in classes.values() for name in names)
    on_six = set().union(*(classes[path] for path in page_kinds.SIX))
    common = {name for name, count in counts.items() if count >= COMMON}
    assert len(common) > 100
    assert common - on_six == set()


@facts(
    "selector, body, is_there",
    [
        ("figure img", "<figure><p><img></p></figure>", True),
        ("figure img", "<figure></figure><img>", False),
        (".a.b", '<p class="b c a">', True),
        (".a.b", '<p class="a bb">', False),
        ("[lang=zh-Hans]", '<i lang="zh-Hans">', True),
        ("[lang=zh-Hans]", '<i lang="en">', False),
        ("dl, table.x", '<table class="x">', True),
    ],
)
def test_a_kind_is_found_by_its_selector(selector, body, is_there):
    page = page_files.html.document_fromstring(f"<body>{body}")
    found = [part for part in page.iter() if page_kinds.is_selected(part, selector)]
    assert bool(found) is is_there

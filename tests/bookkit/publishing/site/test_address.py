import re
from types import SimpleNamespace

import pytest

from bookkit.book.address import site_url
from bookkit.checking.facts import facts
from bookkit.publishing.site import address as site_address


@facts(
    "repository, site",
    [
        ("https://github.com/Owner/name", "https://owner.github.io/name/"),
        ("https://github.com/owner/owner.github.io", "https://owner.github.io/"),
        ("https://codeberg.org/owner/name", None),
    ],
)
def test_address_of_the_site_derives_from_that_of_the_repository(repository, site):
    assert site_url(repository) == site


@facts(
    "link, absolute",
    [
        ('href="book/a.html"', 'href="/site/book/a.html"'),
        ('src="_static/a.js?v=1"', 'src="/site/_static/a.js?v=1"'),
        ('data-content_root="./"', 'data-content_root="/site/"'),
        ('href="#main"', 'href="#main"'),
        ('href="https://a.org"', 'href="https://a.org"'),
        ('href="mailto:a@b.c"', 'href="mailto:a@b.c"'),
        ('href="/a"', 'href="/a"'),
    ],
)
def test_addresses_of_the_lost_page_do_not_depend_on_its_place(link, absolute):
    assert site_address.make_absolute(link, "/site/") == absolute


def test_pages_without_text_say_what_they_are_for():
    def head(page):
        context = {"metatags": "<meta>"}
        site_address.describe(SimpleNamespace(), page, "page.html", context, None)
        return context["metatags"]

    assert head("book/index") == "<meta>"
    found = [
        re.search('<meta>\n<meta name="description" content="([^"]+)" />', head(page))
        for page in ("search", "404")
    ]
    texts = [one[1] for one in found]
    assert "Search" in texts[0]
    assert "no such page" in texts[1]
    assert all(len(text) <= site_address.DESCRIPTION_LENGTH for text in texts)


CONFIG = "repository: {url: 'https://github.com/owner/book', branch: next}\n"


@pytest.fixture
def app(tmp_path):
    (tmp_path / "_config.yml").write_text(CONFIG, "utf-8")
    return SimpleNamespace(confdir=str(tmp_path))


def test_a_doi_is_asked_for_at_its_registry(app):
    asked = site_address.ask_elsewhere(app, "https://doi.org/10.1000/a(1)")
    assert asked == "https://doi.org/api/handles/10.1000/a(1)"


@facts("kind", ["blob", "tree"])
@facts("end", ["", "#L3"])
def test_a_file_of_the_repository_is_looked_for_here(app, kind, end):
    link = f"https://github.com/owner/book/{kind}/next/tests/a%20b.py{end}"
    assert site_address.ask_elsewhere(app, link) == f"{app.confdir}/tests/a b.py"


@facts(
    "link",
    [
        "https://github.com/owner/book",
        "https://github.com/owner/book/blob/main/a.py",
        "https://github.com/other/book/blob/next/a.py",
        "https://arxiv.org/abs/1706.03762",
    ],
)
def test_any_other_link_is_asked_for_as_it_is(app, link):
    assert site_address.ask_elsewhere(app, link) is None

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

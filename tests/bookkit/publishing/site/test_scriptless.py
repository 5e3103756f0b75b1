"""Where no script runs, a page has the colors that the reader's system asks for."""

from bookkit.checking.facts import facts
from bookkit.publishing.site.scriptless import darken
from bookkit.publishing.site.weight import color_page

PAGE = (
    '<!DOCTYPE html>\n<html lang="en" data-theme="{}">\n<p data-theme="auto">auto</p>'
)
LINK = '<link rel="stylesheet" href="../_static/book.css?v=1" />\n'


@facts(
    "css, dark",
    [
        ("a{b:c}", ""),
        ('html[data-theme="light"]{b:c}', ""),
        ('html[data-theme="dark"] a{b:c}', 'html[data-theme="light"] a{b:c}'),
        ("@charset 'x';html[data-theme=dark]{b:c}", "html[data-theme=light]{b:c}"),
        ("a{b{c:d}}p[data-theme=dark]{a{b:c}}", "p[data-theme=light]{a{b:c}}"),
        (
            "@media (x){a{b:c}p[data-theme='dark']{b:c}}@media print{a{b:c}}",
            "@media (x){p[data-theme='light']{b:c}}",
        ),
    ],
)
def test_rules_for_dark_pages_come_to_hold_on_light_ones(css, dark):
    assert darken(css) == dark


def test_a_page_without_scripts_is_dark_where_the_system_asks_for_it(tmp_path):
    (tmp_path / "_static").mkdir()
    css = "/* dark, {} */ html[data-theme=dark]{b:c} a{d:e}"
    (tmp_path / "_static/book.css").write_text(css)
    page = color_page(LINK + PAGE.format("auto"), "book", tmp_path)
    (bundle,) = tmp_path.glob("_static/bundles/*.css")
    assert bundle.read_text() == "html[data-theme=light]{b:c}"
    link = (
        f'<noscript><link rel="stylesheet" href="../_static/bundles/{bundle.name}" '
        'media="screen and (prefers-color-scheme: dark)" /></noscript>\n'
    )
    assert page == LINK + link + PAGE.format("light")
    assert color_page(page, "book", tmp_path) == page

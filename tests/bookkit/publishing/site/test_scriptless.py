"""Where no script runs, a page has the colors that the reader's system asks for."""

from bookkit.checking.facts import facts
from bookkit.publishing.site.policy import darken


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

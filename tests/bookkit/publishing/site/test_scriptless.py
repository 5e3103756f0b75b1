"""Where no script runs, a page has the light colors."""

import pytest

from bookkit.publishing.site.scriptless import color

PAGE = (
    '<!DOCTYPE html>\n<html lang="en" data-theme="{}">\n<p data-theme="auto">auto</p>'
)


def test_a_page_is_light_until_a_script_says_otherwise():
    assert color(PAGE.format("auto")) == PAGE.format("light")


@pytest.mark.parametrize("page", [PAGE.format("dark"), "<p>auto</p>"])
def test_another_page_stays_as_it_is(page):
    assert color(page) == page

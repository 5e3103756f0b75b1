"""The browser is found under each of its names, and missed in one sentence."""

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.browser import find_chromium


def test_a_missing_browser_is_named():
    with pytest.raises(BookError, match="package chromium-headless-shell, or "):
        find_chromium(which=lambda name: None)


def test_a_browser_of_another_name_is_found():
    names = {"google-chrome": "/opt/chrome"}
    assert find_chromium(which=names.get) == "/opt/chrome"

import pytest
from fontTools.ttLib import TTFont
from sphinx.errors import ExtensionError

from bookkit.checking.facts import facts
from bookkit.publishing.site import icons as site_icons

CSS = (
    '.fa-lg{font-size:2em}.fa-bars:before,.fa-navicon:before{content:"\\f0c9"}'
    '.fa-exclamation:before{content:"\\!"}.fa-0:before{content:"\\30 "}'
    'html{--pst-icon-bell:"\\f0f3";--pst-icon-share:"\uf064"}'
)


def page(classes):
    return f'<p class="fable">x</p><i class="{classes}"></i>'


def test_icons_of_pages_and_scripts_are_found():
    names = site_icons.read_names(CSS)
    assert site_icons.find_icons(page("fa-solid fa-bars fa-lg"), names) == {0xF0C9}
    assert site_icons.find_icons('i.classList="fab fa-0"', names) == {0x30}
    assert site_icons.find_icons('<p class="fable far-away">', names) == set()


@facts("classes", ["fas fa-nonesuch", "far fa-bars"])
def test_an_icon_without_a_name_or_a_font_is_named(classes):
    with pytest.raises(ExtensionError, match=f"got '{classes}'"):
        site_icons.find_icons(page(classes), site_icons.read_names(CSS))


def test_fonts_hold_what_the_pages_use_and_little_else(tmp_path):
    source = tmp_path / "page.html"
    source.write_text(page("fas fa-rocket") + page("fab fa-gitlab"), "utf-8")
    site_icons.build_fonts([source], tmp_path / "icons")
    solid = TTFont(tmp_path / "icons/solid.woff").getBestCmap()
    brands = TTFont(tmp_path / "icons/brands.woff").getBestCmap()
    assert 0xF135 in solid
    assert 0xF0C9 not in solid
    assert 0xF296 in brands
    assert (tmp_path / "icons/solid.woff").stat().st_size < 5000


def test_icons_that_rules_draw_are_read_from_the_style_sheet():
    assert site_icons.find_characters_in_rules(CSS) == {0xF0F3, 0xF064}

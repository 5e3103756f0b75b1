"""A picture stands for what brings its own styles."""

import pytest
from lxml import html

from bookkit.publishing.edition.stills import open_camera

EXPLORER = """
<figure><div class="explorer" aria-label="a square"><style>
.explorer { --blue: #0072b2; } .explorer .bar { fill: var(--blue); }
.explorer b { display: none; }
</style><p hidden="hidden">drag</p>
<svg viewBox="0 0 9 9" width="90"><rect class="bar" width="9" height="9"/></svg>
<output class="explorer-readout">It is <b>not</b> blue.</output></div></figure>
"""
DRAWING = """
<svg viewBox="0 0 80 40"><title>each box leads</title><desc>One box.</desc>
<style>rect { fill: #c65500 }</style><rect width="80" height="40"/></svg>
"""
HIDDEN = '<div style="display: none"><style>i {}</style></div>'


@pytest.fixture(scope="module")
def taken(tmp_path_factory):
    """The page, and its pictures by the words that they have."""
    folder = tmp_path_factory.mktemp("stills") / "_images"
    page = f"<article>{EXPLORER}<p>between</p>{DRAWING}{HIDDEN}</article>"
    article = html.fragment_fromstring(page)
    with open_camera(folder) as camera:
        stills = camera.take_stills(article)
    files = {
        still.get("alt").partition(".")[0]: (still, (folder / name).read_bytes())
        for name, still in stills.items()
    }
    return article, files


def test_pictures_stand_in_the_place_of_what_has_styles(taken):
    article, files = taken
    assert [part.tag for part in article] == ["figure", "p", "img"]
    assert list(files) == ["a square", "One box"]
    assert article.find(".//style") is None

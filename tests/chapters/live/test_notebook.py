"""The translator in a notebook: a frame with all that it needs, and its drawing."""

import re
from html import unescape

from chapters.live import pack, still, twins
from chapters.live.notebook import FOLDER, Translator

ASKING = r"""\b(?:src|href)="|url\(|@import|\bimport\b|\bfetch\("""


def test_the_drawing_is_that_of_the_first_page_in_colors_that_every_device_knows():
    drawing, first = Translator()._repr_svg_(), still.FILE.read_text("utf-8")
    assert drawing.split("</style>")[1] == first.split("</style>")[1]
    assert "--" not in drawing
    for color in ("fill: #b84f00", "stroke: #0072b2", '"DejaVu Sans", sans-serif'):
        assert color in drawing


def test_the_frame_has_each_script_of_the_translator_and_each_model():
    frame = unescape(Translator()._repr_html_())
    scripts = {*FOLDER.glob("*.js"), *map(twins.path, twins.TWINS)}
    writer = {*FOLDER.glob("writer*.js")}
    assert pack.WEIGHTS in scripts - writer
    assert {s for s in scripts if s.read_text("utf-8") in frame} == scripts - writer


def test_the_frame_asks_for_no_other_file():
    assert re.findall(ASKING, unescape(Translator()._repr_html_())) == []

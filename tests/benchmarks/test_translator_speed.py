"""The times of the page's translator are summed up rightly, for what the page runs."""

import re

import translator_speed

from chapters.live import pack


def test_the_first_translation_stands_apart_from_those_after_it():
    found = {"ready": 80, "taken": [50, 6, 4, 5, 30]}
    line = translator_speed.summarize(6, found)
    assert line.split() == ["6x", "80.0", "50.0", "5.5", "4.0"]


def test_the_scripts_of_the_model_are_those_that_the_page_fetches():
    page = pack.WEIGHTS.with_name("translator.js").read_text("utf-8")
    fetched = re.findall('"([a-z_]+[.]js)"', page)
    assert set(translator_speed.SCRIPTS) <= set(fetched)
    assert all(pack.WEIGHTS.with_name(name).is_file() for name in fetched)

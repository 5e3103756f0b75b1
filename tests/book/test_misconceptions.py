"""The page of fifteen sentences says what is right, what is heard, and where."""

import re

from where_shown import ROOT, parts, places

from bookkit.checking.facts import facts

PAGE = ROOT / "book/appendix/misconceptions.md"
LINE = re.compile(r"^(?P<number>\d+)\. (?P<words>\*\*.+)$", re.MULTILINE)
LINES = list(LINE.finditer(PAGE.read_text("utf-8")))
LINK_AT_END = re.compile(r" \[[^]]+\]\([^)#\s]*#[^)\s]+\)\.$")


def test_there_are_fifteen_numbered_in_order():
    assert [int(found["number"]) for found in LINES] == list(range(1, 16))


@facts("found", LINES, ids=lambda found: found["number"])
def test_a_line_says_what_is_right_then_what_is_heard_then_where(found):
    words = found["words"]
    assert re.match(r"\*\*[^*]+\.\*\* ", words)
    assert words.count(" Heard: ") == 1
    ((file, anchor),) = places(PAGE, LINK_AT_END.search(words)[0])
    assert anchor in parts(file)


def test_the_landing_page_leads_to_it():
    assert "(appendix/misconceptions.md)" in (ROOT / "book/index.md").read_text("utf-8")

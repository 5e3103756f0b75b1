"""The page of fifty questions answers each briefly and leads to where it is shown."""

import re

from where_shown import LINK, ROOT, parts, places

from bookkit.book.outline import read_outline
from bookkit.checking.facts import facts

PAGE = ROOT / "book/appendix/fifty_questions.md"
QUESTION = re.compile(
    r'<details class="question">\n<summary><strong>(?P<number>\d+)\. (?P<words>.+)'
    r"</strong></summary>\n\n(?P<answer>.+)\n\n</details>"
)
QUESTIONS = list(QUESTION.finditer(PAGE.read_text("utf-8")))


def test_there_are_fifty_questions_numbered_in_order():
    assert [int(found["number"]) for found in QUESTIONS] == list(range(1, 51))
    assert PAGE.read_text("utf-8").count("<details") == len(QUESTIONS)


@facts("found", QUESTIONS, ids=lambda found: found["number"])
def test_an_answer_is_short_and_ends_with_where_it_is_shown(found):
    words = re.sub(r"\$[^$]+\$", "formula", LINK.sub("]", found["answer"])).split()
    assert 20 <= len(words) <= 75
    assert re.search(r"\]\([^)]+\)( of \w+)?\.$", found["answer"])
    assert 2 <= len(re.findall(r"[.?!] ", found["answer"])) <= 3
    assert all(anchor in parts(file) for file, anchor in places(PAGE, found["answer"]))


def test_each_chapter_is_led_to():
    files = {file for found in QUESTIONS for file, _ in places(PAGE, found["answer"])}
    named = {ROOT / f"book/{chapter.name}.ipynb" for chapter in read_outline(ROOT)}
    assert named - files == set()


def test_the_landing_page_leads_to_the_questions():
    page = (ROOT / "book/index.md").read_text("utf-8")
    assert "(appendix/fifty_questions.md)" in page


def test_the_table_of_what_is_said_and_measured_is_linked_before_the_first_question():
    head = PAGE.read_text("utf-8").partition("\n## ")[0]
    ablations = ROOT / "book/beyond/ablations.ipynb"
    found = [anchor for file, anchor in places(PAGE, head) if file == ablations]
    assert found
    assert set(found) <= parts(ablations)

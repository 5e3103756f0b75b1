"""The page says what noticed each planted bug."""

import json

from bookkit.checking.patches import FOLDER, INDEX, PATCHED
from bookkit.checking.planting import FILE
from bookkit.publishing.appendix.how_it_is_checked import bugs_by_meaning, classic_bugs

CHAPTER, TEST = "book/part/chapter.ipynb", "tests/test_masks.py"
BUGS = {"inverted": "The mask is inverted.", "late": "The mask comes late."}
SEEN = {
    "tests": 3,
    "first": f"{TEST}::test_it",
    "seconds": 0.123,
    "timed_out": False,
    "notebooks": {CHAPTER: {"cells": 2, "first": "Cell 4"}},
}
UNSEEN = {
    "tests": 0,
    "first": None,
    "seconds": None,
    "timed_out": None,
    "notebooks": {CHAPTER: {"cells": 0, "first": None}},
}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def plant(book, **verdicts):
    """Write the bugs of a small book and what noticed them."""
    for file in (TEST, CHAPTER):
        write(book / file, "")
    entries = [
        f'[{name}]\nwrong = "{wrong}"\nchapters = ["{CHAPTER}"]\ntests = ["{TEST}"]\n'
        for name, wrong in BUGS.items()
    ]
    write(book / INDEX, "\n".join(entries))
    for name in BUGS:
        write(book / FOLDER / f"{name}.patch", f"+++ b/{PATCHED}masks.py\n")
    write(book / FILE, json.dumps(verdicts))


def test_the_table_counts_tests_and_cells_and_links_to_them(book, section):
    plant(book, inverted=SEEN, late=UNSEEN)
    text = section("bugs", classic_bugs(book))
    assert text.startswith("2 classic bugs of Transformers, written by hand, were ")
    assert "The tests caught 1. The first test that failed took 0.12 " in text
    assert "For 2 we also ran the chapters about the part" in text
    assert "stored outputs would have shown 1." in text
    where = f"https://github.com/owner/old-book/blob/main/{TEST}"
    assert text.splitlines()[-2:] == [
        f"| The mask is inverted. | 3, first [`test_it`]({where}) | 0.12 | "
        "2 in [](../part/chapter.ipynb) |",
        "| The mask comes late. | none | none | none |",
    ]


def test_chapters_that_were_not_run_are_no_evidence(book, section):
    plant(book, inverted=SEEN, late=UNSEEN | {"notebooks": {}})
    text = section("bugs", classic_bugs(book))
    assert "For 1 we also ran the chapters" in text
    assert text.endswith("| The mask comes late. | none | none | not run yet |")


def test_bugs_by_meaning_are_counted_by_folder_and_named_with_what_noticed_them(
    book, section
):
    plant(book, inverted=SEEN, late=UNSEEN)
    text = (book / INDEX).read_text()
    (book / INDEX).write_text(text.replace(f'chapters = ["{CHAPTER}"]\n', ""))
    patch = book / FOLDER / "late.patch"
    patch.write_text(f"+++ b/{PATCHED}layers/masks.py\n")
    text = section("meanings", bugs_by_meaning(book))
    where = f"https://github.com/owner/old-book/blob/main/{INDEX}"
    assert text.startswith("Those who write the tests know")
    assert f"So 2 other bugs, [named one by one]({where}), were" in text
    assert "The tests catch 1. The first test that failed took 0.12 " in text
    counted, _, named = text.partition("\n\n<details>\n")
    assert counted.splitlines()[-2:] == [
        "| `transformer` | 1 | 1 |",
        "| `transformer/layers` | 1 | 0 |",
    ]
    where = f"https://github.com/owner/old-book/blob/main/{TEST}"
    assert named.splitlines()[-4:] == [
        f"| The mask is inverted. | 3, first [`test_it`]({where}) | 0.12 |",
        "| The mask comes late. | none | none |",
        "",
        "</details>",
    ]

"""The bibliography begins each entry with the words that cite it."""

import shutil

from bs4 import BeautifulSoup

PAGE = "# Page\n\n```{bibliography}\n:all:\n```\n"


def test_entries_begin_with_the_words_that_cite_them_and_have_no_number(build):
    html, warnings = build(PAGE)
    entry = BeautifulSoup(html, "html.parser").find(class_="citation")
    assert warnings == ""
    assert entry.get_text().strip().startswith("Bahdanau et al. (2015). Dzmitry")
    assert entry.find(attrs={"role": True}) is None


def test_a_page_that_is_written_again_without_being_read_is_the_same(build, tmp_path):
    first = build(PAGE)
    shutil.rmtree(tmp_path / "out")
    assert build(PAGE, warm=True) == first

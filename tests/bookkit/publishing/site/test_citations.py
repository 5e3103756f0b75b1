"""Citations name author and year, and the bibliography begins with these words."""

import shutil

from bs4 import BeautifulSoup

PAGE = "Read {cite:t}`bahdanau2015`.\n\n```{bibliography}\n```\n"


def test_citations_stand_in_round_brackets_and_entries_have_no_number(build):
    html, warnings = build(
        "# Page\n\nRead {cite:p}`bahdanau2015`; {cite:t}`bahdanau2015` say so.\n\n"
        "```{bibliography}\n```\n"
    )
    page = BeautifulSoup(html, "html.parser")
    entry = page.find(class_="citation")
    assert warnings == ""
    assert "(Bahdanau et al., 2015); Bahdanau et al. (2015) say" in page.p.get_text()
    assert page.p.a["href"] == f"#{entry['id']}"
    assert entry.get_text().strip().startswith("Bahdanau et al. (2015). Dzmitry")
    assert entry.find(attrs={"role": True}) is None


def test_a_page_that_is_written_again_without_being_read_is_the_same(build, tmp_path):
    first = build(PAGE)
    shutil.rmtree(tmp_path / "out")
    assert build(PAGE, warm=True) == first

"""Citations name author and year, and the bibliography begins with these words."""

import shutil

import pytest
from bs4 import BeautifulSoup
from pybtex.style.formatting.plain import Style

PAGE = "Read {cite:t}`bahdanau2015`.\n\n```{bibliography}\n```\n"


@pytest.fixture
def formatted(monkeypatch):
    """Note the key of each entry that is formatted."""
    keys, really = [], Style.format_entry

    def format_entry(style, label, entry, bib_data=None):
        keys.append(entry.key)
        return really(style, label, entry, bib_data)

    monkeypatch.setattr(Style, "format_entry", format_entry)
    return keys


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


def test_an_entry_is_formatted_once_however_many_builds_there_are(build, formatted):
    build(PAGE)
    build(PAGE, warm=True)
    assert formatted == ["bahdanau2015"]


def test_an_entry_that_changed_is_formatted_anew(build, formatted, tmp_path):
    build(PAGE)
    works = tmp_path / "source" / "references.bib"
    changed = works.read_text().replace("2015},", "2016},").replace("Neural", "Human")
    works.write_text(changed.replace("Kyunghyun Cho and ", ""))
    html, warnings = build(PAGE, warm=True)
    assert ("Bahdanau and Bengio (2016)" in html, warnings) == (True, "")
    assert "Human machine translation" in html
    assert formatted == ["bahdanau2015"] * 2


def test_other_settings_format_every_entry_anew(build, formatted, tmp_path):
    build(PAGE)
    settings = tmp_path / "source" / "conf.py"
    settings.write_text(f"{settings.read_text()}\nnumfig_secnum_depth = 2\n")
    build(PAGE, warm=True)
    assert formatted == ["bahdanau2015"] * 2


def test_an_entry_with_another_number_is_formatted_anew(build, formatted, tmp_path):
    build(PAGE)
    works = tmp_path / "source" / "references.bib"
    earlier = "@misc{adams2014, author={Ann Adams}, title={Earlier}, year={2014}}\n"
    works.write_text(earlier + works.read_text())
    page = tmp_path / "source" / "index.md"
    page.write_text(f"And {{cite:t}}`adams2014`.\n\n{PAGE}")
    build(PAGE, warm=True)
    assert sorted(formatted) == ["adams2014", *["bahdanau2015"] * 2]

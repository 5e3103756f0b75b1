"""Every generated page says what its sources say."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import contents
from bookkit.checking.facts import facts
from bookkit.publishing import appendix

ROOT = find_root(Path(__file__))


def test_every_generated_page_is_fresh():
    for name, fresh in appendix.fresh_pages(ROOT).items():
        stored = (ROOT / name).read_text(encoding="utf-8")
        assert stored == fresh, f"{name} is stale: run `make appendix`"


@facts("name", appendix.PAGES)
def test_every_generated_page_is_in_the_contents(name):
    assert name.removesuffix(".md") in contents(ROOT)


@facts("name", appendix.PAGES)
def test_every_row_of_a_table_has_a_cell_for_each_heading(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    bars = [len(re.findall(r"(?<!\\)\|", x)) if x[:1] == "|" else 0 for x in lines]
    assert all(0 in pair or pair[0] == pair[1] for pair in pairwise(bars))


@pytest.fixture
def pages(monkeypatch, tmp_path):
    """A registry of one page, whose facts name the book."""

    class Module:
        facts = staticmethod(lambda root: {"name": root.name})

    monkeypatch.setattr(appendix, "PAGES", {"book/appendix/a.md": "a"})
    monkeypatch.setattr(appendix, "TABLES", {})
    monkeypatch.setattr(appendix, "import_module", {"a": Module}.__getitem__)
    return Module


def test_a_page_is_written_once_and_renewed_when_it_is_stale(pages, book):
    file = book / "book" / "appendix" / "a.md"
    file.parent.mkdir()
    file.with_name("a.md.jinja").write_text("# A page of {{ name }}\n")
    assert appendix.write_pages(book) == ["book/appendix/a.md"]
    assert file.read_text() == f"# A page of {book.name}\n"
    assert appendix.write_pages(book) == []
    file.write_text("# Another\n")
    assert appendix.write_pages(book) == ["book/appendix/a.md"]


MARKED = f"Words\n{appendix.BEGIN}\nold < new\n{appendix.END}\nMore"


def test_a_table_takes_the_place_between_the_marks():
    text = appendix.put_table("| a |\n", MARKED, "a.md")
    assert text == MARKED.replace("old < new", "| a |")


@facts("text, places", [("Words", 0), (MARKED * 2, 2)])
def test_a_text_must_have_the_marks_once(text, places):
    with pytest.raises(BookError, match=rf"^a\.md must .* has {places};"):
        appendix.put_table("| a |\n", text, "a.md")

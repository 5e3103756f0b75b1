"""Every generated page says what its sources say."""

from pathlib import Path

import pytest

from bookkit.book.files import find_root
from bookkit.book.notebooks import contents
from bookkit.publishing import appendix

ROOT = find_root(Path(__file__))


@pytest.mark.parametrize("name", appendix.PAGES)
def test_every_generated_page_is_fresh(name):
    fresh = appendix.page_of(name, ROOT)
    stored = (ROOT / name).read_text(encoding="utf-8")
    assert stored == fresh, f"{name} is stale: run `make appendix`"


@pytest.mark.parametrize("name", appendix.PAGES)
def test_every_generated_page_is_in_the_contents(name):
    assert name.removesuffix(".md") in contents(ROOT)


@pytest.fixture
def pages(monkeypatch, tmp_path):
    """A registry of one page, whose text can be changed."""

    class Module:
        page = staticmethod(lambda root: f"# A page of {root.name}\n")

    monkeypatch.setattr(appendix, "PAGES", {"book/appendix/a.md": "a"})
    monkeypatch.setattr(appendix, "import_module", {"a": Module}.__getitem__)
    return Module


def test_a_page_is_written_once_and_renewed_when_it_is_stale(pages, book):
    file = book / "book" / "appendix" / "a.md"
    assert appendix.write_pages(book) == ["book/appendix/a.md"]
    assert file.read_text() == f"# A page of {book.name}\n"
    assert appendix.write_pages(book) == []
    file.write_text("# Another\n")
    assert appendix.stale_pages(book) == ["book/appendix/a.md"]
    assert appendix.write_pages(book) == ["book/appendix/a.md"]
    assert appendix.stale_pages(book) == []

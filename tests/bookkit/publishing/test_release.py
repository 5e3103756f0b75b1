"""What pages offer is put into the site, all of it or nothing."""

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.publishing.release import DOWNLOADS, OFFERED, release


@pytest.fixture
def site(book):
    """The site of a book for which all that is offered was made."""
    for path in OFFERED.values():
        (book / path).parent.mkdir(parents=True, exist_ok=True)
        (book / path).write_text(path.name)
    folder = book / "_build/html"
    (folder / DOWNLOADS).mkdir(parents=True)
    (folder / DOWNLOADS / "of-an-earlier-run.pdf").touch()
    return folder


def test_what_is_offered_is_put_into_the_site(book, site):
    assert release(book) == site / DOWNLOADS
    copies = {file.name: file.read_text() for file in (site / DOWNLOADS).iterdir()}
    assert copies == {path.name: path.name for path in OFFERED.values()}


@facts("kind", OFFERED)
def test_what_was_not_made_is_named(book, site, kind):
    text = (book / OFFERED[kind]).read_text()
    (book / OFFERED[kind]).unlink()
    with pytest.raises(BookError, match=rf"{OFFERED[kind]} is not; run 'make release'"):
        release(book)
    (book / OFFERED[kind]).write_text(text)

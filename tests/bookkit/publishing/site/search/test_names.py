"""The names under which a search finds a section."""

import pytest
from sphinx.errors import ExtensionError

from bookkit.book.files import find_root
from bookkit.book.glossary import Term, read_glossary
from bookkit.checking.facts import facts
from bookkit.publishing.site.search.names import (
    NAMES,
    Group,
    glossary_groups,
    list_groups,
    read_groups,
)


def write(folder, text):
    file = folder / "names.yml"
    file.write_text(text, "utf-8")
    return file


@facts("names", ["RoPE", "[RoPE, 2017]", "{a: b}"])
def test_names_that_are_no_list_of_words_are_refused(tmp_path, names):
    with pytest.raises(ExtensionError, match=r"names\.yml must give .*'book/a'"):
        read_groups(write(tmp_path, f"book/a: {names}\n"))


def test_a_term_leads_with_its_synonyms_to_the_section_that_explains_it():
    terms = [
        Term("BPE", "", synonym_of="byte pair encoding"),
        Term("byte pair encoding", "", page="attention/embeddings", anchor="bpe"),
        Term("base (of rotary embeddings)", "", page="position/rotary", anchor="base"),
    ]
    assert glossary_groups(terms) == [
        Group("book/attention/embeddings", "bpe", ("byte pair encoding", "BPE")),
        Group("book/position/rotary", "base", ("base",)),
    ]


def test_chinese_names_stand_with_the_term_and_with_its_page(tmp_path):
    file = write(tmp_path, "book/b: [Relative position, PE]\n")
    terms = [
        Term("place", "", ("地点",), synonym_of="relative (position)"),
        Term("relative (position)", "", ("相对位置",), page="a", anchor="b"),
    ]
    assert list_groups(file, terms) == [
        Group("book/b", "", ("Relative position", "PE", "相对位置")),
        Group("book/a", "b", ("relative", "place", "地点", "相对位置")),
    ]


def test_chinese_names_of_terms_stand_in_the_glossary_alone():
    terms = read_glossary(find_root(NAMES))
    chinese = {name for term in terms for name in term.chinese}
    assert len(chinese) > 150
    names = {name for group in read_groups(NAMES) for name in group.names}
    assert names & chinese == set()


def test_no_name_leads_to_two_places():
    names = [name.lower() for group in read_groups(NAMES) for name in group.names]
    assert [name for name in names if names.count(name) > 1] == []

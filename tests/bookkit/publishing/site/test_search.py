from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

from bookkit.publishing.site import search as site_search
from bookkit.publishing.site.search import Group


def make_index(texts):
    index = SimpleNamespace(
        _titles=dict.fromkeys(texts, "title"),
        _mapping={},
        _title_mapping={},
        _index_entries={},
        lang=SimpleNamespace(stem=lambda word: word.removesuffix("s")),
    )
    for page, text in texts.items():
        for word in text.lower().replace("-", " ").split():
            index._mapping.setdefault(index.lang.stem(word), set()).add(page)
    return index


ROPE = Group("rotary", ("RoPE", "rotary"))


def extended(texts, *groups):
    index = make_index(texts)
    site_search.extend(index, groups, texts.__getitem__)
    return index


def test_both_names_list_the_same_pages():
    index = extended({"rotary": "rotary", "b": "RoPE turns", "c": "a rope"}, ROPE)
    assert index._mapping["rope"] == index._mapping["rotary"] == {"rotary", "b", "c"}


def test_other_pages_are_listed_under_neither():
    index = extended({"rotary": "rotary", "b": "property"}, ROPE)
    assert index._mapping["rope"] == {"rotary"}


def test_a_title_with_one_name_is_a_title_with_the_other():
    texts = {"rotary": "rotary", "b": "rope"}
    index = make_index(texts)
    index._title_mapping["rotary"] = {"rotary"}
    site_search.extend(index, [ROPE], texts.__getitem__)
    assert index._title_mapping["rope"] == {"rotary"}


def test_a_short_name_lists_the_pages_with_the_long_one():
    group = Group("a", ("FFN", "feed-forward network"))
    index = extended({"a": "two feed-forward networks", "b": "feed a network"}, group)
    assert index._mapping["ffn"] == {"a"}


def test_a_page_with_the_short_name_is_listed_under_the_words_of_the_long_one():
    group = Group("a", ("FFN", "feed-forward network"))
    index = extended({"a": "an FFN"}, group)
    assert index._mapping["feed"] == index._mapping["network"] == {"a"}


def test_a_name_within_a_name_of_a_later_group_stays_shared():
    norm, placement = Group("a", ("LN", "norm")), Group("a", ("first", "pre-LN"))
    index = extended({"a": "norm", "b": "first"}, norm, placement)
    assert index._mapping["ln"] == index._mapping["norm"] == {"a", "b"}


def test_the_page_that_explains_a_thing_is_a_main_entry_for_each_name():
    index = extended({"rotary": "rotary"}, ROPE)
    assert index._index_entries == {
        "rotary": [("rope", "", "main"), ("rotary", "", "main")]
    }


def test_a_group_with_an_unknown_page_is_refused():
    with pytest.raises(ExtensionError, match=r"name a page of the book; got 'rotary'"):
        extended({"a": "rope"}, ROPE)


def test_a_group_of_one_name_is_refused(tmp_path):
    file = tmp_path / "names.yml"
    file.write_text("- [a, [RoPE]]")
    with pytest.raises(ExtensionError, match="a page and two names or more"):
        site_search.read_groups(file)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Feed-Forward\nNetworks", True),
        ("a feed forward network.", True),
        ("a feed and forward network", False),
        ("prefeed-forward network", False),
    ],
)
def test_a_name_is_found_in_all_its_spellings(text, answer):
    assert site_search.holds(text, "feed-forward network") is answer


def test_no_name_stands_in_two_groups():
    groups = site_search.read_groups(site_search.NAMES)
    names = [name.lower() for group in groups for name in group.names]
    assert len(names) == len(set(names))

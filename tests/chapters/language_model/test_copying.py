"""The longest run that stands elsewhere, against all of them."""

from hypothesis import given
from hypothesis import strategies as st

from bookkit.checking.facts import facts
from chapters.language_model.copying import longest_copy, pieces

words = st.text(alphabet="ab ", max_size=12)


@facts(
    "text, source, expected",
    [
        ("he saw the sea", "the sea was wide", "the sea"),
        ("abc", "xyz", ""),
        ("", "xyz", ""),
        ("ab ba", "ba ab", "ab"),  # the first of two
        ("same", "same", "same"),
    ],
)
def test_by_hand(text, source, expected):
    assert longest_copy(text, source) == expected


@given(words, words)
def test_no_other_part_is_longer(text, source):
    parts = [text[a:b] for a in range(len(text)) for b in range(a, len(text) + 1)]
    longest = max((x for x in parts if x in source), key=len, default="")
    found = longest_copy(text, source)
    assert found in source
    assert found in text
    assert len(found) == len(longest)


@facts(
    "count, expected", [(1, ["ab"]), (2, ["ab", "gh"]), (4, ["ab", "cd", "ef", "gh"])]
)
def test_pieces_begin_and_end_where_the_text_does(count, expected):
    assert pieces("abcdefgh", size=2, count=count) == expected

"""Code of somebody else is parsed or refused, whatever it is."""

import pytest

from bookkit.book.source import parse_code


def test_python_is_parsed():
    assert len(parse_code("a = 1\nb = 2").body) == 2


def test_an_unknown_escape_is_no_warning():
    assert parse_code(r"'\d'") is not None


@pytest.mark.parametrize(
    "source",
    ["a b", "\0", "(" * 1000, "-" * 30_000 + "1", "a" + ".b" * 30_000, "%time 1"],
    ids=["words", "zero", "brackets", "signs", "dots", "magic"],
)
def test_what_is_no_python_is_none(source):
    assert parse_code(source) is None

"""Code of somebody else is parsed or refused, whatever it is."""

import pytest

from bookkit.book.errors import BookError
from bookkit.book.source import defined_names, parse_code, parse_file
from bookkit.checking.facts import facts


def test_python_is_parsed():
    assert len(parse_code("a = 1\nb = 2").body) == 2


def test_an_unknown_escape_is_no_warning():
    assert parse_code(r"'\d'") is not None


@facts(
    "source",
    ["a b", "\0", "(" * 1000, "-" * 30_000 + "1", "a" + ".b" * 30_000, "%time 1"],
    ids=["words", "zero", "brackets", "signs", "dots", "magic"],
)
def test_what_is_no_python_is_none(source):
    assert parse_code(source) is None


def test_a_file_that_is_no_python_is_named_with_its_line(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\ndef f(")
    words = (
        r"^a\.py, line 2 must be Python, and is not: '\(' was never closed; mend it\.$"
    )
    with pytest.raises(BookError, match=words):
        parse_file(tmp_path / "a.py", tmp_path)


@facts(
    "statement, names",
    [
        ("def f(): pass", ["f"]),
        ("class A: pass", ["A"]),
        ("a = b = 1", ["a", "b"]),
        ("a, (b, *c) = x", ["a", "b", "c"]),
        ("a: int", ["a"]),
        ("a.b = c[d] = 1", []),
        ("import a", []),
    ],
)
def test_the_names_that_a_statement_defines_are_listed(statement, names):
    assert defined_names(parse_code(statement).body[0]) == names

"""Code of somebody else is parsed or refused, whatever it is."""

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import parse_code, parse_file


def test_python_is_parsed():
    assert len(parse_code("a = 1\nb = 2").body) == 2


def test_a_file_that_is_no_python_is_named_with_its_line(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\ndef f(")
    words = (
        r"^a\.py, line 2 must be Python, and is not: '\(' was never closed; mend it\.$"
    )
    with pytest.raises(BookError, match=words):
        parse_file(tmp_path / "a.py", tmp_path)

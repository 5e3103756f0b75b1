"""Reading parallel text keeps good pairs and counts every line it leaves out."""

from io import BytesIO

import pytest

from bookkit.checking.facts import facts
from transformer.data import DataError, Pair, read_parallel
from transformer.data import parallel_text as module
from transformer.data.read_report import REASONS

BOM = b"\xef\xbb\xbf"


@pytest.fixture
def read(tmp_path):
    """Read bytes as one file, or as two."""

    def call(*contents, **options):
        paths = [tmp_path / name for name in ("a.txt", "b.txt")[: len(contents)]]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        return read_parallel(*paths, **options)

    return call


def test_two_files_are_read_line_by_line(read):
    pairs, report = read(b"one\ntwo\n", "un\ndeux é\n".encode())
    assert pairs == [Pair("one", "un"), Pair("two", "deux é")]
    assert str(report) == "a.txt and b.txt: 2 of 2 lines kept"


def test_one_file_has_a_tab_between_both_sides(read):
    pairs, _ = read(b"one\tun\tCC-BY\ttoo\ntwo\tdeux")
    assert pairs == [("one", "un"), ("two", "deux")]


def test_columns_that_are_not_read_are_counted(read):
    _, report = read(b"one\tun\tnote\ntwo\tdeux\nno tab\none\tun\tother\n")
    assert report.wide == 2
    assert str(report).endswith("\n  2 with columns after the second, not read")
    assert read(b"one\n", b"un\tnote\n").report.wide == 0


@facts("content", [b"a\tb\r\nc\td\r\n", b"a\tb\nc\td", BOM + b"a\tb\nc\td\n"])
def test_ends_of_lines_and_a_byte_order_mark_do_not_matter(read, content):
    assert read(content).pairs == [("a", "b"), ("c", "d")]


@facts("inside", ["\u2028", "\u2029", "\u00a0"])
def test_other_separators_do_not_end_a_line(read, inside):
    text = f"a{inside}a"
    assert read(f"{text}\tb\n".encode()).pairs == [(text, "b")]


def test_letters_are_composed_and_spaces_at_the_ends_removed(read):
    assert read(" e\u0301te\u0301 \t summer\u00a0\n".encode()).pairs == [
        ("été", "summer")
    ]


FORMATS = {
    "an emoji of two": "\U0001f469\u200d\U0001f469",
    "a Persian plural": "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627",
    "a soft hyphen": "Fuß\u00adball",
    "a mark of direction": "a\u200fb",
    "a direction to its end": "\u2067a\u2069",
}


@facts("text", FORMATS.values(), ids=[*FORMATS])
def test_letters_without_width_are_kept(read, text):
    assert read(f"{text}\tb\n".encode()).pairs == [(text, "b")]


BAD_LINES = {
    "no tab": b"alone",
    "not UTF-8": b"caf\xe9\tcoffee",
    "empty": b" \tb",
    "too long": b"x" * 501 + b"\t" + b"y" * 500,
    "control": b"a\x07\tb",
    "a carriage return inside": b"a\rb\tc",
    "form feed at the end": b"a\tb\x0c",
    "replacement": "a\ufffd\tb".encode(),
    "replacement beside a tab": "a\u200d\ufffd\tb".encode(),
    "mark inside": "a\ufeff\tb".encode(),
    "mark before a later line": BOM + b"a\tb",
    "unassigned": "a\U000e0fff\tb".encode(),
    "private": "a\ue000\tb".encode(),
    "unequal lengths": b"a\t" + b"b" * 10,
    "duplicate": b"good\tbon",
}


@facts("name", BAD_LINES)
def test_a_bad_line_is_left_out_and_counted(read, name):
    pairs, report = read(b"good\tbon\n" + BAD_LINES[name] + b"\nlast\tfin\n")
    reason = name if name in REASONS else "strange characters"
    assert pairs == [("good", "bon"), ("last", "fin")]
    assert report.counts == {reason: 1}
    assert report.first_lines == {reason: 2}
    assert (report.lines, report.kept) == (3, 2)


@facts("same", [" été\tsummer", "été\t summer \u00a0", "e\u0301te\u0301\tsummer"])
def test_a_pair_is_kept_once_however_it_is_written(read, same):
    texts = ["été\tsummer", same, "été\tSummer"]
    for order in (texts, [same, texts[0], texts[2]]):
        pairs, report = read("\n".join(order).encode())
        assert pairs == [("été", "summer"), ("été", "Summer")]
        assert report.first_lines == {"duplicate": 2}


def test_lines_at_the_limits_are_kept(read):
    long = "é" * 500
    assert len(read(f"{long}\t{long}\na\t{'b' * 9}\n".encode()).pairs) == 2


def test_the_limits_are_those_of_what_is_kept(read):
    letter = "e\u0301"
    content = f" {letter * 3} \tdef\n{letter * 4}\tef\n".encode()
    assert read(content, max_len=3).pairs == [("ééé", "def")]
    content = f"{letter * 2}\tdef\n{letter * 2}\tdefg\n".encode()
    assert read(content, max_ratio=1.5).pairs == [("éé", "def")]


def test_equal_lengths_can_be_asked_for(read):
    assert read(b"abc\tdef\nabcd\tefg\n", max_ratio=1.0).pairs == [("abc", "def")]


def test_the_limits_can_be_chosen(read):
    content = b"abc\tdef\nabcd\tef\n"
    assert read(content, max_len=3).report.counts == {"too long": 1}
    assert read(content, max_ratio=1.5).report.counts == {"unequal lengths": 1}


@facts("longer", [0, 1])
def test_lines_without_a_partner_are_counted(read, longer):
    contents = [b"a\nb\n", b"c\nd\ne\nf\n"]
    _, report = read(*contents[:: 1 if longer else -1])
    assert report.counts == {"no partner": 2}
    assert report.first_lines == {"no partner": 3}


def test_a_line_of_many_bytes_is_read_where_its_letters_are_few(read, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_LINE", 16)
    letters = "u\u0308\u0304" * 5  # each of five bytes becomes one letter
    content = f"{letters}\tabcde\n".encode()
    assert read(content, max_len=5).pairs == [("\u01d6" * 5, "abcde")]


@facts("more", [0, 1, 16, 17, 64])
def test_a_line_of_any_length_is_read_with_little_memory(read, monkeypatch, more):
    monkeypatch.setattr(module, "LONGEST_LINE", 16)
    content = b"a\n" + b"x" * (16 + more) + b"\nb\n"
    pairs, report = read(content, b"c\nd\ne\n", max_len=1)
    assert pairs == [("a", "c"), ("b", "e")]
    assert report.counts == {"too long": 1}
    assert report.first_lines == {"too long": 2}


def test_no_more_than_the_limit_is_asked_for_at_a_time():
    class File(BytesIO):
        def readline(self, size=-1):
            asked.append(size)
            return super().readline(size)

    asked = []
    file = File(b"a\n" + b"x" * 40 + b"\nb\n")
    assert list(module.lines(file, 16)) == [b"a", None, b"b"]
    assert set(asked) == {16}


@facts("end", [b"\n", b"\r\n"])
@facts("length", [*range(12, 20), *range(28, 36), 47, 48, 49])
def test_a_line_of_any_length_leaves_the_next_alone(length, end):
    limit, line = 16, b"x" * length
    content = b"a" + end + line + end + b"b"
    whole = line if length + len(end) <= limit else None
    assert list(module.lines(BytesIO(content), limit)) == [b"a", whole, b"b"]


def test_a_very_long_last_line_is_counted(read, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_LINE", 16)
    assert read(b"a\tb\n" + b"x" * 32, max_len=1).report.counts == {"too long": 1}


def test_a_report_names_each_reason_and_where_it_came_first(read):
    _, report = read(b"a\tb\n\nx\n\ta\na\tb\n")
    assert str(report) == (
        "a.txt: 1 of 5 lines kept\n"
        "  2 left out, no tab (no tab between source and target), first in line 2\n"
        "  1 left out, empty (a side without text), first in line 4\n"
        "  1 left out, duplicate (the same pair as before), first in line 5"
    )


def test_a_file_without_a_usable_pair_is_refused_with_the_reasons(read, refuses):
    message = (
        r"a.txt must hold at least one pair .* got none; (.|\n)* 1 left out, no tab"
    )
    refuses(lambda: read(b"alone\n"), DataError, message)
    refuses(lambda: read(b""), DataError, "a.txt must hold .*\na.txt: 0 of 0 lines")


def test_a_missing_file_is_refused(tmp_path, refuses):
    message = "the text must be a file that exists, got .*nowhere; check the "
    message += "name, and from which folder you call"
    refuses(lambda: read_parallel(tmp_path / "nowhere"), DataError, message)


def test_a_missing_second_file_is_refused(tmp_path, refuses):
    (tmp_path / "a").write_bytes(b"a\n")
    call = lambda: read_parallel(tmp_path / "a", tmp_path / "nowhere")  # noqa: E731
    refuses(call, DataError, "the text.*got .*nowhere.*check the name")


def test_a_folder_is_refused(tmp_path, refuses):
    message = "the text.*got the folder .*name a file"
    refuses(lambda: read_parallel(tmp_path), DataError, message)


@facts(
    "options, error, message",
    [
        ({"max_len": 0}, ValueError, "max_len.*got 0"),
        ({"max_ratio": 0.5}, ValueError, "max_ratio.*got 0.5.*pass"),
        ({"max_ratio": "9"}, TypeError, "max_ratio.*got '9'"),
    ],
)
def test_bad_limits_are_refused(read, refuses, options, error, message):
    refuses(lambda: read(b"a\tb\n", **options), error, message)

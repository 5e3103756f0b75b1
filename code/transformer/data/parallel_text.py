"""Parallel text: sentences and their translations, line by line, from files."""

import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack
from io import BufferedIOBase
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from transformer.checks.values import check_positive, check_size
from transformer.data.pairs import DataError, Pair
from transformer.data.read_report import ReadReport

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Control, surrogate, private and unassigned: what no sentence is written with.
STRANGE_CATEGORIES = {"Cc", "Cs", "Co", "Cn"}
STRANGE_CHARACTERS = {"\ufffd", "\ufeff"}  # replacement; a byte order mark inside
MISSING = object()  # stands for a line after the end of a file
LONGEST_LINE = 1 << 16  # bytes held of a line at least, whatever max_len is


class ReadResult(NamedTuple):
    """The pairs that were read, and what was left out."""

    pairs: list[Pair]
    report: ReadReport


class LineError(Exception):
    """A line cannot be used, for one of `REASONS`."""


def read_parallel(
    source_path: str | Path,
    target_path: str | Path | None = None,
    *,
    max_len: int = 500,
    max_ratio: float = 9.0,
) -> ReadResult:
    r"""Read pairs from two files line by line, or from one with a tab between both.

    The files are UTF-8, with a byte order mark or without; lines end with `\n` or
    `\r\n` only. Each side is normalized to form C and stripped of spaces at its ends.
    With one file, columns after the second are counted and not read. A line that
    cannot be used is left out and counted in the report, for the first of `REASONS`
    that is found.

    Source: sides of very unequal length are seldom translations; the script
    clean-corpus-n of Moses (Koehn et al., 2007) leaves them out by the ratio of their
    words. Here characters are counted, for languages that put no spaces.

    Args:
        source_path: The sentences; or the sentences, a tab and the translations.
        target_path: The translations, when they are in a file of their own.
        max_len: Most characters of a side.
        max_ratio: How many times as long as the other a side may be, at least 1.

    Raises:
        DataError: If there is no such file, or it has no pair that can be used.
    """
    paths = [Path(path) for path in (source_path, target_path) if path is not None]
    for path in paths:
        check_file(path)
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("rb")) for path in paths]
        name = " and ".join(path.name for path in paths)
        return read_streams(*files, name=name, max_len=max_len, max_ratio=max_ratio)


def read_streams(
    source: BufferedIOBase,
    target: BufferedIOBase | None = None,
    *,
    name: str,
    max_len: int = 500,
    max_ratio: float = 9.0,
) -> ReadResult:
    """Read pairs as `read_parallel` does, from what is already open.

    Raises:
        DataError: If no pair can be used.
    """
    check_size("max_len", max_len)
    check_positive("max_ratio", max_ratio)
    if max_ratio < 1:
        raise ValueError(
            f"max_ratio must be at least 1, got {max_ratio:g}; pass a larger number."
        )
    report, pairs = ReadReport(name), {}  # a dictionary: in order, and each once
    for line in candidates(source, target, max_len):
        report.lines += 1
        report.wide += len(line) > 2 and not isinstance(line, str)
        try:
            pair = usable_pair(line, max_len, max_ratio)
            if pair in pairs:
                raise LineError("duplicate")
            pairs[pair] = None
        except LineError as error:
            report.skip(str(error))
    if not pairs:
        raise DataError(
            f"{name} must hold at least one pair that can be used, got none; look at "
            f"the reasons and change the file or the limits.\n{report}"
        )
    return ReadResult(list(pairs), report)


Line = bytes | None  # None: longer than any line that is used


def candidates(
    source: BufferedIOBase, target: BufferedIOBase | None, max_len: int
) -> Iterator[list[Line] | str]:
    """Yield the columns of each line as bytes, or the reason why they are not there."""
    # A character is at most four bytes, and form C joins up to four of them.
    limit = max(LONGEST_LINE, 16 * max_len)
    if target is not None:
        for sides in zip_longest(
            lines(source, limit), lines(target, limit), fillvalue=MISSING
        ):
            yield "no partner" if MISSING in sides else list(sides)
        return
    for line in lines(source, limit):
        if line is None:
            yield [None]
        else:
            yield line.split(b"\t") if b"\t" in line else "no tab"


def lines(file: BufferedIOBase, limit: int) -> Iterator[Line]:
    r"""Yield each line without its end, which is \n or \r\n; None for a very long one.

    No more than `limit` bytes are held at a time.
    """
    first = True
    while line := file.readline(limit):
        whole = line
        while len(whole) == limit and not whole.endswith(b"\n"):
            line, whole = None, file.readline(limit)
        if line is not None:
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            line = line.removeprefix(BYTE_ORDER_MARK) if first else line
        first = False
        yield line


def usable_pair(line: list[Line] | str, max_len: int, max_ratio: float) -> Pair:
    """Return both sides of a line as text, or raise a `LineError` with the reason."""
    if isinstance(line, str):
        raise LineError(line)
    if None in line:
        raise LineError("too long")
    try:
        sides = [side.decode("utf-8") for side in line[:2]]
    except UnicodeDecodeError as error:
        raise LineError("not UTF-8") from error
    whole = [unicodedata.normalize("NFC", side) for side in sides]
    pair = Pair(*(side.strip() for side in whole))
    shorter, longer = sorted(map(len, pair))
    if not shorter:
        raise LineError("empty")
    if longer > max_len:
        raise LineError("too long")
    if any(map(is_strange, whole)):
        raise LineError("strange characters")
    if longer > max_ratio * shorter:
        raise LineError("unequal lengths")
    return pair


def is_strange(text: str) -> bool:
    """Return whether a text holds a character that no sentence is written with.

    A tab counts as a space. Which characters are assigned is a matter of the Unicode
    version of Python.
    """
    if text.isprintable():
        return "\ufffd" in text
    return any(
        letter in STRANGE_CHARACTERS
        or (letter != "\t" and unicodedata.category(letter) in STRANGE_CATEGORIES)
        for letter in text
    )


def check_file(path: Path) -> None:
    """Check that a path leads to a file."""
    if path.is_dir():
        raise DataError(
            f"the text must be a file, got the folder {path}; name a file in it."
        )
    if not path.exists():
        raise DataError(
            f"the text must be a file that exists, got {path}; check the name, and "
            "from which folder you call."
        )

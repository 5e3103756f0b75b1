"""Reading a GGUF file that may come from anybody."""

import struct
import tracemalloc
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookkit.checking.facts import facts
from transformer.zoo.gguf.blocks import find_format
from transformer.zoo.gguf.file import Cursor, read_gguf, read_header

HUGE = 2**60


def text(letters):
    """Return a text as a file has it."""
    return struct.pack("<Q", len(letters)) + letters


def field(name, kind, value):
    """Return a field as a file has it."""
    return text(name) + struct.pack("<I", kind) + value


def tensor(name=b"w", shape=(32,), kind=0, offset=0):
    """Return where a tensor lies, as a file has it."""
    axes = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
    return text(name) + axes + struct.pack("<IQ", kind, offset)


def file(fields=(), tensors=(), *, data=256, **counts):
    """Return a file whose counts need not be true."""
    counts = {"version": 3, "fields": len(fields), "tensors": len(tensors)} | counts
    head = struct.pack("<IQQ", *(counts[n] for n in ("version", "tensors", "fields")))
    body = b"GGUF" + head + b"".join([*fields, *tensors])
    return body + bytes(-len(body) % 32 + data)


def read(data):
    return read_header(Cursor(data, "some.gguf"))


SEVEN = field(b"seven", 4, struct.pack("<I", 7))
NUMBERS = field(b"numbers", 9, struct.pack("<IQ3i", 5, 3, -1, 0, 2**31 - 1))
WORDS = field(b"words", 9, struct.pack("<IQ", 8, 2) + text("é".encode()) + text(b""))
WHOLE = file([SEVEN, NUMBERS, WORDS], [tensor(), tensor(b"v", (32, 2), 8, 128)])


def test_fields_and_tensors_are_read():
    fields, tensors = read(WHOLE)
    assert fields["seven"] == 7
    assert fields["numbers"].tolist() == [-1, 0, 2**31 - 1]
    assert fields["words"] == ["é", ""]
    w, v = tensors["w"], tensors["v"]
    assert (w.shape, w.format.name, w.size) == ((32,), "F32", 128)
    # The file names the columns first.
    assert (v.shape, v.format.name, v.size) == ((2, 32), "Q8_0", 68)
    assert (w.start % 32, v.start - w.start) == (0, 128)


def test_the_bytes_of_a_tensor_come_one_row_a_block(tmp_path):
    head = file([], [tensor(kind=8, shape=(64,))], data=0)
    path = tmp_path / "some.gguf"
    path.write_bytes(head + bytes(range(68)))
    packed = read_gguf(path).packed("w")
    assert packed.shape == (2, 34)
    assert packed[1, 0] == 34


def test_tensors_begin_at_the_first_multiple_wherever_the_header_ends():
    ends = set()
    for letters in range(1, 33):
        named = tensor(b"w" * letters)
        whole = file([], [named], data=128)  # ends where the tensor does
        [placed] = read(whole)[1].values()
        assert (placed.start, placed.size) == (len(whole) - 128, 128)
        ends.add((len(b"GGUF") + 20 + len(named)) % 32)
    assert ends == set(range(32))


def test_tensors_that_are_aligned_to_one_byte_follow_the_header_at_once():
    one = field(b"general.alignment", 4, struct.pack("<I", 1))
    [placed] = read(file([one], [tensor()]))[1].values()
    assert placed.start == len(b"GGUF") + 20 + len(one) + len(tensor())


@facts("order", [*permutations(range(3))], ids=str)
def test_tensors_may_lie_in_another_order_than_they_are_listed(order):
    # 128 bytes from 0 on, 68 bytes from 160 on, and 4 bytes up to the end of the file
    lying = [tensor(), tensor(b"v", (32, 2), 8, 160), tensor(b"u", (1,), 0, 256)]
    whole = file([], [lying[place] for place in order], data=260)
    found = read(whole)[1]
    assert list(found) == ["wvu"[place] for place in order]
    start = len(whole) - 260
    assert [found[name].start - start for name in "wvu"] == [0, 160, 256]
    with pytest.raises(ValueError, match="hold all of 'u', to byte"):
        read(whole[:-1])


def test_an_alignment_holds_wherever_it_is_said():
    wide = field(b"general.alignment", 4, struct.pack("<I", 64))
    for fields in permutations([wide, SEVEN, WORDS]):
        body = len(b"GGUF") + 20 + sum(map(len, [*fields, tensor()]))
        [placed] = read(file(fields, [tensor()]))[1].values()
        assert (placed.start % 64, placed.start - body) == (0, -body % 64)


def test_a_text_may_be_the_last_thing_in_a_file():
    assert Cursor(text(b"seven"), "some.gguf").text("a name") == "seven"


@facts(
    "data, said",
    [
        (b"", "hold its first letters of 4 bytes, got 0 to its end"),
        (b"GGML" + bytes(40), "begin with GGUF, got b'GGML'"),
        (file(version=1), "version 2 or 3, little-endian, got 1"),
        (file(version=3 << 24), "little-endian, got 50331648"),
    ],
)
def test_what_is_no_gguf_file_is_said(data, said):
    with pytest.raises(ValueError, match=f"^some.gguf must .*{said}"):
        read(data)


HOSTILE = {
    "a count of fields": (
        b"GGUF" + struct.pack("<IQQ", 3, 0, HUGE),
        "have room for 1,152,921,504,606,846,976 fields, got 0 bytes",
    ),
    "a count of tensors": (
        b"GGUF" + struct.pack("<IQQ", 3, HUGE, 0) + bytes(99),
        "have room for .* tensors",
    ),
    "a name of exabytes": (
        file([struct.pack("<Q", HUGE) + bytes(20)]),
        "have room for .* letters of a name",
    ),
    "a text of exabytes": (
        file([field(b"a", 8, struct.pack("<Q", HUGE))]),
        "have room for .* letters of 'a'",
    ),
    "a list of exabytes": (
        file([field(b"a", 9, struct.pack("<IQ", 10, HUGE))]),
        "have room for .* items of 'a'",
    ),
    "a list of lists": (
        file([field(b"a", 9, struct.pack("<IQ", 9, 1))]),
        "give 'a' a known type, got type 9",
    ),
    "an unknown type": (file([field(b"a", 99, b"")]), "known type, got type 99"),
    "letters that are none": (
        file([field(b"a", 8, text(b"\xff"))]),
        "write 'a' in UTF-8",
    ),
    "a field twice": (file([SEVEN, SEVEN]), "give each name once, got 'seven' twice"),
    "a tensor twice": (file([], [tensor(), tensor()]), "once, got 'w' twice"),
    "no axes": (file([], [tensor(shape=())]), "give 'w' 1 to 4 axes, got 0"),
    "five axes": (file([], [tensor(shape=(1,) * 5)]), "1 to 4 axes, got 5"),
    "an axis of length 0": (file([], [tensor(shape=(32, 0))]), "rows of whole blocks"),
    "half a block": (
        file([], [tensor(shape=(48,), kind=8)]),
        r"rows of whole blocks of 32, got \(48,\)",
    ),
    "an unknown packing": (
        file([], [tensor(kind=4)]),
        "give 'w' a type of weights, got type 4",
    ),
    "a tensor beyond the end": (
        file([], [tensor(shape=(32, 1000))]),
        "hold all of 'w', to byte",
    ),
    "a tensor of exabytes": (
        file([], [tensor(shape=(2**40, 2**40))]),
        "hold all of 'w', to byte",
    ),
    "an offset that would be negative": (
        file([], [tensor(offset=2**64 - 32)]),
        "hold all of 'w', to byte",
    ),
    "tensors over each other": (
        file([], [tensor(), tensor(b"v", offset=96)]),
        "keep its tensors apart, got 'w' and 'v' in one place",
    ),
    "tensors over each other, the later one listed first": (
        file([], [tensor(b"v", offset=96), tensor()]),
        "keep its tensors apart, got 'w' and 'v' in one place",
    ),
    "two tensors that begin in one place": (
        file([], [tensor(b"v", (1,)), tensor()]),
        "keep its tensors apart, got '.' and '.' in one place",
    ),
    "a tensor beyond the end, listed first": (
        file([], [tensor(offset=160), tensor(b"v")]),
        "hold all of 'w', to byte",
    ),
    "an alignment of nothing": (
        file([field(b"general.alignment", 4, bytes(4))]),
        "align its tensors to 1 byte or more, got 0",
    ),
    "an alignment of letters": (
        file([field(b"general.alignment", 8, text(b"32"))]),
        "align its tensors to 1 byte or more, got '32'",
    ),
}


@facts("name", HOSTILE)
def test_a_hostile_file_is_refused_at_once_with_a_sentence(name):
    data, said = HOSTILE[name]
    find_format(2)  # which imports the package gguf
    tracemalloc.start()
    with pytest.raises(ValueError, match=f"^some.gguf must .*{said}") as refused:
        read(data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "get it again" in str(refused.value)
    assert most < 200_000


@facts("end", range(len(WHOLE) - 256 + 196))
def test_a_file_that_ends_anywhere_is_refused(end):
    with pytest.raises(ValueError, match=r"^some.gguf must .*; the file is cut"):
        read(WHOLE[:end])


@given(st.data())
def test_a_damaged_file_is_read_or_refused_never_worse(data):
    damaged = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    said = "some.gguf must "
    try:
        _, tensors = read(bytes(damaged))
    except ValueError as error:
        said = str(error)
    else:
        assert all(t.start + t.size <= len(damaged) for t in tensors.values())
    assert said.startswith("some.gguf must ")


def test_a_missing_or_empty_file_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="the model must be a file, got"):
        read_gguf(tmp_path / "none.gguf")
    empty = tmp_path / "empty.gguf"
    empty.touch()
    with pytest.raises(ValueError, match="begin with GGUF, got less than four bytes"):
        read_gguf(empty)

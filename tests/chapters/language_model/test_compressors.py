"""What compressors need: the difference of two sizes."""

import zlib
from importlib.util import find_spec

import pytest

from chapters.language_model.compressors import COMPRESSORS, bits_after, ppmd


def test_the_bits_are_those_of_the_bytes_that_come_on_top():
    before, text = "abc" * 50, "xyz" * 20
    sizes = [len(zlib.compress(x.encode(), 9)) for x in (before + text, before)]
    expected = 8 * (sizes[0] - sizes[1]) / 60
    assert bits_after(COMPRESSORS["zlib"], before, text) == expected


@pytest.mark.parametrize("name", COMPRESSORS)
def test_a_text_that_was_read_before_costs_little(name):
    text = "".join(chr(97 + n * n % 23) for n in range(2000))
    alone = bits_after(COMPRESSORS[name], "", text)
    assert bits_after(COMPRESSORS[name], text, text) < alone


@pytest.mark.skipif(find_spec("pyppmd") is None, reason="pyppmd is not asked for")
def test_ppmd_gives_back_what_it_was_given():
    import pyppmd

    data = b"In the beginning God created" * 9
    packed = ppmd(6)(data)
    decoder = pyppmd.Ppmd7Decoder(6, 1 << 30)
    assert bytes(decoder.decode(packed, len(data))) == data
    assert len(packed) < len(data) / 4

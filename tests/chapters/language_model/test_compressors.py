"""What the compressor PPMd writes can be read again."""

from importlib.util import find_spec

import pytest

from chapters.language_model.compressors import ppmd


@pytest.mark.skipif(find_spec("pyppmd") is None, reason="pyppmd is not asked for")
def test_ppmd_gives_back_what_it_was_given():
    import pyppmd

    data = b"In the beginning God created" * 9
    packed = ppmd(6)(data)
    decoder = pyppmd.Ppmd7Decoder(6, 1 << 30)
    assert bytes(decoder.decode(packed, len(data))) == data
    assert len(packed) < len(data) / 4

"""Unpacked weights: by hand, and as the package `gguf` unpacks them."""

import sys

import gguf
import numpy as np
import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.zoo.gguf.blocks import FORMATS, unpack, unpack_q4_1, unpack_q8_0

KINDS = gguf.GGMLQuantizationType


def halves(*numbers):
    return np.array(numbers, np.float16).tobytes()


def block(data):
    return torch.tensor([list(data)], dtype=torch.uint8)


def test_a_block_of_eight_bits_by_hand():
    numbers = np.zeros(32, np.int8)
    numbers[[0, 1, 31]] = 3, -128, 127
    weights = unpack_q8_0(block(halves(0.5) + numbers.tobytes()))
    assert weights.shape == (1, 32)
    assert weights[0, [0, 1, 2, 31]].tolist() == [1.5, -64.0, 0.0, 63.5]


def test_a_block_of_four_bits_by_hand():
    pairs = bytearray(16)
    pairs[0], pairs[15] = 0xF1, 0x02  # high half, low half
    weights = unpack_q4_1(block(halves(0.5, -1.0) + bytes(pairs)))
    assert weights.shape == (1, 32)
    # The low halves are the first sixteen weights, the high halves the others.
    assert weights[0, [0, 1, 15, 16, 31]].tolist() == [-0.5, -1.0, 0.0, 6.5, -1.0]


@facts("format", FORMATS.values(), ids=lambda f: f.name)
def test_each_format_equals_the_package_gguf(format):
    kind = KINDS[format.name]
    assert (format.length, format.size) == gguf.GGML_QUANT_SIZES[kind]
    rng = np.random.default_rng(3)
    packed = rng.integers(0, 256, (7, format.size), dtype=np.uint8)
    with np.errstate(all="ignore"):  # some scales are infinite, or no numbers
        theirs = gguf.dequantize(packed.reshape(1, -1), kind).ravel()
        ours = unpack(packed, format)
    assert ours.dtype == torch.float32
    assert_close(ours, torch.tensor(theirs), rtol=0, atol=0, equal_nan=True)


def test_what_is_lost_in_four_bits_is_at_most_half_a_step_of_a_block():
    weights = np.random.default_rng(5).normal(size=(11, 32)).astype(np.float32)
    packed = gguf.quantize(weights, KINDS.Q4_1).reshape(11, 20)
    lost = np.abs(unpack_q4_1(torch.tensor(packed)).numpy() - weights)
    step = (weights.max(axis=1) - weights.min(axis=1)) / 15
    assert (lost.max(axis=1) <= 0.52 * step + 1e-3).all()


def test_only_other_formats_need_the_package_gguf(monkeypatch):
    monkeypatch.setitem(sys.modules, "gguf", None)
    for format in FORMATS.values():
        packed = np.zeros((3, format.size), np.uint8)
        if format.name in ("Q4_0", "Q6_K"):
            with pytest.raises(ImportError, match=r"type Q\w+ need gguf.*\[gguf\]"):
                unpack(packed, format)
        else:
            assert unpack(packed, format).shape == (3 * format.length,)

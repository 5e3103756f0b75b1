"""Unpacked weights: by hand, and as the package `gguf` unpacks them."""

import sys

import gguf
import numpy as np
import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.zoo.gguf.blocks import (
    FORMATS,
    find_format,
    unpack,
    unpack_q4_1,
    unpack_q8_0,
)

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


def unpacked_by_gguf(kind):
    """Whether the package itself unpacks a type."""
    try:
        gguf.dequantize(np.zeros((1, gguf.GGML_QUANT_SIZES[kind][1]), np.uint8), kind)
    except NotImplementedError:
        return False
    return True


@facts("kind", [*KINDS], ids=lambda kind: kind.name)
def test_each_format_equals_the_package_gguf(kind):
    if not unpacked_by_gguf(kind):
        if kind == KINDS.F64:
            numbers = np.array([[0.5], [-3.0]])
            packed = numbers.view(np.uint8)
            assert unpack(packed, find_format(kind)).tolist() == [0.5, -3.0]
        else:
            with pytest.raises(ValueError, match=f"unpack, got {kind.name};"):
                find_format(kind)
        return
    format = find_format(int(kind))
    assert format.name == kind.name
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
    find_format.cache_clear()
    other = find_format(12)
    find_format.cache_clear()
    monkeypatch.setitem(sys.modules, "gguf", None)
    for kind, format in FORMATS.items():
        assert find_format(kind) is format
        packed = np.zeros((3, format.size), np.uint8)
        assert unpack(packed, format).shape == (3 * format.length,)
    with pytest.raises(ImportError, match=r"type 12 need gguf.*\[gguf\]"):
        find_format(12)
    with pytest.raises(ImportError, match=r"type Q4_K need gguf.*\[gguf\]"):
        unpack(np.zeros((3, other.size), np.uint8), other)


def test_there_may_be_no_such_type():
    assert find_format(4) is None


def test_what_is_no_rows_of_blocks_is_refused(refuses):
    half, row = torch.zeros(2, 34).half(), torch.zeros(20, dtype=torch.uint8)
    for call, words in (
        (lambda: unpack_q8_0(half), r"\(blocks, 34\), got torch.float16 of.*\(2, 34\)"),
        (lambda: unpack_q4_1(row), r"\(blocks, 20\), got torch.uint8 of.*\(20,\)"),
    ):
        refuses(call, TypeError, f"blocks.*{words}; pass")

"""Answers to the exercises on sinusoidal positions, right ones and wrong ones."""

import math

import torch

from chapters.sinusoidal.answers import halves
from transformer.layers import sinusoidal_frequencies, sinusoidal_table


def encode_with_features(length, d):
    frequency = 10_000.0 ** (-2 * torch.arange(0, d, 2) / d)
    return encode_at(frequency, length)


def encode_slowly(length, d):
    return encode_at(sinusoidal_frequencies(d) / 2, length)


def encode_at(frequency, length):
    angles = torch.arange(length)[:, None] * frequency
    return torch.cat((angles.sin(), angles.cos()), dim=1)


def shift_by(sign):
    def shift(row, k):
        turn = sign * sinusoidal_frequencies(row.numel()) * k
        sine, cosine = row[0::2], row[1::2]
        moved = torch.empty_like(row)
        moved[0::2] = sine * turn.cos() + cosine * turn.sin()
        moved[1::2] = cosine * turn.cos() - sine * turn.sin()
        return moved

    return shift


def shift_forward_only(row, k):
    return shift_by(1)(row, k) if k >= 0 else row


RIGHT = [
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.050, 0.999], 0.01)),
    ("ex-encode-code", (lambda n, d: halves(sinusoidal_table(n, d)),)),
    ("ex-shift-code", (shift_by(1),)),
    ("ex-full-turns", (46, 181)),
    ("ex-encode-by-hand", ([-0.9589, 0.2837, math.sin(0.05), 0.99875], 0.0096)),
]

WRONG = [
    ("ex-encode-by-hand", ([0.284], 0.01), "four numbers"),
    ("ex-encode-by-hand", ([0, 1, 0, 1], 0.01), "one radian"),
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.005, 1], 0.01), "0.01 radians"),
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.05, 0.999], 1.01), "distance"),
    ("ex-encode-code", (lambda n, d: sinusoidal_table(n, d).T,), "one row"),
    ("ex-encode-code", (sinusoidal_table,), "position 0"),
    ("ex-encode-code", (encode_slowly,), "one radian"),
    ("ex-encode-code", (encode_with_features,), "what does i count"),
    ("ex-shift-code", (lambda row, k: row[:2],), "shape"),
    ("ex-shift-code", (lambda row, k: row + 1,), "shift by 0"),
    ("ex-shift-code", (lambda row, k: row * (1 + k),), "length of the vector"),
    ("ex-shift-code", (shift_by(-1),), "position 12"),
    ("ex-shift-code", (shift_forward_only,), "backwards"),
    ("ex-full-turns", (0.5, 181), "whole numbers"),
    ("ex-full-turns", (181, 46), "count the wavelengths"),
    ("ex-full-turns", (45, 181), "32 positions"),
    ("ex-full-turns", (46, 180), "4,096 positions"),
]

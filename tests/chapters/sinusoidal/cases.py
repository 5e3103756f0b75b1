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


def shift_by_table(row, k):
    table = sinusoidal_table(200, row.numel())
    return table[(table - row).norm(dim=1).argmin() + k]


def shift_by_fine_table(row, k):
    angles = torch.arange(0, 100, 0.25)[:, None] * sinusoidal_frequencies(row.numel())
    table = torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1)
    return table[(table - row).norm(dim=1).argmin() + 4 * k]


def shift_from_slowest(row, k):
    slow = sinusoidal_frequencies(row.numel())
    position = (torch.atan2(row[-2], row[-1]) / slow[-1]).round()
    angles = (position + k) * slow
    return torch.stack((angles.sin(), angles.cos()), dim=1).flatten()


def shift_from_fastest(row, k):
    position = torch.atan2(row[0], row[1])
    angles = (position + k) * sinusoidal_frequencies(row.numel())
    moved = torch.stack((angles.sin(), angles.cos()), dim=1).flatten()
    return moved if k else row


def shift_for_known_steps(known):
    def shift(row, k):
        return shift_by(1)(row, k) if k in known else row

    return shift


def shift_angles(row, k):
    angles = torch.atan2(row[0::2], row[1::2]) + k * sinusoidal_frequencies(row.numel())
    return torch.stack((angles.sin(), angles.cos()), dim=1).flatten()


RIGHT = [
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.050, 0.999], 0.01)),
    ("ex-encode-code", (lambda n, d: halves(sinusoidal_table(n, d)),)),
    ("ex-shift-code", (shift_by(1),)),
    ("ex-shift-code", (shift_angles,)),
    ("ex-shift-code", (lambda row, k: shift_by(1)(row, k).numpy(),)),
    ("ex-shift-code", (lambda row, k: shift_by(1)(row.float(), k),)),
    ("ex-full-turns", (46, 181)),
    ("ex-full-turns", (torch.tensor(46), torch.tensor(181))),
    ("ex-full-turns", (46.0, torch.tensor(181.0))),
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
    ("ex-shift-code", (shift_by_table,), "1,000,000.5"),
    ("ex-shift-code", (shift_by_fine_table,), "1,000,000.5"),
    ("ex-shift-code", (shift_from_slowest,), "1,000,000.5"),
    ("ex-shift-code", (shift_from_fastest,), "position 12"),
    ("ex-shift-code", (shift_for_known_steps((0, 7, -2)),), "1,000,000.5"),
    ("ex-full-turns", (0.5, 181), "whole numbers"),
    ("ex-full-turns", (181, 46), "count the wavelengths"),
    ("ex-full-turns", (45, 181), "32 positions"),
    ("ex-full-turns", (46, 180), "4,096 positions"),
]

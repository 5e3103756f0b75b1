"""Answers to the exercises on sinusoidal positions, right ones and wrong ones."""

import math

import numpy as np
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


def encode_by_the_table(length, d):
    """The right numbers, from the table that the text forbids."""
    return halves(sinusoidal_table(length, d))


def interleaved(length, d):
    """The layout of the chapter, without its table."""
    sines, cosines = encode_at(sinusoidal_frequencies(d), length).chunk(2, dim=1)
    return torch.stack((sines, cosines), dim=2).flatten(1)


def encode(length, d):
    return encode_at(sinusoidal_frequencies(d), length)


def encode_in_float32(length, d):
    places = torch.arange(length, dtype=torch.float32)[:, None]
    angles = places / 10_000 ** (torch.arange(0, d, 2, dtype=torch.float32) / d)
    return torch.cat((angles.sin(), angles.cos()), dim=1)


def encode_with(exponent, base=10_000.0):
    def answer(length, d):
        return encode_at(base ** -exponent(torch.arange(d // 2), d), length)

    return answer


def encode_from_one(length, d):
    """Right in the first row alone."""
    moved = encode(length + 1, d)
    return torch.cat((moved[:1], moved[2:]))


def encode_in_a_loop(length, d):
    """The right numbers, place by place."""
    rows = []
    for place in range(length):
        angles = [place / 10_000 ** (2 * i / d) for i in range(d // 2)]
        rows.append([math.sin(a) for a in angles] + [math.cos(a) for a in angles])
    return torch.tensor(rows)


def encode_in_numpy(length, d):
    angles = np.arange(length)[:, None] * 10_000.0 ** (-2 * np.arange(d // 2) / d)
    return np.concatenate((np.sin(angles), np.cos(angles)), axis=1)


def encode_the_first(most):
    """From there on the positions begin anew."""

    def answer(length, d):
        angles = torch.arange(length)[:, None] % most * sinusoidal_frequencies(d)
        return torch.cat((angles.sin(), angles.cos()), dim=1)

    return answer


def cosines_first(length, d):
    return encode(length, d).roll(d // 2, dims=1)


def shift_of_eight(row, k):
    """Right for rows of eight features."""
    turn = sinusoidal_frequencies(8) * k
    turn = torch.cat((turn, turn.new_zeros(row.numel() // 2)))[: row.numel() // 2]
    angles = torch.atan2(row[0::2], row[1::2]) + turn
    return torch.stack((angles.sin(), angles.cos()), dim=1).flatten()


def shift_from_slowest_in_many_turns(row, k):
    """Finds a position: with eight features all hands are back when the last one is."""
    frequencies = sinusoidal_frequencies(row.numel())
    position = torch.atan2(row[-2], row[-1]) / frequencies[-1]
    angles = (position + k) * frequencies
    return torch.stack((angles.sin(), angles.cos()), dim=1).flatten()


def position_of(row):
    return (sinusoidal_table(5000, len(row)) @ row.double()).argmax().item()


def nearest_row(row):
    return (sinusoidal_table(5000, len(row)) - row.double()).norm(dim=1).argmin()


def read_from_slow_to_fast(row):
    """The right answer without a table: each hand corrects what slower ones said."""
    place = torch.tensor(0.0, dtype=torch.float64)
    for i in reversed(range(len(row) // 2)):
        frequency = sinusoidal_frequencies(len(row))[i]
        angle = torch.atan2(row[2 * i].double(), row[2 * i + 1].double())
        turns = ((place * frequency - angle) / (2 * torch.pi)).round()
        place = (angle + 2 * torch.pi * turns) / frequency
    return int(place.round())


def slowest_hand(row):
    slowest = sinusoidal_frequencies(len(row))[-1]
    return int((torch.atan2(row[-2], row[-1]) / slowest).round().clamp(0, 4999))


def fastest_hand(row):
    return int(torch.atan2(row[0], row[1]).remainder(2 * torch.pi).round())


def among_the_first(most):
    return lambda row: (sinusoidal_table(most, len(row)) @ row.double()).argmax().item()


def by_two_features(row):
    table = sinusoidal_table(5000, len(row))[:, :2]
    return (table - row[:2].double()).norm(dim=1).argmin().item()


def of_sixteen_features(row):
    return (sinusoidal_table(5000, 16) @ row[:16].double()).argmax().item()


def of_sixty_four_features(row):
    """Reads the fast hands of a longer row with those of a shorter one."""
    read = row[:64].double()
    return (sinusoidal_table(5000, len(read)) @ read).argmax().item()


def shift_a_hundred_at_most(row, k):
    return shift_by(1)(row, min(k, 100))


RIGHT = [
    ("ex-read-clock", (position_of,)),
    ("ex-read-clock", (nearest_row,)),
    ("ex-read-clock", (read_from_slow_to_fast,)),
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.050, 0.999], 0.01)),
    ("ex-encode-code", (encode,)),
    ("ex-encode-code", (encode_in_numpy,)),
    ("ex-encode-code", (encode_in_float32,)),
    ("ex-encode-code", (encode_with(lambda i, d: 2 * i / d),)),
    ("ex-shift-code", (shift_by(1),)),
    ("ex-shift-code", (shift_angles,)),
    ("ex-shift-code", (lambda row, k: shift_by(1)(row, k).numpy(),)),
    ("ex-shift-code", (lambda row, k: shift_by(1)(row.float(), k),)),
    ("ex-full-turns", (46, 181)),
    ("ex-full-turns", (torch.tensor(46), torch.tensor(181))),
    ("ex-full-turns", (46.0, torch.tensor(181.0))),
    ("ex-encode-by-hand", ([-0.9589, 0.2837, math.sin(0.05), 0.99875], 0.0096)),
    ("ex-encode-code", ([[0, 0, 1, 1], [0.8415, 0.01, 0.5403, 0.9999]],)),
    ("ex-encode-code", (torch.tensor([[0.0, 0, 1, 1], [0.8415, 0.01, 0.5403, 1.0]]),)),
    ("ex-encode-code", ([list("0011"), ["84.15%", "1/100", "0.54", "1"]],)),
]

WRONG = [
    ("ex-read-clock", (lambda row: 2.5,), "whole number"),
    ("ex-read-clock", (lambda row: -1,), "whole number"),
    ("ex-read-clock", (lambda row: 7,), "0 to 5"),
    ("ex-read-clock", (slowest_hand,), "0 to 5"),
    ("ex-read-clock", (fastest_hand,), "first turn"),
    ("ex-read-clock", (among_the_first(50),), "first turn"),
    ("ex-read-clock", (among_the_first(1000),), "far positions"),
    ("ex-read-clock", (by_two_features,), "0 to 5"),
    ("ex-read-clock", (of_sixteen_features,), "far positions"),
    ("ex-read-clock", (of_sixty_four_features,), "far positions"),
    ("ex-encode-by-hand", ([0.284], 0.01), "four numbers"),
    ("ex-encode-by-hand", ([0, 1, 0, 1], 0.01), "one radian"),
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.005, 1], 0.01), "0.01 radians"),
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.05, 0.999], 1.01), "distance"),
    ("ex-encode-by-hand", ([0.284, -0.959, 0.999, 0.050], 0.01), "one radian"),
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.479, 0.878], 0.01), "0.01 radians"),
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.0005, 1.0], 0.01), "0.01 radians"),
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.050, 1.0], 0.01), "0.01 radians"),
    ("ex-encode-by-hand", ([-0.96, 0.28, 0.05, 1.0], 0.01), "one radian"),
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.050, 0.999], -0.99), "distance"),
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.050, 0.999], 0.0), "distance"),
    ("ex-encode-code", (lambda n, d: encode(n, d).T,), "one row"),
    ("ex-encode-code", (interleaved,), "position 0"),
    ("ex-encode-code", (encode_slowly,), "one radian"),
    ("ex-encode-code", (encode_with_features,), "what does i count"),
    ("ex-encode-code", (encode_by_the_table,), "without our table"),
    ("ex-encode-code", (encode_in_a_loop,), "without a loop"),
    ("ex-encode-code", (encode_with(lambda i, d: i / d),), "what does i count"),
    (
        "ex-encode-code",
        (encode_with(lambda i, d: 2 * i / (d - 2)),),
        "what does i count",
    ),
    (
        "ex-encode-code",
        (encode_with(lambda i, d: 2 * i / d, base=1000.0),),
        "what does i count",
    ),
    ("ex-encode-code", (encode_with(lambda i, d: (2 * i + 1) / d),), "one radian"),
    ("ex-encode-code", (encode_from_one,), "one radian"),
    ("ex-encode-code", (encode_the_first(100),), "in the right steps"),
    ("ex-encode-code", (cosines_first,), "position 0"),
    ("ex-shift-code", (lambda row, k: row[:2],), "shape"),
    ("ex-shift-code", (lambda row, k: row + 1,), "shift by 0"),
    ("ex-shift-code", (lambda row, k: row * (1 + k),), "length of the vector"),
    ("ex-shift-code", (shift_by(-1),), "position 12"),
    ("ex-shift-code", (shift_forward_only,), "backwards"),
    ("ex-shift-code", (shift_by_table,), "1,000,000.5"),
    ("ex-shift-code", (shift_by_fine_table,), "1,000,000.5"),
    ("ex-shift-code", (shift_from_slowest,), "1,000,000.5"),
    ("ex-shift-code", (shift_from_fastest,), "position 12"),
    ("ex-shift-code", (shift_from_slowest_in_many_turns,), "1,000,000.5"),
    ("ex-shift-code", (shift_for_known_steps((0, 7, -2)),), "1,000,000.5"),
    ("ex-shift-code", (shift_of_eight,), "position 12"),
    ("ex-shift-code", (shift_a_hundred_at_most,), "1,000,000.5"),
    ("ex-full-turns", (0.5, 181), "whole numbers"),
    ("ex-full-turns", (181, 46), "count the wavelengths"),
    ("ex-full-turns", (45, 181), "32 positions"),
    ("ex-full-turns", (46, 180), "4,096 positions"),
    ("ex-full-turns", (47, 182), "32 positions"),
    ("ex-full-turns", (97, 232), "32 positions"),
    ("ex-full-turns", (46, 182), "4,096 positions"),
    ("ex-full-turns", (46, 232), "4,096 positions"),
    ("ex-full-turns", (46, 256), "count the wavelengths"),
    ("ex-encode-code", ([[0, 1, 0, 1], [0.8415, 0.5403, 0.01, 1]],), "all sines are 0"),
    ("ex-encode-code", ([[0, 0, 1, 1], [0.8415, 0.5403, 0.01, 1]],), "turns by 1"),
    (
        "ex-encode-code",
        ([[0, 0, 1, 1], [0.8415, 0.0001, 0.5403, 1]],),
        "100 times slower",
    ),
    (
        "ex-encode-code",
        ([[0, 0, 1, 1], [0.8415, 0.0998, 0.5403, 0.995]],),
        "100 times slower",
    ),
    ("ex-encode-code", ([[0, 0, 1, 1], [0.0175, 0.0002, 0.9998, 1]],), "turns by 1"),
    ("ex-encode-code", ([[1, 1, 0, 0], [0.5403, 1, 0.8415, 0.01]],), "all sines are 0"),
    (
        "ex-encode-code",
        ([[0.8415, 0.01, 0.5403, 1], [0.9093, 0.02, -0.4161, 1]],),
        "all sines are 0",
    ),
    ("ex-encode-code", ([[0, 1], [0.8415, 0.5403]],), "two rows of four"),
]

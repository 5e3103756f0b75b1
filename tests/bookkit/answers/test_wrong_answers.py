"""Each property of an exercise catches an answer that lacks it."""

import math

import pytest
import torch
import torch.nn.functional as F

from bookkit.answers.norm_placement import stacked
from bookkit.answers.sinusoidal import halves
from bookkit.exercises import check
from transformer.layers import causal_mask, sinusoidal_frequencies, sinusoidal_table


def attend_unscaled(query, key, value):
    return (query @ key.mT).softmax(dim=-1) @ value


def attend_over_queries(query, key, value):
    return (query @ key.mT / query.size(-1) ** 0.5).softmax(dim=1) @ value


def attend_first_batch(query, key, value):
    return attend_unscaled(query, key, value)[0]


def attend_in_order(query, key, value):
    scores = query @ key.mT + torch.arange(key.size(1))
    return scores.softmax(dim=-1) @ value


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


def send(final=True, before="pre"):
    """The right answer, or one that lacks a part."""

    def answer(x, sublayers, norm, placement):
        y = stacked(x, before if placement == "pre" else placement)
        return norm(y) if placement == "pre" and final else y

    return answer


def send_sums(x, sublayers, norm, placement):
    for sublayer in sublayers:
        x = x + sublayer(x)
    return norm(x)


RIGHT = [
    ("ex-attention-by-hand", ([1 / 8, 2 / 8, 5 / 8], 2.0)),
    ("ex-attention-code", (F.scaled_dot_product_attention,)),
    ("ex-louder-queries", ("sharper", "unchanged", "unchanged")),
    ("ex-encode-by-hand", ([-0.959, 0.284, 0.050, 0.999], 0.01)),
    ("ex-encode-code", (lambda n, d: halves(sinusoidal_table(n, d)),)),
    ("ex-shift-code", (shift_by(1),)),
    ("ex-full-turns", (46, 181)),
    ("ex-shares-by-hand", (5, 0.45, 0.2)),
    ("ex-placement-code", (send(),)),
    ("ex-damp-code", (lambda change, count: change / count**0.5,)),
    ("ex-deeper", ("grows", "stays", "shrinks", "stays")),
]

WRONG = [
    ("ex-attention-by-hand", ([1.0], 2.0), "three weights"),
    ("ex-attention-by-hand", ([1, 2, 5], 2.0), "sum to one"),
    ("ex-attention-by-hand", ([0.2, 0.3, 0.5], 2.0), "double the weight"),
    ("ex-attention-by-hand", ([0.2, 0.4, 0.4], 2.0), "third weight"),
    ("ex-attention-by-hand", ([1 / 8, 2 / 8, 5 / 8], 4.0), "weighted mean"),
    ("ex-attention-code", (attend_first_batch,), "shape"),
    ("ex-attention-code", (attend_over_queries,), "between the smallest"),
    ("ex-attention-code", (attend_in_order,), "shuffling"),
    ("ex-attention-code", (attend_unscaled,), "scale"),
    ("ex-window-mask", (lambda n, r: torch.ones(n, n),), "Boolean"),
    ("ex-window-mask", (lambda n, r: causal_mask(n)[:2],), "one row for each query"),
    ("ex-window-mask", (lambda n, r: causal_mask(n),), "radius 0"),
    ("ex-window-mask", (lambda n, r: torch.eye(n).bool(),), "at most radius"),
    ("ex-louder-queries", ("louder", "unchanged", "unchanged"), "answer with"),
    ("ex-louder-queries", ("unchanged", "unchanged", "unchanged"), "doubling"),
    ("ex-louder-queries", ("sharper", "flatter", "unchanged"), "added to every key"),
    ("ex-louder-queries", ("sharper", "unchanged", "flatter"), "halved key"),
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
    ("ex-shares-by-hand", (4, 0.45, 0.2), "add up"),
    ("ex-shares-by-hand", (5, 0.2, 0.2), "root of the input's share"),
    ("ex-shares-by-hand", (5, 0.45, 0.45), "shrinks by one factor"),
    ("ex-placement-code", (lambda x, *_: x[0],), "shape"),
    ("ex-placement-code", (send_sums,), "normalize each sum"),
    ("ex-placement-code", (send(before="post"),), "what each sublayer reads"),
    ("ex-placement-code", (send(final=False),), "final norm"),
    ("ex-damp-code", (lambda change, count: change.sum(),), "shape"),
    ("ex-damp-code", (lambda change, count: 0 * change,), "stay as it is"),
    ("ex-damp-code", (lambda change, count: change / count,), "after 100 changes"),
    (
        "ex-damp-code",
        (lambda c, n: c / n**0.5 + (n == 7),),
        "multiple",
    ),
    ("ex-deeper", ("more", "stays", "shrinks", "stays"), "answer with"),
    ("ex-deeper", ("stays", "stays", "shrinks", "stays"), "the stream, or its norm"),
    ("ex-deeper", ("grows", "stays", "grows", "stays"), "fixed size"),
    ("ex-deeper", ("grows", "stays", "shrinks", "grows"), "last norm"),
]


@pytest.fixture(autouse=True)
def _double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize(("label", "answer"), RIGHT)
def test_a_right_answer_passes(label, answer, capsys):
    check(label, *answer)
    assert "properties hold" in capsys.readouterr().out


@pytest.mark.parametrize(("label", "answer", "complaint"), WRONG)
def test_a_wrong_answer_is_told_what_is_missing(label, answer, complaint, capsys):
    check(label, *answer)
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("Not yet: ")
    assert complaint in said
    assert "stopped with" not in said


def test_the_window_of_the_book_passes(capsys):
    def window(length, radius):
        position = torch.arange(length)
        return (position[:, None] - position).abs() <= radius

    check("ex-window-mask", window)
    assert "All 4 properties hold" in capsys.readouterr().out


def test_by_hand_tolerates_the_rounding_it_asks_for(capsys):
    check("ex-encode-by-hand", [-0.9589, 0.2837, math.sin(0.05), 0.99875], 0.0096)
    assert "All 4" in capsys.readouterr().out

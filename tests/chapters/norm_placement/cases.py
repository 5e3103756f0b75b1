"""Answers to the exercises on norm placement, right ones and wrong ones."""

import torch

from chapters.norm_placement.answers import stacked
from chapters.start import gaussian


def send(final=True, before="pre"):
    """The right answer, or one that lacks a part."""

    def answer(x, sublayers, norm, placement):
        kind = before if placement == "pre" else placement
        y = stacked(x, kind, sublayers)
        return norm(y) if placement == "pre" and final else y

    return answer


def send_sums(x, sublayers, norm, placement):
    for sublayer in sublayers:
        x = x + sublayer(x)
    return norm(x)


def send_by(step, *, end=lambda x, norm: x, start=lambda x, norm: x):
    """A stack of steps of another kind, in whatever placement."""

    def answer(x, sublayers, norm, placement):
        x = start(x, norm)
        for sublayer in sublayers:
            x = step(x, sublayer, norm, placement)
        return end(x, norm) if placement == "pre" else x

    return answer


def with_step(pre=None, post=None):
    """Pre-norm or post-norm with another step, the other as it is to be."""
    steps = {
        "pre": pre or (lambda x, sublayer, norm: x + sublayer(norm(x))),
        "post": post or (lambda x, sublayer, norm: norm(x + sublayer(x))),
    }
    return send_by(
        lambda x, sublayer, norm, placement: steps[placement](x, sublayer, norm),
        end=lambda x, norm: norm(x),
    )


def send_three(x, sublayers, norm, placement):
    """Knows three sublayers."""
    return send()(x, sublayers[:3], norm, placement)


def send_backwards(x, sublayers, norm, placement):
    return with_step()(x, sublayers[::-1], norm, placement)


def normed_at_both_ends(x, sublayers, norm, placement):
    y = with_step()(x, sublayers, norm, placement)
    return norm(y) if placement == "post" else y


def damp_by_the_table(change, count):
    """Knows the counts of the text."""
    return change / {1: 1.0, 100: 10.0}.get(count, 2.0)


def damp_on_a_line(change, count):
    return change / (1 + (count - 1) / 11)


def damp_to_the_size(change, count):
    """Makes the change as large as it should be, whatever it is."""
    return change / change.square().mean().sqrt() / count**0.5


def damp_by_two(change, count):
    """The factor of GPT-2 for `count` layers of two sublayers."""
    return change / (2 * count) ** 0.5


def by_echo(loud, least=0.9):
    """Listens for the input in the output, when it comes in so loud."""

    def order(stack):
        x = gaussian(64, seed=3)
        y = stack(loud * (x - x.mean()))
        return "pre" if torch.cosine_similarity(x, y, dim=0) > least else "post"

    return order


def by_size(stack):
    return "pre" if stack(gaussian(5, 64, seed=1)).var() > 1.5 else "post"


def by_growth(stack):
    """Asks whether a larger input makes a larger output."""
    x = gaussian(5, 64, seed=1)
    return "pre" if stack(1e3 * x).var() > 10 * stack(x).var() else "post"


def by_scale(stack):
    """Takes every stack that notices the scale for pre-norm."""
    x = gaussian(5, 64, seed=1)
    return "post" if torch.allclose(stack(x), stack(100 * x), atol=1e-3) else "pre"


def by_slope(stack):
    """Compares a loud input and its double: in pre-norm only the input counts."""
    x = gaussian(64, seed=4)
    loud = torch.stack([stack(1e5 * x), stack(1e5 * (x + x.roll(1)))])
    both = torch.stack([x, x + x.roll(1)])
    both = both - both.mean(dim=-1, keepdim=True)
    return "Pre" if torch.cosine_similarity(loud, both).min() > 0.8 else "Post"


RIGHT = [
    ("ex-which-order", (by_echo(1e6),)),
    ("ex-which-order", (by_slope,)),
    ("ex-shares-by-hand", (5, 0.45, 0.2)),
    ("ex-placement-code", (send(),)),
    ("ex-damp-code", (lambda change, count: change / count**0.5,)),
    ("ex-deeper", ("grows", "stays", "shrinks", "stays")),
    ("ex-damp-code", (0.5, 0.1)),
    ("ex-damp-code", ("1/2", "10%")),
    ("ex-damp-code", ("1/sqrt(4)", "1/\u221a100")),
]

WRONG = [
    ("ex-which-order", (lambda stack: True,), "answer with"),
    ("ex-which-order", (lambda stack: "pre",), "these stacks were post-norm"),
    ("ex-which-order", (lambda stack: "post",), "without a final norm"),
    ("ex-which-order", (by_size,), "its final norm hides"),
    ("ex-which-order", (by_growth,), "its final norm hides"),
    ("ex-which-order", (by_scale,), "these stacks were post-norm"),
    ("ex-which-order", (by_echo(1),), "this stack was pre-norm"),
    ("ex-which-order", (by_echo(1, least=0.2),), "so deep"),
    ("ex-which-order", (by_echo(20),), "so deep"),
    ("ex-which-order", (by_echo(10, least=0.5),), "so deep"),
    ("ex-shares-by-hand", (4, 0.45, 0.2), "add up"),
    ("ex-shares-by-hand", (5, 0.2, 0.2), "root of the input's share"),
    ("ex-shares-by-hand", (5, 0.45, 0.45), "shrinks by one factor"),
    ("ex-shares-by-hand", (1.5, 0.45, 0.2), "add up"),
    ("ex-shares-by-hand", (25.6, 0.45, 0.2), "add up"),
    ("ex-shares-by-hand", (5, 0.5, 0.2), "root of the input's share"),
    ("ex-shares-by-hand", (5, 2.24, 0.2), "root of the input's share"),
    ("ex-shares-by-hand", (5, 0.45, 0.04), "shrinks by one factor"),
    ("ex-shares-by-hand", (5, 0.45, 0.06), "shrinks by one factor"),
    ("ex-shares-by-hand", (5, 0.45, 0.19), "shrinks by one factor"),
    ("ex-placement-code", (lambda x, *_: x[0],), "shape"),
    ("ex-placement-code", (send_sums,), "normalize each sum"),
    ("ex-placement-code", (send(before="post"),), "what each sublayer reads"),
    ("ex-placement-code", (send(final=False),), "final norm"),
    (
        "ex-placement-code",
        (with_step(pre=lambda x, f, norm: norm(x) + f(norm(x))),),
        "what each sublayer reads",
    ),
    (
        "ex-placement-code",
        (with_step(pre=lambda x, f, norm: x + norm(f(x))),),
        "what each sublayer reads",
    ),
    (
        "ex-placement-code",
        (with_step(pre=lambda x, f, norm: x + f(x)),),
        "what each sublayer reads",
    ),
    (
        "ex-placement-code",
        (with_step(post=lambda x, f, norm: x + norm(f(x))),),
        "normalize each sum",
    ),
    (
        "ex-placement-code",
        (with_step(post=lambda x, f, norm: norm(x) + f(x)),),
        "normalize each sum",
    ),
    ("ex-placement-code", (normed_at_both_ends,), "normalize each sum"),
    ("ex-placement-code", (send_backwards,), "normalize each sum"),
    ("ex-placement-code", (send_three,), "normalize each sum"),
    (
        "ex-placement-code",
        (lambda x, fs, norm, kind: send()(x, fs, norm, kind) if fs else x,),
        "is empty",
    ),
    ("ex-damp-code", (lambda change, count: change.sum(),), "shape"),
    ("ex-damp-code", (lambda change, count: 0 * change,), "stay as it is"),
    ("ex-damp-code", (lambda change, count: change / count,), "after 100 changes"),
    (
        "ex-damp-code",
        (lambda c, n: c / n**0.5 + (n == 7),),
        "multiple",
    ),
    ("ex-damp-code", (damp_by_the_table,), "any number of changes"),
    ("ex-damp-code", (damp_on_a_line,), "any number of changes"),
    ("ex-damp-code", (damp_to_the_size,), "multiple"),
    ("ex-damp-code", (damp_by_two,), "stay as it is"),
    ("ex-damp-code", (lambda c, n: c.abs() / n**0.5,), "below zero too"),
    ("ex-damp-code", (lambda c, n: c / c.std() / n**0.5,), "multiple"),
    ("ex-damp-code", (lambda c, n: c / min(n, 100) ** 0.5,), "10,000"),
    (
        "ex-damp-code",
        (lambda change, count: change * count**-0.25,),
        "after 100 changes",
    ),
    ("ex-damp-code", (lambda change, count: change,), "after 100 changes"),
    ("ex-deeper", ("more", "stays", "shrinks", "stays"), "answer with"),
    ("ex-deeper", ("stays", "stays", "shrinks", "stays"), "the stream, or its norm"),
    ("ex-deeper", ("grows", "stays", "grows", "stays"), "fixed size"),
    ("ex-deeper", ("grows", "stays", "shrinks", "grows"), "last norm"),
    ("ex-deeper", ("grows", "grows", "shrinks", "stays"), "the stream, or its norm"),
    ("ex-deeper", ("grows", "shrinks", "shrinks", "stays"), "the stream, or its norm"),
    ("ex-deeper", ("grows", "stays", "stays", "stays"), "fixed size"),
    ("ex-deeper", ("grows", "stays", "shrinks", "shrinks"), "last norm"),
    ("ex-damp-code", (1 / 4, 1 / 100), "counts twice in a variance"),
    ("ex-damp-code", (1, 1), "counts twice in a variance"),
    ("ex-damp-code", (0.3536, 0.0707), "counts twice in a variance"),
    ("ex-damp-code", (0.7071, 0.1414), "counts twice in a variance"),
    ("ex-damp-code", (2, 10), "counts twice in a variance"),
    ("ex-damp-code", (0.5, 0.01), "no more than four did"),
    ("ex-damp-code", (0.5, 0.5), "no more than four did"),
    ("ex-damp-code", (0.5, 0.2), "no more than four did"),
]

"""Properties of the answers to the exercises on where the norm goes."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from chapters.exercises import Property
from chapters.start import gaussian
from transformer.layers import LayerNorm

WORDS = {"grows", "stays", "shrinks"}
SUBLAYERS = (torch.sin, lambda x: x.roll(1, dims=-1), lambda x: 2 * x.tanh())
STACKS = (SUBLAYERS, (torch.cos, *SUBLAYERS[::-1], torch.sin), ())


def vectors(seed: int = 0) -> Tensor:
    """Return a few random vectors that are not normalized."""
    return 3 * gaussian(3, 8, seed=seed) + 1


def norm() -> LayerNorm:
    """Return a norm whose gain and bias can be told from one and zero."""
    layer = LayerNorm(8).to(torch.get_default_device(), torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.linspace(0.5, 1.5, 8))
        layer.bias.copy_(torch.linspace(-1.0, 1.0, 8))
    return layer


def stacked(x: Tensor, placement: str, sublayers=SUBLAYERS) -> Tensor:
    """Send vectors through the sublayers, without a final norm."""
    for sublayer in sublayers:
        read = norm()(x) if placement == "pre" else x
        x = x + sublayer(read)
        x = norm()(x) if placement == "post" else x
    return x


def stacks_post_norm(send) -> bool:
    """Return whether an answer computes stacks with post-norm."""
    return all(
        torch.allclose(
            send(vectors(), stack, norm(), "post"), stacked(vectors(), "post", stack)
        )
        for stack in STACKS
    )


def stacks_pre_norm(send, *, final: bool) -> bool:
    """Return whether an answer computes stacks with pre-norm.

    Args:
        send: The answer.
        final: Whether the final norm must be there; otherwise it may be.
    """
    for stack in STACKS:
        sent = send(vectors(), stack, norm(), "pre")
        stream = stacked(vectors(), "pre", stack)
        allowed = [norm()(stream)] if final else [norm()(stream), stream]
        if not any(torch.allclose(sent, one) for one in allowed):
            return False
    return True


def variance_after(damp, count: int) -> float:
    """Return the variance of a stream of one and of `count` changes of variance one."""
    basis = torch.eye(128, dtype=torch.float64)[: count + 1] * 128**0.5
    stream = basis[0] + sum(damp(change, count) for change in basis[1:])
    return stream.square().mean().item()


def hidden_stack(
    placement: str, *, count: int, loud: float = 1.0, final: bool = True, bent=True
) -> Callable[[Tensor], Tensor]:
    """Return a stack of random sublayers, to be told by what it makes of an input.

    Args:
        placement: "pre" or "post".
        count: How many sublayers.
        loud: By what their changes are multiplied.
        final: Whether a pre-norm stack has its final norm.
        bent: Whether the sublayers are bounded; otherwise they are linear.
    """

    def unit(x: Tensor) -> Tensor:
        return F.layer_norm(x, x.shape[-1:])

    def stack(x: Tensor) -> Tensor:
        for n in range(count):
            read = unit(x) if placement == "pre" else x
            change = read @ gaussian(64, 64, seed=n).to(read) / 8
            x = x + loud * (change.tanh() if bent else change)
            x = unit(x) if placement == "post" else x
        return unit(x) if placement == "pre" and final else x

    return stack


def is_a_multiple(damp) -> bool:
    """Return whether an answer multiplies a change by one number, whatever it is."""
    change = gaussian(5, seed=0)
    return all(
        torch.allclose(damp(factor * change, 7), factor * damp(change.clone(), 7))
        for factor in (3, -1)
    ) and torch.allclose(damp(change.clone(), 10_000), change / 100)


def tells(order, *stacks: Callable[[Tensor], Tensor], placement: str) -> bool:
    """Return whether an answer names the order of all these stacks."""
    return all(str(order(stack)).lower() == placement for stack in stacks)


EXERCISES = {
    "ex-which-order": [
        Property(
            "answer with 'pre' or 'post'.",
            lambda order: (
                str(order(hidden_stack("pre", count=8))).lower() in {"pre", "post"}
            ),
        ),
        Property(
            "this stack was pre-norm, without a final norm.",
            lambda order: tells(
                order, hidden_stack("pre", count=8, final=False), placement="pre"
            ),
        ),
        Property(
            "this stack was pre-norm: its final norm hides how large the stream is.",
            lambda order: tells(order, hidden_stack("pre", count=8), placement="pre"),
        ),
        Property(
            "this stack was pre-norm, so deep that little is left of an input of "
            "normal size; can you make the input louder?",
            lambda order: tells(
                order,
                hidden_stack("pre", count=60, loud=3),
                hidden_stack("pre", count=60, bent=False),
                hidden_stack("pre", count=200, loud=4),
                placement="pre",
            ),
        ),
        Property(
            "these stacks were post-norm, of 8 and of 30 sublayers, some of them "
            "bounded and some linear.",
            lambda order: tells(
                order,
                *(
                    hidden_stack("post", count=count, loud=2, bent=bent)
                    for count in (8, 30)
                    for bent in (True, False)
                ),
                placement="post",
            ),
        ),
    ],
    "ex-shares-by-hand": [
        Property(
            "the variances of the input and of all changes must add up.",
            lambda variance, pre, post: math.isclose(variance, 5, rel_tol=1e-3),
        ),
        Property(
            "the pre-norm cosine is the root of the input's share of the variance.",
            lambda variance, pre, post: abs(pre - 1 / math.sqrt(5)) < 6e-3,
        ),
        Property(
            "in the post-norm stack the input's share shrinks by one factor at each "
            "sublayer.",
            lambda variance, pre, post: abs(post - 1.5**-4) < 6e-3,
        ),
    ],
    "ex-placement-code": [
        Property(
            "the result must have the shape of x.",
            lambda send: send(vectors(), SUBLAYERS, norm(), "post").shape == (3, 8),
        ),
        Property(
            "post-norm must normalize each sum, and nothing else.",
            stacks_post_norm,
        ),
        Property(
            "pre-norm must normalize what each sublayer reads, and add to x itself.",
            lambda send: stacks_pre_norm(send, final=False),
        ),
        Property(
            "the pre-norm stack must end with the final norm, also if its list of "
            "sublayers is empty.",
            lambda send: stacks_pre_norm(send, final=True),
        ),
    ],
    "ex-damp-code": [
        Property(
            "the result must have the shape of the change.",
            lambda damp: damp(torch.ones(5), 4).shape == (5,),
        ),
        Property(
            "a single change of variance one must stay as it is.",
            lambda damp: math.isclose(variance_after(damp, 1), 2, rel_tol=1e-6),
        ),
        Property(
            "after 100 changes the variance must be 2; by what is it divided?",
            lambda damp: math.isclose(variance_after(damp, 100), 2, rel_tol=1e-6),
        ),
        Property(
            "the result must be a multiple of the change, of numbers below zero too, "
            "and the variance 2 after any number of changes, such as 2, 7 or 10,000.",
            lambda damp: (
                is_a_multiple(damp)
                and all(
                    math.isclose(variance_after(damp, count), 2, rel_tol=1e-6)
                    for count in (2, 7, 24)
                )
            ),
        ),
    ],
    "ex-deeper": [
        Property(
            "answer with 'grows', 'stays' or 'shrinks'.",
            lambda *words: len(words) == 4 and set(words) <= WORDS,
        ),
        Property(
            "what does a pre-norm sublayer read: the stream, or its norm?",
            lambda stream, read, change, post: (stream, read) == ("grows", "stays"),
        ),
        Property(
            "compare a change of fixed size with the stream it is added to.",
            lambda stream, read, change, post: change == "shrinks",
        ),
        Property(
            "what does the last norm of a post-norm stack do to the variance?",
            lambda stream, read, change, post: post == "stays",
        ),
    ],
}

BY_HAND = {
    "ex-damp-code": [
        Property(
            "four changes must add a variance of 1 together, and a factor counts twice "
            "in a variance.",
            lambda four, hundred: math.isclose(four, 0.5, abs_tol=1e-3),
        ),
        Property(
            "a hundred changes must add no more than four did, and no less.",
            lambda four, hundred: math.isclose(hundred, 0.1, abs_tol=1e-3),
        ),
    ],
}

FIELDS = {
    "ex-damp-code": (0.5, 0.1),
    "ex-shares-by-hand": (5, 1 / math.sqrt(5), 1.5**-4),
    "ex-deeper": 4 * (WORDS,),
}

"""Properties of the answers to the exercises on convention traps."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.start import gaussian

SIZES = ((6, 6), (4, 10))  # how wide the layer is, and the half of its gated matrix
# What an added mask may block with: the lowest number of a type, or a constant.
LOW = [torch.finfo(kind).min for kind in (torch.float64, torch.float32, torch.float16)]
LOW += [-1e9, -1e4]
SYMPTOMS = {"padding mask", "causal mask", "rotary layout", "form of gelu"}


def allowed() -> Tensor:
    """Return which of five keys four queries may attend to; the last sees none."""
    rows = [1, 0, 0, 1, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0] * 5
    return torch.tensor(rows).bool()


def added(blocked: float) -> Tensor:
    """Return the mask that is added to the scores."""
    return torch.zeros(4, 5).masked_fill(~allowed(), blocked)


def reads(may_attend, mask: Tensor, kind: str) -> bool:
    """Return whether a mask is read as a Boolean one of the same meaning."""
    found = may_attend(mask, kind)
    return found.dtype == torch.bool and torch.equal(found, allowed())


def stored(width: int, d_ff: int) -> dict[str, Tensor]:
    """Return the weights of a layer as another library stores them."""
    return {
        "norm": 3 * gaussian(width, seed=1),  # some gains lie below zero
        "inner": gaussian(width, width, seed=2),
        "gated": gaussian(2 * d_ff, width, seed=3),
    }


def ported(port, name: str, mend: Callable[[Tensor], Tensor]) -> bool:
    """Return whether a weight arrives as it should, whatever the sizes."""
    pairs = [(port(stored(*s))[name], mend(stored(*s)[name])) for s in SIZES]
    return all(a.shape == b.shape and torch.allclose(a, b) for a, b in pairs)


EXERCISES = {
    "ex-traps-dialects": [
        Property(
            "a mask of kind 'allow' already says who may attend.",
            lambda read: reads(read, allowed(), "allow"),
        ),
        Property(
            "in a mask of kind 'block' True means: blocked.",
            lambda read: reads(read, ~allowed(), "block"),
        ),
        Property(
            "a mask of kind 'keep' holds the integers 1 and 0; return Booleans.",
            lambda read: reads(read, allowed().long(), "keep"),
        ),
        Property(
            "in a mask of kind 'add' 0 lets through and -inf blocks, also a whole row.",
            lambda read: reads(read, added(-torch.inf), "add"),
        ),
        Property(
            "a mask of kind 'add' may block with any large negative number instead, "
            "such as -1e9, or the lowest finite number of its type; what do all of "
            "them let through with?",
            lambda read: (
                all(reads(read, added(low), "add") for low in LOW)
                and reads(read, added(LOW[1]).float(), "add")
                and reads(read, added(LOW[2]).half(), "add")
            ),
        ),
    ],
    "ex-traps-port": [
        Property(
            "the first norm multiplies by one plus its weight, yours by its weight.",
            lambda port: ported(port, "norm", lambda gain: 1 + gain),
        ),
        Property(
            "the inner matrix is stored as (in, out), yours as (out, in).",
            lambda port: ported(port, "inner", lambda matrix: matrix.T),
        ),
        Property(
            "the rows of the gate come second in the file and first in your layer.",
            lambda port: ported(
                port, "gated", lambda gated: torch.cat(gated.chunk(2)[::-1])
            ),
        ),
    ],
    "ex-traps-which": [
        Property(
            "answer with 'padding mask', 'causal mask', 'rotary layout' and "
            "'form of GELU', each once.",
            lambda *names: len(names) == 4 and set(names) == SYMPTOMS,
        ),
        Property(
            "a: what is the same for one sentence and different in a batch?",
            lambda a, b, c, d: a == "padding mask",
        ),
        Property(
            "b: what does a model see in training that is not there when it writes?",
            lambda a, b, c, d: b == "causal mask",
        ),
        Property(
            "c: what is the identity at position 0 and nowhere else?",
            lambda a, b, c, d: c == "rotary layout",
        ),
    ],
    "ex-traps-translate": [
        Property(
            "a multiply-add is a multiplication and an addition.",
            lambda operations, perplexity, feature, factor: operations == 480,
        ),
        Property(
            "bits are logarithms to the base 2.",
            lambda operations, perplexity, feature, factor: math.isclose(
                perplexity, 8, abs_tol=5e-3
            ),
        ),
        Property(
            "over n the deviation is smaller, here by the root of 2, and what it "
            "divides comes out larger.",
            lambda operations, perplexity, feature, factor: math.isclose(
                feature, -1, abs_tol=5e-3
            ),
        ),
        Property(
            "what Gemma stores is what the gain has more than 1.",
            lambda operations, perplexity, feature, factor: math.isclose(
                factor, 1.5, abs_tol=1e-6
            ),
        ),
    ],
}

FIELDS = {
    "ex-traps-translate": (480, 8, -1, 1.5),
    "ex-traps-which": 4 * (SYMPTOMS,),
}

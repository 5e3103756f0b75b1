"""Answers to the exercises on convention traps, right ones and wrong ones."""

import torch


def reading(lets_through):
    """The right answer, or one that reads a mask of kind 'add' in its own way."""

    def answer(mask, kind):
        if kind == "add":
            return lets_through(mask)
        return ~mask if kind == "block" else mask.bool()

    return answer


may_attend = reading(lambda mask: mask == 0)


def always_inverted(mask, kind):
    return ~mask.bool()


def always_bool(mask, kind):
    return mask.bool()


def integers(mask, kind):
    return mask if kind == "keep" else may_attend(mask, kind)


def zero_blocks(mask, kind):
    return mask != 0 if kind == "add" else may_attend(mask, kind)


# Each knows some of the numbers that block, and lets the others through.
TOO_FEW = [
    lambda mask: mask > -torch.inf,
    torch.isfinite,
    lambda mask: mask > -1e30,
    lambda mask: mask > -1e9,
    lambda mask: mask > -1e5,
    lambda mask: mask > torch.finfo(torch.float16).min,
    lambda mask: mask > torch.finfo(mask.dtype).min,
    lambda mask: mask > torch.finfo(mask.dtype).min / 2,
    lambda mask: (mask != -1e9) & mask.isfinite(),
]


def porting(*names):
    """Port the named weights and leave the others."""

    def port(state):
        value, gate = state["gated"].chunk(2)
        mended = {
            "norm": 1 + state["norm"],
            "inner": state["inner"].T,
            "gated": torch.cat([gate, value]),
        }
        return state | {name: mended[name] for name in names}

    return port


RIGHT = [
    ("ex-traps-dialects", (may_attend,)),
    ("ex-traps-dialects", (reading(lambda mask: mask > -1),)),
    ("ex-traps-dialects", (reading(lambda mask: ~mask.bool()),)),
    ("ex-traps-dialects", (reading(lambda mask: mask.exp() > 0.5),)),
    ("ex-traps-dialects", (reading(lambda mask: mask.numpy() == 0),)),
    ("ex-traps-port", (porting("norm", "inner", "gated"),)),
    (
        "ex-traps-which",
        ("padding mask", "causal mask", "rotary layout", "form of GELU"),
    ),
]

WRONG = [
    ("ex-traps-dialects", (always_inverted,), "kind 'allow' already says"),
    ("ex-traps-dialects", (always_bool,), "in a mask of kind 'block'"),
    ("ex-traps-dialects", (integers,), "kind 'keep' holds"),
    ("ex-traps-dialects", (zero_blocks,), "0 lets through"),
    *(("ex-traps-dialects", (reading(few),), "the lowest finite") for few in TOO_FEW),
    ("ex-traps-port", (porting("inner", "gated"),), "one plus its weight"),
    ("ex-traps-port", (porting("norm", "gated"),), "stored as (in, out)"),
    ("ex-traps-port", (porting("norm", "inner"),), "the rows of the gate"),
    ("ex-traps-which", ("padding mask",) * 4, "each once"),
    (
        "ex-traps-which",
        ("causal mask", "padding mask", "rotary layout", "form of GELU"),
        "a: what is the same",
    ),
    (
        "ex-traps-which",
        ("padding mask", "rotary layout", "causal mask", "form of GELU"),
        "b: what does a model see",
    ),
    (
        "ex-traps-which",
        ("padding mask", "causal mask", "form of GELU", "rotary layout"),
        "c: what is the identity",
    ),
]

"""Answers to the exercises on convention traps, right ones and wrong ones."""

import torch


def may_attend(mask, kind):
    if kind == "add":
        return mask > -1e30
    return ~mask if kind == "block" else mask.bool()


def always_inverted(mask, kind):
    return ~mask.bool()


def always_bool(mask, kind):
    return mask.bool()


def integers(mask, kind):
    return mask if kind == "keep" else may_attend(mask, kind)


def zero_blocks(mask, kind):
    return mask != 0 if kind == "add" else may_attend(mask, kind)


def infinite(mask, kind):
    return mask > -torch.inf if kind == "add" else may_attend(mask, kind)


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
    ("ex-traps-dialects", (infinite,), "the lowest finite number"),
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

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


def largest_of_its_row(mask):
    return mask == mask.amax(dim=-1, keepdim=True)


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


def port_with(**how):
    """The right answer, with some weights ported in another way."""

    def port(state):
        right = porting("norm", "inner", "gated")(state)
        return right | {name: change(state[name]) for name, change in how.items()}

    return port


def first_six_rows(gated):
    return torch.cat([gated[6:], gated[:6]])


def columns(gated):
    return torch.cat(gated.chunk(2, dim=1)[::-1], dim=1)


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
    ("ex-traps-translate", (480, 8, -1, 1.5)),
    ("ex-traps-translate", ("2*240", "2^3", "\N{MINUS SIGN}1.0", "3/2")),
    ("ex-traps-translate", (480.0, "8.", -0.99999, "150%")),
]

WRONG = [
    ("ex-traps-dialects", (always_inverted,), "kind 'allow' already says"),
    ("ex-traps-dialects", (always_bool,), "in a mask of kind 'block'"),
    ("ex-traps-dialects", (integers,), "kind 'keep' holds"),
    ("ex-traps-dialects", (zero_blocks,), "0 lets through"),
    *(("ex-traps-dialects", (reading(few),), "the lowest finite") for few in TOO_FEW),
    ("ex-traps-dialects", (reading(largest_of_its_row),), "a whole row"),
    ("ex-traps-port", (porting("inner", "gated"),), "one plus its weight"),
    ("ex-traps-port", (porting("norm", "gated"),), "stored as (in, out)"),
    ("ex-traps-port", (porting("norm", "inner"),), "the rows of the gate"),
    ("ex-traps-port", (dict,), "one plus its weight"),
    ("ex-traps-port", (port_with(norm=lambda gain: 1 - gain),), "one plus its weight"),
    ("ex-traps-port", (port_with(norm=lambda gain: gain - 1),), "one plus its weight"),
    ("ex-traps-port", (port_with(norm=torch.ones_like),), "one plus its weight"),
    (
        "ex-traps-port",
        (port_with(norm=lambda gain: (1 + gain).abs()),),
        "one plus its weight",
    ),
    (
        "ex-traps-port",
        (port_with(inner=lambda matrix: matrix.flip(0, 1)),),
        "stored as (in, out)",
    ),
    (
        "ex-traps-port",
        (port_with(inner=lambda matrix: matrix.inverse()),),
        "stored as (in, out)",
    ),
    (
        "ex-traps-port",
        (port_with(gated=lambda gated: gated.flip(0)),),
        "the rows of the gate",
    ),
    ("ex-traps-port", (port_with(gated=columns),), "the rows of the gate"),
    (
        "ex-traps-port",
        (port_with(gated=lambda gated: torch.cat([gated[1::2], gated[::2]])),),
        "the rows of the gate",
    ),
    ("ex-traps-port", (port_with(gated=first_six_rows),), "the rows of the gate"),
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
    (
        "ex-traps-which",
        ("padding mask", "causal mask", "rotary layout", "rotary layout"),
        "each once",
    ),
    (
        "ex-traps-which",
        ("rotary layout", "causal mask", "padding mask", "form of GELU"),
        "a: what is the same",
    ),
    (
        "ex-traps-which",
        ("form of GELU", "causal mask", "rotary layout", "padding mask"),
        "a: what is the same",
    ),
    (
        "ex-traps-which",
        ("padding mask", "form of GELU", "rotary layout", "causal mask"),
        "b: what does a model see",
    ),
    ("ex-traps-translate", (240, 8, -1, 1.5), "a multiplication and an addition"),
    ("ex-traps-translate", (120, 8, -1, 1.5), "a multiplication and an addition"),
    ("ex-traps-translate", (480, 20.0855, -1, 1.5), "to the base 2"),
    ("ex-traps-translate", (480, 9, -1, 1.5), "to the base 2"),
    ("ex-traps-translate", (480, 6, -1, 1.5), "to the base 2"),
    ("ex-traps-translate", (480, 8, -0.5, 1.5), "the root of 2"),
    ("ex-traps-translate", (480, 8, -0.7071, 1.5), "the root of 2"),
    ("ex-traps-translate", (480, 8, 1, 1.5), "the root of 2"),
    ("ex-traps-translate", (480, 8, -1, 0.5), "more than 1"),
    ("ex-traps-translate", (480, 8, -1, 2), "more than 1"),
]

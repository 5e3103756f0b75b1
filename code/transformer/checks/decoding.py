"""Checks of decoding: what must hold, what came, what to do."""

from collections.abc import Iterable, Mapping
from numbers import Integral, Real

import torch
from torch import Tensor

from transformer.checks.values import (
    check_flag,
    check_kind,
    check_positive,
    check_size,
    shown_number,
)

# Tables of positions end somewhere; all other kinds go on.
TABLES = ("learned", "sinusoidal")


def check_id(name: str, value: object, vocab_size: int) -> None:
    """Check that a value is the id of a token."""
    check_size(name, value, minimum=0)
    if value >= vocab_size:
        raise ValueError(
            f"{name} must be below vocab_size={vocab_size}, got {value}; pass an id "
            "that the model knows."
        )


def check_ids(name: str, ids: list | tuple) -> None:
    """Check that a list holds the ids of one text, or of several."""
    nested = [isinstance(row, list | tuple) for row in ids]
    if any(nested) and not all(nested):
        raise TypeError(
            f"{name} must be a list of ids, or of such lists, got {ids!r:.40}; pass "
            "one of both."
        )
    rows = ids if any(nested) else [ids]
    for id in (id for row in rows for id in row):
        if isinstance(id, bool) or not isinstance(id, Integral):
            raise TypeError(
                f"{name} must be ids, which are whole numbers, got {id!r:.40}; turn "
                "text into ids with tokenizer.encode."
            )
    if not all(rows):
        raise ValueError(
            f"{name} must hold at least one id for each text, got {ids!r:.40}; begin "
            "each text."
        )


def check_start(bos_id: object, vocab_size: int, *, wanted: bool) -> None:
    """Check that `bos_id` is an id if the model wants one, and is left out if not."""
    if not wanted:
        if bos_id is not None:
            raise ValueError(
                "a decoder-only model starts from its prompt, got "
                f"bos_id={bos_id!r}; put that token in front of the prompt."
            )
    elif bos_id is None:
        raise ValueError(
            "an encoder-decoder must have a token that starts its target, got "
            "bos_id=None; pass the id with which targets began in training, such as "
            "BOS_ID of transformer.data."
        )
    else:
        check_id("bos_id", bos_id, vocab_size)


def end_ids(eos_id: object, vocab_size: int) -> tuple[int, ...]:
    """Return the tokens that end a text, each an id of the vocabulary."""
    if eos_id is None:
        return ()
    ends = tuple(eos_id) if isinstance(eos_id, list | tuple | set) else (eos_id,)
    for end in ends:
        check_id("eos_id", end, vocab_size)
    return ends


def check_compile(compile: object, *, use_cache: bool) -> None:
    """Check that compiled steps are asked for with a cache only."""
    check_flag("compile", compile)
    if compile and not use_cache:
        raise ValueError(
            "compile=True needs the cache, got use_cache=False: only a step that reads "
            "one token has a fixed size; leave one of the two out."
        )


def check_prompts(real: Tensor) -> None:
    """Check that each prompt starts with a token and has no holes."""
    first, holes = real[:, 0], ~real[:, :-1] & real[:, 1:]
    if not bool(first.all()) or bool(holes.any()):
        wrong = int((~first | holes.any(dim=1)).nonzero()[0])
        raise ValueError(
            "prompts must hold real tokens first and padding after them, got other "
            f"places in row {wrong}; pad on the right, and pass mask= if the token "
            "that pads also means something."
        )


def check_length(longest: int, new: int, *, position: str, max_len: int) -> None:
    """Check that each token that is read has a position; the last one is not read."""
    if position in TABLES and longest + new - 1 > max_len:
        raise ValueError(
            f"a model with {position} positions must have one for each token it "
            f"reads, got {longest} + {new} - 1 tokens for max_len={max_len};"
            " shorten the prompt or lower max_new_tokens."
        )


def check_randomness(generator: object, seed: object) -> None:
    """Check that at most one of `generator` and `seed` is given, and that it is valid.

    A generator must draw on the CPU.
    """
    check_kind("generator", generator, torch.Generator | None)
    if generator is not None and seed is not None:
        raise ValueError(
            "random numbers must come from one place, got a generator and "
            f"seed={seed!r}; pass one of them."
        )
    if generator is not None and generator.device.type != "cpu":
        raise ValueError(
            "random numbers are drawn on the CPU, so that every device samples the "
            f"same, got a generator on {generator.device}; make one without device."
        )
    if seed is not None:
        check_size("seed", seed, minimum=0, maximum=None)
        if seed >= 2**64:
            raise ValueError(
                f"seed must be below 2**64, got {shown_number(seed)}; pass a smaller "
                "number."
            )


def check_way(
    filters: Mapping[str, object],
    drawing: Iterable[str],
    search: Iterable[str],
    beam_width: object,
) -> None:
    """Check that the options of `generate` ask for one way of decoding.

    Args:
        filters: Options that ask for sampling, by name.
        drawing: Names of options that only sampling reads, and do not ask for it.
        search: Names of options that only a beam search reads.
        beam_width: What asks for a beam search, if it is above 1.
    """
    check_size("beam_width", beam_width)
    sampling = [*filters, *drawing]
    if sampling and beam_width > 1:
        raise ValueError(
            f"there must be one way of decoding, got {' and '.join(sampling)} for "
            f"sampling and beam_width={beam_width} for a beam search; leave one out."
        )
    if sampling and not filters:
        raise ValueError(
            f"{' and '.join(sampling)} must come with sampling, got no temperature, "
            "top_k, top_p or min_p; pass temperature=1.0 to draw each token."
        )
    if search and beam_width == 1:
        raise ValueError(
            f"{' and '.join(search)} must come with a beam search, got beam_width=1; "
            "pass a wider one, such as beam_width=4."
        )


def check_watch(watch: object, beam_width: int) -> None:
    """Check that what is shown after each step stays."""
    if watch is not None and beam_width > 1:
        raise ValueError(
            "watch must come with greedy decoding or sampling, got "
            f"beam_width={beam_width}; a beam search takes tokens back."
        )


def check_beam(beam_width: object, num_results: object) -> None:
    """Check that a beam has texts, and at least as many as are asked for."""
    check_size("beam_width", beam_width)
    check_size("num_results", num_results)
    if num_results > beam_width:
        raise ValueError(
            f"num_results must be at most beam_width={beam_width}, got {num_results}; "
            "widen the beam or ask for fewer."
        )


def check_ended(length: object) -> None:
    """Check that the length of a text is a number, or a tensor of some."""
    if isinstance(length, bool) or not isinstance(length, Real | Tensor):
        raise TypeError(
            "length must be a number of tokens, or a tensor of such numbers, got "
            f"{length!r:.40} ({type(length).__name__}); pass an int."
        )


def check_length_penalty(length_penalty: object) -> None:
    """Check that the exponent of a length is 0 or more."""
    is_number = isinstance(length_penalty, int | float)
    if not is_number or length_penalty != 0 or isinstance(length_penalty, bool):
        check_positive("length_penalty, if not 0,", length_penalty)

"""Checks at the doors of decoding: what must hold, what came, what to do."""

import torch
from torch import Tensor

from transformer.checks.values import check_kind, check_positive, check_size
from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer, Transformer

GenerativeModel = Transformer | DecoderOnlyTransformer
# Tables of positions end somewhere; all other kinds go on.
TABLES = ("learned", "sinusoidal")


def check_id(name: str, value: object, vocab_size: int) -> None:
    """Refuse what is not the id of a token."""
    check_size(name, value, minimum=0)
    if value >= vocab_size:
        raise ValueError(
            f"{name} must be below vocab_size={vocab_size}, got {value}; pass an id "
            "that the model knows."
        )


def check_start(model: GenerativeModel, bos_id: object) -> None:
    """Refuse an encoder-decoder without a first token, and a prompt with a second."""
    if not isinstance(model, Transformer):
        if bos_id is not None:
            raise ValueError(
                "a decoder-only model starts from its prompt, got "
                f"bos_id={bos_id!r}; put that token in front of the prompt."
            )
    elif bos_id is None:
        raise ValueError(
            "an encoder-decoder must have a token that starts its target, got "
            "bos_id=None; pass the id with which targets began in training."
        )
    else:
        check_id("bos_id", bos_id, model.config.vocab_size)


def check_end(model: GenerativeModel, eos_id: object) -> None:
    """Refuse a token that ends a text, if there is one, and that is none."""
    check_kind("model", model, GenerativeModel)
    if eos_id is not None:
        check_id("eos_id", eos_id, model.config.vocab_size)


def check_prompts(real: Tensor) -> None:
    """Refuse prompts that do not start with a token, or with holes in them."""
    first, holes = real[:, 0], ~real[:, :-1] & real[:, 1:]
    if not bool(first.all()) or bool(holes.any()):
        wrong = int((~first | holes.any(dim=1)).nonzero()[0])
        raise ValueError(
            "prompts must hold real tokens first and padding after them, got other "
            f"places in row {wrong}; pad on the right, and pass mask= if the token "
            "that pads also means something."
        )


def check_length(config: TransformerConfig, longest: int, new: int) -> None:
    """Refuse more tokens than there are positions; the last one is never read."""
    if config.position in TABLES and longest + new - 1 > config.max_len:
        raise ValueError(
            f"a model with {config.position} positions must have one for each token "
            f"it reads, got {longest} + {new} - 1 tokens for max_len={config.max_len};"
            " shorten the prompt or lower max_new_tokens."
        )


def check_randomness(generator: object, seed: object) -> None:
    """Refuse two sources of random numbers, and such as are none."""
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
        check_size("seed", seed, minimum=0)
        if seed >= 2**64:
            raise ValueError(
                f"seed must be below 2**64, got {seed}; pass a smaller number."
            )


def check_beam(beam_width: object, num_results: object) -> None:
    """Refuse a beam without texts, and more results than it holds."""
    check_size("beam_width", beam_width)
    check_size("num_results", num_results)
    if num_results > beam_width:
        raise ValueError(
            f"num_results must be at most beam_width={beam_width}, got {num_results}; "
            "widen the beam or ask for fewer."
        )


def check_length_penalty(length_penalty: object) -> None:
    """Refuse an exponent with which longer texts would be divided by less."""
    if length_penalty != 0 or isinstance(length_penalty, bool):
        check_positive("length_penalty, if not 0,", length_penalty)


def check_draft(model: GenerativeModel, draft: object) -> None:
    """Refuse a draft that reads or writes something else than the model."""
    check_kind("draft", draft, GenerativeModel)
    if isinstance(model, Transformer) != isinstance(draft, Transformer):
        raise TypeError(
            "the model and its draft must be of one kind, got "
            f"{type(model).__name__} and {type(draft).__name__}; pass two "
            "encoder-decoders or two decoder-only models."
        )
    if model.config.vocab_size != draft.config.vocab_size:
        raise ValueError(
            "the model and its draft must have one vocabulary, got "
            f"vocab_size={model.config.vocab_size} and "
            f"{draft.config.vocab_size}; take a draft with the same tokenizer."
        )

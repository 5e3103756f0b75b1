"""One function for all ways of decoding: what is asked for chooses the way."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict, Unpack, overload

import torch
from jaxtyping import Bool, Integer
from torch import Tensor, nn

from transformer.checks.values import check_size
from transformer.decoding.beam import beam_search
from transformer.decoding.continuation import (
    TABLES,
    MaybeWrapped,
    check_writer,
    reads_source,
)
from transformer.decoding.greedy import greedy_decode
from transformer.decoding.growth import Watch
from transformer.decoding.sampling import sample
from transformer.decoding.texts import Ids, Speaks, as_batch, read_texts, write_texts
from transformer.models import unwrapped

USUAL = 50  # tokens to write at most, where nobody says how many


class Way(TypedDict, total=False):
    """What else `generate` takes, for editors; its documentation says what it is."""

    max_new_tokens: int | None
    temperature: float | int | None
    top_k: int | None
    top_p: float | None
    min_p: float | None
    repetition_penalty: float | None
    generator: torch.Generator | None
    seed: int | None
    beam_width: int
    length_penalty: float | None
    eos_id: int | Sequence[int] | None
    bos_id: int | None
    mask: Bool[Tensor, "batch time"] | None
    use_cache: bool
    compile: bool
    watch: Watch | None


@overload
def generate(
    model: MaybeWrapped, tokens: Ids, *, tokenizer: None = None, **way: Unpack[Way]
) -> Integer[Tensor, "batch new"]: ...


@overload
def generate(
    model: MaybeWrapped, tokens: str, *, tokenizer: Speaks, **way: Unpack[Way]
) -> str: ...


@overload
def generate(
    model: MaybeWrapped, tokens: Sequence[str], *, tokenizer: Speaks, **way: Unpack[Way]
) -> list[str]: ...


def generate(
    model: MaybeWrapped,
    tokens: Ids | str | Sequence[str],
    *,
    tokenizer: Speaks | None = None,
    max_new_tokens: int | None = None,
    temperature: float | int | None = None,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    repetition_penalty: float | None = None,
    generator: torch.Generator | None = None,
    seed: int | None = None,
    beam_width: int = 1,
    length_penalty: float | None = None,
    eos_id: int | Sequence[int] | None = None,
    bos_id: int | None = None,
    mask: Bool[Tensor, "batch time"] | None = None,
    use_cache: bool = True,
    compile: bool = False,
    watch: Watch | None = None,
) -> Integer[Tensor, "batch new"] | str | list[str]:
    r"""Return the text with which a model goes on: new tokens, without the prompt.

    $$y_t = \mathrm{choice}\big(p(\cdot \mid y_1, \dots, y_{t-1})\big)$$

    The most probable token at each step, by `greedy_decode`, unless another way is
    asked for: `temperature`, `top_k`, `top_p` or `min_p` draw each token, by `sample`,
    and a `beam_width` above 1 looks for the most probable text, by `beam_search`, which
    also tells scores. A decoder-only model goes on with prompts. An encoder-decoder
    reads sources, and its texts start with `bos_id`.

    Source: ours; each way has its own.

    Parameters that are not listed are those of `Continuation`.

    Args:
        tokens: The source, or the prompt: a batch, or what a tokenizer has encoded. A
            list of ids is one text, and several lists are a batch, of any lengths. With
            a tokenizer, a text or several.
        tokenizer: What turns texts into ids and back. Where it tells which tokens end a
            text, they do.
        max_new_tokens: How many tokens each row gets at most; 50 when not given, or as
            many as the model has positions for.
        temperature: Draw each token; flat above 1, sharp below. 1 as it is; 0 takes the
            most probable one, whatever is filtered.
        top_k: Draw from the most probable tokens only.
        top_p: Draw from the nucleus only.
        min_p: Draw from tokens with this share of the largest probability only.
        repetition_penalty: When drawing, against tokens that the text already holds.
        generator: When drawing, where the random numbers come from.
        seed: Or the seed of a generator.
        beam_width: How many texts a beam search follows; 1 for none.
        length_penalty: In a beam search, how much long texts are favored; 0.6 if not
            given.
        watch: A function that is shown the tokens after each step, one for each row;
            not in a beam search, which takes tokens back.

    Returns:
        With a tokenizer, the new text or texts, without prompt and end. Otherwise the
        new tokens of each row, its end included; then filled with `pad_id`, or
        with the first `eos_id` in a model without padding.

    Raises:
        ValueError: If two ways are asked for, an option belongs to another way, or
            for what the way itself refuses.
    """
    if tokenizer is not None:
        one = isinstance(tokens, str)
        tokens, marks = read_texts([tokens] if one else tokens, tokenizer, model)
        eos_id = marks.get("eos_id") if eos_id is None else eos_id
        bos_id = marks.get("bos_id") if bos_id is None else bos_id
    filters = _said(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    drawing = _said(
        repetition_penalty=repetition_penalty, generator=generator, seed=seed
    )
    if temperature == 0 and not isinstance(temperature, bool):
        filters = {}
        drawing = _said(repetition_penalty=repetition_penalty)
        if drawing:  # which changes what is most probable
            filters = {"top_k": 1}
    search = _said(length_penalty=length_penalty)
    check_way(filters, drawing, search, beam_width)
    check_watch(watch, beam_width)
    tokens, told = as_batch(tokens, model)
    mask = told if mask is None else mask
    if max_new_tokens is None:
        max_new_tokens = usual_length(unwrapped(model), tokens.size(-1))
    text = {
        "max_new_tokens": max_new_tokens,
        "eos_id": eos_id,
        "bos_id": bos_id,
        "mask": mask,
        "use_cache": use_cache,
        "compile": compile,
    }
    if filters:
        new = sample(model, tokens, watch=watch, **text, **filters, **drawing)
    elif beam_width > 1:
        found = beam_search(model, tokens, beam_width=beam_width, **text, **search)
        new = found.tokens[:, 0]  # (batch, new)
    else:
        new = greedy_decode(model, tokens, watch=watch, **text)
    if tokenizer is None:
        return new
    texts = write_texts(new, tokenizer, eos_id)
    return texts[0] if one else texts


def usual_length(model: nn.Module, read: int) -> int:
    """Return how many tokens are written where nobody says it."""
    check_writer(model)
    if model.config.position not in TABLES:
        return USUAL
    before = 1 if reads_source(model) else read
    return max(1, min(USUAL, model.config.max_len + 1 - before))


def _said(**options: object) -> dict[str, object]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


# Checks


def check_way(
    filters: Mapping[str, object],
    drawing: Iterable[str],
    search: Iterable[str],
    beam_width: object,
) -> None:
    """Check that the options of `generate` ask for one way of decoding."""
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

"""One function for all ways of decoding: what is asked for chooses the way."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from transformer.checks.decoding import check_ids, check_watch, check_way
from transformer.checks.logits import check_temperature
from transformer.decoding.beam import beam_search
from transformer.decoding.continuation import MaybeWrapped
from transformer.decoding.greedy import greedy_decode
from transformer.decoding.growth import Watch
from transformer.decoding.sampling import sample
from transformer.models import unwrapped

Ids = Integer[Tensor, "batch time"] | Sequence[int] | Sequence[Sequence[int]]


def generate(
    model: MaybeWrapped,
    tokens: Ids,
    *,
    max_new_tokens: int,
    temperature: float | None = None,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    repetition_penalty: float | None = None,
    generator: torch.Generator | None = None,
    seed: int | None = None,
    beam_width: int = 1,
    length_penalty: float | None = None,
    eos_id: int | None = None,
    bos_id: int | None = None,
    mask: Bool[Tensor, "batch time"] | None = None,
    use_cache: bool = True,
    compile: bool = False,
    watch: Watch | None = None,
) -> Integer[Tensor, "batch new"]:
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
            list of ids is one text, and lists of one length are a batch.
        temperature: Draw each token; flat above 1, sharp below. 1 as it is.
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
        The new tokens of each row, its end included; then filled with `pad_id`, or
        with `eos_id` in a model without padding.

    Raises:
        TypeError: If an argument has the wrong type or dtype.
        ValueError: If two ways are asked for, an option belongs to another way, or
            for what the way itself refuses.
    """
    filters = _said(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    drawing = _said(
        repetition_penalty=repetition_penalty, generator=generator, seed=seed
    )
    search = _said(length_penalty=length_penalty)
    check_way(filters, drawing, search, beam_width)
    check_watch(watch, beam_width)
    if temperature is not None:
        check_temperature(
            "temperature",
            temperature,
            instead="leave out temperature, top_k, top_p and min_p",
        )
    tokens = as_batch(tokens, model)
    text = {
        "max_new_tokens": max_new_tokens,
        "eos_id": eos_id,
        "bos_id": bos_id,
        "mask": mask,
        "use_cache": use_cache,
        "compile": compile,
    }
    if filters:
        return sample(model, tokens, watch=watch, **text, **filters, **drawing)
    if beam_width > 1:
        found = beam_search(model, tokens, beam_width=beam_width, **text, **search)
        return found.tokens[:, 0]  # (batch, new)
    return greedy_decode(model, tokens, watch=watch, **text)


def as_batch(tokens: Ids, model: MaybeWrapped) -> Integer[Tensor, "batch time"]:
    """Return ids as a tensor that is where the model is.

    A list can mean one thing only: what a tokenizer has encoded, which is one text. A
    tensor of one axis is refused, because it may be a column of a batch, and the
    functions behind `generate` take tensors alone.
    """
    if not isinstance(tokens, list | tuple):
        return tokens
    check_ids("tokens", tokens)
    rows = tokens if isinstance(tokens[0], list | tuple) else [tokens]
    return torch.tensor(rows, device=getattr(unwrapped(model), "device", None))


def _said(**options: object) -> dict[str, object]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}

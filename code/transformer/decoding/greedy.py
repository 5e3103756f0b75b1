"""Greedy decoding: always the most probable token."""

from collections.abc import Sequence

from jaxtyping import Bool, Integer
from torch import Tensor

from transformer.decoding.continuation import MaybeWrapped, continuing
from transformer.decoding.growth import Watch, grow


def greedy_decode(
    model: MaybeWrapped,
    tokens: Integer[Tensor, "batch time"],
    *,
    max_new_tokens: int,
    eos_id: int | Sequence[int] | None = None,
    bos_id: int | None = None,
    mask: Bool[Tensor, "batch time"] | None = None,
    use_cache: bool = True,
    compile: bool = False,
    watch: Watch | None = None,
) -> Integer[Tensor, "batch new"]:
    r"""Return the text that takes the most probable token at each step.

    $$y_t = \operatorname*{argmax}_{v}\ p(v \mid y_1, \dots, y_{t-1})$$

    No softmax is needed: it keeps the order of the logits. Of equal logits the
    smallest id wins. The most probable token at each step need not give the most
    probable text: see `beam_search`.

    Source: Sutskever et al. (2014), section 3.2: a beam of width 1.

    The parameters are those of `Continuation`; `watch` is a function that is shown the
    tokens after each step, one for each row.

    Returns:
        The new tokens of each row, without prompt and `bos_id`, its end included;
        then filled with `pad_id`, or with the first `eos_id` in a model without
        padding.
    """
    with continuing(
        model,
        tokens,
        max_new_tokens=max_new_tokens,
        eos_id=eos_id,
        bos_id=bos_id,
        mask=mask,
        use_cache=use_cache,
        compile=compile,
    ) as continuation:
        return grow(continuation, lambda logits: logits.argmax(dim=-1), watch)

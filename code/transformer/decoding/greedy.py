"""Greedy decoding: always the most probable token."""

from jaxtyping import Bool, Integer
from torch import Tensor

from transformer.decoding.continuation import Continuation
from transformer.decoding.doors import GenerativeModel, check_end
from transformer.decoding.generation import generate
from transformer.models import evaluating


def greedy_decode(
    model: GenerativeModel,
    tokens: Integer[Tensor, "batch time"],
    *,
    max_new_tokens: int,
    eos_id: int | None = None,
    bos_id: int | None = None,
    mask: Bool[Tensor, "batch time"] | None = None,
    use_cache: bool = True,
) -> Integer[Tensor, "batch new"]:
    r"""Return the text that takes the most probable token at each step.

    $$y_t = \operatorname*{argmax}_{v}\ p(v \mid y_1, \dots, y_{t-1})$$

    No softmax is needed: it keeps the order of the logits. Of equal logits the
    smallest id wins. The most probable token at each step need not give the most
    probable text: see `beam_search`.

    Source: Sutskever et al. (2014), section 3.2: a beam of width 1.

    Args:
        model: An encoder-decoder or a decoder-only model.
        tokens: The source, or the prompt; prompts are padded on the right.
        max_new_tokens: How many tokens each row gets at most.
        eos_id: The token that ends a row; None to go on to `max_new_tokens`.
        bos_id: The token that starts a target; for an encoder-decoder only.
        mask: True for real tokens; made from `pad_id` when not given.
        use_cache: Whether to keep keys and values; the tokens are the same without.

    Shape:
        tokens, mask: (batch, time).

    Returns:
        The new tokens of each row, without prompt and `bos_id`, its end included;
        then filled with `pad_id`, or with `eos_id` in a model without padding.

    Raises:
        TypeError: If an argument has the wrong type or dtype.
        ValueError: If ids are out of range, a prompt has holes, the text would not
            fit, or `bos_id` is missing or not wanted.
    """
    check_end(model, eos_id)
    with evaluating(model):
        continuation = Continuation(
            model,
            tokens,
            max_new_tokens=max_new_tokens,
            bos_id=bos_id,
            mask=mask,
            use_cache=use_cache,
        )
        return generate(
            continuation, lambda logits: logits.argmax(dim=-1), eos_id=eos_id
        )
